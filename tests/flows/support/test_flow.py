"""What the flow of tickets leaves behind, without an engine."""

from datetime import UTC, datetime, timedelta

from chalicelib.flows import Event
from chalicelib.flows.support import SupportFlow
from chalicelib.flows.support.inquiry import Inquiry
from chalicelib.plans import Plan, PlannedAction
from chalicelib.ports import EventFacts

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FACTS = EventFacts("evt:rp:1042:c-1", "1042", "2026-11-20T12:00:00.000Z", "", 0, "test", "c-1")


class Remembered:
    """`ports.StatePort`, as far as an event's end needs it."""

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
