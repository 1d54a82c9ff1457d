"""Handles the release of a hand-off, approved or given back: automation sends the held message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.handoffs import GIVEN_BACK, listed_id
from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import (
    DO_NOT_CONTACT,
    UNSAID,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.events.handler import Handler, HandlerParts
from chalicelib.outreach.events.waiting import NotPermittedError
from chalicelib.outreach.messages.ending import Endings
from chalicelib.outreach.messages.look import CONTINUED
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules

NO_PERSON: Mapping[str, Any] = {"hand_off_to_human": False, "function_call": False}
LOOKED_AT = 8
"""The newest entries among which the newest message is looked for."""
CLEARED_BY_RELEASE = ("hand_off_to_human_reason", "function_call_type", "unclear_between")
"""Attributes that say why a person has the conversation."""


class ApprovalHandler(Handler):
    """Handles a person's approval or give-back: automation has the conversation again, and sends."""

    def __init__(
        self,
        *,
        parts: HandlerParts,
        endings: Endings,
    ) -> None:
        super().__init__(parts)
        self._endings = endings

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Return a handed-off conversation to automation, and plan to send the message that it held.

        Without a held message, an answer is planned if a person gave the conversation back and its
        newest message is the recipient's.

        Raises:
            NotAnEvent: the hand-off is over, there is nothing to send, or it must not be sent.
            NotYet: the message waits for quiet hours, its time or the rules.
        """
        context: EventContext = event.subject
        record = context.conversation
        handoff = record.handoff
        if event.facts.event_key != outreach_keys.release(record.opaque_id, str(handoff.get("id"))):
            raise NotAnEvent(EventStatus.SKIPPED, reasons.HANDOFF_OVER)
        was = previous_status(self._conversations, record)
        previous = {"conversation_status": was.value, **NO_PERSON}
        moved = self._conversations.change_while(
            record, {Status.HANDED_OFF}, previous, remove=CLEARED_BY_RELEASE, same_handoff=True
        )
        record = context.record = moved or self._conversations.reread(record)
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.SKIPPED, reasons.HANDOFF_OVER)
        is_opening = handoff["held"] == "start"
        is_given_back = handoff.get("releasing") == GIVEN_BACK
        if not handoff["held"] and not (is_given_back and self._is_unanswered(record)):
            raise NotAnEvent(EventStatus.PROCESSED, reasons.RETURNED)
        if is_opening:
            return self._opening(event, record, switches, is_given_back=is_given_back)
        return self._answer(event, record, switches, is_given_back=is_given_back)

    def _opening(
        self, event: Event, record: Record, switches: Switches, *, is_given_back: bool
    ) -> Plan:
        context: EventContext = event.subject
        entry_id = outreach_keys.entry_id(record.start_event)
        try:
            subjects = self._checked(event, record)
            rule = rules.HOLD_REASONS["start"]
            if not is_given_back and self._held.is_unwritten_hold(record, entry_id, rule, switches):
                return self._held.plan(context, rule, switches, at_approval=True)
            self._check_opening(record)
            context.rules = self._permitted(event, record, subjects)
            with self._drafting.fail_on_permanent_error(record, event.lease):
                return self._drafting.plan(context, entry_id, switches, Purpose.OPENING)
        except NotAnEvent as end:
            self._sent.store_start_failed(record, end.reason)
            raise

    def _answer(
        self, event: Event, record: Record, switches: Switches, *, is_given_back: bool
    ) -> Plan:
        context: EventContext = event.subject
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        forbidden = self._conversations.forbids(record)
        if forbidden == MarkReason.DOUBT and not is_given_back:
            forbidden = None  # a person has approved the message despite the doubt
        if forbidden is not None:
            held_id = outreach_keys.held_entry_id(context.handoff_id)
            confirmed = self._drafting.earlier_confirmation(context, entry_id, held_id)
            if confirmed is not None:
                return confirmed
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        if is_given_back:
            # The person only gave the conversation back: the machine writes, and so waits like any answer.
            self._waiting.wait_out_quiet_hours(record, event.facts.event_key)
            return self._drafting.plan_answer(context, entry_id, switches)
        rule, handoff_id = rules.HOLD_REASONS["reply"], listed_id(record.handoff)
        entry_id, context.draft = self._held.approved_answer(record, entry_id, handoff_id)
        if self._held.is_unwritten_hold(record, entry_id, rule, switches):
            return self._held.plan(context, rule, switches, at_approval=True)
        return self._drafting.plan_answer(context, entry_id, switches, Purpose.APPROVED)

    def _checked(self, event: Event, record: Record) -> Sequence[Subject]:
        """The recipient's records in the register, if it allows to contact them.

        If it does not, a conversation whose first message was not sent fails.

        Raises:
            NotAnEvent: the recipient must not be contacted.
        """
        look = self._conversations.look(record)
        if look.forbidden is None:
            return look.subjects
        if record.status in UNSENT:
            self._endings.fail(record, "send", DO_NOT_CONTACT, event.lease)
        raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)

    def _check_opening(self, record: Record) -> None:
        """Let an approved first message wait for its planned time.

        Raises:
            NotYet: that time has not come.
            NotAnEvent: another conversation continues this one.
        """
        if record.is_continued:
            raise NotAnEvent(EventStatus.FAILED, CONTINUED)
        self._waiting.wait_until_send_at(record)

    def _permitted(
        self, event: Event, record: Record, subjects: Sequence[Subject]
    ) -> tuple[str, ...]:
        """The legal rule files that allow an approved first message now, with their versions.

        Quiet hours count only where the recipient has asked for certain hours.

        Raises:
            NotYet: the message waits for the rules, or for the hours that the recipient asked for.
            NotAnEvent: the rules forbid the message for good.
        """
        wished = preferences_of_person(subjects).hours
        try:
            # Without such a wish, an approved message does not wait for the morning.
            if wished is not None:
                self._waiting.wait_out_quiet_hours(record, event.facts.event_key, wished=wished)
            return self._waiting.wait_by_rules(
                record, event.facts.event_key, subjects, is_opening=True
            )
        except NotPermittedError as error:
            if record.status in UNSENT:
                self._endings.fail(record, "send", error.reason, event.lease)
            raise NotAnEvent(EventStatus.FAILED, f"{reasons.STAGE_SEND}{error.reason}") from None

    def _is_unanswered(self, record: Record) -> bool:
        """Whether the conversation's newest message is the recipient's; automatic ones do not count."""
        said = [
            entry
            for entry in self._conversations.newest_entries(record, LOOKED_AT)
            if entry.note not in UNSAID
        ]
        return bool(said) and said[-1].role == "user"


def previous_status(conversations: Conversations, record: Record) -> Status:
    """The status that a handed-off conversation returns to.

    It is the status before the hand-off; if that was before the first message, then what has become
    of the first message since.
    """
    was = Status(record.handoff["was"])
    if was not in UNSENT:
        return was
    was_opened = conversations.has_entry(record, outreach_keys.entry_id(record.start_event))
    if was_opened or record.item.get("task_complete") == 1:  # a person has written instead
        return Status.INITIAL_MESSAGE_SENT
    if "failure_reason" in record.item:
        return Status.FAILED
    return Status.WITHHELD if "withheld_reason" in record.item else was
