"""The whole pipeline, from the HTTP door to what Richpanel received, on real engines.

Each test names the failure scenario it covers (F..) where there is one.
"""

import importlib
import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.config import Config
from chalice.test import Client
from engines import drain

from chalicelib import keys
from chalicelib.clock import iso, parsed
from chalicelib.errors import SettingsError, TransientError
from chalicelib.jobs import Recovery, encode, facts_of
from chalicelib.ports import Delivery
from chalicelib.redaction import redact
from chalicelib.sources import InboundRequest
from chalicelib.sources import richpanel as richpanel_source

TOKEN_HEADER = "x-richpanel-webhook-token"
ROUTED = ["route-returns-admin", "mw-intent-refund_request", "mw-routing-applied", "mw-processed"]


class System:
    """What a test does to the running system, and what it sees of it from the outside."""

    def __init__(self, app, stage, richpanel, pump):
        self.app, self.stage, self.richpanel, self.pump = app, stage, richpanel, pump
        self.services = importlib.import_module("chalicelib.wiring").services
        self.services()  # before Chalice's test client puts the deployed stage's environment there
        self.token = stage.secrets.webhook_token
        self.handles = []
        handler = pump.handler

        def handle(event, context):
            self.handles.append(event["Records"][0]["receiptHandle"])
            return handler(event, context)

        pump.handler = handle

    def post(self, body, *, token=None, raw=None):
        headers = {"content-type": "application/json"}
        if token != "":
            headers[TOKEN_HEADER] = token or self.token
        with Client(self.app.app) as client:
            return client.http.post(
                "/webhook/richpanel",
                headers=headers,
                body=raw if raw is not None else json.dumps(body).encode(),
            )

    def ticket(self, ticket_id="1042", text="I want a refund", **more):
        self.richpanel.add_ticket(ticket_id, comments=[{"body": text, "id": "c-1"}], **more)
        return {"ticket_id": ticket_id, "message_id": "c-1", "message": text}

    def run(self):
        """Handle what is visible; messages that were handed back stay until `again`."""
        return drain(self.pump, at_most=20)

    def again(self):
        """The visibility time-out of the message handled last is over; another container has it."""
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.stage.aws.client("sqs").change_message_visibility(
            QueueUrl=self.stage.queue_url, ReceiptHandle=self.handles[-1], VisibilityTimeout=0
        )
        return self.run()

    def let_leases_end(self):
        """Time passes for every row that somebody holds."""
        table = self.services().ledger._table
        for row in table._client.scan(TableName=table.name)["Items"]:
            if "lease_until" in row:
                table.update({"event_id": row["event_id"]["S"]}, set_={"lease_until": 1})

    def row(self, key):
        return self.services().ledger._table.get({"event_id": key})

    def event(self, message_id="c-1", ticket_id="1042"):
        return self.row(keys.ticket_message(ticket_id, message_id))

    def writes(self):
        return [call for call in self.richpanel.calls if call.method == "PUT"]

    def added(self, ticket_id="1042"):
        return self.richpanel.effects_of(ticket_id, "tag_added")

    def audit(self, ticket_id="1042"):
        return self.services().audit._table.query(
            KeyConditionExpression="conversation_id = :c", values={"c": ticket_id}
        )

    def everything_stored(self):
        client = self.stage.aws.client("dynamodb")
        names = client.list_tables()["TableNames"]
        return json.dumps([client.scan(TableName=name)["Items"] for name in names], default=str)


@pytest.fixture
def system(app, stage, richpanel, pump):
    return System(app, stage, richpanel, pump)


@pytest.fixture
def log(system):
    stream = io.StringIO()
    system.services().log._stream = stream
    return stream


# --- one event ------------------------------------------------------------------------------


def test_a_webhook_ends_as_tags_at_richpanel_with_a_record_of_each(system):
    answer = system.post(system.ticket())
    assert (answer.status_code, answer.json_body) == (
        200,
        {"status": "accepted", "event_id": "evt:rp:1042:c-1"},
    )
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert [call.operation for call in system.richpanel.calls] == ["read_ticket", "add_tags"]
    row = system.event()
    assert (row["status"], row["intent"], row["mode"]) == (
        "processed",
        "refund_request",
        "automation_candidate",
    )
    audit = system.audit()
    assert sorted(one["idempotency_key"] for one in audit) == sorted(
        keys.tag_action("1042", tag, "c-1") for tag in ROUTED
    )
    assert {one["result"] for one in audit} == {"success"}
    assert [one["action_type"] for one in audit].count("route") == 1
    state = system.services().state.read("1042")
    assert (state.last_intent, state.last_routed_team) == ("refund_request", ROUTED[0])


