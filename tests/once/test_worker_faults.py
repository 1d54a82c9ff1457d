"""Messages that cannot be done now, or ever: how long they wait, and who is told in the end."""

import pytest

from chalicelib.errors import (
    AuthError,
    BreakerOpenError,
    HandBackError,
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
    ROUTED,
    SAID,
    AskingFlow,
    Desk,
    Died,
    Say,
    SmallFlow,
    UnwatchedFlow,
    WatchedFlow,
    job,
    refused,
    too_many,
)


@pytest.fixture
def desk():
    return Desk()


# --- what fails for now -----------------------------------------------------------------------


def test_what_surely_was_not_done_is_given_back_with_its_reason(desk):
    """F45."""
    desk.fails = {ROUTED: [too_many()]}
    assert desk.process() == "richpanel_http_429"
    row = desk.row()
    assert (row["status"], row["lease_until"], row["last_reason"]) == (
        "processing",
        0,
        "richpanel_http_429",
    )
    assert desk.lines()[1:] == [
        (
            "worker.handed_back",
            {"reason": "richpanel_http_429", "receive": 1, "mw_trace_id": "1f"},
        )
    ]
    assert desk.counted() == [("mw.worker.handed_back", 1, {"reason": "richpanel_http_429"})]


@pytest.mark.parametrize("receive", range(1, 10))
def test_an_outage_is_waited_out_longer_with_every_receive(desk, receive):
    """F45: nine waits outlast two hours."""
    desk.fails = {ROUTED: [too_many()]}
    desk.process(receive=receive)
    waits = OUTAGE_WAITS_SECONDS[receive - 1]
    assert desk.queue.deferred == [(f"handle-{receive}", waits * 1.125)]


@pytest.mark.parametrize(
    "error",
    [
        AuthError("richpanel", "add_tags", status=401),
        BreakerOpenError("richpanel", "add_tags"),
        UnavailableError("secret_unreadable"),
    ],
)
def test_what_others_must_mend_is_waited_for_like_an_outage(desk, error):
    desk.flow.raises = {"plan": error}
    desk.process(receive=2)
    assert desk.queue.deferred == [("handle-2", 30 * 1.125)]


def test_a_vendor_is_not_asked_again_before_the_time_it_named(desk):
    """F45."""
    desk.fails = {ROUTED: [too_many(retry_after=3600.0)]}
    desk.process()
    assert desk.queue.deferred == [("handle-1", 3600.0)]


def test_a_vendor_that_names_a_short_time_is_still_given_the_usual_one(desk):
    desk.fails = {ROUTED: [too_many(retry_after=1.0)]}
    desk.process()
    assert desk.queue.deferred == [("handle-1", 11.25)]


def test_switches_that_cannot_be_read_start_nothing_and_are_waited_for(desk):
    """F40, P5."""
    desk.switches.switches = None
    assert desk.process() == "switches_unreadable"
    assert (desk.sent, desk.row()) == ([], None)
    assert desk.queue.deferred == [("handle-1", 11.25)]


@pytest.mark.parametrize(("receive", "wait"), [(1, 4.0), (3, 16.0), (7, 256.0), (9, 450.0)])
def test_a_fault_of_ours_is_tried_again_sooner_and_never_tells_its_text(desk, receive, wait):
    """A poison message ends within the hour; an error's text may hold what a customer wrote."""
    desk.flow.raises = {"plan": ValueError("I want a refund")}
    assert desk.process(receive=receive) == "bug_ValueError"
    assert desk.queue.deferred == [(f"handle-{receive}", wait)]
    assert "refund" not in repr(desk.log.events + desk.log.metrics)


def test_a_fault_of_our_own_kind_is_named_by_its_class(desk):
    desk.flow.raises = {"plan": SettingsError("x")}
    assert desk.process() == "SettingsError"
    assert desk.queue.deferred == [("handle-1", 4.0)]


def test_a_reason_is_counted_by_its_word_and_told_with_its_detail(desk):
    """A metric's dimensions are a closed set."""
    desk.flow.raises = {"plan": HandBackError("not_ready:c-78", delay_seconds=7)}
    assert desk.process() == "not_ready:c-78"
    assert desk.lines()[-1][1]["reason"] == "not_ready:c-78"
    assert desk.counted() == [("mw.worker.handed_back", 1, {"reason": "not_ready"})]
    assert desk.queue.deferred == [("handle-1", 7)]


def test_a_kind_without_a_flow_is_handed_back(desk):
    """A worker of an older version leaves a new kind of job to a newer one."""
    desk.flows.clear()
    assert desk.process() == "bug_KeyError"
    assert len(desk.queue.deferred) == 1


