"""Messages off the queue: what each leaves at the vendor, on its row and in the records."""

from dataclasses import replace

import pytest

from chalicelib.errors import LeaseLostError
from chalicelib.facts.jobs import AlowareDelivery
from chalicelib.once import trace
from chalicelib.once.audit import AuditRow
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import UNDECIDED, Switches
from chalicelib.support.actions import ATTENTION_TAG
from tests.rigs.worker import (
    ATTENTION,
    BUSY_FOR,
    CLOSE,
    CLOSED,
    KEY,
    PLAN,
    REPLY,
    ROUTED,
    SAID,
    AskingFlow,
    Desk,
    Died,
    LookingFlow,
    Say,
    job,
    lost,
    notification,
    planned,
    refused,
    too_many,
)


@pytest.fixture
def desk():
    return Desk()


# --- one message, from the queue to its end ---------------------------------------------------


def test_a_message_is_acknowledged_when_each_action_was_done_in_order(desk):
    assert desk.process() == "done"
    assert desk.sent == [ROUTED, CLOSED]
    assert desk.ended() == ("processed", None)
    assert desk.queue.deferred == []


def test_the_event_keeps_what_was_decided_and_under_which_switches(desk):
    desk.switches.switches = Switches(safe_mode=True)
    desk.process()
    row = desk.row()
    assert (row["intent"], row["mode"]) == ("refund_request", "route_only")
    assert (row["safe_mode"], row["automation_enabled"]) == (True, True)
    assert Plan.decode(row["plan"]) == PLAN
    assert desk.row(ROUTED)["mode"] == "route_only"
    ((_, switches),) = desk.flow.decided
    assert switches == Switches(safe_mode=True)


def test_each_action_has_an_audit_row_that_says_what_and_when_and_how_it_ended(desk):
    desk.process()
    at = "2026-11-20T12:00:00.000Z"
    assert desk.audit.rows == [
        AuditRow("1042", at, ROUTED, "route", {"tag": "route-returns-admin"}, ROUTED, "success"),
        AuditRow("1042", at, CLOSED, "tag", {"tag": "mw-processed"}, CLOSED, "success"),
    ]


def test_what_an_event_leaves_behind_is_kept_before_it_is_finished(desk):
    desk.process()
    assert desk.flow.concluded == [(1, KEY, PLAN, {ROUTED: "done", CLOSED: "done"})]
    assert desk.lines("worker.state") == []


def test_a_message_is_told_from_its_start_to_its_end_with_its_lag(desk):
    desk.process()
    assert desk.lines() == [
        (
            "worker.job.start",
            {"attempt": 1, "receive": 1, "resumed": False, "mw_trace_id": "1f"},
        ),
        (
            "worker.processed",
            {"reason": None, "attempt": 1, "intent": "refund_request", "mw_trace_id": "1f"},
        ),
    ]
    assert desk.counted() == [
        ("mw.worker.events", 1, {"outcome": "processed"}),
        ("mw.worker.lag_ms", 1250, {}),
    ]


def test_a_message_without_a_readable_time_has_no_lag(desk):
    desk.process(job(received_at="yesterday"))
    assert [name for name, _, _ in desk.counted()] == ["mw.worker.events"]


def test_a_message_that_a_newer_one_has_overtaken_is_told_as_such(desk):
    desk.flow.is_newest = False
    desk.process()
    assert desk.lines("worker.state") == [("worker.state_superseded", {"mw_trace_id": "1f"})]
    assert desk.ended() == ("processed", None)


def test_all_that_is_logged_names_its_message_and_the_event_it_is_about(desk):
    desk.flow.stands_for = [facts_of(job())]
    desk.process(notification())
    assert desk.flow.traces == [
        {**trace.of_event(facts_of(about)), "sqs_message_id": "sqs-1"}
        for about in (notification(), job())
    ]
    assert trace.current() == {}