def test_copies_of_a_webhook_do_nothing(system):
    """F01: the queue drops the copies of five minutes, the ledger those of thirty days."""
    body = system.ticket()
    for _ in range(5):
        assert system.post(body).status_code == 200
    system.run()
    system.services().intake.accept(_job(body), recovery=Recovery.SWEEP)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert len(system.writes()) == 1


def test_two_copies_at_once_on_two_workers_do_the_work_once(system):
    """F02, F27: the second worker finds the lease taken and leaves its message on the queue."""
    body = system.ticket()
    worker = system.services().worker
    deliveries = [_delivery(body) for _ in range(2)]

    def run(delivery):
        try:
            worker.process(delivery)
        except Exception as error:  # noqa: BLE001
            return str(error)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        results = sorted(pool.map(run, deliveries))
    assert results in (["busy", "done"], ["done", "done"])
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_two_rules_with_two_templates_report_one_message(system):
    """F13: the payload's hash is stored and never judged; the first result stays untouched."""
    body = system.ticket()
    system.post(body)
    system.run()
    before = system.event()
    system.services().intake.accept(_job(body | {"rule": "another"}), recovery=Recovery.SWEEP)
    system.run()
    assert system.event() == before
    assert len(system.writes()) == 1


def test_a_thin_notification_of_a_known_message_does_nothing(system):
    """One message, one key: the comment's, whoever reports it and how."""
    system.post(system.ticket())
    system.run()
    answer = system.post({"ticket_id": "1042", "trigger": "customer_message"})
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    row = system.row(answer.json_body["event_id"])
    assert (row["status"], row["reason"]) == ("processed", "nothing_new")


def test_a_thin_notification_is_resolved_to_every_new_comment(system):
    system.richpanel.add_ticket("7", comments=["I want a refund", "My password does not work"])
    system.post({"ticket_id": "7", "trigger": "customer_message"})
    system.run()
    assert system.event("comment-1", "7")["status"] == "processed"
    assert system.event("comment-2", "7")["intent"] == "technical_support"
    assert system.richpanel.tags_of("7") >= {"route-technical-support-team", "mw-processed"}
    assert "route-returns-admin" not in system.richpanel.tags_of("7")


def test_at_first_contact_what_an_operator_has_answered_is_not_new(system):
    system.richpanel.add_ticket("7")
    system.richpanel.add_comment("7", "I want a refund", created_at=_ago(3600))
    system.richpanel.add_comment("7", "Done!", operator=True, created_at=_ago(1800))
    system.richpanel.add_comment("7", "Where is my package?", created_at=_ago(60))
    system.post({"ticket_id": "7"})
    system.run()
    assert system.event("comment-1", "7") is None
    assert system.event("comment-3", "7")["status"] == "processed"
    system.post({"ticket_id": "7"})
    system.run()
    assert system.event("comment-1", "7") is None, "later contacts do not dig it out either"


def test_our_own_comment_triggers_nothing(system):
    """F48: Richpanel's rules fire on the middleware's own replies too."""
    system.richpanel.add_ticket("7")
    comment = system.richpanel.add_comment("7", "We refunded you", operator=True)
    system.post({"ticket_id": "7", "message_id": comment})
    system.post({"ticket_id": "7"})
    system.run()
    assert not system.writes()
    assert (system.event(comment, "7")["status"], system.event(comment, "7")["reason"]) == (
        "skipped",
        "operator_comment",
    )


def test_what_the_ticket_already_has_is_not_sent_again(system):
    """F47: two events may want the same tag."""
    system.post(system.ticket(tags=["mw-routing-applied", "route-returns-admin"]))
    system.run()
    assert set(system.added()) == {"mw-intent-refund_request", "mw-processed"}
    rows = [system.row(keys.tag_action("1042", tag, "c-1")) for tag in ROUTED]
    assert [(row["status"], row.get("reason")) for row in rows] == [
        ("skipped", "already"),
        ("done", None),
        ("skipped", "already"),
        ("done", None),
    ]


