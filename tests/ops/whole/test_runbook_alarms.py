"""Runbook drills: from each alarm to its explanation and its repair, with the runbook's commands.

Each command that is run is on the alarm's own page (or on one that it links to), so a page whose
commands do not repair fails like one that is missing.  Drills of the other vendors are in
`test_vendor_outages`.
"""

import re
import time
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from chalicelib import redaction
from chalicelib.errors import UnavailableError
from chalicelib.once.causes import CAUSE
from chalicelib.once.timer import due_attributes
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.spending.budget_limits import Budget
from chalicelib.support import keys as ticket_keys
from local import company
from local.stack.lambda_events import LambdaContext, schedule_event
from tests.rigs.alarms import alarms
from tests.rigs.levels import step_to
from tests.rigs.operator import Operator, new_containers, put_secret
from tests.rigs.tickets import ROUTED, RoutingSystem, put_dead_letter
from tests.rigs.waiting import comes_again

DOWN = "connect_failed"
WRITES = {
    "UpdateItem",
    "PutItem",
    "TransactWriteItems",
    "BatchExecuteStatement",
    "ExecuteStatement",
}
NOT_HERE = {
    "worker-throttles",  # Lambda's account limits: the only command of ours is `reconcile`
    "api-throttles",
    "queue-age-critical",  # as queue-age, longer
    "door-refusals",  # its one command only lists: tests/ops/inspect/test_refused_callers.py
}


def test_every_alarm_has_its_drill():
    """Of those that can be brought about without Lambda."""
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_runbook_*.py"))
    drilled = set(re.findall(r'operator\.(?:is_paged_by|opens)\(\s*"([a-z-]+)"', texts))
    assert set(alarms()) - drilled == NOT_HERE


@pytest.fixture
def operator(app, without_rate_limits, stage, richpanel, pump, capsys):
    return Operator(RoutingSystem(app, stage, richpanel, pump), capsys)


def processed(system, ticket_id="1042"):
    row = system.event(ticket_id=ticket_id)
    return row["status"] == "processed" and set(ROUTED) <= system.richpanel.tags_of(ticket_id)


# --- vendors ------------------------------------------------------------------------------------


def test_richpanel_is_down(operator):
    """worker-errors is Lambda's own metric: every job handed back is a failed invocation."""
    system = operator.system
    system.post(system.ticket())
    system.richpanel.down()
    (failed,) = system.run()
    assert failed.error is not None
    operator.opens("worker-errors")
    assert "not reachable" in operator.runs("doctor", code=1).out
    assert DOWN in operator.runs("explain", "evt:rp:1042:c-1").out
    system.richpanel.up()
    system.again()
    assert processed(system)


def test_richpanel_is_down_for_many(operator):
    """Its breaker opens, and one alarm says so for all of them."""
    system = operator.system
    tickets = [str(number) for number in range(1042, 1047)]
    for ticket in tickets:
        system.post(system.ticket(ticket))
    system.richpanel.down()
    system.run()
    operator.is_paged_by("richpanel-down")
    operator.runs("doctor", code=1)
    assert len(operator.runs("unfinished", "--json").data) == len(tickets)
    assert "Not answered yet" in operator.runs("explain", "evt:rp:1042:c-1").out
    system.richpanel.up()
    new_containers()
    system.again()
    assert processed(system, tickets[-1])


def test_a_new_cause_holds_events_up(operator):
    """The sweep finds one incident for all of them, and one act lets them go on."""
    system, sqs = operator.system, operator.system.stage.aws.client("sqs")
    tickets = [str(number) for number in range(1042, 1045)]
    for ticket in tickets:
        system.post(system.ticket(ticket))
    system.richpanel.down()
    system.run()
    table = system.services().ledger._table
    for ticket in tickets:
        key = {"event_id": f"evt:rp:{ticket}:c-1"}
        cause = table.get(key)[CAUSE].partition("#")[0]
        table.update(key, set_={CAUSE: f"{cause}#2026-01-01T00:00:00.000Z"})  # it has lasted
    system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))
    operator.is_paged_by("incident-opened")
    (incident,) = operator.runs("incidents", "list", "--json").data
    assert incident["held"] == len(tickets)
    name = incident["incident"]
    operator.runs("incidents", "acknowledge", name)
    system.richpanel.up()
    new_containers()
    operator.runs("incidents", "mend", name, "--dry-run")
    operator.runs("incidents", "mend", name, "--yes")
    for handle in system.handles:
        comes_again(system.services(), sqs, system.stage.queue_url, handle)
    system.run()
    assert all(processed(system, ticket) for ticket in tickets)


