"""Messages that fail for now or for good: how long they wait, and how they are handed off."""

from dataclasses import replace

import pytest

from chalicelib.errors import (
    AuthError,
    BreakerOpenError,
    HandBackError,
    PayloadError,
    SettingsError,
    TransientError,
    UnavailableError,
)
from chalicelib.once.backoff import OUTAGE_WAITS_SECONDS
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ports import UNDECIDED, Switches
from tests.rigs.worker import (
    ATTENTION,
    BUSY_FOR,
    CLOSED,
    KEY,
    REPLY_KEY,
    ROUTED,
    UNSETTLEABLE,
    EscalatingFlow,
    SmallFlow,
    UnwatchedFlow,
    WatchedFlow,
    WorkerDied,
    WorkerRig,
    job,
    lost,
    refused,
    too_many,
)

# --- failures that are retried ----------------------------------------------------------------


def test_an_event_whose_effect_certainly_failed_is_released_with_its_reason(worker_rig):
    """F45: Retry-After of any kind."""
    worker_rig.fails = {ROUTED: [too_many()]}
    assert worker_rig.process() == "richpanel_http_429"
    row = worker_rig.row()
    assert (row["status"], row["lease_until"], row["last_reason"]) == (
        "processing",
        0,
        "richpanel_http_429",
    )
    assert worker_rig.lines()[1:] == [
        (
            "worker.handed_back",
            {"reason": "richpanel_http_429", "receive": 1, "mw_trace_id": "1f"},
        )
    ]
    assert worker_rig.counted() == [("mw.worker.handed_back", 1, {"reason": "richpanel_http_429"})]


@pytest.mark.parametrize("receive", range(1, 10))
def test_the_wait_during_an_outage_grows_with_every_receive(worker_rig, receive):
    """F45: nine waits outlast two hours."""
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process(receive=receive)
    waits = OUTAGE_WAITS_SECONDS[receive - 1]
    assert worker_rig.queue.deferred == [(f"handle-{receive}", waits * 1.125)]


@pytest.mark.parametrize(
    "error",
    [
        AuthError("richpanel", "add_tags", status=401),
        BreakerOpenError("richpanel", "add_tags"),
        UnavailableError("secret_unreadable"),
    ],
)
def test_errors_that_need_outside_repair_back_off_like_an_outage(worker_rig, error):
    worker_rig.flow.raises = {"plan": error}
    worker_rig.process(receive=2)
    assert worker_rig.queue.deferred == [("handle-2", 30 * 1.125)]


def test_a_vendor_is_not_called_again_before_its_retry_after(worker_rig):
    """F45: Retry-After of any kind."""
    worker_rig.fails = {ROUTED: [too_many(retry_after=3600.0)]}
    worker_rig.process()
    assert worker_rig.queue.deferred == [("handle-1", 3600.0)]


def test_a_short_retry_after_does_not_shorten_the_usual_wait(worker_rig):
    worker_rig.fails = {ROUTED: [too_many(retry_after=1.0)]}
    worker_rig.process()
    assert worker_rig.queue.deferred == [("handle-1", 11.25)]


def test_unreadable_switches_start_nothing_and_are_waited_for(worker_rig):
    """F40, P5."""
    worker_rig.switches.switches = None
    assert worker_rig.process() == "switches_unreadable"
    assert (worker_rig.sent, worker_rig.row()) == ([], None)
    assert worker_rig.queue.deferred == [("handle-1", 11.25)]


@pytest.mark.parametrize(("receive", "wait"), [(1, 4.0), (3, 16.0), (7, 256.0), (9, 450.0)])
def test_a_bug_is_retried_sooner_and_its_text_is_never_logged(worker_rig, receive, wait):
    """A poison message ends within the hour; an error's text may hold what a customer wrote."""
    worker_rig.flow.raises = {"plan": ValueError("I want a refund")}
    assert worker_rig.process(receive=receive) == "bug_ValueError"
    assert worker_rig.queue.deferred == [(f"handle-{receive}", wait)]
    assert "refund" not in repr(worker_rig.log.events + worker_rig.log.metrics)


def test_one_of_our_own_errors_is_named_by_its_class(worker_rig):
    worker_rig.flow.raises = {"plan": SettingsError("x")}
    assert worker_rig.process() == "SettingsError"
    assert worker_rig.queue.deferred == [("handle-1", 4.0)]


