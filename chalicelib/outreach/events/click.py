"""A recipient has unsubscribed by one click: the door has written the mark, and the company hears of it."""

from __future__ import annotations

from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import Name
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import Reason
from chalicelib.outreach.events.handler import Handler


class ClickHandler(Handler):
    """`Handler` for `EventKind.CLICK`."""

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `once.flow.Flow.plan`."""
        del switches
        reason = Reason.UNSUBSCRIBED.value
        record = event.subject.conversation
        self._events.record(record, Name.OPTED_OUT, reason, reason=reason)
        raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """The mark is in force: no person is needed."""
        del event, record, reason
        return None