def test_richpanel_refuses_our_key(operator):
    system = operator.system
    system.post(system.ticket())
    system.richpanel.api_keys[:] = ["the-new-one"]
    system.run()
    operator.is_paged_by("vendor-refuses-key")
    assert "API key is refused" in operator.runs("doctor", code=1).out
    put_secret(system, "richpanel/api_key", "the-new-one")
    system.again()
    assert processed(system)


def test_richpanel_rate_limits_us(operator):
    system = operator.system
    system.post(system.ticket())
    system.richpanel.fault("status", operation="read_ticket", status=429)
    system.run()
    operator.is_paged_by("vendor-rate-limits")
    assert "429" in operator.runs("explain", "evt:rp:1042:c-1").out
    system.again()
    assert processed(system)


def test_tickets_wait_for_their_turn_at_richpanel(operator):
    """Nothing fails: the job is set aside, and its time is known."""
    system = operator.system
    services = system.services()
    now = services.clock.now().timestamp()
    services.support.richpanel_level.take(step_to(now + 600, new=now + 600))
    system.post(system.ticket())
    assert [result.error for result in system.run()] == [None]
    system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))
    operator.is_paged_by("richpanel-turns")
    (waiting,) = operator.runs("unfinished", "--json").data
    assert "1042" in str(waiting)
    assert system.richpanel.calls_of("add_tags") == ()


def test_the_workers_of_a_lane_are_near_their_ceiling(operator):
    """The metric is Lambda's own; `tests/house/test_load.py` shows when it rings."""
    operator.system.post(operator.system.ticket())
    operator.opens("worker-busy")
    found = {
        finding["check"]: finding["detail"]
        for finding in operator.runs("doctor", "--json", code=1).data
    }
    assert found["lane tickets"].startswith("1 waiting, 0 in flight")
    assert "of 50 calls in 30 s" in found["richpanel budget"]
    operator.finds("More workers help")
    operator.opens("outreach-busy")
    assert found["lane outreach"].endswith("2 workers")
    operator.finds("LANE_CONCURRENCY")
    operator.opens("email-busy")
    assert found["lane email"].endswith("2 workers")
    operator.finds("LANE_CONCURRENCY")
    operator.opens("facts-busy")
    assert found["lane facts"].endswith("2 workers")
    operator.finds("LANE_CONCURRENCY")
    operator.opens("companies-busy")
    assert found["lane companies"].endswith("2 workers")
    operator.finds("LANE_CONCURRENCY")
    operator.system.run()
    assert processed(operator.system)


def test_richpanels_clock_is_two_hours_from_ours(operator, monkeypatch):
    """Nothing waits for it."""
    system = operator.system
    monkeypatch.setattr(system.richpanel, "_now", lambda: time.time() - 7_200)
    system.post(system.ticket())
    system.run()
    operator.is_paged_by("vendor-clock")
    assert processed(system)


def test_richpanel_forbids_listing(operator):
    system = operator.system
    system.post(system.ticket())
    system.run()
    system.richpanel.set_modes(list_allowed=False)
    system.ticket("1043")
    assert system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))[
        "listing"
    ].startswith("forbidden")
    operator.is_paged_by("listing-forbidden")
    number = system.richpanel.ticket("1043")["conversation_no"]
    operator.runs("reconcile", "--from-number", str(number), code=1)
    system.run()
    assert processed(system, "1043")


def test_richpanel_takes_tags_by_id_and_lacks_some(operator, monkeypatch):
    system = operator.system
    monkeypatch.setenv("RICHPANEL_TAG_MODE", "id")
    system.richpanel.set_modes(tag_mode="id")
    new_containers()
    system.richpanel.tag_id("middleware_error_needs_attention")
    system.post(system.ticket())
    system.run()
    operator.is_paged_by("unknown-tags")
    assert "missing" in operator.runs("support-tags", code=1).out
    operator.runs("support-tags", "--create")
    new_containers()
    operator.runs("replay", "--status", "failed", "--reason", "refused:unknown_tag")
    system.run()
    assert set(ROUTED) <= system.richpanel.tags_of("1042")


