"""Informs the company that a recipient's opt-out was lifted: by them, an operator or the company.

The door or the command has lifted the mark; the row of this event was written in the same
transaction.
"""

from __future__ import annotations

from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.events.handler import Handler


class LiftedHandler(Handler):
    """Handles the event of a lifted opt-out: informs the company."""

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Record for the company that the recipient may be contacted again, and who lifted the marks.

        Raises:
            NotAnEvent: always: there is nothing more to do.
        """
        del switches
        key = event.subject.key
        by = key.name.partition("-")[0]
        self._events.record(event.subject.conversation, EventName.OPTED_IN, key.name, by=by)
        raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Return None always: no person is needed where the event fails, as the opt-out is lifted already."""
        del event, record, reason
        return None
