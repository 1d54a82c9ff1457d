"""Informs the company that a recipient has unsubscribed by one click.

The door has stored the opt-out already.
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
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.events.handler import Handler


class ClickHandler(Handler):
    """Handles the event of a one-click unsubscription: informs the company."""

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Record for the company that the recipient unsubscribed; nothing is sent.

        Raises:
            NotAnEvent: always: there is nothing more to do.
        """
        del switches
        reason = MarkReason.UNSUBSCRIBED.value
        record = event.subject.conversation
        self._events.record(record, EventName.OPTED_OUT, reason, reason=reason)
        raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Return None always: where the event fails no person is needed, as the opt-out is in force."""
        del event, record, reason
        return None