def test_what_the_plan_found_so_already_is_not_sent_and_counts_as_done(desk):
    desk.flow.decides = planned(
        [PlannedAction("add_tag", "route-returns-admin", already=True)], [CLOSE]
    )
    desk.process()
    assert desk.sent == [CLOSED]
    assert desk.results() == {ROUTED: "skipped:already", CLOSED: "success"}
    assert desk.ended() == ("processed", None)


def test_a_later_action_waits_for_the_one_it_names_wherever_that_stands(desk):
    """A ticket is never closed unanswered."""
    close = PlannedAction("add_tag", "mw-processed", depends_on=(1,))
    desk.flow.decides = planned(["route-returns-admin"], [REPLY], [close])
    desk.fails = {SAID: [lost()]}
    desk.process()
    assert desk.sent == [ROUTED, SAID]
    assert desk.row(CLOSED)["reason"] == "dependency"


def test_a_step_of_several_actions_is_audited_action_by_action(desk):
    desk.flow.decides = planned(["route-returns-admin", "mw-processed"])
    desk.process()
    assert desk.results() == {ROUTED: "success", CLOSED: "success"}


def test_a_job_that_is_only_kept_goes_to_its_room_and_nowhere_else(desk):
    values = notification().model_dump(exclude={"kind", "text"})
    assert desk.process(AlowareDelivery(**values, communication_id="7")) == "done"
    assert [one.communication_id for one in desk.kept] == ["7"]
    assert (desk.table.rows, desk.flow.decided) == ({}, [])


# --- copies, and workers that meet ------------------------------------------------------------


def test_a_copy_of_what_has_ended_is_acknowledged_told_and_counted(desk):
    """F01, F06."""
    desk.flow.raises = {"plan": NotAnEvent(EventStatus.SKIPPED, "too_old")}
    desk.process()
    desk.log.events.clear()
    assert desk.process() == "done"
    assert desk.lines() == [
        (
            "worker.duplicate_event",
            {"status": "skipped", "reason": "too_old", "mw_trace_id": "1f"},
        )
    ]
    assert desk.counted() == [("mw.worker.duplicates", 1, {})]
    assert len(desk.flow.decided) == 1


def test_a_copy_of_what_another_worker_holds_waits_until_that_lease_ends(desk):
    """F27: the first may yet fail."""
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(50)
    assert desk.process(receive=2) == "busy"
    assert desk.queue.deferred == [("handle-2", BUSY_FOR - 50)]


def test_a_copy_that_comes_as_the_lease_ends_waits_a_second_at_least(desk):
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(BUSY_FOR - 0.5)
    desk.process()
    assert desk.queue.deferred == [("handle-1", 1.0)]


def test_a_lease_lasts_as_long_as_the_function_may_and_the_grace(desk):
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process(time_left=170.0)
    assert desk.row()["lease_until"] - desk.clock.now().timestamp() == 300


@pytest.mark.parametrize("sent", [job(), job(recovery=Recovery.HANDOFF)])
def test_who_stood_still_beyond_the_functions_time_claims_nothing(desk, sent):
    """Its message has been handed over anew, and its event may be another message's since."""
    desk.fails = {ROUTED: [too_many()]}
    desk.process()
    before = desk.row()
    assert desk.process(sent, time_left=0.0, receive=2) == "time_is_up"
    assert desk.row() == before
    assert desk.queue.deferred[-1] == ("handle-2", 1.0)
    assert desk.process(time_left=0.1, receive=2) == "lease_too_short"


def test_what_a_dead_worker_left_is_resumed_by_its_stored_plan_and_never_decided_again(desk):
    """F16, F43."""
    desk.fails = {CLOSED: [Died()]}
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(BUSY_FOR + 1)
    desk.log.events.clear()
    desk.log.metrics.clear()
    desk.flow.decides = planned(["another-route"])
    assert desk.process(receive=2) == "done"
    assert len(desk.flow.decided) == 1
    assert desk.flow.built_from == [PLAN] * 4
    assert desk.sent == [ROUTED, CLOSED, CLOSED]
    assert desk.lines()[:2] == [
        ("worker.job.start", {"attempt": 2, "receive": 2, "resumed": True, "mw_trace_id": "1f"}),
        ("worker.lease_taken_over", {"attempt": 2}),
    ]
    assert desk.counted()[0] == ("mw.worker.lease_taken_over", 1, {})


