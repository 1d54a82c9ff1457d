"""Plans a step whose time has come: a reminder or an end message, in the project's own words.

It is not sent once the recipient has written or opted out, on whichever channel, once a person has the
conversation, or where the opening was not delivered; it waits out quiet hours, and no other event of the
conversation waits behind it.
"""

from __future__ import annotations

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, NEXT_STEP, Record, Status
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.events.drafting import Drafting
from chalicelib.outreach.messages.look import ANSWERED, PERSON_ANSWERS
from chalicelib.outreach.project.follow_up_settings import declared_by

NOT_DELIVERED = "opening_not_delivered"
"""Why a step is left out: its recipient has not got the message that it follows."""
NOT_DECLARED = "not_declared"


class Reminding:
    """Plans steps."""

    def __init__(self, conversations: Conversations, drafting: Drafting) -> None:
        self._conversations = conversations
        self._drafting = drafting

    def plan(self, event: Event) -> Plan:
        """See `once.flow.Flow.plan`."""
        context: EventContext = event.subject
        record, event_key = context.conversation, event.facts.event_key
        name = outreach_keys.step_of(event_key)
        declared = declared_by(record.item)
        step = declared.step(name) if declared else None
        reason = NOT_DECLARED if step is None else self._reason_to_skip(record)
        if reason is not None or step is None:
            self._conversations.move(record, set(Status), {}, remove=(NEXT_STEP,))
            raise NotAnEvent(EventStatus.SKIPPED, reason or NOT_DECLARED)
        self._drafting.wait_out_quiet_hours(record, event_key, is_in_line=False)
        entry_id = outreach_keys.entry_id(event_key)
        return self._drafting.follow_up(context, entry_id, name, step.text)

    def _reason_to_skip(self, record: Record) -> str | None:
        if record.is_handed_off or record.person_act:
            return PERSON_ANSWERS
        if self._conversations.has_heard(record):
            return ANSWERED
        if record.status != Status.INITIAL_MESSAGE_SENT:
            return NOT_DELIVERED
        return DO_NOT_CONTACT if self._conversations.forbids(record) is not None else None
