"""A job whose vendor says later waits outside its queue: no receive is spent, and its order is kept."""

import json
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.errors import BreakerOpenError, PacedError, TransientError, UnavailableError
from chalicelib.once.backoff import ASIDE_FOR_SECONDS, SLOW_DOWN_SECONDS
from chalicelib.once.event import COPY_SECONDS, EventStatus, Unended
from chalicelib.once.flow import NotYet
from chalicelib.once.job import decode, encode, facts_of
from chalicelib.once.later import MAX_DELAY_SECONDS, MOST_ROUNDS
from chalicelib.once.order import BEHIND, MOST_LISTED, OVERDUE_SECONDS, SOON_SECONDS, InOrder
from chalicelib.support.jobs import TicketMessage
from tests.rigs.fakes import NOON
from tests.rigs.ledger import MODES
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

    def let_wait(self, event, until_epoch):
        self.listed.append((event.facts.event_key, until_epoch))
        if isinstance(self.can_list, Exception):
            raise self.can_list
        return until_epoch if self.can_list else None


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

    ((again, seconds),) = rig.copies
    assert seconds == pytest.approx(40)
    assert (again.turns, again.rounds) == (isinstance(error, PacedError), 1)
    assert again.model_copy(update={"turns": 0, "rounds": 0}) == job()
    assert rig.flow.listed == [(KEY, NOW + 40)]
    row = rig.row()
    assert (row["status"], row["lease_until"]) == ("processing", 0)
    assert (row["until"], row["due_at"]) == (int(NOW + 40), int(NOW + 40 + COPY_SECONDS))
    assert row.get("turns") == (1 if isinstance(error, PacedError) else None)
    assert rig.queue.deferred == []


def test_who_waits_for_the_same_breaker_does_not_come_back_at_the_same_moment(rig):
    rig.chance, rig.fails = 0.5, {"any": [down(40)]}
    rig.process()
    assert rig.copies[0][1] == pytest.approx(45)


def test_it_goes_on_where_it_was(rig):
    rig.fails = {CLOSED: [paced()]}
    rig.process()
    ((again, _),) = rig.copies
    rig.clock.forward(40)

    assert rig.process(again, message_id="sqs-2") == "done"

    assert rig.sent == [ROUTED, CLOSED, CLOSED]
    assert len(rig.flow.decided) == 1
    assert rig.ended() == ("processed", None)


def test_it_knows_at_its_time_that_it_has_waited(rig):
    rig.fails = {"any": [paced()]}
    places = []
    rig.flow.build, build = (
        lambda *a: (places.append(rig.worker.current.place), build(*a))[1],
        rig.flow.build,
    )
    rig.process()
    rig.clock.forward(40)
    rig.process(rig.copies[0][0], message_id="sqs-2")

    assert [place.turns for place in places] == [0] * 2 + [1] * 2
    assert rig.worker.current.place is None


def test_the_row_is_dated_before_the_copy_is_sent(rig):
    rig.fails, seen = {"any": [paced()]}, []
    rig.sends_copies_by(lambda *_: seen.append(dict(rig.row())))

    assert rig.process() == "done"

    assert [row["due_at"] for row in seen] == [int(NOW + 40 + COPY_SECONDS)]


def test_without_its_copy_the_row_brings_it_back(rig):
    rig.fails = {"any": [paced()]}
    rig.sends_copies_by(_not_queued)

    assert rig.process() == "done"

    assert rig.row()["due_at"] == int(NOW + 40 + COPY_SECONDS)


def test_a_long_wait_has_no_copy(rig):
    rig.chance, rig.fails = 0.0, {"any": [down(MAX_DELAY_SECONDS + 1)]}

    assert rig.process() == "done"

    assert (rig.copies, rig.row()["due_at"]) == ([], int(NOW + MAX_DELAY_SECONDS + 1))


