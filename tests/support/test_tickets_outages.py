"""Vendor and AWS faults in the pipeline: short outages, refusals, rotated keys, no response.

Each test names the failure scenario it covers (F..) where there is one.
"""

import time
from dataclasses import replace

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.job import Recovery, encode
from chalicelib.once.lanes import EMAIL
from tests.rigs.tickets import ROUTED, delivery_of, job_of, raises, unreachable


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 503},
        {"kind": "act_then_status", "status": 502},
        {"kind": "drop"},
        {"kind": "act_then_drop"},
        {"kind": "garbage"},
    ],
)
@pytest.mark.parametrize("operation", ["read_ticket", "add_tags"])
def test_a_short_vendor_outage_delays_the_event_and_repeats_no_change(system, operation, fault):
    """F21, F45: tags are a set, so an unknown outcome is simply repeated."""
    system.richpanel.fault(operation=operation, **fault)
    system.post(system.ticket())
    (first,) = system.run()
    assert first.error == "HandedBackError"
    assert system.event()["status"] == "processing"
    system.again()
    assert system.event()["status"] == "processed"
    assert len([effect for effect in system.richpanel.effects if effect.changed]) == len(ROUTED)


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429, "headers": {"Retry-After": "30"}},
        {"status": 429},
        {"status": 503, "headers": {"Retry-After": "30"}},
    ],
)
@pytest.mark.parametrize("operation", ["read_ticket", "add_tags"])
def test_a_vendor_that_says_later_delays_the_event_and_spends_no_receive(system, operation, fault):
    """F21, F45: its row carries it until the queue of short waits, or the sweep, sends it again."""
    system.richpanel.fault("status", operation=operation, **fault)
    system.post(system.ticket())
    (first,) = system.run()
    assert first.error is None
    row = system.event()
    assert (row["status"], row["lease_until"]) == ("processing", 0)
    system.again()
    assert system.event()["status"] == "processed"
    assert len([effect for effect in system.richpanel.effects if effect.changed]) == len(ROUTED)


@pytest.mark.parametrize("shown", [None, {}, {"success": True}])
def test_tags_that_were_accepted_and_not_set_are_not_done(system, shown):
    """Whether or not the response shows the unchanged ticket."""
    system.richpanel.fault("ignored", operation="add_tags", body=shown)
    system.post(system.ticket())
    (first,) = system.run()
    assert (first.error, system.event()["status"]) == ("HandedBackError", "processing")
    system.again()
    assert system.event()["status"] == "processed"
    assert system.richpanel.tags_of("1042") == set(ROUTED)


def test_checking_tags_takes_no_request_where_the_response_shows_them(system):
    system.post(system.ticket())
    system.run()
    assert [call.operation for call in system.richpanel.calls] == ["read_ticket", "add_tags"]


@pytest.mark.parametrize(
    ("retry_after", "at_least", "at_most"),
    [("30", 30, 38), ("3600", 899, 1_126), ("nonsense", 1, 60), ("-5", 1, 60)],
)
def test_retry_after_is_honoured_and_capped(system, retry_after, at_least, at_most):
    """F45: by the queue of short waits, or by the sweep where it cannot wait for so long."""
    system.richpanel.fault("status", status=429, headers={"Retry-After": retry_after})
    waits = []
    later = system.services().later.queue
    later.put = lambda _body, *, delay_seconds: waits.append(delay_seconds)
    system.post(system.ticket())
    system.run()
    by_sweep = system.event()["due_at"] - time.time()
    assert at_least <= (waits or [by_sweep])[0] <= at_most


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_effect_gives_the_ticket_to_a_person_and_is_not_repeated(system, status):
    """F44: the refused action stays refused, the hand-off happens once, the message is deleted."""
    system.richpanel.fault("status", operation="add_tags", status=status)
    system.post(system.ticket())
    (done,) = system.run()
    assert done.error is None
    assert system.event()["status"] == "failed"
    assert system.event()["reason"] == f"refused:http_{status}"
    assert system.richpanel.tags_of("1042") == {"middleware_error_needs_attention"}
    results = {row["action_type"]: row["result"] for row in system.audit()}
    assert results["escalate"] == "success"
    assert results["route"] == f"fail:http_{status}"
    system.services().intake.accept(
        job_of({"ticket_id": "1042", "message_id": "c-1"}), recovery=Recovery.SWEEP
    )
    system.run()
    assert len(system.writes()) == 2