def test_a_message_that_tells_something_else_moves_the_ticket(system):
    system.post(system.ticket(tags=["route-sales-team"]))
    system.run()
    assert system.richpanel.tags_of("1042") == set(ROUTED)
    assert [call.operation for call in system.writes()] == ["remove_tags", "add_tags"]


def test_an_old_message_is_not_acted_on(system):
    """F29, F39: beyond the age gate nobody can tell a late copy from a new event."""
    body = system.ticket() | {"message_id": "c-old"}
    system.richpanel.add_comment("1042", "refund?", id="c-old", created_at=_ago(8 * 86_400))
    system.post(body)
    system.run()
    assert not system.writes()
    assert system.event("c-old")["reason"] == "too_old"


def test_a_late_message_does_not_move_the_state_backwards(system):
    """F49."""
    system.richpanel.add_ticket("7")
    system.richpanel.add_comment("7", "refund please", id="late", created_at=_ago(600))
    system.richpanel.add_comment("7", "my password is lost", id="newer", created_at=_ago(60))
    for message in ("newer", "late"):
        system.post({"ticket_id": "7", "message_id": message})
        system.run()
    assert system.event("late", "7")["status"] == "processed"
    assert system.services().state.read("7").last_intent == "technical_support"


def test_a_ticket_that_cannot_be_read_is_keyed_by_text_and_reported(system):
    """F12: the key of last resort, and its neighbour is probed."""
    body = {"ticket_id": "gone", "message": "ok", "created_at": _ago(10)}
    system.post(body)
    system.post(body)
    system.run()
    key = keys.ticket_text("gone", "ok", _epoch(body["created_at"]))
    row = system.row(key)
    assert (row["status"], row["reason"]) == ("failed", "refused:http_404")


# --- the door -------------------------------------------------------------------------------


@pytest.mark.parametrize(("token", "code"), [("", "missing_token"), ("wrong", "invalid_token")])
def test_who_cannot_prove_it_gets_401_and_leaves_no_trace(system, token, code):
    """F14."""
    answer = system.post(system.ticket(), token=token)
    assert (answer.status_code, answer.json_body["code"]) == (401, code)
    assert not system.run()


def test_a_rotated_token_is_taken_beside_the_old_one(system):
    """F14."""
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId="rp-mw/dev/richpanel/webhook_token",
        SecretString=json.dumps({"active_tokens": ["brand-new", system.token]}),
    )
    body = system.ticket()
    assert system.post(body, token="brand-new").status_code == 200
    assert system.post(body).status_code == 200
    assert system.post(body, token="other").status_code == 401


