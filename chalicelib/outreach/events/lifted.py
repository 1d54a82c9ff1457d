"""What a recipient had refused was lifted: by them on their page, by an operator or by the company.

The door or the command has lifted the mark; the row of this event was written in the same
transaction, and the company hears of it.
"""

from __future__ import annotations

from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import Name
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.events.handler import Handler


class LiftedHandler(Handler):
    """`Handler` for `EventKind.LIFTED`."""

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `once.flow.Flow.plan`."""
        del switches
        key = event.subject.key
        by = key.name.partition("-")[0]
        self._events.record(event.subject.conversation, Name.OPTED_IN, key.name, by=by)
        raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """The mark is lifted: no person is needed."""
        del event, record, reason
        return None