def test_after_seven_rounds_the_row_alone_carries_it(rig):
    """Lambda stops a chain of function, queue, function after about 16 rounds."""
    sent, rounds = job(), 0
    rig.fails = {"any": [paced() for _ in range(MOST_ROUNDS + 1)]}
    while rig.process(sent, message_id=f"sqs-{rounds}") == "done" and rig.copies:
        ((sent, _),) = rig.copies
        rig.copies.clear()
        rig.clock.forward(40)
        rounds += 1

    assert (rounds, sent.rounds, sent.turns) == (MOST_ROUNDS, MOST_ROUNDS, MOST_ROUNDS)
    now = rig.clock.now().timestamp()
    assert rig.row()["due_at"] == rig.row()["until"] == int(now + 40)
    assert rig.row()["turns"] == MOST_ROUNDS + 1


def test_what_waits_unclaimed_is_left_to_the_claim_that_has_the_row(rig):
    rig.flow.raises = {"events": NotYet("look_due", NOW + 40)}
    rig.ledger.claim(facts_of(job()), MODES, lease_seconds=200, takeover=frozenset())
    before = dict(rig.row())

    assert rig.process() == "done"

    assert (rig.copies, rig.row()) == ([], before)


def test_a_failed_event_that_is_redriven_and_waits_is_carried_by_its_row(rig):
    rig.ledger.record_end(
        facts_of(notification()), MODES, EventStatus.FAILED, reason="dead_letter:x"
    )
    rig.flow.raises = {"events": paced()}
    rig.sends_copies_by(_not_queued)

    assert rig.process(notification()) == "done"

    row = rig.row(CONTAINER)
    assert (row["status"], row["due_at"]) == ("received", int(NOW + 40 + COPY_SECONDS))
    assert "reason" not in row


def test_what_waits_behind_an_overdue_event_is_left_to_the_sweep(rig):
    """It would come again every minute, for as long as the sweep does not reach the other one."""
    rig.flow.raises["plan"] = NotYet(BEHIND, NOW - OVERDUE_SECONDS, is_turn=True)

    assert rig.process() == "done"

    assert rig.copies == []
    assert rig.row()["due_at"] == int(NOW - OVERDUE_SECONDS)


@pytest.mark.parametrize("refuses", [False, TransientError("dynamodb", "set_waiting")])
def test_what_cannot_be_listed_keeps_its_place_at_the_head_of_its_group(rig, refuses):
    rig.fails, rig.flow.can_list = {"any": [paced()]}, refuses

    assert rig.process() == "richpanel_local_rate_limit"

    assert rig.copies == []
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
    ((again, waits),) = rig.copies
    assert (waits, again.turns) == (pytest.approx(seconds), is_turn)
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
    assert rig.copies[0][1] == pytest.approx(seconds)


def test_a_notification_whose_read_is_refused_waits_as_a_whole(rig):
    rig.chance, rig.flow.raises = 0.0, {"events": too_many(retry_after=40)}

    assert rig.process(notification(), receive=10) == "done"

    assert [(copy.event_key, seconds) for copy, seconds in rig.copies] == [(CONTAINER, 40)]
    assert rig.row(CONTAINER)["status"] == "received"


def test_a_notification_that_cannot_be_read_yet_leaves_a_row_and_waits(rig):
    rig.flow.raises = {"events": paced()}

    assert rig.process(notification()) == "done"

    ((again, seconds),) = rig.copies
    assert (again.event_key, seconds) == (CONTAINER, 40)
    assert rig.flow.listed == [(CONTAINER, NOW + 40)]
    assert rig.row(CONTAINER)["status"] == "received"
    assert rig.row(CONTAINER)["due_at"] == int(NOW + 40 + COPY_SECONDS)


@pytest.mark.parametrize("receive", [1, 10])
def test_a_notification_waits_with_all_events_that_have_not_ended(rig, receive):
    facts = [notification(event_key=f"evt:rp:1042:c-{n}", source="x") for n in (1, 2)]
    rig.flow.resolves_to = [facts_of(fact) for fact in facts]
    rig.fails = {"any": [paced()]}

    assert rig.process(notification(), receive=receive) == "done"

    assert [copy.event_key for copy, _ in rig.copies] == [CONTAINER]
    assert rig.row("evt:rp:1042:c-1")["lease_until"] == 0
    assert rig.row("evt:rp:1042:c-1")["status"] == "processing"
    assert rig.row("evt:rp:1042:c-2") is None, "the second does not overtake the first"
    rig.clock.forward(40)
    assert rig.process(rig.copies[0][0], message_id="sqs-2") == "done"
    assert rig.ended("evt:rp:1042:c-2") == ("processed", None)


