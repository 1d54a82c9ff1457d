"""Handles a follow-up step that is due: a reminder or an end message, in the project's own words.

It is not sent once the recipient has written or opted out, on whichever channel, once a person has
the conversation, or where the opening was not delivered; it waits out quiet hours, and no other
event of the conversation waits behind it.
"""

from __future__ import annotations

from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import (
    DO_NOT_CONTACT,
    NEXT_STEP,
    Draft,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_looks import RegisterLook
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.events.drafting import lasting_reason, planned_send
from chalicelib.outreach.events.handler import Handler
from chalicelib.outreach.events.waiting import NotPermittedError
from chalicelib.outreach.messages.fixed import with_opt_out_line
from chalicelib.outreach.messages.look import ANSWERED, PERSON_ANSWERS
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project.follow_up_settings import END
from chalicelib.outreach.project.project import Project

NOT_DELIVERED = reasons.NOT_DELIVERED
"""Why a step is left out: its recipient has not got the message that it follows."""
NOT_DECLARED = reasons.NOT_DECLARED


class StepHandler(Handler):
    """Handles the event of a due follow-up step: plans its reminder or end message."""

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Plan the reminder or the end message.

        Raises:
            NotAnEvent: the message is not sent; no person is asked, as the recipient has asked for nothing.
            NotYet: the message waits for quiet hours or the rules.
        """
        del switches
        context: EventContext = event.subject
        record, event_key, name = context.conversation, event.facts.event_key, context.key.name
        declared = Project(record.item).follow_ups
        step = declared.step(name) if declared else None
        look = self._conversations.look(record)
        reason = NOT_DECLARED if step is None else self._reason_to_skip(record, look)
        if reason is not None or step is None:
            self._conversations.change_while(record, set(Status), {}, remove=(NEXT_STEP,))
            raise NotAnEvent(EventStatus.SKIPPED, reason or NOT_DECLARED)
        try:
            self._waiting.wait_out_quiet_hours(
                record,
                event_key,
                wished=preferences_of_person(look.subjects).hours,
                is_in_line=False,
            )
            rules = self._waiting.wait_by_rules(
                record, event_key, look.subjects, is_opening=False, is_in_line=False
            )
        except NotPermittedError as error:
            self._conversations.change_while(record, set(Status), {}, remove=(NEXT_STEP,))
            raise NotAnEvent(EventStatus.SKIPPED, error.reason) from None
        entry_id = outreach_keys.entry_id(event_key)
        wording = with_opt_out_line(record, Draft(text=step.text))
        context.draft = self._drafting.composer.store_fixed(record, entry_id, wording)
        try:
            self._drafting.check_secrets(record)
            entry_id = self._drafting.fit_template(context, entry_id)
        except (PermanentError, UnavailableError) as error:
            raise NotAnEvent(EventStatus.FAILED, lasting_reason(error)) from None
        purpose = Purpose.CLOSING if name == END else Purpose.REMINDER
        message = MessagePlan(purpose, entry_id, step=name, rules=rules)
        return message.plan(planned_send(record, entry_id))

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Return None always: no person is needed where a step fails, as no recipient waits for it."""
        del event, record, reason
        return None

    def _reason_to_skip(self, record: Record, look: RegisterLook) -> str | None:
        if record.is_handed_off or record.person_act:
            return PERSON_ANSWERS
        if self._conversations.has_recipient_written(record):
            return ANSWERED
        if record.status != Status.INITIAL_MESSAGE_SENT:
            return NOT_DELIVERED
        if look.forbidden is not None:
            return DO_NOT_CONTACT
        is_refused = preferences_of_person(look.subjects).refuses(record.channel)
        return reasons.UNWANTED_CHANNEL if is_refused else None