def test_a_reason_is_counted_by_its_code_and_logged_with_its_detail(worker_rig):
    """A metric's dimensions are a closed set."""
    worker_rig.flow.raises = {"plan": HandBackError("not_ready:c-78", delay_seconds=7)}
    assert worker_rig.process() == "not_ready:c-78"
    assert worker_rig.lines()[-1][1]["reason"] == "not_ready:c-78"
    assert worker_rig.counted() == [("mw.worker.handed_back", 1, {"reason": "not_ready"})]
    assert worker_rig.queue.deferred == [("handle-1", 7)]


def test_a_kind_without_a_flow_is_handed_back(worker_rig):
    """A worker of an older version leaves a new kind of job to a newer one."""
    worker_rig.flows.clear()
    assert worker_rig.process() == "bug_KeyError"
    assert len(worker_rig.queue.deferred) == 1


def test_a_message_is_kept_even_if_its_delay_could_not_be_set(worker_rig):
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.queue.fails = [UnavailableError("sqs")]
    assert worker_rig.process() == "richpanel_http_429"
    assert worker_rig.lines()[-1] == ("worker.defer_failed", {"sqs_message_id": "sqs-1"})


@pytest.mark.parametrize("sent", [job(), "nonsense"])
def test_a_message_returns_after_a_second_at_the_earliest(worker_rig, sent):
    worker_rig.flow.raises = {"plan": ValueError()}
    worker_rig.chance = 0.0
    worker_rig.process(sent)
    assert worker_rig.queue.deferred == [("handle-1", 1.0)]


# --- unreadable messages ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("I want a refund", "the queue body is not JSON"),
        (
            '{"v": 1, "kind": "ticket_message", "text": ["I want a refund"]}',
            (
                "the queue body has wrong fields: conversation_id, event_key, message_id,"
                " received_at, source, text, trace_id"
            ),
        ),
        ('{"v": 2, "kind": "ticket_message", "text": "I want a refund"}', "unknown_job_version"),
        ('{"v": 1, "kind": ["ticket_message"]}', "the queue body names no known job"),
        pytest.param("[" * 100_000, "the queue body is not JSON", id="nested too deep"),
    ],
)
def test_an_unreadable_body_is_kept_and_logged_without_its_text(worker_rig, body, reason):
    """F37: a finished event is replayed."""
    assert worker_rig.process(body, receive=3) == "undecodable"
    assert worker_rig.lines() == [
        (
            "worker.body_parse_failed",
            {"reason": reason, "receive": 3, "sqs_message_id": "sqs-1"},
        )
    ]
    assert worker_rig.counted() == [("mw.worker.unread", 1, {"reason": "undecodable"})]
    assert worker_rig.queue.deferred == [("handle-3", 16.0)]


@pytest.mark.parametrize(
    ("refusal", "reason", "seconds"),
    [
        (PayloadError("unsealed", "not ours"), "unsealed", 1.0),
        (UnavailableError("secret_unreadable"), "secret_unreadable", 600.0),
    ],
)
def test_what_is_not_ours_is_a_dead_letter_within_seconds_and_what_we_cannot_judge_waits(
    worker_rig, refusal, reason, seconds
):
    def refuses(_delivery):
        raise refusal

    worker = worker_rig.worker
    worker_rig.worker = replace(worker, handlers=replace(worker.handlers, decode=refuses))
    assert worker_rig.process("{}", receive=4) == reason
    assert worker_rig.counted() == [("mw.worker.unread", 1, {"reason": reason})]
    ((handle, pause),) = worker_rig.queue.deferred
    assert (handle, seconds <= pause <= seconds * 1.25) == ("handle-4", True)


# --- the last receive -------------------------------------------------------------------------


def test_on_the_last_receive_the_event_fails_and_is_handed_off(worker_rig):
    """F36: redriven among new traffic."""
    worker_rig.fails = {ROUTED: [too_many()]}
    assert worker_rig.process(receive=10) == "richpanel_http_429"
    assert worker_rig.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert worker_rig.sent == [ROUTED, ATTENTION]
    assert worker_rig.queue.deferred == [("handle-10", 0.0)], "a dead letter at once"
    assert worker_rig.results() == {ATTENTION: "success"}
    assert worker_rig.unfinished() == []
    assert worker_rig.lines("system.") == [
        (
            "system.dlq.message_written",
            {"reason": "richpanel_http_429", "receive": 10, "mw_trace_id": "1f"},
        )
    ]