def test_what_was_given_back_is_not_told_as_taken_over(desk):
    desk.fails = {ROUTED: [too_many()]}
    desk.process()
    assert desk.process(receive=2) == "done"
    assert "worker.lease_taken_over" not in desk.log.names()


@pytest.mark.parametrize("recovery", [Recovery.SETTLED, Recovery.OPERATOR])
def test_what_had_ended_and_is_opened_on_purpose_was_left_by_nobody(desk, recovery):
    desk.flow.decides = planned([REPLY])
    desk.fails = {SAID: [lost()]}
    desk.process()
    assert desk.ended() == ("parked", "unknown:read_timeout")
    desk.process(job(recovery=recovery))
    assert desk.row()["attempts"] == 2
    assert "worker.lease_taken_over" not in desk.log.names()


def test_a_worker_that_has_lost_its_event_changes_nothing_of_it(desk):
    """F25: also on the last receive: the heir ends it."""

    def overtake(lease, event, plan, rows):
        desk.clock.forward(BUSY_FOR + 1)
        desk.heir = desk.ledger.claim(
            event.facts, UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
        )
        raise LeaseLostError("lease_lost")

    desk.flow.conclude = overtake
    assert desk.process(receive=10) == "lease_lost"
    row = desk.row()
    assert (row["status"], row["owner"], "last_reason" in row) == (
        "processing",
        desk.heir.owner,
        False,
    )
    assert ATTENTION not in desk.sent


# --- what is no event, and what stands for others ---------------------------------------------


def test_what_turns_out_to_be_no_event_ends_with_its_reason(desk):
    desk.flow.raises = {"events": NotAnEvent(EventStatus.SKIPPED, "operator_comment")}
    desk.switches.switches = Switches(safe_mode=True)
    assert desk.process() == "done"
    assert desk.ended() == ("skipped", "operator_comment")
    assert (desk.row()["safe_mode"], desk.row()["trace_id"]) == (True, "1f")
    assert desk.lines() == [
        ("worker.notification.skipped", {"reason": "operator_comment", "mw_trace_id": "1f"})
    ]


def test_an_event_that_needs_nothing_ends_with_its_reason(desk):
    desk.flow.raises = {"plan": NotAnEvent(EventStatus.SKIPPED, "too_old")}
    assert desk.process() == "done"
    assert desk.ended() == ("skipped", "too_old")
    assert desk.lines()[1:] == [("worker.skipped", {"reason": "too_old", "mw_trace_id": "1f"})]
    assert desk.sent == []


def test_a_notification_ends_when_every_event_it_stands_for_has(desk):
    two = [facts_of(job()), facts_of(job(event_key="evt:rp:1042:c-78", message_id="c-78"))]
    desk.flow.stands_for = two
    assert desk.process(notification()) == "done"
    assert [key for key, _ in desk.flow.decided] == [KEY, "evt:rp:1042:c-78"]
    assert desk.ended("evt:rp:1042:n:d-1") == ("processed", "resolved")
    assert desk.ended("evt:rp:1042:c-78") == ("processed", None)


def test_a_notification_of_nothing_new_says_so(desk):
    desk.flow.stands_for = []
    desk.process(notification())
    assert desk.ended("evt:rp:1042:n:d-1") == ("processed", "nothing_new")
    assert desk.lines() == [
        ("worker.notification.processed", {"reason": "nothing_new", "mw_trace_id": "1f"})
    ]


def test_a_notification_whose_event_could_not_be_done_has_not_ended(desk):
    desk.flow.stands_for = [facts_of(job())]
    desk.fails = {ROUTED: [too_many()]}
    assert desk.process(notification()) == "richpanel_http_429"
    assert desk.row("evt:rp:1042:n:d-1") is None


