"""Handles a recipient's message: stores it once, applies opt-outs, and plans its answer or a hand-off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chalicelib.once.effect import Effect, EffectKind
from chalicelib.once.escalation import EARLIER
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.job import Recovery
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers, reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.conversations.do_not_contact import statement_in
from chalicelib.outreach.conversations.preferring import (
    preferences_of_person,
    wish_in,
    with_preferences,
)
from chalicelib.outreach.conversations.records import (
    AUTO_REPLY,
    CONFIRMATION,
    DO_NOT_CONTACT,
    HELP,
    LATE,
    LOOP,
    MACHINE,
    MEDIA,
    NO_TEXT,
    OPT_OUT,
    OPT_OUT_IN_DOUBT,
    OTHER_SENDER,
    SEVERAL,
    UNPROVEN,
    UNSAID,
    WITHDRAWN,
    Draft,
    Entry,
    Record,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.doubtful import is_doubtful, refused_purposes
from chalicelib.outreach.events.context import (
    MESSAGE_GONE,
    EventContext,
    may_send,
)
from chalicelib.outreach.events.handler import Handler, HandlerParts
from chalicelib.outreach.events.silence import SilenceHandler
from chalicelib.outreach.hearing import loops
from chalicelib.outreach.hearing.matching import Match
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.messages import threads
from chalicelib.outreach.messages.fixed import (
    help_answer,
    is_answered_by_carrier,
    stop_confirmation,
)
from chalicelib.outreach.messages.look import PERSON_ANSWERS
from chalicelib.outreach.messages.plan import MessagePlan, hand_off_plan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.pace import AnswerPace
from chalicelib.outreach.tools.confirmation import PossibleYes, confirmation_of

WORKER = "worker"
"""Where what the door could not judge is applied, in the evidence."""


class MessageHandler(Handler):
    """Handles the event of a recipient's message: stores it, applies opt-outs, and plans the answer."""

    def __init__(
        self,
        *,
        parts: HandlerParts,
        pace: AnswerPace,
        silence: SilenceHandler,
    ) -> None:
        super().__init__(parts)
        self._pace = pace
        self._silence = silence

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Store the message once, and plan its answer, a fixed text, or a hand-off to a person.

        Raises:
            NotAnEvent: the message is not answered.
            NotYet: the answer waits for more messages, earlier events or quiet hours.
        """
        context: EventContext = event.subject
        message_id = event.facts.source_message_id
        if isinstance(context.job, InboundMessage):
            note = self._store_message(context, context.job)
            self._tell(context.conversation, context.job, note)
        elif message_id is None or not self._conversations.has_entry(
            context.conversation, message_id
        ):
            return hand_off_plan("reply", MESSAGE_GONE, lacks=MESSAGE_GONE)
        else:
            note = self._conversations.note_of(context.conversation, message_id)
        record = context.conversation
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        if note in (OPT_OUT, HELP):
            return self._notice(context, entry_id, note)
        is_asked_for = context.job.recovery == Recovery.OPERATOR
        _leave_to_others(event, record, note, is_asked_for=is_asked_for)
        # Before the register is asked: this message may have wished to change what it says.
        if note == UNPROVEN:
            return hand_off_plan(*_FOR_A_PERSON[note])
        look = self._conversations.look(record)
        context.record = record = with_preferences(record, preferences_of_person(look.subjects))
        forbidden = look.forbidden
        if forbidden is not None:
            return self._forbidden(context, entry_id, note, forbidden)
        if note in _FOR_A_PERSON:
            return hand_off_plan(*_FOR_A_PERSON[note])
        if not is_asked_for:  # an answer that a person asks for does not wait
            self._wait_for_more(event, context)
        if rules.is_held(record, rules.HOLD_REASONS["reply"]):
            return self._held.plan(context, rules.HOLD_REASONS["reply"], switches)
        if not is_asked_for:
            self._waiting.in_order.check(record, event.facts.event_key)
        self._waiting.wait_out_quiet_hours(record, event.facts.event_key)
        limit = self._pace.count_answer(record, entry_id) if may_send(switches) else None
        if limit is not None and not is_asked_for:
            return hand_off_plan("reply", limit)
        return self._drafting.plan_answer(context, entry_id, switches)

    def _forbidden(
        self, context: EventContext, entry_id: str, note: str | None, reason: str
    ) -> Plan:
        """The plan for a message that an opt-out forbids to answer: a hand-off if the opt-out is undecided.

        Else the plan confirms the opt-out that an earlier run of this event stored.

        Raises:
            NotAnEvent: there is no opt-out to confirm, and the message is not answered.
        """
        if reason == MarkReason.DOUBT:
            return hand_off_plan(*_FOR_A_PERSON.get(note or "", ("reply", reason)))
        held_id = outreach_keys.held_entry_id(context.handoff_id)
        confirmed = self._drafting.earlier_confirmation(context, entry_id, held_id)
        if confirmed is None:
            raise NotAnEvent(EventStatus.PROCESSED, DO_NOT_CONTACT)
        return confirmed

    def _wait_for_more(self, event: Event, context: EventContext) -> None:
        """Let a message wait for further ones that follow it closely, so that all get one answer.

        Raises:
            NotYet: it waits.
            NotAnEvent: it is answered with a newer one.
        """
        record, message_id = context.conversation, event.facts.source_message_id
        is_start = isinstance(context.job, InboundMessage) and context.job.opt_out == "start"
        if message_id is not None and not is_start:
            self._pace.check_quiet_period(record, message_id, event.facts.received_at)

    def _store_message(self, context: EventContext, job: InboundMessage) -> str | None:
        """Store a recipient's message once, with all that belongs to it; returns the note code on it."""
        record = context.conversation
        known = next((e for e in record.messages if e.entry_id == job.message_id), None)
        if known is not None:  # the message's other rows were written before it
            return known.note
        is_in_doubt = is_doubtful(job)
        before = self._conversations.recent_entries(record)
        note = _note_on(job, context.match, before, is_in_doubt=is_in_doubt)
        entry = Entry(
            job.message_id, job.sent_at, "user", job.text, note=note, media=job.media or None
        )
        changes: dict[str, Any] = {}
        if note not in UNSAID:
            # A text may be found late, after newer ones.
            changes["last_inbound_at"] = max(job.sent_at, record.item.get("last_inbound_at") or "")
            changes |= threads.received_attributes(record, job.email_message_id)
            self._conversations.lift_technical(record)
        if note == SEVERAL and context.match is not None:
            changes["unclear_between"] = list(context.match.between)
        # The opt-out is first: a run that finds the message stored does not look for a STOP again.
        self._apply_opt_out(record, job, context.match, is_in_doubt=is_in_doubt)
        if is_in_doubt:
            self._silence.await_answer(record)
        if note is None and job.opt_out is None:
            self._keep_wish(record, before, job)
        entry_id = outreach_keys.entry_id(job.event_key)
        notice = _notice_of(record, job)
        if job.opt_out == "stop" and notice is not None:
            asked = (job.recipient, record.company_id, job.message_id)
            notice = notice if self._conversations.claim_confirmation(*asked) else None
        confirmation, note = _confirming(record, job, note)
        # These are stored with the message: a resumed event no longer has its webhook's fields.
        also = [] if notice is None else [self._conversations.keeping(record, entry_id, notice)]
        context.record, is_new = self._conversations.append(
            record,
            replace(entry, note=note),
            changes=changes | confirmation,
            remove=() if confirmation else (CONFIRMATION,),
            also=also,
            joins=note not in UNSAID and note != OPT_OUT,
        )
        stored = None if is_new else self._conversations.note_of(context.record, job.message_id)
        return stored or note

    def _tell(self, record: Record, job: InboundMessage, note: str | None) -> None:
        """Record for the company that a message came, and any opt-out, suspension or opt-in in it."""
        said = job.message_id
        self._events.record(record, EventName.REPLY_RECEIVED, said, message_id=said, note=note)
        if note == OPT_OUT_IN_DOUBT or (note == UNPROVEN and job.opt_out == "stop"):
            reason = MarkReason.DOUBT if note == OPT_OUT_IN_DOUBT else MarkReason.UNPROVEN
            self._events.record(record, EventName.SUSPENDED, said, reason=reason.value)
        if note in UNSAID:
            return
        if job.opt_out == "stop":
            limits = " ".join(sorted(refused_purposes(job) or ())) or None
            reason = MarkReason.STOP
            self._events.record(
                record, EventName.OPTED_OUT, said, reason=reason.value, purposes=limits
            )
        elif job.opt_out == "start":
            self._events.record(record, EventName.OPTED_IN, said, message_id=said)

    def _notice(self, context: EventContext, entry_id: str, note: str) -> Plan:
        """The plan that answers STOP or HELP with its fixed text; it waits for no quiet hours.

        The fixed text was stored as a draft together with the recipient's message.

        Raises:
            NotAnEvent: no text was stored, as the carrier answers itself or the channel sends none.
        """
        record = context.conversation
        context.draft = self._conversations.draft(record, entry_id)
        if context.draft is None:
            reason = reasons.OPTED_OUT if note == OPT_OUT else reasons.ANSWERED_BY_PROVIDER
            raise NotAnEvent(EventStatus.PROCESSED, reason)
        kind = _fixed_kind(record, note)
        steps = () if kind is None else (PlannedAction(kind.name, entry_id),)
        return MessagePlan(_FIXED[note], entry_id).plan(*steps)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """The hand-off of a message that was not answered.

        None where a fixed STOP or HELP text was refused.
        """
        job = event.subject.job if event.subject else None
        is_notice = isinstance(job, InboundMessage) and job.opt_out in ("stop", "help")
        if is_notice and not reason.startswith(("dead_letter", EARLIER)):
            return None
        return super().escalation(event, record, reason)

    def _apply_opt_out(
        self, record: Record, job: InboundMessage, match: Match | None, *, is_in_doubt: bool
    ) -> None:
        """Write a message's STOP, START or possible STOP to the register; automatic messages change nothing.

        What the door has already written for the writer's address stays as it is.  A writer who has
        the reply token of an e-mail may opt the e-mail's recipient out, and also themselves where
        they are proven.  An unproven STOP suspends the address that it came from; an unproven START
        does nothing.
        """
        if job.is_automatic or not (is_in_doubt or job.opt_out in ("stop", "start")):
            return
        how = Statement(
            door=WORKER,
            said=job.text,
            channel=job.channel.value,
            conversation=record.opaque_id,
        )
        is_other = match is not None and match.doubt == OTHER_SENDER
        unproven = match if match is not None and not match.is_proven else None
        if (is_other or unproven) and job.opt_out == "start":
            return  # only the recipient lifts a mark
        if unproven:
            if job.opt_out == "stop":
                self._conversations.suspend(
                    job.recipient, record.company_id, said_at=job.sent_at, how=how
                )
            if not unproven.has_token:
                return
        if job.opt_out == "start":
            if not job.consent_at_door:
                is_yes = recognise(job.text).is_yes
                self._conversations.allow(
                    job.recipient, record.company_id, said_at=job.sent_at, is_yes=is_yes, how=how
                )
            return
        company_id, said_at, purposes = record.company_id, job.sent_at, refused_purposes(job)
        for address in self._addresses_to_mark(record, job, is_other=is_other and not unproven):
            if job.opt_out == "stop":
                self._conversations.forbid(
                    address,
                    company_id,
                    MarkReason.STOP,
                    said_at=said_at,
                    purposes=purposes,
                    how=how,
                )
            else:
                self._conversations.doubt(
                    address, company_id, said_at=said_at, purposes=purposes, how=how
                )

    def _keep_wish(self, record: Record, before: Sequence[Entry], job: InboundMessage) -> None:
        """Store the hours and channels that a message asks for as the recipient's preferences."""
        wish = wish_in(job.text, before)
        if wish is None:
            return
        self._conversations.prefer(
            self._conversations.place(record.primary_channel, record.company_id),
            wish,
            said_at=job.sent_at,
            message=job.message_id,
            zones=[zone.key for zone in rules.zones_of(record)],
            how=statement_in(record, WORKER),
        )

    def _addresses_to_mark(
        self, record: Record, job: InboundMessage, *, is_other: bool
    ) -> list[str]:
        """The addresses to mark for an opt-out: the recipient's, and another writer's own address.

        The address that the door has marked already is left out.
        """
        found = [*self._conversations.addresses_to_mark(record), *([job.recipient] * is_other)]
        own = numbers.canonical_spelling(job.recipient)
        is_marked = job.consent_at_door
        return [
            address
            for address in found
            if not (is_marked and numbers.canonical_spelling(address) == own)
        ]