def test_a_settings_document_of_another_release(operator):
    system = operator.system
    versions = system.services().support.versions
    versions.publish({"of_a_later_release": True}, by="jo", note="", after=0)
    new_containers()
    system.post(system.ticket())
    system.run()
    operator.is_paged_by("settings-unreadable")
    assert "of_a_later_release" in operator.runs("support-settings", "history").out
    operator.runs("support-settings", "restore", "0")
    assert processed(system)


# --- the door -----------------------------------------------------------------------------------


def test_the_key_of_the_hashes_is_gone_and_webhooks_are_lost(operator):
    system = operator.system
    secrets = system.stage.aws.client("secretsmanager")
    key = secrets.get_secret_value(SecretId="rp-mw/dev/keys/ids")["SecretString"]
    put_secret(system, "keys/ids", " ")
    new_containers()
    assert system.post(system.ticket()).status_code == 500
    operator.is_paged_by("ingress-failures")
    assert "keys/ids" in operator.runs("doctor", code=1).out
    put_secret(system, "keys/ids", key)
    new_containers()
    operator.runs("reconcile", "--since", "24h")
    system.run()
    assert processed(system)


def test_the_doors_own_secret_is_gone(operator):
    """The door is closed and rings nothing; the page and the doctor say so."""
    system = operator.system
    put_secret(system, "richpanel/webhook_token", " ")
    new_containers()
    assert system.post(system.ticket()).status_code == 401
    operator.opens("ingress-failures")
    operator.finds("no_webhook_token_configured")
    assert "richpanel/webhook_token" in operator.runs("doctor", code=1).out
    put_secret(system, "richpanel/webhook_token", system.token)
    new_containers()
    operator.runs("reconcile", "--since", "24h")
    system.run()
    assert processed(system)


def test_a_short_wait_could_not_be_put_back(operator):
    """Its row brings the event back; the message itself needs nothing."""
    sqs = operator.system.stage.aws.client("sqs")
    url = sqs.get_queue_url(QueueName="rp-mw-later-dlq-dev")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    operator.opens("later-dead-letters")
    assert "rp-mw-later-dlq-dev" in operator.runs("doctor", code=1).out
    operator.runs("unfinished")


def test_a_token_was_changed_on_one_side_only(operator):
    system = operator.system
    body = system.ticket()
    for _ in range(2):
        assert system.post(body, token="the-new-one").status_code == 401
    operator.is_paged_by("invalid-tokens")
    put_secret(
        system, "richpanel/webhook_token", f'{{"active_tokens": ["the-new-one", "{system.token}"]}}'
    )
    new_containers()
    assert system.post(body, token="the-new-one").status_code == 200
    operator.runs("reconcile")
    system.run()
    assert processed(system)


def test_the_queue_accepts_nothing_and_callers_get_503(operator, monkeypatch):
    """api-errors is API Gateway's own metric; ingress-failures says why."""
    system = operator.system

    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.setattr(system.services().outbox, "put", refuses)
        assert system.post(system.ticket()).status_code == 503
    operator.is_paged_by("ingress-failures")
    operator.opens("api-errors")
    operator.runs("reconcile")
    system.run()
    assert processed(system)


# --- the worker ---------------------------------------------------------------------------------


def test_a_message_was_dead_lettered(operator):
    system = operator.system
    put_dead_letter(system, "1042")
    operator.opens("dead-letters")
    (letter,) = operator.runs("dlq", "list", "--json").data
    shown = operator.runs("dlq", "show", letter["event"], "--json").data
    assert shown["reason"] == "dead_letter:richpanel_http_503"
    operator.runs("dlq", "redrive", "--dry-run")
    operator.runs("dlq", "redrive", "--rate", "1")
    system.run()
    assert processed(system)


