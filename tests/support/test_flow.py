"""The ticket flow's state and rechecks, without an engine."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.support.arrivals import Arrivals
from chalicelib.support.flow import SupportFlow
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.replies.guard_rails import ANSWERED_TAG
from chalicelib.support.state import States
from chalicelib.support.tickets import Comment
from tests.rigs.fakes import RecordingLog
from tests.rigs.ledger import LedgerRig
from tests.rigs.one_ticket import OneTicket
from tests.simulation import tables

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FACTS = EventFacts("evt:rp:1042:c-1", "1042", "2026-11-20T12:00:00.000Z", "", 0, "test", "c-1")


def one_comment(*, is_operator):
    return OneTicket(Comment("c-1", is_operator, "We have refunded you", NOW))


KILLED = Switches(kill_switch=True)


def decided_in(switches, tickets):
    """A flow, an event that came with its text, and its plan under those switches."""
    rig = LedgerRig()
    states = States(table=tables.state(), clock=rig.clock)
    flow = SupportFlow(
        arrivals=Arrivals.of(tickets, states, rig.ledger, rig.clock, max_age=timedelta(days=7)),
        state=states,
    )
    event = Event(FACTS, Inquiry(text="We have refunded you", at=NOW, message_id="c-1"))
    return flow, event, flow.plan(event, switches)


def test_an_event_planned_while_automation_was_off_is_rechecked_before_it_acts():
    """F48: the text may be our own reply; while automation is off the ticket is not read."""
    tickets = one_comment(is_operator=True)
    flow, event, plan = decided_in(KILLED, tickets)
    flow.recheck(event, plan, KILLED)
    assert tickets.reads == 0
    with pytest.raises(NotAnEvent) as caught:
        flow.recheck(event, plan, Switches())
    assert (caught.value.status, caught.value.reason) == (EventStatus.SKIPPED, "operator_comment")


def test_a_customer_message_planned_while_automation_was_off_is_processed():
    flow, event, plan = decided_in(KILLED, one_comment(is_operator=False))
    flow.recheck(event, plan, Switches())
    assert event.subject.ticket is not None


def test_an_event_planned_on_its_ticket_is_not_rechecked():
    tickets = one_comment(is_operator=False)
    flow, event, plan = decided_in(Switches(), tickets)
    flow.recheck(event, plan, Switches())
    assert tickets.reads == 1


@pytest.mark.parametrize(
    ("tags", "text", "counted"),
    [
        (frozenset(), "That did not help, where is it?", []),
        ({ANSWERED_TAG}, "Perfect, thank you so much!", ["wrote_again"]),
        ({ANSWERED_TAG}, "That did not help, where is it?", ["complained"]),
    ],
)
def test_what_a_customer_writes_after_an_automatic_answer_is_counted(tags, text, counted):
    rig, log = LedgerRig(), RecordingLog()
    tickets = OneTicket(Comment("c-1", False, text, NOW), tags=frozenset(tags))
    states = States(table=tables.state(), clock=rig.clock)
    flow = SupportFlow(
        arrivals=Arrivals.of(tickets, states, rig.ledger, rig.clock, max_age=timedelta(days=7)),
        state=states,
        log=log,
    )
    flow.plan(Event(FACTS, Inquiry(text=text, at=NOW, message_id="c-1")), Switches())
    found = [more for name, _, more in log.metrics if name == "mw.support.after_answer"]
    assert [labels["outcome"] for labels in found] == counted


@pytest.mark.parametrize(("status", "answer"), [("done", "automatic"), ("refused", "none")])
def test_a_message_is_counted_by_whether_it_was_answered(status, answer):
    rig, log = LedgerRig(), RecordingLog()
    states = States(table=tables.state(), clock=rig.clock)
    flow = SupportFlow(
        arrivals=Arrivals.of(OneTicket(), states, rig.ledger, rig.clock, max_age=timedelta(days=7)),
        state=states,
        log=log,
    )
    facts = {"intent": "x", "route": "route-a", "confidence": 0.0, "tier": "TIER_1"}
    more = {"at": "2026-11-20T12:00:00.000Z", "template": "t_x"}
    plan = Plan("support", ((PlannedAction("reply", "t_x"),),), facts | more)
    key = "act:rp_reply:1042:c-1"
    row = ActionRow(key, ActionStatus(status), finished_at="2026-11-20T12:00:01.000Z")
    flow.conclude(
        Lease(FACTS, "o", 1, 2e9, 1), Event(FACTS, Inquiry(text="", at=NOW)), plan, {key: row}
    )
    assert log.metrics == [("mw.support.messages", 1, {"answer": answer})]