@pytest.mark.parametrize("dies", ["let_wait", "send_later", "release"])
def test_a_worker_that_dies_while_it_sets_a_job_aside_loses_nothing(rig, dies):
    """Whatever was done by then, its message comes again, and with the copy it is one event."""
    rig.fails = {"any": [paced()]}
    where = {
        "let_wait": rig.flow,
        "send_later": rig.worker.postponing.aside,
        "release": rig.ledger,
    }[dies]
    real = getattr(where, dies)

    def dying(*arguments, **named):
        object.__setattr__(where, dies, real)
        real(*arguments, **named)
        raise WorkerDied

    object.__setattr__(where, dies, dying)
    with pytest.raises(WorkerDied):
        rig.process()
    rig.clock.forward(721)
    copies = [copy for copy, _ in rig.copies]

    assert rig.process(receive=2) == "done"
    for copy in copies:
        assert rig.process(copy, message_id="sqs-2") == "done"

    assert rig.sent == [ROUTED, ROUTED, CLOSED]
    assert rig.ended() == ("processed", None)


def test_a_job_that_has_not_waited_is_a_message_without_turns_and_rounds():
    assert not {"turns", "rounds"} & json.loads(encode(job())).keys()
    kinds = {"ticket_message": TicketMessage}
    again = decode(encode(job(turns=2, rounds=3)), kinds)
    assert (again.turns, again.rounds) == (2, 3)


# --- the conversation's line ------------------------------------------------------------------


class Line:
    def __init__(self, *waiting):
        self.waiting, self.writes = list(waiting), 0

    def replace(self, waiting):
        self.writes += list(waiting) != self.waiting
        self.waiting = list(waiting)


class Waiting:
    """A ledger that knows which events have not ended, and until when each waits."""

    def __init__(self, **until):
        self.until = until

    def unended(self, keys):
        return {key: Unended(self.until[key]) for key in keys if key in self.until}


def test_an_event_joins_behind_one_that_waits_and_runs_when_that_has_ended(clock):
    line, order = Line("a"), InOrder(ledger=Waiting(a=NOW + 40, b=None), clock=clock)

    with pytest.raises(NotYet) as wait:
        order.check(line, "b")

    assert (wait.value.reason, wait.value.until_epoch) == (BEHIND, NOW + 41)
    assert wait.value.is_turn
    assert line.waiting == ["a", "b"]
    InOrder(ledger=Waiting(b=NOW + 41), clock=clock).check(line, "b")
    assert line.waiting == []


def test_the_first_of_a_line_runs_and_the_others_stay_listed(clock):
    line = Line("a", "b")

    InOrder(ledger=Waiting(a=NOW, b=NOW + 1), clock=clock).check(line, "a")

    assert line.waiting == ["a", "b"]


def test_an_empty_line_costs_no_write_and_no_read(clock):
    line = Line()

    InOrder(ledger=None, clock=clock).check(line, "a")

    assert line.writes == 0


@pytest.mark.parametrize(
    ("until", "after"),
    [
        (NOW + 5, NOW + 6),
        (NOW - 2, NOW + SOON_SECONDS),
        (None, NOW + SOON_SECONDS),
        (NOW - OVERDUE_SECONDS - 1, NOW - OVERDUE_SECONDS),
    ],
)
def test_behind_an_event_that_is_coming_one_looks_again_soon(clock, until, after):
    with pytest.raises(NotYet) as wait:
        InOrder(ledger=Waiting(a=until, b=None), clock=clock).check(Line("a"), "b")

    assert wait.value.until_epoch == after


def test_a_long_line_is_bounded_and_what_comes_later_runs_after_it(clock):
    keys = [f"e{n}" for n in range(MOST_LISTED)]
    line, until = Line(*keys), {key: NOW + n for n, key in enumerate(keys)}

    assert (
        InOrder(ledger=Waiting(**until), clock=clock).join(line, "late", NOW) == NOW + MOST_LISTED
    )
    assert len(line.waiting) == MOST_LISTED


def _not_queued(*_):
    raise UnavailableError("enqueue_failed")