def test_a_worker_died(operator):
    system = operator.system
    system.post(system.ticket())
    ledger = system.services().ledger

    def dies(*_arguments, **_how):
        raise SystemExit("killed")

    ledger.begin = dies
    with pytest.raises(SystemExit):
        system.run()
    del ledger.begin
    system.let_leases_end()
    system.again()
    operator.is_paged_by("lease-takeovers")
    assert "processed" in operator.runs("explain", "1042").out
    assert processed(system)


def test_an_outcome_is_unknown(operator):
    """An operator checks and settles it."""
    system = operator.system
    system.post(system.ticket())
    system.run()
    key, table = ticket_keys.tag_action("1042", ROUTED[0], "c-1"), system.services().ledger._table
    table.update({"event_id": key}, set_={"status": "unknown", **due_attributes("action", key, 1)})
    event = "evt:rp:1042:c-1"
    parked = {"status": "parked", "reason": "unknown:tag", **due_attributes("event", event, 1)}
    table.update({"event_id": event}, set_=parked)
    operator.opens("unfinished-age")
    (event,) = operator.runs("unfinished", "--json").data
    assert (event["status"], event["reason"]) == ("parked", "unknown:tag")
    assert key in operator.runs("explain", event["event"]).out
    assert operator.runs("settle", "--json").data[0]["action"] == key
    assert operator.runs("settle", key, "--json").data["saw"] == "cannot_be_asked"
    operator.runs("settle", key, "done")
    system.run()
    assert processed(system)
    assert operator.runs("unfinished", "--json").data == []


def test_the_ledger_is_throttled(operator):
    """ledger-throttles is DynamoDB's own metric."""
    system = operator.system

    def throttled(model, params, **_):
        if model.name in WRITES and "rp_mw_idempotency" in str(params):
            refusal = {"Error": {"Code": "ProvisionedThroughputExceededException", "Message": ""}}
            raise ClientError(refusal, model.name)

    system.post(system.ticket())
    events = system.services()._dynamodb.meta.events
    events.register("before-call", throttled)
    (failed,) = system.run()
    events.unregister("before-call", throttled)
    assert failed.error is not None
    operator.opens("ledger-throttles")
    assert operator.runs("unfinished", "--json").data == []
    system.again()
    assert "processed" in operator.runs("explain", "evt:rp:1042:c-1").out
    assert processed(system)
    assert set(system.added().values()) == {1}


def test_a_log_line_cannot_be_redacted(operator, monkeypatch):
    """The event continues; the log line has less text but names the event."""
    system = operator.system

    def fails(_value):
        raise RuntimeError

    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.setattr(redaction, "redact_mapping", fails)
        system.post(system.ticket())
        system.run()
    operator.is_paged_by("redaction-failures")
    operator.finds('"redaction": "failed"')
    assert '"redaction":"failed"' in operator.output
    assert processed(system)


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("Where is my order? I do not want to live anymore", "self_harm"),
        ("Where is my order? The first cream burned my skin", "safety_injury"),
    ],
)
def test_a_customer_may_be_in_danger(operator, text, risk):
    system = operator.system
    system.richpanel.add_ticket("1042", comments=[{"id": "c-1", "body": text}])
    system.post({"ticket_id": "1042", "message_id": "c-1", "message": text})
    system.run()
    operator.is_paged_by("grave-messages")
    assert risk in operator.runs("explain", "1042").out
    assert {f"mw-risk-{risk}", "route-leadership-team"} <= system.richpanel.tags_of("1042")


def test_a_project_has_spent_its_budget(operator):
    system = operator.system
    company.create(system.stage, model_budget={"cents_per_day": 1})
    record = Record({"company_id": company.COMPANY_ID, "project_id": company.PROJECT_ID})
    system.services().outreach_work.spending.reserve(record, Budget(10_000, 8_000), 9_000)
    operator.is_paged_by("model-budget")
    (day,) = operator.runs("company", "usage", company.COMPANY_ID, "--json").data
    assert (day["budget_usd"], day["left_usd"]) == (0.01, 0.001)
    company.put_project(system.stage, company.project("dev", model_budget={"cents_per_day": 5}))
    (day,) = operator.runs("company", "usage", company.COMPANY_ID, "--json").data
    assert day["left_usd"] == 0.041