@pytest.mark.parametrize("secret", ["", "   ", '{"active_tokens": []}', '{"other": 1}'])
def test_without_a_configured_token_the_door_is_closed(system, secret):
    client = system.stage.aws.client("secretsmanager")
    client.put_secret_value(
        SecretId="rp-mw/dev/richpanel/webhook_token", SecretString=secret or " "
    )
    assert system.post(system.ticket()).status_code in (401, 500)
    assert not system.run()


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"nonsense", 400, "invalid_json"),
        (b"[1]", 400, "invalid_json"),
        (b"{}", 400, "missing_conversation_id"),
        (b'{"ticket_id": "{{ticket.id}}"}', 400, "missing_conversation_id"),
        (b'{"ticket_id": "1", "x": "' + b"y" * 33_000 + b'"}', 413, "payload_too_large"),
        (b"[" * 30_000, 400, "invalid_json"),
        (b"\xff\xfe", 400, "invalid_json"),
        (b"", 400, "invalid_json"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(system, log, raw, status, code):
    """F09, F10."""
    answer = system.post(None, raw=raw)
    assert (answer.status_code, answer.json_body["code"]) == (status, code)
    assert f'"code":"{code}"' in log.getvalue()
    assert not system.run()


def test_a_body_that_a_template_broke_still_reaches_the_ticket(system):
    """F09."""
    system.ticket()
    raw = b'{"ticket_id": "1042", "message": "He said "refund" twice"}'
    assert system.post(None, raw=raw).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_when_the_queue_does_not_take_it_the_caller_gets_503_and_may_repeat(system, monkeypatch):
    """F03, F07: no row says "seen", so the repetition is processed."""
    body = system.ticket()
    monkeypatch.setattr(system.services().outbox, "_queue_url", "http://127.0.0.1:9/nowhere")
    system.services().outbox._client = _unreachable("sqs")
    answer = system.post(body)
    assert (answer.status_code, answer.json_body["code"]) == (503, "enqueue_failed")
    system.services().outbox._client = system.stage.aws.client("sqs")
    system.services().outbox._queue_url = system.stage.queue_url
    assert system.post(body).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_send_whose_answer_was_lost_and_a_retry_are_one_event(system):
    """F05, F06: SQS drops the copy within five minutes; later the ledger does."""
    body = system.ticket()
    system.services().intake.accept(_job(body))
    system.post(body)
    assert len(system.run()) == 1
    system.services().intake.accept(_job(body), recovery=Recovery.SWEEP)
    system.run()
    assert len(system.writes()) == 1


# --- crashes --------------------------------------------------------------------------------


def test_a_worker_that_died_before_its_claim_leaves_nothing_behind(system):
    """F15: the message comes again and is processed once."""
    system.post(system.ticket())
    received = system.stage.aws.client("sqs").receive_message(
        QueueUrl=system.stage.queue_url, VisibilityTimeout=0
    )
    assert received["Messages"]
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


@pytest.mark.parametrize(
    ("method", "after"),
    [
        ("store_plan", False),  # F16: claimed, nothing done
        ("store_plan", True),
        ("begin", False),
        ("begin", True),  # F18: pending is written, the effect has not left
        ("end_actions", False),  # F18: the effect is done, its proof is not written
        ("end_actions", True),  # F17: proved, and nobody was told
        ("finish", False),  # F19: everything is done but the end
        ("finish", True),
    ],
)
def test_an_event_is_resumed_where_its_worker_died(system, method, after):
    """F16 to F19: what was done is not repeated, what was not is done, and it ends processed."""
    system.post(system.ticket())
    ledger = system.services().ledger
    real = getattr(ledger, method)

    def dies(*args, **kwargs):
        if after:
            real(*args, **kwargs)
        raise SystemExit("killed")

    setattr(ledger, method, dies)
    with pytest.raises(SystemExit):
        system.run()
    delattr(ledger, method)
    system.let_leases_end()
    system.again()
    assert system.richpanel.tags_of("1042") == set(ROUTED)
    assert system.event()["status"] == "processed"
    assert len([one for one in system.richpanel.effects if one.changed]) == len(ROUTED)
    assert len(system.audit()) == len(ROUTED)


# --- what vendors and AWS do to us ----------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 429, "headers": {"Retry-After": "30"}},
        {"kind": "status", "status": 429},
        {"kind": "status", "status": 503},
        {"kind": "act_then_status", "status": 502},
        {"kind": "drop"},
        {"kind": "act_then_drop"},
        {"kind": "garbage"},
    ],
)
@pytest.mark.parametrize("operation", ["read_ticket", "add_tags"])
def test_a_vendors_bad_moment_delays_the_event_and_repeats_no_change(system, operation, fault):
    """F21, F45: tags are a set, so an unknown outcome is simply repeated."""
    system.richpanel.fault(operation=operation, **fault)
    system.post(system.ticket())
    (first,) = system.run()
    assert first.error == "HandedBackError"
    assert system.event()["status"] == "processing"
    system.again()
    assert system.event()["status"] == "processed"
    assert len([one for one in system.richpanel.effects if one.changed]) == len(ROUTED)