def test_a_hand_off_that_failed_stays_pending(worker_rig):
    worker_rig.fails = {"any": [too_many(), too_many()]}
    worker_rig.process(receive=10)
    assert worker_rig.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert worker_rig.unfinished() == [KEY]
    assert ("worker.escalation_failed", {"reason": "richpanel_http_429"}) in worker_rig.log.events


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_replay_without_a_hand_off_audits_the_hand_off_of_an_earlier_run(worker_rig, place):
    """The run died just before or after the hand-off; only the audit shows who sent it."""
    worker_rig.fails = {ROUTED: [refused()], ATTENTION: [WorkerDied()] if place == "before" else []}
    if place == "after":
        worker_rig.audit_table.fails["put_all"] = [WorkerDied()]
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(BUSY_FOR + 1)

    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"

    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.ended(ATTENTION)[0] == "done"
    assert worker_rig.results() == dict.fromkeys([ROUTED, CLOSED, ATTENTION], "success")
    assert worker_rig.sent.count(ATTENTION) == {"before": 2, "after": 1}[place]


def test_a_flow_names_the_hand_off_of_an_earlier_run():
    worker_rig = WorkerRig(EscalatingFlow(UNSETTLEABLE))
    worker_rig.fails = {ROUTED: [refused()]}
    worker_rig.audit_table.fails["put_all"] = [WorkerDied()]
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(BUSY_FOR + 1)
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.flow.escalated == [(KEY, "refused:http_422"), (KEY, "earlier")]
    assert worker_rig.results()[REPLY_KEY] == "success"
    assert worker_rig.sent.count(REPLY_KEY) == 1