# --- how an event ends ------------------------------------------------------------------------


def test_an_outcome_that_nobody_knows_parks_the_event_and_names_why(desk):
    """F18."""
    desk.flow.decides = planned([REPLY], ["route-returns-admin"])
    desk.fails = {SAID: [lost()]}
    assert desk.process() == "done"
    assert desk.ended() == ("parked", "unknown:read_timeout")
    assert desk.results() == {SAID: "unknown:read_timeout", ROUTED: "success"}
    assert desk.counted()[0] == ("mw.worker.events", 1, {"outcome": "parked"})
    name, told = desk.lines()[-1]
    assert (name, told["reason"]) == ("worker.parked", "unknown:read_timeout")
    assert desk.unfinished() == [KEY]


def test_unknown_weighs_more_than_refused(desk):
    desk.flow.decides = planned(["route-returns-admin"], [REPLY])
    desk.fails = {ROUTED: [refused()], SAID: [lost()]}
    desk.process()
    assert desk.ended() == ("parked", "unknown:read_timeout")


def test_a_refusal_fails_the_event_and_gives_the_ticket_to_a_person(desk):
    """F44."""
    desk.fails = {ROUTED: [refused()]}
    assert desk.process() == "done"
    assert desk.ended() == ("failed", "refused:http_422")
    assert desk.sent == [ROUTED, ATTENTION]
    assert desk.results() == {
        ROUTED: "fail:http_422",
        CLOSED: "skipped:dependency",
        ATTENTION: "success",
    }
    assert desk.audit.rows[0].action_type == "escalate"
    assert set(desk.flow.concluded[0][3]) == {ROUTED, CLOSED, ATTENTION}


def test_a_ticket_that_is_gone_is_asked_for_once_more_and_the_event_has_failed(desk):
    desk.fails = {"any": [refused(404), refused(404)]}
    assert desk.process() == "done"
    assert desk.ended() == ("failed", "refused:http_404")
    assert desk.results()[ATTENTION] == "fail:http_404"


def test_a_person_is_told_by_one_tag_where_the_plan_had_it_itself(desk):
    desk.flow.decides = planned([ATTENTION_TAG], ["route-returns-admin"])
    desk.fails = {ROUTED: [refused()]}
    desk.process()
    assert desk.sent == [ATTENTION, ROUTED]
    assert [row.action_id for row in desk.audit.rows] == [ATTENTION, ROUTED]


def test_a_flow_says_itself_who_gets_what_was_refused():
    desk = Desk(AskingFlow(Say()))
    desk.fails = {ROUTED: [refused()]}
    desk.process()
    assert desk.flow.asked == [(KEY, "refused:http_422")]
    assert desk.sent == [ROUTED, SAID]
    assert desk.results()[SAID] == "success"


def test_nobody_is_asked_where_the_flow_names_nobody():
    desk = Desk(AskingFlow(None))
    desk.fails = {ROUTED: [refused()]}
    desk.process()
    assert desk.sent == [ROUTED]
    assert desk.ended() == ("failed", "refused:http_422")


def test_what_a_switch_withheld_is_processed_and_says_what_stopped_it(desk):
    """F40, F42."""
    desk.flow.decides = planned(["route-returns-admin"], [REPLY])
    desk.switches.switches = Switches(safe_mode=True)
    desk.process()
    assert desk.ended() == ("processed", "withheld:safe_mode")
    assert desk.results() == {ROUTED: "success", SAID: "skipped:safe_mode"}


def test_what_was_withheld_is_named_also_behind_what_was_already_so(desk):
    already = PlannedAction("add_tag", "route-returns-admin", already=True)
    desk.flow.decides = planned([already], [REPLY])
    desk.switches.switches = Switches(automation_enabled=False)
    desk.process()
    assert desk.ended() == ("processed", "withheld:automation_disabled")