def _leave_to_others(event: Event, record: Record, note: str | None, *, is_asked_for: bool) -> None:
    """Check that automation may answer a message.

    Raises:
        NotAnEvent: a machine wrote it, or a person has the conversation or has answered since.
    """
    if note == AUTO_REPLY:
        raise NotAnEvent(EventStatus.PROCESSED, reasons.AUTOMATIC_MESSAGE)
    if record.is_handed_off:
        raise NotAnEvent(EventStatus.PROCESSED, reasons.WITH_A_PERSON)
    answered_at = str(record.handoff.get("answered_at") or "")
    if answered_at > event.facts.received_at and not is_asked_for:
        raise NotAnEvent(EventStatus.PROCESSED, PERSON_ANSWERS)  # they answered while it waited


def _note_on(
    job: InboundMessage, match: Match | None, before: Sequence[Entry], *, is_in_doubt: bool
) -> str | None:
    """The note code that is stored with a message and decides how it is handled; None for a plain message."""
    if job.is_automatic:
        return AUTO_REPLY
    if match is not None and not match.is_proven:
        return OPT_OUT if job.opt_out == "stop" and match.has_token else UNPROVEN
    if job.opt_out in ("stop", "help"):
        return OPT_OUT if job.opt_out == "stop" else HELP
    if match is not None and match.doubt is not None:
        return match.doubt
    if is_in_doubt:
        return OPT_OUT_IN_DOUBT
    if job.opt_out is not None:
        return None
    if job.text.strip():
        is_timed = job.channel.traits.is_timed
        return loops.machine_note(before, job.text, job.sent_at, is_timed=is_timed)
    return MEDIA if job.media_count else NO_TEXT