def test_a_message_stays_although_its_return_could_not_be_timed(desk):
    desk.fails = {ROUTED: [too_many()]}
    desk.queue.fails = [UnavailableError("sqs")]
    assert desk.process() == "richpanel_http_429"
    assert desk.lines()[-1] == ("worker.defer_failed", {"sqs_message_id": "sqs-1"})


@pytest.mark.parametrize("sent", [job(), "nonsense"])
def test_a_message_returns_after_a_second_at_the_earliest(desk, sent):
    desk.flow.raises = {"plan": ValueError()}
    desk.chance = 0.0
    desk.process(sent)
    assert desk.queue.deferred == [("handle-1", 1.0)]


# --- what cannot be read ----------------------------------------------------------------------


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
def test_a_body_that_cannot_be_read_stays_and_is_told_without_its_text(desk, body, reason):
    """F37."""
    assert desk.process(body, receive=3) == "undecodable"
    assert desk.lines() == [
        (
            "worker.body_parse_failed",
            {"reason": reason, "receive": 3, "sqs_message_id": "sqs-1"},
        )
    ]
    assert desk.counted() == [("mw.worker.undecodable", 1, {})]
    assert desk.queue.deferred == [("handle-3", 16.0)]


# --- the end of the road ----------------------------------------------------------------------


def test_on_the_last_receive_the_event_fails_and_a_person_is_asked(desk):
    """F36."""
    desk.fails = {ROUTED: [too_many()]}
    assert desk.process(receive=10) == "richpanel_http_429"
    assert desk.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert desk.sent == [ROUTED, ATTENTION]
    assert desk.results() == {ATTENTION: "success"}
    assert desk.unfinished() == []
    assert desk.lines("system.") == [
        (
            "system.dlq.message_written",
            {"reason": "richpanel_http_429", "receive": 10, "mw_trace_id": "1f"},
        )
    ]


def test_a_person_who_could_not_be_asked_is_still_owed_a_word(desk):
    desk.fails = {"any": [too_many(), too_many()]}
    desk.process(receive=10)
    assert desk.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert desk.unfinished() == [KEY]
    assert ("worker.escalation_failed", {"reason": "richpanel_http_429"}) in desk.log.events


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_replay_that_needs_nobody_tells_of_the_person_an_earlier_run_had_asked(desk, place):
    """The run died beside the request that asked; without the audit nobody knows who asked."""
    desk.fails = {ROUTED: [refused()], ATTENTION: [Died()] if place == "before" else []}
    if place == "after":
        desk.audit.fails = [Died()]
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(BUSY_FOR + 1)

    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"

    assert desk.ended() == ("processed", None)
    assert desk.ended(ATTENTION)[0] == "done"
    assert desk.results() == dict.fromkeys([ROUTED, CLOSED, ATTENTION], "success")
    assert desk.sent.count(ATTENTION) == {"before": 2, "after": 1}[place]


def test_a_flow_names_itself_whom_an_earlier_run_had_asked():
    desk = Desk(AskingFlow(Say()))
    desk.fails = {ROUTED: [refused()]}
    desk.audit.fails = [Died()]
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(BUSY_FOR + 1)
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.flow.asked == [(KEY, "refused:http_422"), (KEY, "earlier")]
    assert desk.results()[SAID] == "success"
    assert desk.sent.count(SAID) == 1


def dies_while_it_asks_a_person(desk, asking=ATTENTION):
    """The queue gives the event up, before anything was decided."""
    desk.flow.raises["plan"] = too_many()
    desk.fails = {asking: [Died()]}
    with pytest.raises(Died):
        desk.process(receive=10)
    desk.clock.forward(BUSY_FOR + 1)


def test_a_replay_that_finds_nothing_to_do_ends_what_had_asked_a_person(desk):
    dies_while_it_asks_a_person(desk)
    desk.flow.raises["plan"] = NotAnEvent(EventStatus.PROCESSED, "with_a_person")
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended() == ("processed", "with_a_person")
    assert desk.results() == {ATTENTION: "success"}


def test_what_had_asked_a_person_and_may_not_go_on_parks_an_event_that_needs_nothing(desk):
    dies_while_it_asks_a_person(desk)
    desk.flow.raises["plan"] = NotAnEvent(EventStatus.SKIPPED, "with_a_person")
    stop_before_the_look(desk)
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended() == ("parked", "unknown:stopped_repeatable")
    assert ("worker.parked", {"reason": "unknown:stopped_repeatable"}) in desk.log.events
    assert ("mw.worker.events", 1, {"outcome": "parked"}) in desk.log.metrics