def test_what_was_decided_under_a_switch_is_withheld_although_it_is_lifted_meanwhile(desk):
    decide = desk.flow.plan

    def lifted(event, switches):
        desk.switches.switches = Switches()
        return decide(event, switches)

    desk.switches.switches, desk.flow.plan = Switches(kill_switch=True), lifted
    assert desk.process() == "done"
    assert desk.sent == []
    assert desk.ended() == ("processed", "withheld:kill_switch")


def test_a_flow_takes_the_look_that_it_could_not_take_when_its_plan_is_resumed():
    desk = Desk(LookingFlow())
    desk.fails = {ROUTED: [too_many()]}
    desk.process()
    assert desk.flow.looked == []
    assert desk.process(receive=2) == "done"
    assert desk.flow.looked == [(KEY, PLAN, desk.switches.switches)]
    assert desk.ended() == ("skipped", "operator_comment")
    assert desk.sent == [ROUTED]


def test_only_an_operators_replay_opens_what_was_withheld(desk):
    """F41, F42."""
    desk.switches.switches = Switches(shadow_mode=True)
    desk.process()
    desk.switches.switches = Switches()
    for recovery in (None, Recovery.SWEEP, Recovery.SETTLED):
        desk.process(job(recovery=recovery))
    assert desk.sent == []
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.sent == [ROUTED, CLOSED]
    assert desk.ended() == ("processed", None)


def test_what_was_settled_goes_on_and_what_failed_does_not(desk):
    desk.fails = {ROUTED: [refused()]}
    desk.process()
    assert desk.process(job(recovery=Recovery.SETTLED)) == "done"
    assert desk.ended() == ("failed", "refused:http_422")
    assert desk.row()["attempts"] == 1


def test_a_late_copy_of_the_message_that_opened_an_event_does_not_open_it_again(desk):
    desk.process()
    replay = job(recovery=Recovery.OPERATOR)
    attempts = []
    for message in ("replay-1", "replay-1", "replay-2"):
        assert desk.process(replay, message_id=message) == "done"
        attempts.append(desk.row()["attempts"])
    assert attempts == [2, 2, 3]


def test_an_event_that_is_resumed_by_its_key_alone_acts_under_its_own_message(desk):
    """Whoever resumes it may know only its row's key; the row knows the message."""
    lease = desk.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    desk.ledger.release(lease, reason="x")
    desk.flow.stands_for = [replace(facts_of(job()), source_message_id=None)]
    assert desk.process() == "done"
    assert desk.sent == [ROUTED, CLOSED]


OPENED_BY = {
    EventStatus.PARKED: {Recovery.SETTLED, Recovery.OPERATOR},
    EventStatus.FAILED: {Recovery.HANDOFF, Recovery.OPERATOR},
    EventStatus.SKIPPED: {Recovery.OPERATOR},
    EventStatus.PROCESSED: {Recovery.OPERATOR},
}


@pytest.mark.parametrize("recovery", [None, *Recovery])
@pytest.mark.parametrize("status", OPENED_BY)
def test_what_has_ended_is_opened_again_only_by_who_may(desk, status, recovery):
    lease = desk.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    desk.ledger.finish(lease, status, reason="x")
    assert desk.process(job(recovery=recovery)) == "done"
    assert desk.row()["attempts"] == (2 if recovery in OPENED_BY[status] else 1)


# --- a plan of another version ----------------------------------------------------------------


def left_with_plan(desk, plan):
    lease = desk.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=BUSY_FOR, takeover=frozenset()
    )
    desk.ledger.store_plan(lease, plan, intent=None, modes=UNDECIDED)
    desk.ledger.release(lease, reason="x")


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
def test_a_plan_that_this_version_cannot_run_is_parked_and_starts_nothing(desk, plan):
    """F43."""
    left_with_plan(desk, plan)
    desk.log.events.clear()
    assert desk.process() == "done"
    assert desk.ended() == ("parked", "plan_not_known_here")
    assert desk.lines()[1:] == [("worker.parked", {"reason": "plan_not_known_here"})]
    assert ("mw.worker.events", 1, {"outcome": "parked"}) in desk.counted()
    assert (desk.sent, desk.flow.decided) == ([], [])