def _confirming(
    record: Record, job: InboundMessage, note: str | None
) -> tuple[dict[str, Any], str | None]:
    """What a recipient's message does to the tool's question that waits for a yes.

    Returns the question's new state, empty where there is none any more, and the note to store with
    the message.
    """
    given = confirmation_of(record.item.get(CONFIRMATION))
    if given is None:
        return {}, note
    if note == AUTO_REPLY:  # no human being wrote it
        return {CONFIRMATION: given.item()}, note
    said = PossibleYes(job.message_id, job.text, job.sent_at, note is None, job.in_reply_to)
    after = given.confirmed_item(said)
    if after is not None:
        return {CONFIRMATION: after}, note
    return {}, WITHDRAWN if note is None and given.confirmed_by else note


def _notice_of(record: Record, job: InboundMessage) -> Draft | None:
    """The draft of the fixed text that answers STOP or HELP.

    None for any other or automatic message, and where the carrier answers or the channel sends
    none.
    """
    note = _ASKED.get(job.opt_out or "")
    if note is None or job.is_automatic:
        return None
    if _fixed_kind(record, note) is None or is_answered_by_carrier(record, job):
        return None
    if note == OPT_OUT:
        return Draft(text=stop_confirmation(record, is_limited=refused_purposes(job) is not None))
    return Draft(text=help_answer(record, recognise(job.text).language))


def _fixed_kind(record: Record, note: str) -> EffectKind | None:
    """The kind of effect that sends the fixed answer to STOP or HELP; None where the channel sends none."""
    of = record.channel.traits
    return of.stop_kind if note == OPT_OUT else of.help_kind


_ASKED = {"stop": OPT_OUT, "help": HELP}
"""The keywords that a fixed text answers, and the note on their messages."""
_FIXED = {OPT_OUT: Purpose.STOP_CONFIRMED, HELP: Purpose.HELP}
"""What that text is for."""
_FOR_A_PERSON = {
    SEVERAL: ("reply", SEVERAL),
    OTHER_SENDER: ("", OTHER_SENDER),
    UNPROVEN: ("", UNPROVEN),
    LATE: ("reply", LATE),
    OPT_OUT_IN_DOUBT: ("reply", OPT_OUT_IN_DOUBT),
    MACHINE: ("reply", MACHINE),
    LOOP: ("reply", LOOP),
    WITHDRAWN: ("reply", WITHDRAWN),
    MEDIA: ("", reasons.MEDIA_ONLY),
    NO_TEXT: ("", reasons.EMPTY_MESSAGE),
}
"""Notes on messages that go to a person: what is held for a release, and the stored reason."""