def test_a_flow_names_itself_whom_an_event_that_needs_nothing_had_asked():
    desk = Desk(AskingFlow(Say()))
    dies_while_it_asks_a_person(desk, SAID)
    desk.flow.raises["plan"] = NotAnEvent(EventStatus.PROCESSED, "with_a_person")
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.flow.asked == [(KEY, "dead_letter:richpanel_http_429"), (KEY, "earlier")]
    assert desk.ended() == ("parked", "unknown:interrupted:cannot_be_asked")


def test_an_event_that_cannot_be_worked_on_asks_nobody_again(desk):
    dies_while_it_asks_a_person(desk)
    desk.flow.raises["plan"] = NotAnEvent(EventStatus.FAILED, "composing:no_words")
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended() == ("failed", "composing:no_words")
    assert desk.sent == [ATTENTION]


def stop_before_the_look(desk):
    """The kill switch falls before the worker looks for what an earlier run had asked."""
    look = desk.ledger.action

    def stopped_meanwhile(key):
        desk.switches.switches = Switches(kill_switch=True)
        return look(key)

    desk.ledger.action = stopped_meanwhile


def test_a_replay_says_that_the_word_to_a_person_was_withheld(desk):
    desk.fails = {ROUTED: [refused()], ATTENTION: [too_many()]}
    desk.process()
    stop_before_the_look(desk)
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended(ATTENTION) == ("skipped", "kill_switch")
    assert desk.ended() == ("processed", "withheld:kill_switch")


def test_who_lost_the_event_leaves_no_request_for_a_person_behind(desk):
    """It stood still before it wrote the row, and its heir was not refused and needed nobody."""
    desk.fails = {ROUTED: [refused()]}
    begin, resumed = desk.ledger.begin, []

    def stands_still(lease, actions, modes, **more):
        if actions[0].key == ATTENTION and not resumed:
            desk.clock.forward(BUSY_FOR + 1)
            resumed.append(desk.process(job(recovery=Recovery.OPERATOR), receive=2))
        return begin(lease, actions, modes, **more)

    desk.ledger.begin = stands_still
    assert desk.process() == "lease_lost"
    assert resumed == ["done"]
    assert desk.ended() == ("processed", None)
    assert desk.row(ATTENTION) is None


def test_a_replay_that_needs_nobody_asks_nobody_anew(desk):
    desk.fails = {ROUTED: [refused()], ATTENTION: [refused()]}
    desk.process()
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended() == ("processed", None)
    assert desk.sent == [ROUTED, ATTENTION, ROUTED, CLOSED]


def test_an_event_resumed_asks_nobody_where_nobody_was_asked(desk):
    desk.fails = {ROUTED: [too_many()]}
    desk.process()
    assert desk.process(receive=2) == "done"
    assert desk.row(ATTENTION) is None


def test_what_asked_a_person_and_may_not_go_on_parks_the_event_until_it_may(desk):
    desk.fails = {ROUTED: [refused()], ATTENTION: [Died()]}
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(BUSY_FOR + 1)
    stop_before_the_look(desk)
    assert desk.process(job(recovery=Recovery.OPERATOR)) == "done"
    assert desk.ended() == ("parked", "unknown:stopped_repeatable")
    assert desk.results()[ATTENTION] == "unknown:stopped_repeatable"

    del desk.ledger.action
    desk.switches.switches = Switches()
    assert desk.process(job(recovery=Recovery.SETTLED), message_id="sqs-2") == "done"
    assert desk.ended() == ("processed", None)
    assert desk.results()[ATTENTION] == "success"


@pytest.mark.parametrize("receive", [9, 10])
def test_nobody_is_asked_about_an_event_whose_end_was_written_and_not_confirmed(desk, receive):
    written = desk.ledger.finish

    def confirms_late(*end, **facts):
        written(*end, **facts)
        desk.ledger.finish = written
        raise TransientError("dynamodb", "update_item", reason="timeout")

    desk.ledger.finish = confirms_late
    first = desk.process(receive=receive)
    assert desk.sent == [ROUTED, CLOSED]
    assert desk.ended() == ("processed", None)
    assert first == {9: "lease_lost", 10: "done"}[receive]
    assert desk.process(receive=10) == "done"


def test_a_flow_says_itself_who_gets_what_the_queue_gave_up():
    desk = Desk(AskingFlow(Say()))
    desk.fails = {ROUTED: [too_many()]}
    desk.process(receive=10)
    assert desk.flow.asked == [(KEY, "dead_letter:richpanel_http_429")]
    assert desk.results() == {SAID: "success"}