@pytest.mark.parametrize(
    ("retry_after", "at_least", "at_most"),
    [("30", 30, 31), ("3600", 899, 901), ("nonsense", 1, 60), ("-5", 1, 60)],
)
def test_retry_after_is_honoured_and_capped(system, retry_after, at_least, at_most):
    """F45."""
    system.richpanel.fault("status", status=429, headers={"Retry-After": retry_after})
    waits = []
    system.services().outbox.defer = lambda _handle, seconds: waits.append(seconds)
    system.post(system.ticket())
    system.run()
    assert at_least <= waits[0] <= at_most


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_effect_gives_the_ticket_to_a_person_and_is_not_repeated(system, status):
    """F44: what was refused stays refused, the hand-off fires once, the message is gone."""
    system.richpanel.fault("status", operation="add_tags", status=status)
    system.post(system.ticket())
    (done,) = system.run()
    assert done.error is None
    assert system.event()["status"] == "failed"
    assert system.event()["reason"] == f"refused:http_{status}"
    assert system.richpanel.tags_of("1042") == {"middleware_error_needs_attention"}
    results = {one["action_type"]: one["result"] for one in system.audit()}
    assert results["escalate"] == "success"
    assert results["route"] == f"fail:http_{status}"
    system.services().intake.accept(
        _job({"ticket_id": "1042", "message_id": "c-1"}), recovery=Recovery.SWEEP
    )
    system.run()
    assert len(system.writes()) == 2


@pytest.mark.parametrize(("status", "tries"), [(401, 2), (403, 1)])
def test_a_refused_key_is_never_taken_for_a_gone_message(system, status, tries):
    """F55: it waits on the queue until somebody mends the key."""
    system.richpanel.fault("status", operation="add_tags", status=status, times=tries)
    system.post(system.ticket())
    assert system.run()[0].error == "HandedBackError"
    system.again()
    assert system.event()["status"] == "processed"


def test_a_rotated_vendor_key_is_fetched_once_anew(system):
    """F55."""
    system.post(system.ticket())
    system.services().richpanel  # noqa: B018 - the old key is cached by the first call
    system.services().secrets.text("rp-mw/dev/richpanel/api_key")
    system.richpanel.api_keys[:] = ["rotated"]
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId="rp-mw/dev/richpanel/api_key", SecretString="rotated"
    )
    assert system.run()[0].error is None
    assert system.event()["status"] == "processed"


def test_the_last_receive_hands_the_conversation_to_a_person_and_the_reason_stays(system):
    """F34: ten receives, then the dead-letter queue, with the reason on the row."""
    system.richpanel.fault("status", operation="add_tags", status=503, times=1)
    worker = system.services().worker
    with pytest.raises(Exception, match="richpanel_http_503"):
        worker.process(_delivery(system.ticket(), receive_count=10))
    row = system.event()
    assert (row["status"], row["reason"]) == ("failed", "dead_letter:richpanel_http_503")
    assert system.richpanel.tags_of("1042") == {"middleware_error_needs_attention"}


def test_a_message_that_never_came_to_a_claim_leaves_its_reason_all_the_same(system):
    """F34, P7: the switches could not be read ten times over."""
    body = system.ticket()
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    worker = system.services().worker
    with pytest.raises(Exception, match="switches_unreadable"):
        worker.process(_delivery(body, receive_count=10))
    assert system.event()["reason"] == "dead_letter:switches_unreadable:kill_switch"
    _switch(system, "kill_switch", "false")
    worker.ledger.claim, real = (
        _raises(TransientError("dynamodb", "update_item")),
        worker.ledger.claim,
    )
    with pytest.raises(Exception, match="dynamodb"):
        worker.process(_delivery(body, receive_count=10))
    assert system.event()["reason"] == "dead_letter:dynamodb_failed"
    worker.ledger.claim = real
    system.services().intake.accept(_job(body), recovery=Recovery.OPERATOR)
    system.run()
    assert system.event()["status"] == "processed"


@pytest.mark.parametrize("body", ["", "nonsense", "{}", '{"v": 1, "kind": "ticket_message"}'])
def test_a_poison_message_is_left_to_the_dead_letter_queue(system, log, body):
    """F34: it stays on the queue with growing pauses, and its group is freed by the DLQ."""
    with pytest.raises(Exception, match="undecodable"):
        system.services().worker.process(_delivery(None, body=body))
    assert "worker.body_parse_failed" in log.getvalue()


