"""A job whose vendor says later waits outside its queue: no receive is spent, and its order is kept."""

import json
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.errors import BreakerOpenError, PacedError, TransientError, UnavailableError
from chalicelib.once.backoff import ASIDE_FOR_SECONDS, SLOW_DOWN_SECONDS
from chalicelib.once.event import LATE_SECONDS, EventStatus
from chalicelib.once.flow import Waits
from chalicelib.once.job import Job, decode, encode, facts_of
from chalicelib.once.turns import BEHIND, MOST_LISTED, OVERDUE_SECONDS, SOON_SECONDS, Turns
from chalicelib.support.jobs import TicketMessage
from tests.rigs.fakes import NOON
from tests.rigs.worker import (
    CLOSED,
    KEY,
    ROUTED,
    SmallFlow,
    WorkerDied,
    WorkerRig,
    job,
    notification,
    too_many,
)

NOW = NOON.timestamp()
CONTAINER = "evt:rp:1042:n:d-1"


class ListingFlow(SmallFlow):
    """A flow that can keep the order, until it fails to."""

    def __init__(self):
        super().__init__()
        self.listed, self.can_list = [], True

    def set_aside(self, event, due_epoch):
        self.listed.append((event.facts.event_key, due_epoch))
        if isinstance(self.can_list, Exception):
            raise self.can_list
        return self.can_list


def paced(seconds=40.0):
    return PacedError("richpanel", "add_tags", seconds)


def down(seconds=300.0):
    return BreakerOpenError("richpanel", "add_tags", reason="breaker_open", retry_after=seconds)


def unavailable(**more):
    return TransientError("richpanel", "add_tags", status=503, **more)


@pytest.fixture
def rig():
    return WorkerRig(ListingFlow())


@pytest.mark.parametrize("receive", [1, 10])
@pytest.mark.parametrize("error", [paced(40), down(40)])
def test_a_job_whose_vendor_says_when_waits_until_then(rig, error, receive):
    rig.chance = 0.0
    rig.fails = {"any": [error]}

    assert rig.process(receive=receive) == "done", "no receive is spent, not even the last one"

    ((again, seconds),) = rig.aside
    assert seconds == pytest.approx(40)
    assert again.slot == NOW + 40
    assert again.waits == isinstance(error, PacedError)
    assert again.model_copy(update={"slot": None, "waits": 0}) == job()
    assert rig.flow.listed == [(KEY, NOW + 40)]
    row = rig.row()
    assert (row["status"], row["lease_until"]) == ("processing", 0)
    assert row["due_at"] == int(NOW + 40 + LATE_SECONDS)
    assert rig.queue.deferred == []


def test_who_waits_for_the_same_breaker_does_not_come_back_at_the_same_moment(rig):
    rig.chance, rig.fails = 0.5, {"any": [down(40)]}
    rig.process()
    assert rig.aside[0][1] == pytest.approx(45)


def test_it_goes_on_where_it_was(rig):
    rig.fails = {CLOSED: [paced()]}
    rig.process()
    ((again, _),) = rig.aside
    rig.clock.forward(40)

    assert rig.process(again, message_id="sqs-2") == "done"

    assert rig.sent == [ROUTED, CLOSED, CLOSED]
    assert len(rig.flow.decided) == 1
    assert rig.ended() == ("processed", None)


def test_it_knows_at_its_time_that_it_has_waited(rig):
    rig.fails = {"any": [paced()]}
    places = []
    rig.flow.build, build = (
        lambda *a: (places.append(rig.worker.turn.place), build(*a))[1],
        rig.flow.build,
    )
    rig.process()
    rig.clock.forward(40)
    rig.process(rig.aside[0][0], message_id="sqs-2")

    assert [place.waits for place in places] == [0] * 2 + [1] * 2
    assert rig.worker.turn.place is None


def test_a_job_that_comes_before_its_time_waits_on(rig):
    """The queue of short waits delays for a quarter of an hour at most."""
    early = job(slot=NOW + 1_300)

    assert rig.process(early) == "done"

    assert rig.aside == [(early, 1_300)]
    assert rig.row() is None


def test_without_its_copy_the_row_brings_it_back_at_its_time(rig):
    rig.fails = {"any": [paced()]}
    put_later = rig.worker.put_later
    object.__setattr__(rig.worker, "put_later", _not_queued)

    assert rig.process() == "done"

    assert rig.row()["due_at"] == int(NOW + 40)
    object.__setattr__(rig.worker, "put_later", put_later)


