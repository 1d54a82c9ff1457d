"""Messages off the queue: the vendor calls, the event row and the records each one leaves."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.errors import LeaseLostError
from chalicelib.facts.jobs import AlowareDelivery
from chalicelib.once import trace
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import UNDECIDED, Switches
from chalicelib.support.effects import ATTENTION_TAG
from tests.rigs.fakes import NOON
from tests.rigs.worker import (
    ATTENTION,
    BUSY_FOR,
    CLOSE,
    CLOSED,
    KEY,
    PLAN,
    REPLY,
    REPLY_KEY,
    ROUTED,
    UNSETTLEABLE,
    EscalatingFlow,
    RecheckingFlow,
    WorkerDied,
    WorkerRig,
    job,
    lost,
    notification,
    planned,
    refused,
    too_many,
)

# --- one message, from the queue to its end ---------------------------------------------------


def test_a_message_is_acknowledged_when_each_action_was_done_in_order(worker_rig):
    assert worker_rig.process() == "done"
    assert worker_rig.sent == [ROUTED, CLOSED]
    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.queue.deferred == []


def test_the_event_keeps_what_was_decided_and_under_which_switches(worker_rig):
    worker_rig.switches.switches = Switches(safe_mode=True)
    worker_rig.process()
    row = worker_rig.row()
    assert (row["intent"], row["mode"]) == ("refund_request", "route_only")
    assert (row["safe_mode"], row["automation_enabled"]) == (True, True)
    assert Plan.decode(row["plan"]) == PLAN
    assert worker_rig.row(ROUTED)["mode"] == "route_only"
    ((_, switches),) = worker_rig.flow.decided
    assert switches == Switches(safe_mode=True)


def test_each_action_has_an_audit_row_that_says_what_and_when_and_how_it_ended(worker_rig):
    worker_rig.process()
    at = "2026-11-20T12:00:00.000Z"
    assert worker_rig.audited() == [
        {
            "conversation_id": "1042",
            "ts_action_id": f"{at}#{key}",
            "action_type": kind,
            "action_payload_redacted": json.dumps({"tag": tag}),
            "idempotency_key": key,
            "result": "success",
            "expires_at": int((NOON + timedelta(days=60)).timestamp()),
        }
        for key, kind, tag in (
            (ROUTED, "route", "route-returns-admin"),
            (CLOSED, "tag", "mw-processed"),
        )
    ]


def test_the_flows_state_is_stored_before_the_event_finishes(worker_rig):
    worker_rig.process()
    assert worker_rig.flow.concluded == [(1, KEY, PLAN, {ROUTED: "done", CLOSED: "done"})]
    assert worker_rig.lines("worker.state") == []


def test_a_message_is_logged_from_start_to_end_with_its_lag(worker_rig):
    worker_rig.process()
    assert worker_rig.lines() == [
        (
            "worker.job.start",
            {"attempt": 1, "receive": 1, "resumed": False, "mw_trace_id": "1f"},
        ),
        (
            "worker.processed",
            {"reason": None, "attempt": 1, "intent": "refund_request", "mw_trace_id": "1f"},
        ),
    ]
    assert worker_rig.counted() == [
        ("mw.worker.events", 1, {"outcome": "processed"}),
        ("mw.worker.lag_ms", 1250, {}),
    ]


def test_a_message_without_a_readable_time_has_no_lag(worker_rig):
    worker_rig.process(job(received_at="yesterday"))
    assert [name for name, _, _ in worker_rig.counted()] == ["mw.worker.events"]


def test_a_message_overtaken_by_a_newer_one_is_logged_as_superseded(worker_rig):
    worker_rig.flow.is_newest = False
    worker_rig.process()
    assert worker_rig.lines("worker.state") == [("worker.state_superseded", {"mw_trace_id": "1f"})]
    assert worker_rig.ended() == ("processed", None)


def test_every_log_line_names_its_message_and_event(worker_rig):
    worker_rig.flow.resolves_to = [facts_of(job())]
    worker_rig.process(notification())
    assert worker_rig.flow.traces == [
        {**trace.of_event(facts_of(about)), "sqs_message_id": "sqs-1"}
        for about in (notification(), job())
    ]
    assert trace.current() == {}


def test_an_action_planned_as_already_in_place_is_not_sent_and_counts_as_done(worker_rig):
    worker_rig.flow.decides = planned(
        [PlannedAction("add_tag", "route-returns-admin", already=True)], [CLOSE]
    )
    worker_rig.process()
    assert worker_rig.sent == [CLOSED]
    assert worker_rig.results() == {ROUTED: "skipped:already", CLOSED: "success"}
    assert worker_rig.ended() == ("processed", None)


def test_an_action_waits_for_its_dependency_in_any_earlier_step(worker_rig):
    """A ticket is never closed unanswered."""
    close = PlannedAction("add_tag", "mw-processed", depends_on=(1,))
    worker_rig.flow.decides = planned(["route-returns-admin"], [REPLY], [close])
    worker_rig.fails = {REPLY_KEY: [lost()]}
    worker_rig.process()
    assert worker_rig.sent == [ROUTED, REPLY_KEY]
    assert worker_rig.row(CLOSED)["reason"] == "dependency"


def test_a_step_of_several_actions_is_audited_action_by_action(worker_rig):
    worker_rig.flow.decides = planned(["route-returns-admin", "mw-processed"])
    worker_rig.process()
    assert worker_rig.results() == {ROUTED: "success", CLOSED: "success"}


def test_a_store_only_job_goes_to_its_store_and_nowhere_else(worker_rig):
    values = notification().model_dump(exclude={"kind", "text"})
    assert worker_rig.process(AlowareDelivery(**values, communication_id="7")) == "done"
    assert [delivery.communication_id for delivery in worker_rig.kept] == ["7"]
    assert (worker_rig.table.rows, worker_rig.flow.decided) == ({}, [])


# --- copies and concurrent workers ------------------------------------------------------------


def test_a_copy_of_a_finished_event_is_acknowledged_logged_and_counted(worker_rig):
    """F01 and F06: the same webhook many times, also after the deduplication window."""
    worker_rig.flow.raises = {"plan": NotAnEvent(EventStatus.SKIPPED, "too_old")}
    worker_rig.process()
    worker_rig.log.events.clear()
    assert worker_rig.process() == "done"
    assert worker_rig.lines() == [
        (
            "worker.duplicate_event",
            {"status": "skipped", "reason": "too_old", "mw_trace_id": "1f"},
        )
    ]
    assert worker_rig.counted() == [("mw.worker.duplicates", 1, {})]
    assert len(worker_rig.flow.decided) == 1


def test_a_copy_of_an_event_another_worker_holds_waits_until_that_lease_ends(worker_rig):
    """F27: the first worker may still fail."""
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(50)
    assert worker_rig.process(receive=2) == "busy"
    assert worker_rig.queue.deferred == [("handle-2", BUSY_FOR - 50)]


def test_a_copy_that_arrives_as_the_lease_ends_waits_at_least_a_second(worker_rig):
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(BUSY_FOR - 0.5)
    worker_rig.process()
    assert worker_rig.queue.deferred == [("handle-1", 1.0)]


def test_a_lease_lasts_for_the_functions_time_left_plus_the_grace(worker_rig):
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process(time_left=170.0)
    assert worker_rig.row()["lease_until"] - worker_rig.clock.now().timestamp() == 300


@pytest.mark.parametrize("sent", [job(), job(recovery=Recovery.HANDOFF)])
def test_a_worker_paused_past_its_timeout_claims_nothing(worker_rig, sent):
    """Its message has been redelivered, and another message may hold its event by now."""
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process()
    before = worker_rig.row()
    assert worker_rig.process(sent, time_left=0.0, receive=2) == "time_is_up"
    assert worker_rig.row() == before
    assert worker_rig.queue.deferred[-1] == ("handle-2", 1.0)
    assert worker_rig.process(time_left=0.1, receive=2) == "lease_too_short"


def test_an_event_of_a_dead_worker_resumes_its_stored_plan_and_is_never_decided_again(worker_rig):
    """F16: killed after the claim, before the first effect; F43: a deployment in the middle."""
    worker_rig.fails = {CLOSED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(BUSY_FOR + 1)
    worker_rig.log.events.clear()
    worker_rig.log.metrics.clear()
    worker_rig.flow.decides = planned(["another-route"])
    assert worker_rig.process(receive=2) == "done"
    assert len(worker_rig.flow.decided) == 1
    assert worker_rig.flow.built_from == [PLAN] * 4
    assert worker_rig.sent == [ROUTED, CLOSED, CLOSED]
    assert worker_rig.lines()[:2] == [
        ("worker.job.start", {"attempt": 2, "receive": 2, "resumed": True, "mw_trace_id": "1f"}),
        ("worker.lease_taken_over", {"attempt": 2}),
    ]
    assert worker_rig.counted()[0] == ("mw.worker.lease_taken_over", 1, {})


def test_a_released_event_is_not_logged_as_taken_over(worker_rig):
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process()
    assert worker_rig.process(receive=2) == "done"
    assert "worker.lease_taken_over" not in worker_rig.log.names()


@pytest.mark.parametrize("recovery", [Recovery.SETTLED, Recovery.OPERATOR])
def test_an_event_reopened_on_purpose_is_not_logged_as_taken_over(worker_rig, recovery):
    worker_rig.flow.decides = planned([REPLY])
    worker_rig.fails = {REPLY_KEY: [lost()]}
    worker_rig.process()
    assert worker_rig.ended() == ("parked", "unknown:timeout")
    worker_rig.process(job(recovery=recovery))
    assert worker_rig.row()["attempts"] == 2
    assert "worker.lease_taken_over" not in worker_rig.log.names()


def test_a_worker_that_has_lost_its_lease_changes_nothing(worker_rig):
    """F25: also on the last receive: the next claimant ends it."""

    def overtake(lease, event, plan, rows):
        worker_rig.clock.forward(BUSY_FOR + 1)
        worker_rig.next_lease = worker_rig.ledger.claim(
            event.facts, UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
        )
        raise LeaseLostError("lease_lost")

    worker_rig.flow.conclude = overtake
    assert worker_rig.process(receive=10) == "lease_lost"
    row = worker_rig.row()
    assert (row["status"], row["owner"], "last_reason" in row) == (
        "processing",
        worker_rig.next_lease.owner,
        False,
    )
    assert ATTENTION not in worker_rig.sent


# --- jobs without an event, and notifications of several events -------------------------------


def test_a_job_that_turns_out_to_be_no_event_ends_with_its_reason(worker_rig):
    worker_rig.flow.raises = {"events": NotAnEvent(EventStatus.SKIPPED, "operator_comment")}
    worker_rig.switches.switches = Switches(safe_mode=True)
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("skipped", "operator_comment")
    assert (worker_rig.row()["safe_mode"], worker_rig.row()["trace_id"]) == (True, "1f")
    assert worker_rig.lines() == [
        ("worker.notification.skipped", {"reason": "operator_comment", "mw_trace_id": "1f"})
    ]


def test_an_event_that_needs_nothing_ends_with_its_reason(worker_rig):
    worker_rig.flow.raises = {"plan": NotAnEvent(EventStatus.SKIPPED, "too_old")}
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("skipped", "too_old")
    assert worker_rig.lines()[1:] == [
        ("worker.skipped", {"reason": "too_old", "mw_trace_id": "1f"})
    ]
    assert worker_rig.sent == []


def test_a_notification_ends_when_all_its_events_have_ended(worker_rig):
    two = [facts_of(job()), facts_of(job(event_key="evt:rp:1042:c-78", message_id="c-78"))]
    worker_rig.flow.resolves_to = two
    assert worker_rig.process(notification()) == "done"
    assert [key for key, _ in worker_rig.flow.decided] == [KEY, "evt:rp:1042:c-78"]
    assert worker_rig.ended("evt:rp:1042:n:d-1") == ("processed", "resolved")
    assert worker_rig.ended("evt:rp:1042:c-78") == ("processed", None)


def test_a_notification_of_nothing_new_says_so(worker_rig):
    worker_rig.flow.resolves_to = []
    worker_rig.process(notification())
    assert worker_rig.ended("evt:rp:1042:n:d-1") == ("processed", "nothing_new")
    assert worker_rig.lines() == [
        ("worker.notification.processed", {"reason": "nothing_new", "mw_trace_id": "1f"})
    ]


def test_a_notification_does_not_end_while_its_event_is_handed_back(worker_rig):
    worker_rig.flow.resolves_to = [facts_of(job())]
    worker_rig.fails = {ROUTED: [too_many()]}
    assert worker_rig.process(notification()) == "richpanel_http_429"
    assert worker_rig.row("evt:rp:1042:n:d-1") is None


# --- how an event ends ------------------------------------------------------------------------


def test_an_unknown_outcome_parks_the_event_with_its_reason(worker_rig):
    """F18: killed after the effect, before its record."""
    worker_rig.flow.decides = planned([REPLY], ["route-returns-admin"])
    worker_rig.fails = {REPLY_KEY: [lost()]}
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("parked", "unknown:timeout")
    assert worker_rig.results() == {REPLY_KEY: "unknown:timeout", ROUTED: "success"}
    assert worker_rig.counted()[0] == ("mw.worker.events", 1, {"outcome": "parked"})
    name, fields = worker_rig.lines()[-1]
    assert (name, fields["reason"]) == ("worker.parked", "unknown:timeout")
    assert worker_rig.unfinished() == [KEY]


def test_an_unknown_outcome_takes_precedence_over_a_refusal(worker_rig):
    worker_rig.flow.decides = planned(["route-returns-admin"], [REPLY])
    worker_rig.fails = {ROUTED: [refused()], REPLY_KEY: [lost()]}
    worker_rig.process()
    assert worker_rig.ended() == ("parked", "unknown:timeout")


def test_a_refusal_fails_the_event_and_gives_the_ticket_to_a_person(worker_rig):
    """F44: one action done, another refused."""
    worker_rig.fails = {ROUTED: [refused()]}
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("failed", "refused:http_422")
    assert worker_rig.sent == [ROUTED, ATTENTION]
    assert worker_rig.results() == {
        ROUTED: "fail:http_422",
        CLOSED: "skipped:dependency",
        ATTENTION: "success",
    }
    assert worker_rig.audited()[0]["action_type"] == "escalate"
    assert set(worker_rig.flow.concluded[0][3]) == {ROUTED, CLOSED, ATTENTION}


def test_a_missing_ticket_gets_one_hand_off_attempt_and_the_event_fails(worker_rig):
    worker_rig.fails = {"any": [refused(404), refused(404)]}
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("failed", "refused:http_404")
    assert worker_rig.results()[ATTENTION] == "fail:http_404"


def test_an_attention_tag_already_in_the_plan_is_not_added_twice(worker_rig):
    worker_rig.flow.decides = planned([ATTENTION_TAG], ["route-returns-admin"])
    worker_rig.fails = {ROUTED: [refused()]}
    worker_rig.process()
    assert worker_rig.sent == [ATTENTION, ROUTED]
    assert list(worker_rig.results()) == [ATTENTION, ROUTED]


def test_a_flow_chooses_the_hand_off_of_a_refused_event():
    worker_rig = WorkerRig(EscalatingFlow(UNSETTLEABLE))
    worker_rig.fails = {ROUTED: [refused()]}
    worker_rig.process()
    assert worker_rig.flow.escalated == [(KEY, "refused:http_422")]
    assert worker_rig.sent == [ROUTED, REPLY_KEY]
    assert worker_rig.results()[REPLY_KEY] == "success"


def test_no_hand_off_is_sent_where_the_flow_names_none():
    worker_rig = WorkerRig(EscalatingFlow(None))
    worker_rig.fails = {ROUTED: [refused()]}
    worker_rig.process()
    assert worker_rig.sent == [ROUTED]
    assert worker_rig.ended() == ("failed", "refused:http_422")


def test_an_event_withheld_by_a_switch_is_processed_with_the_switch_as_reason(worker_rig):
    """F40: a switch flips in the middle; F42: shadow mode."""
    worker_rig.flow.decides = planned(["route-returns-admin"], [REPLY])
    worker_rig.switches.switches = Switches(safe_mode=True)
    worker_rig.process()
    assert worker_rig.ended() == ("processed", "withheld:safe_mode")
    assert worker_rig.results() == {ROUTED: "success", REPLY_KEY: "skipped:safe_mode"}


def test_a_withheld_action_is_named_even_after_one_already_in_place(worker_rig):
    already = PlannedAction("add_tag", "route-returns-admin", already=True)
    worker_rig.flow.decides = planned([already], [REPLY])
    worker_rig.switches.switches = Switches(automation_enabled=False)
    worker_rig.process()
    assert worker_rig.ended() == ("processed", "withheld:automation_disabled")


def test_a_plan_decided_under_a_switch_is_withheld_even_if_the_switch_is_lifted_meanwhile(
    worker_rig,
):
    decide = worker_rig.flow.plan

    def lifted(event, switches):
        worker_rig.switches.switches = Switches()
        return decide(event, switches)

    worker_rig.switches.switches, worker_rig.flow.plan = Switches(kill_switch=True), lifted
    assert worker_rig.process() == "done"
    assert worker_rig.sent == []
    assert worker_rig.ended() == ("processed", "withheld:kill_switch")


def test_a_flow_reconsiders_its_plan_when_it_is_resumed():
    worker_rig = WorkerRig(RecheckingFlow())
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process()
    assert worker_rig.flow.rechecked == []
    assert worker_rig.process(receive=2) == "done"
    assert worker_rig.flow.rechecked == [(KEY, PLAN, worker_rig.switches.switches)]
    assert worker_rig.ended() == ("skipped", "operator_comment")
    assert worker_rig.sent == [ROUTED]


def test_only_an_operators_replay_reopens_a_withheld_event(worker_rig):
    """F41: the switch is off again; F42: shadow mode."""
    worker_rig.switches.switches = Switches(shadow_mode=True)
    worker_rig.process()
    worker_rig.switches.switches = Switches()
    for recovery in (None, Recovery.SWEEP, Recovery.SETTLED):
        worker_rig.process(job(recovery=recovery))
    assert worker_rig.sent == []
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.sent == [ROUTED, CLOSED]
    assert worker_rig.ended() == ("processed", None)


def test_a_settled_recovery_does_not_reopen_a_failed_event(worker_rig):
    worker_rig.fails = {ROUTED: [refused()]}
    worker_rig.process()
    assert worker_rig.process(job(recovery=Recovery.SETTLED)) == "done"
    assert worker_rig.ended() == ("failed", "refused:http_422")
    assert worker_rig.row()["attempts"] == 1


def test_a_late_copy_of_a_replay_does_not_reopen_the_event_again(worker_rig):
    worker_rig.process()
    replay = job(recovery=Recovery.OPERATOR)
    attempts = []
    for message in ("replay-1", "replay-1", "replay-2"):
        assert worker_rig.process(replay, message_id=message) == "done"
        attempts.append(worker_rig.row()["attempts"])
    assert attempts == [2, 2, 3]


def test_an_event_resumed_by_its_key_alone_uses_its_stored_message_id(worker_rig):
    """The resuming caller may know only the event key; the row holds the message id."""
    lease = worker_rig.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    worker_rig.ledger.release(lease, reason="x", due_epoch=0)
    worker_rig.flow.resolves_to = [replace(facts_of(job()), source_message_id=None)]
    assert worker_rig.process() == "done"
    assert worker_rig.sent == [ROUTED, CLOSED]


OPENED_BY = {
    EventStatus.PARKED: {Recovery.SETTLED, Recovery.OPERATOR},
    EventStatus.FAILED: {Recovery.HANDOFF, Recovery.OPERATOR},
    EventStatus.SKIPPED: {Recovery.OPERATOR},
    EventStatus.PROCESSED: {Recovery.OPERATOR},
}


@pytest.mark.parametrize("recovery", [None, *Recovery])
@pytest.mark.parametrize("status", OPENED_BY)
def test_a_finished_event_is_reopened_only_by_an_allowed_recovery(worker_rig, status, recovery):
    lease = worker_rig.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    worker_rig.ledger.finish(lease, status, reason="x")
    assert worker_rig.process(job(recovery=recovery)) == "done"
    assert worker_rig.row()["attempts"] == (2 if recovery in OPENED_BY[status] else 1)


# --- a plan of another version ----------------------------------------------------------------


def left_with_plan(worker_rig, plan):
    lease = worker_rig.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    worker_rig.ledger.store_plan(lease, plan, intent=None, modes=UNDECIDED)
    worker_rig.ledger.release(lease, reason="x", due_epoch=0)


@pytest.mark.parametrize(
    "plan",
    [
        "no plan",
        '{"v": 99}',
        '{"v": 1}',
        '{"v": 1, "flow": "small", "facts": {}, "steps": [[7]]}',
        '{"v": 1, "flow": "small", "facts": {}, "steps": [[["add_tag"]]]}',
        '{"v": 1, "flow": "small", "facts": {}, "steps": [[["sing", "x"]]]}',
        '{"v": 1, "flow": "small", "facts": {}, "steps": [[["add_tag", "x", "d7"]]]}',
        "[]",
    ],
)
def test_a_plan_that_this_version_cannot_run_is_parked_and_starts_nothing(worker_rig, plan):
    """F43: a deployment in the middle."""
    left_with_plan(worker_rig, plan)
    worker_rig.log.events.clear()
    assert worker_rig.process() == "done"
    assert worker_rig.ended() == ("parked", "plan_not_known_here")
    assert worker_rig.lines()[1:] == [("worker.parked", {"reason": "plan_not_known_here"})]
    assert ("mw.worker.events", 1, {"outcome": "parked"}) in worker_rig.counted()
    assert (worker_rig.sent, worker_rig.flow.decided) == ([], [])