def test_when_dynamodb_does_not_answer_nothing_is_done_and_nothing_is_lost(system):
    """F24: before the effect, the message simply goes back."""
    system.post(system.ticket())
    ledger = system.services().ledger
    ledger._table._client, real = _unreachable("dynamodb"), ledger._table._client
    assert system.run()[0].error == "HandedBackError"
    assert not system.writes()
    ledger._table._client = real
    system.again()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_an_outcome_that_dynamodb_refuses_is_offered_again(system):
    """F24: after the effect the proof is written hard."""
    system.post(system.ticket())
    ledger, failures = system.services().ledger, [1, 1]
    real = ledger.end_actions

    def throttled(*args, **kwargs):
        if failures:
            failures.pop()
            raise TransientError("dynamodb", "update_item")
        return real(*args, **kwargs)

    ledger.end_actions = throttled
    assert system.run()[0].error is None
    assert len(system.writes()) == 1


# --- switches -------------------------------------------------------------------------------


def _switch(system, name, value):
    system.stage.aws.client("ssm").put_parameter(
        Name=f"/rp-mw/dev/{name}", Value=value, Type="String", Overwrite=True
    )
    system.services().switches._cached = None


@pytest.mark.parametrize(
    ("name", "reason"), [("kill_switch", "kill_switch"), ("shadow_mode", "shadow")]
)
def test_a_switch_that_stops_leaves_no_call_and_a_full_record(system, name, reason):
    """F40, F42: proved at the wire; the decision is stored, and turning it off replays nothing."""
    _switch(system, name, "true")
    body = system.ticket()
    system.post(body)
    system.run()
    assert not system.writes()
    assert system.event()["status"] == "processed"
    assert {one["result"] for one in system.audit()} == {f"skipped:{reason}"}
    _switch(system, name, "false")
    system.services().intake.accept(_job(body), recovery=Recovery.SWEEP)
    system.run()
    assert not system.writes()


def test_an_operators_replay_performs_what_a_switch_had_skipped(system):
    """F41."""
    _switch(system, "kill_switch", "true")
    body = system.ticket()
    system.post(body)
    system.run()
    _switch(system, "kill_switch", "false")
    system.services().intake.accept(_job(body), recovery=Recovery.OPERATOR)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_safe_mode_and_automation_off_still_route(system):
    """F40: routing reaches no customer."""
    _switch(system, "safe_mode", "true")
    _switch(system, "automation_enabled", "false")
    system.post(system.ticket())
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    row = system.event()
    assert (row["mode"], row["safe_mode"], row["automation_enabled"]) == ("route_only", True, False)


@pytest.mark.parametrize("broken", ["missing", "nonsense"])
def test_switches_that_cannot_be_read_start_nothing_and_skip_nothing(system, broken):
    """F40: the job is handed back."""
    if broken == "missing":
        system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
        system.services().switches._cached = None
    else:
        _switch(system, "kill_switch", "perhaps")
    system.post(system.ticket())
    assert system.run()[0].error == "HandedBackError"
    assert not system.writes()
    assert system.event() is None
    _switch(system, "kill_switch", "false")
    system.again()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


# --- the ledger at the door -----------------------------------------------------------------


@pytest.fixture
def ledger_first(monkeypatch):
    monkeypatch.setenv("INGRESS_LEDGER", "true")


def test_with_a_ledger_at_the_door_a_queued_event_is_not_queued_again(app, ledger_first, system):
    body = system.ticket()
    for _ in range(3):
        assert system.post(body).status_code == 200
    assert system.event()["status"] == "received"
    system.run()
    assert system.event()["status"] == "processed"
    assert system.post(body).status_code == 200
    assert not system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_crash_between_row_and_queue_loses_nothing(app, ledger_first, system):
    """F04: the retry enqueues; without a retry the sweep does."""
    body = system.ticket()
    assert system.services().ledger.receive(_facts(body))
    assert system.post(body).status_code == 200
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


# --- reconciliation, first form -------------------------------------------------------------


def _sweep(system):
    return system.services().reconciler.sweep(time_left_seconds=lambda: 200.0)


def test_a_ticket_whose_webhook_was_lost_is_found(system):
    system.ticket()
    summary = _sweep(system)
    assert (summary.listed, summary.missing, summary.requeued) == (1, 1, 1)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    assert _sweep(system).missing == 0


def test_a_received_row_that_was_never_queued_is_found(app, ledger_first, system):
    """F04."""
    body = system.ticket(tags=["mw-processed"])
    system.services().ledger.receive(_facts(body))
    _age(system, "evt:rp:1042:c-1", 300)
    assert _sweep(system).stranded == 1
    system.run()
    assert system.event()["status"] == "processed"
    assert _sweep(system).stranded == 0