def test_what_waits_behind_an_overdue_event_is_left_to_the_sweep(rig):
    """It would come again every minute, for as long as the sweep does not reach the other one."""
    rig.flow.raises["plan"] = Waits(BEHIND, NOW - OVERDUE_SECONDS, is_in_line=True, is_turn=True)

    assert rig.process() == "done"

    assert rig.aside == []
    assert rig.row()["due_at"] == int(NOW - OVERDUE_SECONDS)


@pytest.mark.parametrize("refuses", [False, TransientError("dynamodb", "set_waiting")])
def test_what_cannot_be_listed_keeps_its_place_at_the_head_of_its_group(rig, refuses):
    rig.fails, rig.flow.can_list = {"any": [paced()]}, refuses

    assert rig.process() == "richpanel_local_rate_limit"

    assert rig.aside == []
    assert len(rig.queue.deferred) == 1


def test_an_outage_does_not_keep_an_event_for_ever(rig):
    old = job(received_at=iso(NOON - timedelta(seconds=ASIDE_FOR_SECONDS)))
    rig.fails = {"any": [down(), too_many(retry_after=1.0), paced()]}

    assert rig.process(old) == "richpanel_breaker_open"
    rig.clock.forward(2_000)
    assert rig.process(old, receive=2) == "richpanel_http_429"
    rig.clock.forward(2_000)
    assert rig.process(old, receive=3) == "done", "our own pace is no outage"


@pytest.mark.parametrize("receive", [1, 10])
@pytest.mark.parametrize(
    ("error", "seconds", "is_turn"),
    [
        (too_many(retry_after=40), 40, True),
        (too_many(), SLOW_DOWN_SECONDS, True),
        (unavailable(retry_after=40), 40, False),
    ],
)
def test_a_vendor_that_answers_later_spends_no_receive(rig, error, seconds, is_turn, receive):
    rig.chance, rig.fails = 0.0, {CLOSED: [error]}

    assert rig.process(receive=receive) == "done"

    assert rig.flow.listed == [(KEY, NOW + seconds)]
    assert (rig.row()["status"], rig.row()["lease_until"]) == ("processing", 0)
    ((again, waits),) = rig.aside
    assert (waits, again.waits) == (pytest.approx(seconds), is_turn)
    rig.clock.forward(seconds)
    assert rig.process(again, message_id="sqs-2") == "done"
    assert rig.sent == [ROUTED, CLOSED, CLOSED], "it goes on where it was"
    assert rig.ended() == ("processed", None)


@pytest.mark.parametrize("error", [unavailable(), unavailable(retry_after=0.0)])
def test_a_failure_that_names_no_time_is_a_receive(rig, error):
    rig.fails = {"any": [error]}

    assert rig.process() == "richpanel_http_503"
    assert rig.flow.listed == []


@pytest.mark.parametrize(("age", "seconds"), [(2, 1), (100, 10), (3_000, SLOW_DOWN_SECONDS)])
def test_a_vendor_that_always_says_soon_is_asked_more_rarely(rig, age, seconds):
    old = job(received_at=iso(NOON - timedelta(seconds=age)))
    rig.chance, rig.fails = 0.0, {"any": [too_many(retry_after=0.5)]}

    assert rig.process(old) == "done"
    assert rig.aside[0][1] == pytest.approx(seconds)


def test_a_notification_whose_read_is_refused_waits_as_a_whole(rig):
    rig.chance, rig.flow.raises = 0.0, {"events": too_many(retry_after=40)}

    assert rig.process(notification(), receive=10) == "done"

    assert [(one.event_key, one.slot) for one, _ in rig.aside] == [(CONTAINER, NOW + 40)]
    assert rig.row(CONTAINER)["status"] == "received"


def test_a_notification_that_cannot_be_read_yet_leaves_a_row_and_waits(rig):
    rig.flow.raises = {"events": paced()}

    assert rig.process(notification()) == "done"

    ((again, _),) = rig.aside
    assert (again.event_key, again.slot) == (CONTAINER, NOW + 40)
    assert rig.flow.listed == [(CONTAINER, NOW + 40)]
    assert rig.row(CONTAINER)["status"] == "received"
    assert rig.row(CONTAINER)["due_at"] == int(NOW + 40 + LATE_SECONDS)


