"""Handles a person's act at the desk: their reply is sent; of most other acts the company is informed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.once.effect import Effect
from chalicelib.once.escalation import EARLIER
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.conversations.handoffs import listed_id
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.events.context import MESSAGE_GONE, EventContext
from chalicelib.outreach.events.drafting import lasting_reason, planned_send
from chalicelib.outreach.events.handler import Handler
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.people import persons

STOP = "stop"
"""The act that marks the recipient."""
NOT_STOP = "not_stop"
"""The act that lifts what the recipient had asked for, or may have."""
_NOTED: Mapping[str, EventName] = {
    "take": EventName.TAKEN,
    "close": EventName.CLOSED,
    STOP: EventName.CLOSED,
    NOT_STOP: EventName.OPTED_IN,
}
"""Acts that send nothing, and what the company hears."""


class ActHandler(Handler):
    """Handles the event of a person's act: sends their reply, or informs the company of the act.

    A reply is sent as the machine's messages are: by switches, ledger, register and WhatsApp's
    window. It waits for no quiet hours, as a person chose the time, and for no other event.
    """

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Plan to send the person's reply, or inform the company of an act that sends nothing.

        Raises:
            NotAnEvent: the act sends nothing, or the reply cannot be sent.
        """
        del switches
        context: EventContext = event.subject
        record, act_id = context.conversation, context.key.name
        done = self._conversations.act_row(record, act_id) or {}
        if done.get("tells") or done.get("act") in _NOTED:
            noted = EventName(done["tells"]) if done.get("tells") else _NOTED[done["act"]]
            facts = {**_facts(done), "hand_off": listed_id(record.handoff)}
            if noted is EventName.HANDED_OFF:  # an act was undone: the conversation waits again
                facts["reason"] = str(record.handoff["reason"])
            self._events.record(record, noted, act_id, **facts)
            if done["act"] == STOP:
                asked = MarkReason.ASKED.value
                self._events.record(record, EventName.OPTED_OUT, act_id, reason=asked)
            raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        context.draft = self._conversations.draft(record, entry_id)
        if context.draft is None:
            raise NotAnEvent(EventStatus.FAILED, MESSAGE_GONE)
        if self._conversations.forbids(record) not in (None, MarkReason.DOUBT):
            raise self._failed(record, DO_NOT_CONTACT)
        try:
            self._drafting.check_secrets(record)
            entry_id = self._drafting.fit_template(context, entry_id)
        except (PermanentError, UnavailableError) as error:
            raise self._failed(record, lasting_reason(error)) from None
        message = MessagePlan(Purpose.PERSON, entry_id, after=None)
        return message.plan(planned_send(record, entry_id))

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Note in the conversation that a person's reply failed, and hand the conversation off.

        Returns None for an act that sends no reply, and where the recipient has opted out.
        """
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        found = super().escalation(event, record, reason)
        if found is None or self._conversations.draft(record, entry_id) is None:
            return None
        if reason != EARLIER:  # EARLIER only asks whether an earlier run has begun a reply
            self._conversations.note_reply_failed(record, reason)
        return found

    def _failed(self, record: Record, reason: str) -> NotAnEvent:
        """Store that the person's reply failed, and why; returns the exception that ends the event."""
        self._conversations.note_reply_failed(record, reason)
        return NotAnEvent(EventStatus.FAILED, reason)


def _facts(done: Mapping[str, Any]) -> dict[str, str]:
    """The facts of an act for the company's event: the person who acted, or the one whom the act concerns.

    Where the act decides that a message was no STOP, the facts also say that a person lifts the
    mark.
    """
    who = persons.parsed_person(str(done["of" if "tells" in done else "by"])).facts
    return {**who, **({"by": "person"} if done["act"] == NOT_STOP else {})}
