"""Handles a start: opens the conversation once, and has the first message written, sent or held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from chalicelib.errors import PermanentError
from chalicelib.once import reasons as why
from chalicelib.once.action import ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.event_names import UNOPENED, EventName
from chalicelib.outreach.conversations.preferring import preferences_of_person, with_preferences
from chalicelib.outreach.conversations.records import (
    CONTINUES,
    DO_NOT_CONTACT,
    NEVER_OPENED,
    Record,
)
from chalicelib.outreach.events.context import EventContext, may_send
from chalicelib.outreach.events.handler import ActionResult, Handler, HandlerParts
from chalicelib.outreach.events.waiting import NotPermittedError
from chalicelib.outreach.jobs import StartConversation
from chalicelib.outreach.messages.ending import GIVEN_UP, Endings
from chalicelib.outreach.messages.look import ANSWERED, PERSON_ANSWERS
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.admission import Starts
from chalicelib.outreach.sending.effects import HAND_OFF
from chalicelib.outreach.wishes.preference import Preferences

EXISTS = reasons.EXISTS
"""Reason of a start under the id of another one's conversation."""
NOT_ALLOWED = reasons.NOT_ALLOWED
"""Why a conversation fails whose project declares other channels, and does not allow its own."""


class StartHandler(Handler):
    """Handles the event of a start: opens the conversation, and plans its first message.

    Args:
        pairs: gives the keyed hashes of a channel's sender and recipient.
        processor_version: stored with every conversation it opens.
    """

    def __init__(
        self,
        *,
        parts: HandlerParts,
        starts: Starts,
        endings: Endings,
        pairs: Callable[[Channel, str, str], Sequence[str]],
        processor_version: str,
    ) -> None:
        super().__init__(parts)
        self._starts = starts
        self._endings = endings
        self._pairs = pairs
        self._version = processor_version

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Open the conversation once, and plan its first message or a hand-off.

        Raises:
            NotAnEvent: no first message is sent.
            NotYet: the first message waits for its planned time, for quiet hours or for the rules.
        """
        context: EventContext = event.subject
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        if context.record is None:
            context.record = self._open(event, context, entry_id, switches)
        record = context.record
        if record.start_event != event.facts.event_key:
            self._tell_existing(record, context.job)
            raise NotAnEvent(EventStatus.SKIPPED, EXISTS)
        self._tell(record, event.facts.event_key)
        if record.is_continued:  # a replay, or a retry after the run that ended it crashed
            self._endings.complete_failure(record)
            raise NotAnEvent(EventStatus.FAILED, _failed_as(record))
        look = self._conversations.look(record)
        if look.forbidden is not None:
            # Opening checks fewer addresses and reasons; also, the start may have waited for hours
            # or for an operator since then.
            self._endings.fail(record, "send", DO_NOT_CONTACT, event.lease)
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        if record.person_act:  # while the start waited, a person took the conversation or wrote
            self._endings.withhold(record, PERSON_ANSWERS)
            raise NotAnEvent(EventStatus.PROCESSED, f"{why.WITHHELD}{PERSON_ANSWERS}")
        if CONTINUES in record.item and self._conversations.has_recipient_written(record):
            self._endings.withhold(record, ANSWERED)
            raise NotAnEvent(EventStatus.PROCESSED, f"{why.WITHHELD}{ANSWERED}")
        if record.item.get("not_allowed"):
            self._endings.fail(record, "send", NOT_ALLOWED)
            raise NotAnEvent(EventStatus.FAILED, f"{reasons.STAGE_SEND}{NOT_ALLOWED}")
        preferences = preferences_of_person(look.subjects)
        held = self._on_another_channel(event, record, preferences, switches)
        if held is not None:
            return held
        context.record = record = with_preferences(record, preferences)
        if rules.is_held(record, "auto_queue_initial_message"):
            return self._held.plan(context, rules.HOLD_REASONS["start"], switches)
        self._waiting.wait_until_send_at(record)
        try:
            self._waiting.wait_out_quiet_hours(
                record, event.facts.event_key, wished=preferences.hours
            )
            context.rules = self._waiting.wait_by_rules(
                record, event.facts.event_key, look.subjects, is_opening=True
            )
        except NotPermittedError as error:
            self._endings.fail(record, "send", error.reason, event.lease)
            raise NotAnEvent(EventStatus.FAILED, f"{reasons.STAGE_SEND}{error.reason}") from None
        with self._drafting.fail_on_permanent_error(record, event.lease):
            return self._drafting.plan(context, entry_id, switches, Purpose.OPENING)

    def _on_another_channel(
        self, event: Event, record: Record, preferences: Preferences, switches: Switches
    ) -> Plan | None:
        """The plan of a start whose recipient prefers another channel; None to send on the channel asked for.

        Where the recipient accepts a fallback channel of the project, this conversation fails, and
        one on that channel takes its place.  Where they refused this channel and no other is left,
        a person decides, so that nothing is sent against their word and the company's message is
        not lost.

        Raises:
            NotAnEvent: another conversation, on the fallback channel, takes its place.
        """
        if not preferences.wants_another_than(record.channel):
            return None
        if self._endings.follow_ups.has_accepted_channel(record, preferences):
            self._endings.fail(record, "send", reasons.UNWANTED_CHANNEL, event.lease)
            reason = f"{reasons.STAGE_SEND}{reasons.UNWANTED_CHANNEL}"
            raise NotAnEvent(EventStatus.FAILED, reason)
        if not preferences.refuses(record.channel):
            return None
        return self._held.plan(event.subject, reasons.UNWANTED_CHANNEL, switches)

    def conclude(self, event: Event, plan: Plan, results: Sequence[ActionResult]) -> None:
        """Store the first message's result; a start that was handed off no longer counts as in progress."""
        super().conclude(event, plan, results)
        if any(
            result.kind is HAND_OFF and result.row.status == ActionStatus.DONE for result in results
        ):
            record: Record = event.subject.conversation
            self._endings.free_start(record)
            # In a replay, a person may have ended the hand-off meanwhile.
            if self._conversations.reread(record).is_handed_off:
                self._starts.note_outcome(record.start_event, outcome="handed_off")

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Fail the conversation of a start that was given up (dead-lettered); returns None always.

        No person is needed, as the company may request the start again.
        """
        if reason.startswith("dead_letter") and super().escalation(event, record, reason):
            self._endings.fail(record, GIVEN_UP, reason)
        return None

    def never_opened(self, event: Event, reason: str) -> None:
        """Count a failed start as no longer open; inform the company if it was given up (dead-lettered)."""
        facts = event.facts
        self._starts.abandon(facts.event_key)
        if reason.startswith("dead_letter"):
            self._events.record_never_opened(facts.conversation_id, NEVER_OPENED, facts.received_at)

    def _tell_existing(self, record: Record, job: object) -> None:
        """Inform the company that a start failed: another start opened a conversation under the same id."""
        if isinstance(job, StartConversation):
            self._events.record(
                record,
                EventName.FAILED,
                job.event_key,
                stage=UNOPENED,
                reason=EXISTS,
                request_id=str(job.record["request_id"]),
            )

    def _tell(self, record: Record, event_key: str) -> None:
        """Inform the company that the conversation is open."""
        continues = record.item.get(CONTINUES) or {}
        self._events.record(
            record, EventName.ACCEPTED, event_key, continues=continues.get("conversation")
        )

    def _open(
        self, event: Event, context: EventContext, entry_id: str, switches: Switches
    ) -> Record:
        """The start's conversation, opened now unless it exists.

        It is opened together with its first message, where that message needs no language model.

        Raises:
            NotAnEvent: the job with the start's data is lost, or the recipient must not be contacted.
            LeaseLostError: another worker has the start.
        """
        job = context.job
        if not isinstance(job, StartConversation):
            self._starts.abandon(event.facts.event_key)
            self._events.record_never_opened(
                event.facts.conversation_id, NEVER_OPENED, event.facts.received_at
            )
            raise NotAnEvent(EventStatus.FAILED, NEVER_OPENED)
        attributes = {**job.record, "processor_version": self._version}
        unopened = Record({"messages": [], "message_count": 0, **attributes})
        first = None
        is_due = not rules.is_held(unopened, "auto_queue_initial_message") and may_send(switches)
        composer = self._drafting.composer
        with suppress(PermanentError):  # refused again below, where the record can store the reason
            if is_due and composer.is_instant(unopened):
                first = (entry_id, composer.unsaved_opening(unopened))
        held = self._starts.lease_check_write(event.lease) if event.lease else None
        pairs = self._pairs(unopened.channel, job.sender, job.recipient)
        opened = self._conversations.open(attributes, first, held=held, pairs=pairs)
        if opened.record is None:
            self._starts.free(
                str(attributes["company_id"]), event.facts.event_key, event.facts.received_at
            )
            self._events.record_never_opened(
                unopened.opaque_id, DO_NOT_CONTACT, event.facts.received_at, unopened
            )
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        if first is not None and opened.is_new:
            context.draft = first[1]
        return opened.record


def _failed_as(record: Record) -> str:
    """Why a conversation failed that its fallback conversation now continues, as ``stage:reason``."""
    known = (record.item.get("failure_stage"), record.item.get("failure_reason"))
    return ":".join(str(part) for part in known if part)