def test_a_flow_that_names_nobody_owes_nobody_a_word():
    desk = Desk(AskingFlow(None))
    desk.fails = {ROUTED: [too_many()]}
    desk.process(receive=10)
    assert desk.sent == [ROUTED]
    assert desk.unfinished() == []


def test_a_message_given_up_before_its_event_was_claimed_leaves_its_reason(desk):
    desk.switches.switches = None
    desk.process(receive=10)
    assert desk.ended() == ("failed", "dead_letter:switches_unreadable")
    assert desk.row()["mode"] == UNDECIDED.mode


def test_a_message_given_up_stays_given_up_although_its_row_could_not_be_written(desk):
    def broken(event, modes, status, *, reason):
        raise TransientError("dynamodb", "update_item", status=500)

    desk.switches.switches = None
    desk.ledger.record = broken
    assert desk.process(receive=10) == "switches_unreadable"
    assert desk.lines()[-1] == ("worker.dead_letter_not_recorded", {})
    assert len(desk.queue.deferred) == 1


@pytest.mark.parametrize(("receive", "found"), [(9, []), (10, [KEY])])
def test_an_event_whose_worker_dies_on_the_last_receive_is_found(desk, receive, found):
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process(receive=receive)
    assert desk.unfinished() == found


@pytest.mark.parametrize(
    ("flow", "found"), [(SmallFlow, []), (UnwatchedFlow, []), (WatchedFlow, [KEY])]
)
def test_an_event_that_nobody_outside_lists_is_found_as_left_when_its_worker_died(flow, found):
    """The message may be gone with it."""
    desk = Desk(flow())
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process()
    assert desk.left() == found
    desk.clock.forward(BUSY_FOR + 1)
    desk.process()
    assert desk.left() == []


# --- the word that is owed --------------------------------------------------------------------

HANDOFF = job(recovery=Recovery.HANDOFF)


@pytest.fixture
def owed(desk):
    """A desk whose event has failed while nobody could be told."""
    desk.fails = {"any": [too_many(), too_many()]}
    desk.process(receive=10)
    desk.sent.clear()
    desk.log.events.clear()
    desk.queue.deferred.clear()
    return desk


def test_the_person_who_was_never_told_is_told_and_nothing_else_is_done(owed):
    assert owed.process(HANDOFF) == "done"
    assert owed.sent == [ATTENTION]
    assert owed.results() == {ATTENTION: "success"}
    assert owed.ended() == ("failed", "dead_letter:richpanel_http_429")
    assert owed.unfinished() == []
    assert owed.lines() == [("worker.handoff_repeated", {"mw_trace_id": "1f"})]


def test_a_person_who_was_told_is_not_told_again(owed):
    owed.process(HANDOFF)
    owed.process(HANDOFF)
    assert owed.sent == [ATTENTION]


def test_a_person_who_cannot_be_told_now_is_still_owed_a_word(owed):
    owed.fails = {ATTENTION: [too_many()]}
    assert owed.process(HANDOFF) == "richpanel_http_429"
    assert owed.ended()[0] == "failed"
    assert owed.unfinished() == [KEY]


def test_a_hand_off_tells_the_flow_that_it_is_a_repetition():
    desk = Desk(AskingFlow(Say()))
    desk.fails = {ROUTED: [too_many()], SAID: [too_many()]}
    desk.process(receive=10)
    desk.process(HANDOFF)
    assert desk.flow.asked[-1] == (KEY, "dead_letter:repeated")
    assert desk.sent == [ROUTED, SAID, SAID]


def test_a_hand_off_of_what_has_ended_well_does_nothing(desk):
    desk.process()
    assert desk.process(HANDOFF) == "done"
    assert desk.sent == [ROUTED, CLOSED]


def test_a_hand_off_of_what_a_worker_holds_waits_until_that_lease_ends(desk):
    desk.fails = {ROUTED: [Died()]}
    with pytest.raises(Died):
        desk.process()
    desk.clock.forward(50)
    assert desk.process(HANDOFF) == "busy"
    desk.clock.forward(199.5)
    desk.process(HANDOFF)
    assert desk.queue.deferred == [("handle-1", 200.0), ("handle-1", 1.0)]


def test_a_hand_off_whose_worker_dies_on_the_last_receive_is_found(owed):
    owed.fails = {ATTENTION: [Died()]}
    with pytest.raises(Died):
        owed.process(HANDOFF, receive=10)
    assert owed.unfinished() == [KEY]
    assert owed.row()["lease_until"] - owed.clock.now().timestamp() == BUSY_FOR
