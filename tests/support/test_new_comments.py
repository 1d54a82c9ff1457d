"""Which comments of a ticket a notification stands for: those nobody has dealt with, and all of them."""

from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.errors import PermanentError
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ports import Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support.flow import SupportFlow
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.state import StateChange, States
from chalicelib.support.tickets import Comment, Ticket
from tests.rigs.fakes import NOON
from tests.rigs.ledger import MODES, Desk, facts
from tests.simulation.memory_table import MemoryTable

HOUR, DAY = 3600, 86_400


class Tickets:
    """`ports.Tickets` of one ticket."""

    def __init__(self):
        self.comments, self.is_gone = (), False

    def read_ticket(self, conversation_id):
        if self.is_gone:
            raise PermanentError("richpanel", "read_ticket", status=404)
        return Ticket(conversation_id, "OPEN", frozenset(), tuple(self.comments))


class TicketDesk(Desk):
    """The support flow over a ledger and a memory in memory, and one ticket."""

    def __init__(self):
        super().__init__()
        self.tickets = Tickets()
        self.state = States(MemoryTable("state", ("conversation_id",)), self.clock)
        self.flow = SupportFlow(
            self.tickets, self.state, self.ledger, self.clock, max_event_age=timedelta(days=7)
        )

    def shows(self, *comments):
        """The ticket's comments: an id and how many seconds ago; an operator's begins with `op`."""
        self.tickets.comments = [
            Comment(one, one.startswith("op"), "hello", NOON - timedelta(seconds=ago))
            for one, ago in comments
        ]

    def notified(self, **more):
        job = TicketNotification(
            event_key="evt:rp:1042:n:d-1",
            conversation_id="1042",
            received_at=iso(NOON),
            payload_sha256="9f",
            payload_bytes=9,
            source="richpanel_http_target",
            trace_id="1f",
            **more,
        )
        return self.flow.events(job)

    def found(self, **more):
        return [event.facts.source_message_id for event in self.notified(**more)]

    def begun(self, comment, status=None):
        """A comment that a worker has taken up, and perhaps brought to an end."""
        key = ticket_keys.ticket_message("1042", comment)
        lease = self.ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())
        if status is not None:
            self.ledger.finish(lease, status, reason="x")

    def remembers(self, floor, *, ago):
        change = StateChange("1042", iso(NOON - timedelta(seconds=ago)), first_contact_floor=floor)
        self.state.apply(Lease(facts(), "o", 1, 2e9, 1), change)


@pytest.fixture
def desk():
    return TicketDesk()


def test_a_notification_stands_for_every_new_comment_the_oldest_first(desk):
    desk.shows(("c-1", 300), ("c-2", 200), ("c-3", 100))
    assert desk.found() == ["c-1", "c-2", "c-3"]


def test_each_new_comment_is_an_event_with_its_own_text_and_time(desk):
    desk.shows(("c-1", 300), ("c-2", 200))
    assert [
        (one.facts.event_key, one.subject.message_id, one.subject.at) for one in desk.notified()
    ] == [
        (ticket_keys.ticket_message("1042", name), name, NOON - timedelta(seconds=ago))
        for name, ago in (("c-1", 300), ("c-2", 200))
    ]


def test_only_the_first_is_decided_on_the_ticket_as_it_was_read(desk):
    """Its effects change the ticket: the others read it again."""
    desk.shows(("c-1", 300), ("c-2", 200), ("c-3", 100))
    assert [one.subject.ticket is not None for one in desk.notified()] == [True, False, False]


def test_an_operators_comment_is_no_event_and_neither_is_one_beyond_the_age_gate(desk):
    desk.shows(("c-0", 7 * DAY), ("c-1", 7 * DAY - 1), ("op-1", 10 * DAY), ("op-2", 8 * DAY))
    assert desk.found() == ["c-1"]


def test_at_first_contact_nothing_before_the_newest_answer_is_new(desk):
    desk.shows(("c-1", 300), ("op-1", 200), ("c-2", 100))
    assert desk.found() == ["c-2"]