@pytest.mark.parametrize("receive", [1, 10])
def test_a_notification_waits_with_all_events_that_have_not_ended(rig, receive):
    facts = [notification(event_key=f"evt:rp:1042:c-{n}", source="x") for n in (1, 2)]
    rig.flow.resolves_to = [facts_of(one) for one in facts]
    rig.fails = {"any": [paced()]}

    assert rig.process(notification(), receive=receive) == "done"

    assert [one.event_key for one, _ in rig.aside] == [CONTAINER]
    assert rig.row("evt:rp:1042:c-1")["lease_until"] == 0
    assert rig.row("evt:rp:1042:c-1")["status"] == "processing"
    assert rig.row("evt:rp:1042:c-2") is None, "the second does not overtake the first"
    rig.clock.forward(40)
    assert rig.process(rig.aside[0][0], message_id="sqs-2") == "done"
    assert rig.ended("evt:rp:1042:c-2") == ("processed", None)


@pytest.mark.parametrize("dies", ["set_aside", "put_later", "release"])
def test_a_worker_that_dies_while_it_sets_a_job_aside_loses_nothing(rig, dies):
    """Whatever was done by then, its message comes again, and with the copy it is one event."""
    rig.fails = {"any": [paced()]}
    where = {"set_aside": rig.flow, "put_later": rig.worker, "release": rig.ledger}[dies]
    real = getattr(where, dies)

    def dying(*arguments, **named):
        object.__setattr__(where, dies, real)
        real(*arguments, **named)
        raise WorkerDied

    object.__setattr__(where, dies, dying)
    with pytest.raises(WorkerDied):
        rig.process()
    rig.clock.forward(721)
    copies = [one for one, _ in rig.aside]

    assert rig.process(receive=2) == "done"
    for copy in copies:
        assert rig.process(copy, message_id="sqs-2") == "done"

    assert rig.sent == [ROUTED, ROUTED, CLOSED]
    assert rig.ended() == ("processed", None)


def test_a_job_without_a_slot_is_the_same_message_as_before():
    assert not {"slot", "waits"} & json.loads(encode(job())).keys()
    assert decode(encode(job(slot=1.5)), {"ticket_message": TicketMessage}).slot == 1.5
    assert Job.model_fields["slot"].default is None


# --- the conversation's line ------------------------------------------------------------------


class Line:
    def __init__(self, *waiting):
        self.waiting, self.writes = list(waiting), 0

    def replace(self, waiting):
        self.writes += list(waiting) != self.waiting
        self.waiting = list(waiting)


class Ended:
    """A ledger that knows which events have not ended."""

    def __init__(self, *unended):
        self.unended = unended

    def statuses(self, keys):
        return {
            key: EventStatus.PROCESSING if key in self.unended else EventStatus.PROCESSED
            for key in keys
        }


def listed(key, due):
    return {"event": key, "due": int(due)}


def test_an_event_joins_behind_one_that_waits_and_runs_when_that_has_ended(clock):
    line, turns = Line(listed("a", NOW + 40)), Turns(Ended("a", "b"), clock)

    with pytest.raises(Waits) as waits:
        turns.take(line, "b")

    assert (waits.value.reason, waits.value.due_epoch) == (BEHIND, NOW + 41)
    assert waits.value.is_in_line
    assert [one["event"] for one in line.waiting] == ["a", "b"]
    Turns(Ended("b"), clock).take(line, "b")
    assert line.waiting == []


def test_the_first_of_a_line_runs_and_the_others_stay_listed(clock):
    line = Line(listed("a", NOW), listed("b", NOW + 1))

    Turns(Ended("a", "b"), clock).take(line, "a")

    assert [one["event"] for one in line.waiting] == ["a", "b"]


def test_an_empty_line_costs_no_write_and_no_read(clock):
    line = Line()

    Turns(None, clock).take(line, "a")

    assert line.writes == 0


@pytest.mark.parametrize(
    ("due", "after"),
    [
        (NOW + 5, NOW + 6),
        (NOW - 2, NOW + SOON_SECONDS),
        (NOW - OVERDUE_SECONDS - 1, NOW - OVERDUE_SECONDS),
    ],
)
def test_behind_an_event_that_is_coming_one_looks_again_soon(clock, due, after):
    with pytest.raises(Waits) as waits:
        Turns(Ended("a", "b"), clock).take(Line(listed("a", due)), "b")

    assert waits.value.due_epoch == int(after)


def test_a_long_line_is_bounded_and_what_comes_later_is_due_after_it(clock):
    line = Line(*(listed(f"e{n}", NOW + n) for n in range(MOST_LISTED)))
    turns = Turns(Ended(*(f"e{n}" for n in range(MOST_LISTED))), clock)

    assert turns.join(line, "late", NOW) == NOW + MOST_LISTED
    assert len(line.waiting) == MOST_LISTED


def _not_queued(*_):
    raise UnavailableError("enqueue_failed")