def test_where_listing_is_forbidden_the_sweep_says_so_and_goes_on(system, log):
    system.richpanel.modes.list_allowed = False
    summary = _sweep(system)
    assert summary.listing == "forbidden:http_403"
    assert "mw.reconcile.listing_forbidden" in log.getvalue()


# --- personal data --------------------------------------------------------------------------


def test_personal_data_reaches_no_log_and_no_table(system, log):
    """F53: the text, the address, the phone and the order live in the queue only."""
    secrets = ["jane.roe@example.com", "+1 202-555-0142", "order 9988776655", "umbrella-canary"]
    text = f"refund for {' '.join(secrets)}"
    body = system.ticket(text=text, customer_email="jane.roe@example.com", customer_name="Jane")
    system.post(body)
    system.richpanel.fault("status", operation="add_tags", status=400)
    system.run()
    system.post({"ticket_id": "1042"})
    system.run()
    stored, logged = system.everything_stored(), log.getvalue()
    assert "refund_request" in stored
    assert logged.count("\n") > 4
    for secret in (*secrets, "jane.roe", "202-555-0142", "9988776655", "0142"):
        assert secret not in stored
        assert secret not in logged
    assert redact(text) != text


def test_a_message_id_that_looks_like_an_address_stays_out_of_logs_and_queue_ids(system, log):
    ticket = "<CAMx123@mail.gmail.com>"
    system.richpanel.add_ticket(ticket, comments=[{"body": "refund", "id": "c-1"}])
    system.post({"ticket_id": ticket, "message_id": "c-1"})
    (message,) = system.stage.aws.client("sqs").receive_message(
        QueueUrl=system.stage.queue_url, AttributeNames=["All"], VisibilityTimeout=0
    )["Messages"]
    assert "mail.gmail" not in json.dumps(message["Attributes"])
    system.run()
    assert set(system.added(ticket)) == set(ROUTED)
    assert "mail.gmail" not in log.getvalue()


# --- stages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("resource", ["table", "queue"])
def test_another_stages_table_or_queue_is_refused(system, resource):
    """F59: by the resources' own tags."""
    if resource == "table":
        client = system.stage.aws.client("dynamodb")
        arn = client.describe_table(TableName="rp_mw_idempotency-dev")["Table"]["TableArn"]
        client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "prod"}])
    else:
        system.stage.aws.client("sqs").tag_queue(
            QueueUrl=system.stage.queue_url, Tags={"stage": "prod"}
        )
    with pytest.raises(Exception, match="not tagged stage=dev"):
        system.services().worker  # noqa: B018


def test_a_queue_that_a_stack_manages_is_refused(system):
    system.stage.aws.client("sqs").tag_queue(
        QueueUrl=system.stage.queue_url, Tags={"managed-by": "cloudformation"}
    )
    with pytest.raises(SettingsError, match="managed by cloudformation, this deployment is prov"):
        system.services().worker  # noqa: B018


# --- helpers --------------------------------------------------------------------------------


def _ago(seconds):
    return iso(datetime.now(UTC) - timedelta(seconds=seconds))


def _epoch(text):
    return parsed(text).timestamp()


def _job(body):
    raw = json.dumps(body).encode()
    return richpanel_source.parse(InboundRequest({}, raw, _ago(0), "d-test"))


def _facts(body):
    return facts_of(_job(body))


def _delivery(job_body, *, body=None, receive_count=1):
    return Delivery(
        body=encode(_job(job_body)) if body is None else body,
        message_id="m-1",
        receipt_handle="no-such-handle",
        receive_count=receive_count,
        max_receives=10,
        time_left_seconds=120.0,
    )


def _raises(error):
    def call(*args, **kwargs):
        raise error

    return call


def _unreachable(service):
    config = Config(connect_timeout=0.2, read_timeout=0.2, retries={"total_max_attempts": 1})
    return boto3.client(service, config=config, endpoint_url="http://127.0.0.1:9")


def _age(system, key, seconds):
    """Make a row look older than it is."""
    system.services().ledger._table.update(
        {"event_id": key}, set_={"last_processed_at": _ago(seconds)}
    )
