"""The comments a notification yields: every comment not yet handled."""

from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ports import Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support.arrivals import Arrivals
from chalicelib.support.flow import SupportFlow
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.state import StateChange, States
from chalicelib.support.tickets import Comment
from tests.rigs.fakes import NOON
from tests.rigs.ledger import MODES, LedgerRig, facts
from tests.rigs.one_ticket import OneTicket
from tests.simulation import tables

HOUR, DAY = 3600, 86_400


class CommentsRig(LedgerRig):
    """The support flow over a ledger and a memory in memory, and one ticket."""

    def __init__(self):
        super().__init__()
        self.tickets = OneTicket()
        self.state = States(table=tables.state(), clock=self.clock)
        self.flow = SupportFlow(
            arrivals=Arrivals.of(
                self.tickets, self.state, self.ledger, self.clock, max_age=timedelta(days=7)
            ),
            state=self.state,
        )

    def shows(self, *comments):
        """The ticket's comments: an id and how many seconds ago; an operator's begins with `op`."""
        self.tickets.comments = [
            Comment(id_, id_.startswith("op"), "hello", NOON - timedelta(seconds=ago))
            for id_, ago in comments
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

    def remember_look(self, comment, status=None):
        """A comment that a worker has claimed, and perhaps finished."""
        key = ticket_keys.ticket_message("1042", comment)
        lease = self.ledger.claim(facts(key), MODES, lease_seconds=250, takeover=frozenset())
        if status is not None:
            self.ledger.finish(lease, status, reason="x")

    def remembers(self, floor, *, ago):
        change = StateChange("1042", iso(NOON - timedelta(seconds=ago)), first_contact_floor=floor)
        self.state.apply(Lease(facts(), "o", 1, 2e9, 1), change)


@pytest.fixture
def comments_rig():
    return CommentsRig()


def test_a_notification_yields_every_new_comment_oldest_first(comments_rig):
    comments_rig.shows(("c-1", 300), ("c-2", 200), ("c-3", 100))
    assert comments_rig.found() == ["c-1", "c-2", "c-3"]


def test_each_new_comment_is_an_event_with_its_own_text_and_time(comments_rig):
    comments_rig.shows(("c-1", 300), ("c-2", 200))
    assert [
        (event.facts.event_key, event.subject.message_id, event.subject.at)
        for event in comments_rig.notified()
    ] == [
        (ticket_keys.ticket_message("1042", name), name, NOON - timedelta(seconds=ago))
        for name, ago in (("c-1", 300), ("c-2", 200))
    ]


def test_only_the_first_comment_is_decided_on_the_ticket_as_read(comments_rig):
    """Its effects change the ticket: the others read it again."""
    comments_rig.shows(("c-1", 300), ("c-2", 200), ("c-3", 100))
    assert [event.subject.ticket is not None for event in comments_rig.notified()] == [
        True,
        False,
        False,
    ]


def test_operator_comments_and_too_old_comments_are_no_events(comments_rig):
    comments_rig.shows(
        ("c-0", 7 * DAY), ("c-1", 7 * DAY - 1), ("op-1", 10 * DAY), ("op-2", 8 * DAY)
    )
    assert comments_rig.found() == ["c-1"]


def test_at_first_contact_only_comments_after_the_newest_answer_are_new(comments_rig):
    comments_rig.shows(("c-1", 300), ("op-1", 200), ("c-2", 100))
    assert comments_rig.found() == ["c-2"]


def test_after_first_contact_an_answer_does_not_make_earlier_comments_old(comments_rig):
    """Its webhook was lost, and the answer, even our own, may be to another comment."""
    floor = iso(NOON - timedelta(days=8))
    comments_rig.remembers(floor, ago=8 * DAY)
    comments_rig.shows(("op-1", 8 * DAY), ("c-1", 300), ("op-2", 200))
    assert comments_rig.found() == ["c-1"]


def test_comments_that_were_old_at_first_contact_stay_old(comments_rig):
    """Even if the ticket no longer shows the answer."""
    comments_rig.remembers(iso(NOON - timedelta(hours=2)), ago=HOUR)
    comments_rig.shows(("c-1", 3 * HOUR), ("c-2", HOUR))
    assert comments_rig.found() == ["c-2"]


def test_without_stored_state_an_answer_to_a_begun_comment_makes_none_old(comments_rig):
    """A worker died after its answer and before it had noted the first contact."""
    comments_rig.remember_look("c-1")
    comments_rig.shows(("c-0", 500), ("op-0", 400), ("c-1", 300), ("c-2", 250), ("op-1", 200))
    assert comments_rig.found() == ["c-1", "c-2"]


def test_the_stored_floor_is_the_newest_answer_before_the_message(comments_rig):
    """An answer after it says nothing about comments in between."""
    comments_rig.shows(("op-0", 400), ("c-1", 300), ("c-2", 250))
    event = comments_rig.notified()[0]
    comments_rig.shows(("op-0", 400), ("c-1", 300), ("c-2", 250), ("op-1", 200))
    event.subject.ticket = comments_rig.tickets.read_ticket("1042")
    plan = comments_rig.flow.plan(event, Switches())
    assert comments_rig.flow.conclude(Lease(event.facts, "o", 1, 2e9, 1), event, plan, {})
    known = comments_rig.state.read("1042").first_contact_floor
    assert known == iso(NOON - timedelta(seconds=400))
    comments_rig.remember_look("c-1", EventStatus.PROCESSED)
    assert comments_rig.found() == ["c-2"]


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
def test_a_begun_comment_is_an_event_while_it_is_open_or_reopened(
    comments_rig, status, recovery, found
):
    comments_rig.remember_look("c-1", status)
    comments_rig.shows(("c-1", 300))
    assert comments_rig.found(recovery=recovery) == found


def at(seconds):
    """The time this many seconds after noon, where a bucket begins."""
    return iso(NOON + timedelta(seconds=seconds))


def test_without_the_ticket_a_copy_across_a_bucket_boundary_is_no_event(comments_rig):
    """F12: the key of last resort is made of text and time."""
    comments_rig.tickets.is_gone = True
    (first,) = comments_rig.notified(text="ok", created_at=at(-1))
    comments_rig.ledger.claim(first.facts, MODES, lease_seconds=250, takeover=frozenset())
    with pytest.raises(NotAnEvent) as caught:
        comments_rig.notified(text="ok", created_at=at(1))
    end = (caught.value.status, caught.value.reason)
    assert end == (EventStatus.SKIPPED, "duplicate_in_neighbour_bucket")


@pytest.mark.parametrize(("text", "seconds"), [("no", 1), ("ok", 200)])
def test_another_text_or_a_much_later_time_is_a_separate_event(comments_rig, text, seconds):
    comments_rig.tickets.is_gone = True
    (first,) = comments_rig.notified(text="ok", created_at=at(-1))
    comments_rig.ledger.claim(first.facts, MODES, lease_seconds=250, takeover=frozenset())
    (other,) = comments_rig.notified(text=text, created_at=at(seconds))
    assert other.facts.event_key != first.facts.event_key


def test_a_ticket_without_a_visible_comment_is_processed_by_the_webhooks_text(comments_rig):
    (event,) = comments_rig.notified(text="ok", created_at=at(-1))
    assert (event.subject.text, event.subject.message_id) == ("ok", None)
    assert event.subject.ticket.id == "1042"
    assert comments_rig.notified() == [], (
        "and where no text came, it is left to what tells of the comment"
    )