def dies_while_it_asks_a_person(worker_rig, asking=ATTENTION):
    """The worker dies on the last receive, before anything was decided."""
    worker_rig.flow.raises["plan"] = too_many()
    worker_rig.fails = {asking: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process(receive=10)
    worker_rig.clock.forward(BUSY_FOR + 1)


def test_a_replay_with_nothing_to_do_completes_an_interrupted_hand_off(worker_rig):
    dies_while_it_asks_a_person(worker_rig)
    worker_rig.flow.raises["plan"] = NotAnEvent(EventStatus.PROCESSED, "with_a_person")
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended() == ("processed", "with_a_person")
    assert worker_rig.results() == {ATTENTION: "success"}


def test_a_stopped_hand_off_of_an_earlier_run_parks_an_event_with_nothing_to_do(worker_rig):
    dies_while_it_asks_a_person(worker_rig)
    worker_rig.flow.raises["plan"] = NotAnEvent(EventStatus.SKIPPED, "with_a_person")
    stop_before_the_look(worker_rig)
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended() == ("parked", "unknown:stopped_repeatable")
    assert ("worker.parked", {"reason": "unknown:stopped_repeatable"}) in worker_rig.log.events
    assert ("mw.worker.events", 1, {"outcome": "parked"}) in worker_rig.log.metrics


def test_a_flow_names_the_earlier_hand_off_of_an_event_with_nothing_to_do():
    worker_rig = WorkerRig(EscalatingFlow(UNSETTLEABLE))
    dies_while_it_asks_a_person(worker_rig, REPLY_KEY)
    worker_rig.flow.raises["plan"] = NotAnEvent(EventStatus.PROCESSED, "with_a_person")
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.flow.escalated == [(KEY, "dead_letter:richpanel_http_429"), (KEY, "earlier")]
    assert worker_rig.ended() == ("parked", "unknown:interrupted:cannot_be_asked")


def test_an_event_that_fails_to_be_planned_is_not_handed_off_again(worker_rig):
    dies_while_it_asks_a_person(worker_rig)
    worker_rig.flow.raises["plan"] = NotAnEvent(EventStatus.FAILED, "composing:no_words")
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended() == ("failed", "composing:no_words")
    assert worker_rig.sent == [ATTENTION]


def stop_before_the_look(worker_rig):
    """Turns the kill switch on just before the worker reads the earlier run's hand-off."""
    look = worker_rig.ledger.action

    def stopped_meanwhile(key):
        worker_rig.switches.switches = Switches(kill_switch=True)
        return look(key)

    worker_rig.ledger.action = stopped_meanwhile


def test_a_replay_reports_that_a_hand_off_was_stopped(worker_rig):
    worker_rig.fails = {ROUTED: [refused()], ATTENTION: [lost()]}
    worker_rig.process()
    stop_before_the_look(worker_rig)
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended(ATTENTION) == ("unknown", "stopped_repeatable")
    assert worker_rig.ended() == ("parked", "unknown:stopped_repeatable")


def test_a_hand_off_that_never_left_is_not_made_once_everything_is_done(worker_rig):
    worker_rig.fails = {ROUTED: [refused()], ATTENTION: [too_many()]}
    worker_rig.process()
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended(ATTENTION) == ("skipped", "not_needed")
    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended(ATTENTION) == ("skipped", "not_needed")


def test_a_worker_that_lost_the_event_leaves_no_hand_off_behind(worker_rig):
    """It was paused before it wrote the row; the next claimant succeeded and needed no hand-off."""
    worker_rig.fails = {ROUTED: [refused()]}
    begin, replayed = worker_rig.ledger.begin, []

    def pause_before_begin(lease, actions, modes, **more):
        if actions[0].key == ATTENTION and not replayed:
            worker_rig.clock.forward(BUSY_FOR + 1)
            replayed.append(worker_rig.process(job(recovery=Recovery.OPERATOR), receive=2))
        return begin(lease, actions, modes, **more)

    worker_rig.ledger.begin = pause_before_begin
    assert worker_rig.process() == "lease_lost"
    assert replayed == ["done"]
    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.row(ATTENTION) is None


def test_a_replay_that_succeeds_does_not_hand_off_again(worker_rig):
    worker_rig.fails = {ROUTED: [refused()], ATTENTION: [refused()]}
    worker_rig.process()
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.sent == [ROUTED, ATTENTION, ROUTED, CLOSED]


def test_a_resumed_event_without_an_earlier_hand_off_sends_none(worker_rig):
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process()
    assert worker_rig.process(receive=2) == "done"
    assert worker_rig.row(ATTENTION) is None


def test_a_stopped_hand_off_of_an_earlier_run_parks_the_event_until_the_switch_is_lifted(
    worker_rig,
):
    worker_rig.fails = {ROUTED: [refused()], ATTENTION: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(BUSY_FOR + 1)
    stop_before_the_look(worker_rig)
    assert worker_rig.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert worker_rig.ended() == ("parked", "unknown:stopped_repeatable")
    assert worker_rig.results()[ATTENTION] == "unknown:stopped_repeatable"

    del worker_rig.ledger.action
    worker_rig.switches.switches = Switches()
    assert worker_rig.process(job(recovery=Recovery.SETTLED), message_id="sqs-2") == "done"
    assert worker_rig.ended() == ("processed", None)
    assert worker_rig.results()[ATTENTION] == "success"


@pytest.mark.parametrize("receive", [9, 10])
def test_an_event_whose_end_was_written_without_confirmation_is_not_handed_off(worker_rig, receive):
    written = worker_rig.ledger.finish

    def confirms_late(*end, **facts):
        written(*end, **facts)
        worker_rig.ledger.finish = written
        raise TransientError("dynamodb", "update_item", reason="timeout")

    worker_rig.ledger.finish = confirms_late
    first = worker_rig.process(receive=receive)
    assert worker_rig.sent == [ROUTED, CLOSED]
    assert worker_rig.ended() == ("processed", None)
    assert first == {9: "lease_lost", 10: "done"}[receive]
    assert worker_rig.process(receive=10) == "done"


def test_a_flow_chooses_the_hand_off_of_a_dead_letter():
    worker_rig = WorkerRig(EscalatingFlow(UNSETTLEABLE))
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process(receive=10)
    assert worker_rig.flow.escalated == [(KEY, "dead_letter:richpanel_http_429")]
    assert worker_rig.results() == {REPLY_KEY: "success"}


def test_a_flow_without_a_hand_off_leaves_none_pending():
    worker_rig = WorkerRig(EscalatingFlow(None))
    worker_rig.fails = {ROUTED: [too_many()]}
    worker_rig.process(receive=10)
    assert worker_rig.sent == [ROUTED]
    assert worker_rig.unfinished() == []


def test_a_message_dead_lettered_before_its_claim_leaves_its_reason(worker_rig):
    worker_rig.switches.switches = None
    worker_rig.process(receive=10)
    assert worker_rig.ended() == ("failed", "dead_letter:switches_unreadable")
    assert worker_rig.row()["mode"] == UNDECIDED.mode


def test_a_message_is_dead_lettered_even_if_its_row_could_not_be_written(worker_rig):
    def broken(event, modes, status, *, reason):
        raise TransientError("dynamodb", "update_item", status=500)

    worker_rig.switches.switches = None
    worker_rig.ledger.record_end = broken
    assert worker_rig.process(receive=10) == "switches_unreadable"
    assert worker_rig.lines()[-1] == ("worker.dead_letter_not_recorded", {})
    assert len(worker_rig.queue.deferred) == 1


@pytest.mark.parametrize(("receive", "found"), [(9, []), (10, [KEY])])
def test_an_event_whose_worker_dies_on_the_last_receive_is_found(worker_rig, receive, found):
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process(receive=receive)
    assert worker_rig.unfinished() == found


@pytest.mark.parametrize(
    ("flow", "found"), [(SmallFlow, []), (UnwatchedFlow, []), (WatchedFlow, [KEY])]
)
def test_a_watched_event_is_found_as_abandoned_when_its_worker_died(flow, found):
    """The message may be lost with the worker."""
    worker_rig = WorkerRig(flow())
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    assert worker_rig.unfinished() == found
    worker_rig.clock.forward(BUSY_FOR + 1)
    worker_rig.process()
    assert worker_rig.unfinished() == []


# --- pending hand-offs ------------------------------------------------------------------------

HANDOFF = job(recovery=Recovery.HANDOFF)


@pytest.fixture
def handoff_pending(worker_rig):
    """A rig whose event has failed while the hand-off failed too."""
    worker_rig.fails = {"any": [too_many(), too_many()]}
    worker_rig.process(receive=10)
    worker_rig.sent.clear()
    worker_rig.log.events.clear()
    worker_rig.queue.deferred.clear()
    return worker_rig


def test_a_repeated_hand_off_reaches_the_person_and_does_nothing_else(handoff_pending):
    assert handoff_pending.process(HANDOFF) == "done"
    assert handoff_pending.sent == [ATTENTION]
    assert handoff_pending.results() == {ATTENTION: "success"}
    assert handoff_pending.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert handoff_pending.unfinished() == []
    assert handoff_pending.lines() == [("worker.handoff_repeated", {"mw_trace_id": "1f"})]


def test_a_completed_hand_off_is_not_repeated(handoff_pending):
    handoff_pending.process(HANDOFF)
    handoff_pending.process(HANDOFF)
    assert handoff_pending.sent == [ATTENTION]


def test_a_repeated_hand_off_that_fails_stays_pending(handoff_pending):
    handoff_pending.fails = {ATTENTION: [too_many()]}
    assert handoff_pending.process(HANDOFF) == "richpanel_http_429"
    assert handoff_pending.ended()[0] == "failed"
    assert handoff_pending.unfinished() == [KEY]


def test_a_repeated_hand_off_is_marked_as_repeated_for_the_flow():
    worker_rig = WorkerRig(EscalatingFlow(UNSETTLEABLE))
    worker_rig.fails = {ROUTED: [too_many()], REPLY_KEY: [too_many()]}
    worker_rig.process(receive=10)
    worker_rig.process(HANDOFF)
    assert worker_rig.flow.escalated[-1] == (KEY, "dead_letter:repeated")
    assert worker_rig.sent == [ROUTED, REPLY_KEY, REPLY_KEY]


def test_a_hand_off_of_a_processed_event_does_nothing(worker_rig):
    worker_rig.process()
    assert worker_rig.process(HANDOFF) == "done"
    assert worker_rig.sent == [ROUTED, CLOSED]


def test_a_hand_off_of_an_event_a_worker_holds_waits_until_that_lease_ends(worker_rig):
    worker_rig.fails = {ROUTED: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        worker_rig.process()
    worker_rig.clock.forward(50)
    assert worker_rig.process(HANDOFF) == "busy"
    worker_rig.clock.forward(199.5)
    worker_rig.process(HANDOFF)
    assert worker_rig.queue.deferred == [("handle-1", 200.0), ("handle-1", 1.0)]


def test_a_hand_off_whose_worker_dies_on_the_last_receive_is_found(handoff_pending):
    handoff_pending.fails = {ATTENTION: [WorkerDied()]}
    with pytest.raises(WorkerDied):
        handoff_pending.process(HANDOFF, receive=10)
    assert handoff_pending.unfinished() == [KEY]
    assert (
        handoff_pending.row()["lease_until"] - handoff_pending.clock.now().timestamp() == BUSY_FOR
    )