def test_after_first_contact_an_answer_makes_no_earlier_comment_old(desk):
    """Its webhook was lost, and who answered may have answered something else, ourselves included."""
    floor = iso(NOON - timedelta(days=8))
    desk.remembers(floor, ago=8 * DAY)
    desk.shows(("op-1", 8 * DAY), ("c-1", 300), ("op-2", 200))
    assert desk.found() == ["c-1"]


def test_what_was_old_at_first_contact_stays_old(desk):
    """Also where the ticket does not show any more what it was that had been answered."""
    desk.remembers(iso(NOON - timedelta(hours=2)), ago=HOUR)
    desk.shows(("c-1", 3 * HOUR), ("c-2", HOUR))
    assert desk.found() == ["c-2"]


def test_while_nothing_is_remembered_an_answer_to_what_was_begun_makes_nothing_old(desk):
    """A worker died after its answer and before it had noted the first contact."""
    desk.begun("c-1")
    desk.shows(("c-0", 500), ("op-0", 400), ("c-1", 300), ("c-2", 250), ("op-1", 200))
    assert desk.found() == ["c-1", "c-2"]


def test_the_floor_that_is_remembered_is_what_stood_before_the_message_itself(desk):
    """An answer that came after it says nothing of what the customer wrote in between."""
    desk.shows(("op-0", 400), ("c-1", 300), ("c-2", 250))
    event = desk.notified()[0]
    desk.shows(("op-0", 400), ("c-1", 300), ("c-2", 250), ("op-1", 200))
    event.subject.ticket = desk.tickets.read_ticket("1042")
    plan = desk.flow.plan(event, Switches())
    assert desk.flow.conclude(Lease(event.facts, "o", 1, 2e9, 1), event, plan, {})
    known = desk.state.read("1042").first_contact_floor
    assert known == iso(NOON - timedelta(seconds=400))
    desk.begun("c-1", EventStatus.PROCESSED)
    assert desk.found() == ["c-2"]


@pytest.mark.parametrize(
    ("status", "recovery", "found"),
    [
        (None, None, ["c-1"]),  # its worker may have died
        (EventStatus.PROCESSED, None, []),
        (EventStatus.SKIPPED, None, []),
        (EventStatus.PARKED, None, []),
        (EventStatus.FAILED, Recovery.SWEEP, []),
        (EventStatus.PROCESSED, Recovery.OPERATOR, ["c-1"]),
        (EventStatus.PARKED, Recovery.SETTLED, ["c-1"]),
    ],
)
def test_a_comment_that_was_begun_is_an_event_while_it_is_open_or_reopened(
    desk, status, recovery, found
):
    desk.begun("c-1", status)
    desk.shows(("c-1", 300))
    assert desk.found(recovery=recovery) == found


def at(seconds):
    """The time so many seconds after noon, where a bucket of times begins."""
    return iso(NOON + timedelta(seconds=seconds))


def test_where_the_ticket_cannot_be_read_a_copy_across_a_buckets_edge_is_no_event(desk):
    """F12: the key of last resort is made of text and time."""
    desk.tickets.is_gone = True
    (first,) = desk.notified(text="ok", created_at=at(-1))
    desk.ledger.claim(first.facts, MODES, lease_seconds=250, takeover=frozenset())
    with pytest.raises(NotAnEvent) as caught:
        desk.notified(text="ok", created_at=at(1))
    end = (caught.value.status, caught.value.reason)
    assert end == (EventStatus.SKIPPED, "duplicate_in_neighbour_bucket")


@pytest.mark.parametrize(("text", "seconds"), [("no", 1), ("ok", 200)])
def test_another_text_or_a_much_later_time_is_an_event_of_its_own(desk, text, seconds):
    desk.tickets.is_gone = True
    (first,) = desk.notified(text="ok", created_at=at(-1))
    desk.ledger.claim(first.facts, MODES, lease_seconds=250, takeover=frozenset())
    (other,) = desk.notified(text=text, created_at=at(seconds))
    assert other.facts.event_key != first.facts.event_key


def test_a_ticket_that_shows_no_comment_yet_is_taken_by_the_text_that_came_with_it(desk):
    (event,) = desk.notified(text="ok", created_at=at(-1))
    assert (event.subject.text, event.subject.message_id) == ("ok", None)
    assert event.subject.ticket.id == "1042"
    assert desk.notified() == [], "and where no text came, it is left to what tells of the comment"
