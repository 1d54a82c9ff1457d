"""What the flow of tickets leaves behind, without an engine."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.support.flow import SupportFlow
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.tickets import Comment, Ticket
from tests.rigs.fakes import ManualClock
from tests.rigs.ledger import Desk

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FACTS = EventFacts("evt:rp:1042:c-1", "1042", "2026-11-20T12:00:00.000Z", "", 0, "test", "c-1")


class Remembered:
    """`ports.States`, as far as an event's end needs it."""

    def __init__(self):
        self.changes = []

    def apply(self, lease, change):
        del lease
        self.changes.append(change)
        return True


def test_a_plan_that_was_stored_without_its_zero_confidence_comes_to_its_end():
    state = Remembered()
    flow = SupportFlow(None, state, None, None, max_event_age=timedelta(days=7))
    stored = {"intent": "unknown_other", "route": "route-a", "at": "2026-11-20T12:00:00.000Z"}
    plan = Plan("support", ((PlannedAction("add_tag", "route-a"),),), stored | {"tier": "TIER_1"})
    assert flow.conclude(None, Event(FACTS, Inquiry(text="", at=NOW)), plan, {})
    (change,) = state.changes
    assert (change.intent, change.routing_confidence) == ("unknown_other", 0)


class Shown:
    """`ports.Tickets` of one ticket with one comment; counts how often it is read."""

    def __init__(self, *, is_operator):
        self.comment = Comment("c-1", is_operator, "We have refunded you", NOW)
        self.reads = 0

    def read_ticket(self, conversation_id):
        self.reads += 1
        return Ticket(conversation_id, "OPEN", frozenset(), (self.comment,))


SILENT = [Switches(shadow_mode=True), Switches(kill_switch=True)]


def decided_in(switches, tickets):
    """A flow, an event that came with its text, and its plan under those switches."""
    clock = ManualClock(NOW)
    flow = SupportFlow(tickets, Remembered(), Desk().ledger, clock, max_event_age=timedelta(days=7))
    event = Event(FACTS, Inquiry(text="We have refunded you", at=NOW, message_id="c-1"))
    return flow, event, flow.plan(event, switches)


@pytest.mark.parametrize("silent", SILENT)
def test_what_was_decided_in_silence_is_looked_at_before_anything_is_done_for_it(silent):
    """F48: its text may be our own reply's; in silence nobody is called to tell."""
    tickets = Shown(is_operator=True)
    flow, event, plan = decided_in(silent, tickets)
    flow.look_again(event, plan, silent)
    assert tickets.reads == 0
    with pytest.raises(NotAnEvent) as caught:
        flow.look_again(event, plan, Switches())
    assert (caught.value.status, caught.value.reason) == (EventStatus.SKIPPED, "operator_comment")


@pytest.mark.parametrize("silent", SILENT)
def test_what_a_customer_wrote_in_silence_goes_on(silent):
    flow, event, plan = decided_in(silent, Shown(is_operator=False))
    flow.look_again(event, plan, Switches())
    assert event.subject.ticket is not None


def test_what_was_decided_on_its_ticket_is_not_read_again_for_that():
    tickets = Shown(is_operator=False)
    flow, event, plan = decided_in(Switches(), tickets)
    flow.look_again(event, plan, Switches())
    assert tickets.reads == 1