@pytest.mark.parametrize(("status", "tries"), [(401, 2), (403, 1)])
def test_a_refused_key_is_never_treated_as_a_missing_ticket(system, status, tries):
    """F55: it waits on the queue until the key is fixed."""
    system.richpanel.fault("status", operation="add_tags", status=status, times=tries)
    system.post(system.ticket())
    assert system.run()[0].error == "HandedBackError"
    system.again()
    assert system.event()["status"] == "processed"


def test_a_rotated_vendor_key_is_fetched_again_once(system):
    """F55: the vendor's key rotates."""
    system.post(system.ticket())
    system.services().support.richpanel  # noqa: B018 - the old key is cached by the first call
    system.services().secrets.text("rp-mw/dev/richpanel/api_key")
    system.richpanel.api_keys[:] = ["rotated"]
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId="rp-mw/dev/richpanel/api_key", SecretString="rotated"
    )
    assert system.run()[0].error is None
    assert system.event()["status"] == "processed"


def test_on_the_last_receive_the_conversation_is_handed_off_with_its_reason(system):
    """F34: ten receives, then the dead-letter queue, with the reason on the row."""
    system.richpanel.fault("status", operation="add_tags", status=503, times=1)
    worker = system.services().worker
    with pytest.raises(Exception, match="richpanel_http_503"):
        worker.process(delivery_of(system, system.ticket(), receive_count=10))
    row = system.event()
    assert (row["status"], row["reason"]) == ("failed", "dead_letter:richpanel_http_503")
    assert system.richpanel.tags_of("1042") == {"middleware_error_needs_attention"}


def test_a_message_that_was_never_claimed_still_leaves_its_reason(system):
    """F34, P7: the switches could not be read ten times over."""
    body = system.ticket()
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    worker = system.services().worker
    with pytest.raises(Exception, match="switches_unreadable"):
        worker.process(delivery_of(system, body, receive_count=10))
    assert system.event()["reason"] == "dead_letter:switches_unreadable:kill_switch"
    system.switch("kill_switch", "false")
    worker.ledger.claim, real = (
        raises(TransientError("dynamodb", "update_item")),
        worker.ledger.claim,
    )
    with pytest.raises(Exception, match="dynamodb"):
        worker.process(delivery_of(system, body, receive_count=10))
    assert system.event()["reason"] == "dead_letter:dynamodb_failed"
    worker.ledger.claim = real
    system.services().intake.accept(job_of(body), recovery=Recovery.OPERATOR)
    system.run()
    assert system.event()["status"] == "processed"


@pytest.mark.parametrize("body", ["{}", '{"v": 1, "kind": "ticket_message"}'])
def test_a_poison_message_is_left_to_the_dead_letter_queue(system, log_stream, body):
    """F34: it stays on the queue with growing pauses, and its group is freed by the DLQ."""
    sealed = system.stage.sealed(body, group_id="g")
    with pytest.raises(Exception, match="undecodable"):
        system.services().worker.process(delivery_of(system, None, body=sealed))
    assert "worker.body_parse_failed" in log_stream.getvalue()


@pytest.mark.parametrize("change", ["seal", "group", "lane", "field"])
def test_a_job_that_this_stage_did_not_put_there_is_refused_and_leaves_no_row(system, change):
    """Who may only send messages to a queue speaks as nothing of ours."""
    delivery = delivery_of(system, system.ticket())
    changed = {
        "seal": {"body": encode(job_of(system.ticket()))},
        "group": {"group_id": "another"},
        "lane": {"lane": EMAIL},
        "field": {"body": delivery.body.replace("1042", "1043")},
    }[change]
    with pytest.raises(Exception, match="unsealed"):
        system.services().worker.process(replace(delivery, **changed))
    assert system.services().ledger.stored(job_of(system.ticket()).event_key) is None
    assert system.writes() == []
    system.services().worker.process(delivery)
    assert system.event()["status"] == "processed", "the same message in its place is ours"


def test_a_dynamodb_outage_performs_and_loses_nothing(system):
    """F24: before the effect, the message simply goes back."""
    system.post(system.ticket())
    ledger = system.services().ledger
    ledger._table._client, real = unreachable("dynamodb"), ledger._table._client
    assert system.run()[0].error == "HandedBackError"
    assert not system.writes()
    ledger._table._client = real
    system.again()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_writing_an_outcome_that_dynamodb_refuses_is_retried(system):
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