def test_a_release_was_rolled_back_over_a_newer_plan(operator):
    system = operator.system
    system.post(system.ticket())
    system.richpanel.fault("status", operation="add_tags", status=429)
    system.run()
    table = system.services().ledger._table
    plan = table.get({"event_id": "evt:rp:1042:c-1"})["plan"]
    table.update({"event_id": "evt:rp:1042:c-1"}, set_={"plan": "z9:of-a-newer-release"})
    system.again()
    operator.opens("unfinished-age")
    (event,) = operator.runs("unfinished", "--json").data
    operator.is_paged_by("parked-events")
    operator.finds("plan_not_known_here")
    assert event["reason"] == "plan_not_known_here"
    table.update({"event_id": "evt:rp:1042:c-1"}, set_={"plan": plan})  # forward again
    operator.runs("replay", "evt:rp:1042:c-1")
    system.run()
    assert processed(system)


def test_reconciliation_has_not_run(operator):
    system = operator.system
    system.ticket()
    operator.opens("reconcile-silent")
    assert operator.runs("reconcile", "--dry-run", "--json").data["requeued"] == 1
    operator.runs("reconcile")
    system.run()
    assert processed(system)


def test_reconciliation_fails(operator):
    system = operator.system
    system.ticket()
    system.richpanel.fault("status", operation="list_tickets", status=500, times=2)
    assert (
        system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))["listing"]
        != "complete"
    )
    operator.is_paged_by("reconcile-incomplete")
    result = operator.runs("reconcile", "--dry-run", "--json", code=1).data
    assert result["listing"].startswith("interrupted:richpanel_")
    operator.runs("reconcile", "--since", "2h")
    system.run()
    assert processed(system)


def test_a_row_that_reconciliation_cannot_handle(operator):
    system = operator.system
    system.post(system.ticket())
    system.run()
    table = system.services().ledger._table
    row = {
        "status": "received",
        "payload_bytes": "many",
        **due_attributes("event", "evt:rp:1042:c-1", 1),
    }
    table.update({"event_id": "evt:rp:1042:c-1"}, set_=row)
    summary = system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))
    assert summary["failures"] == {"event": 1}
    operator.is_paged_by("reconcile-failures")
    assert operator.runs("unfinished", "--json").data


# --- switches -----------------------------------------------------------------------------------


def test_a_switch_is_missing_and_everything_waits(operator):
    system = operator.system
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    new_containers()
    system.post(system.ticket())
    system.run()
    operator.opens("queue-age")
    assert "nothing starts" in operator.runs("doctor", code=1).out
    assert "missing" in operator.runs("switch", "get").out
    operator.runs("switch", "set", "kill_switch", "false", "--yes")
    system.again()
    assert processed(system)


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_events_withheld_by_a_switch_are_replayed(operator, switch):
    system = operator.system
    operator.opens("starting-again-after-a-stop")
    operator.runs("switch", "set", switch, "true")
    new_containers()
    system.post(system.ticket())
    system.run()
    assert not system.added()
    assert switch.removesuffix("_mode") in operator.runs("explain", "1042").out
    operator.runs("switch", "set", switch, "false", "--yes")
    new_containers()
    operator.runs("replay", "--status", "processed", "--since", "24h", "--rate", "1")
    system.run()
    assert processed(system)


def test_a_switch_was_left_on(operator):
    system = operator.system
    system.switch("kill_switch", "true")
    new_containers()
    system.post(system.ticket())
    system.run()
    system.app.post_facts(schedule_event(), LambdaContext(timeout_seconds=240))
    operator.is_paged_by("switch-left-on")
    assert "Not answered automatically: the switch kill_switch was on" in (
        operator.runs("explain", "1042").out
    )
    operator.runs("switch", "set", "kill_switch", "false", "--yes")
    new_containers()
    operator.runs("replay", "--status", "processed", "--since", "24h", "--rate", "1")
    system.run()
    assert processed(system)


def test_nothing_was_accepted(operator):
    """The sender's webhook was off; what it did not send is found."""
    system = operator.system
    system.ticket()
    operator.opens("nothing-accepted")
    operator.runs("reconcile", "--since", "24h")
    system.run()
    assert processed(system)
    system.post(system.ticket("1043"))
    operator.is_paged_by("nothing-accepted")
