"""Stores the outcome of a message, by its purpose: the entry, the status, the outcome of the start.

An entry is appended once per id and a status changes only from an expected one, so a worker that has
lost its lease writes the same as its successor, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib import clock
from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.reasons import (
    AUTOMATION_DISABLED,
    KILL_SWITCH,
    REFUSED,
    SAFE_MODE,
    SHADOW,
    WITHHELD,
)
from chalicelib.once.store import Item
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.conversations.day_counts import ANSWERS, answer_names, channel_name
from chalicelib.outreach.conversations.records import (
    AUTOMATED,
    CONFIRMATION,
    NEXT_STEP,
    PERSON,
    PROMPT,
    UNATTENDED,
    Draft,
    Entry,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.messages import threads
from chalicelib.outreach.messages.ending import GIVEN_UP, Endings
from chalicelib.outreach.messages.look import GIVEN_WAY
from chalicelib.outreach.messages.opening_data import opening_data
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Keeps, Unsent
from chalicelib.outreach.people import persons
from chalicelib.outreach.project.admission import START_FAILED
from chalicelib.outreach.project.follow_up_settings import OPENING
from chalicelib.outreach.tools.confirmation import ToolStep, question_item
from chalicelib.outreach.twilio.refusals import dead_address_reason

OPT_OUT_CODE = "21610"
PROMPT_CHARACTERS = 1000
"""The first entry is cut to this length; an attribute of the conversation holds the request's whole data."""
SWITCHES = frozenset({KILL_SWITCH, SHADOW, SAFE_MODE, AUTOMATION_DISABLED})
"""Reasons of `once.ports.Switches.forbids`; an action that they stopped may be performed later."""
_NOT_SENT = frozenset({ActionStatus.REFUSED, ActionStatus.SKIPPED, ActionStatus.ABANDONED})
_CLEARED_BY_SENDING = ("withheld_reason", "failure_stage", "failure_reason")
"""The conversation's attributes that are removed once a message is sent."""
NO_FUNCTION = {"function_call": False}
"""Attributes where no function is asked for; ``function_call_type`` is removed as well."""


@dataclass(frozen=True, slots=True)
class SendReport:
    """A message that a run sent or tried to send, with what its carrier reported.

    Attributes:
        draft: the message as written.
        text: the text that the vendor reports, e.g. of a template that it rendered; None without
            one.
        started: monotonic seconds at which the run began.
        is_late: the first message, if another event than the start sends it; the start's stored
            outcome is then corrected.
        sent_at: ISO time at which the carrier accepted the message.
        answers: id of the recipient's message that this one answers; None where it answers none.
    """

    draft: Draft
    text: str | None = field(repr=False)
    started: float
    is_late: bool
    sent_at: str | None = None
    answers: str | None = None


class SentMessages:
    """Stores in the conversation whether messages were sent, refused or withheld.

    Args:
        endings: ends conversations whose message was not sent.
        message_id_header: makes an e-mail's Message-ID from the vendor's id.
    """

    def __init__(self, endings: Endings, message_id_header: Callable[[str], str]) -> None:
        self._endings = endings
        self._conversations = endings.conversations
        self._events = endings.events
        self._follow_ups = endings.follow_ups
        self._starts = endings.starts
        self._clock = endings.clock
        self._message_id_header = message_id_header

    def store_unsent(
        self, record: Record, message: MessagePlan, row: ActionRow, *, is_late: bool
    ) -> Record:
        """Store why a message was not sent, as the rule of its purpose says; returns the conversation.

        Nothing changes where it may have been sent.
        """
        rule, reason = message.rule, row.reason or row.status.value
        if row.status == ActionStatus.REFUSED:
            self._mark_refusal(record, row)
        if row.status not in _NOT_SENT:
            return record
        is_withheld = row.status == ActionStatus.SKIPPED and row.reason in SWITCHES
        what = rule.on_withheld if is_withheld else rule.on_refused
        if what is Unsent.ENDS:
            gave_way = row.status == ActionStatus.SKIPPED and row.reason in GIVEN_WAY
            if is_withheld or gave_way:
                return self.withhold(record, reason, is_late=is_late)
            if row.status == ActionStatus.REFUSED:
                self._endings.fail(record, "send", reason)
                if is_late:
                    self.store_start_failed(record, f"{REFUSED}{reason}")
            elif row.status == ActionStatus.ABANDONED:
                self._endings.fail(record, GIVEN_UP, reason)
                self.store_start_failed(record, reason)
        elif what is Unsent.REASON:
            return self._endings.keep_reason(record, reason)
        elif what is Unsent.REPLY_FAILED:
            self._conversations.note_reply_failed(record, reason)
        elif what is Unsent.STEP_DROPPED:
            self._endings.drop_step(record)
        return record

    def withhold(self, record: Record, reason: str, *, is_late: bool) -> Record:
        """Store that the conversation's first message is not sent now, and why; returns the conversation.

        `is_late` says that another event than the start sends it; the start's outcome is then
        changed, too.
        """
        if is_late:
            self._starts.note_outcome(record.start_event, outcome=f"{WITHHELD}{reason}")
        return self._endings.withhold(record, reason)

    def store_start_failed(self, record: Record, reason: str) -> None:
        """Store as a released start's outcome that it failed; until now its outcome says "with a person"."""
        self._starts.note_outcome(record.start_event, outcome=f"{START_FAILED}{reason}")

    def keep_reason(self, record: Record, reason: str) -> Record:
        """Store why a later message of the conversation is withheld; returns the conversation.

        An operator's replay may still send the message.
        """
        return self._endings.keep_reason(record, reason)

    def store_sent(
        self, record: Record, message: MessagePlan, report: SendReport, ref: str | None
    ) -> Record:
        """Store a message that was sent; returns the changed conversation.  Idempotent by entry id.

        Args:
            record: the conversation.
            message: the message of the plan.
            report: what the run knows of the message.
            ref: the vendor's id of the message.
        """
        entry = self._entry(message, report, ref)
        is_threaded = record.channel.traits.is_threaded
        header = self._message_id_header(ref) if ref and is_threaded else None
        thread = threads.sent_attributes(record, header) if header else {}
        match message.rule.keeps:
            case Keeps.ENTRY:
                return self._conversations.append(record, entry)[0]
            case Keeps.STEP:
                record = self._keep_step(record, message, entry, thread)
            case Keeps.THREAD:
                record = self._append_counted(
                    record,
                    message,
                    entry,
                    expected=set(Status),
                    changes=_begun_attributes(record) | thread,
                    remove=("reply_failure",),
                )
            case _:
                record = self._keep_state(record, message, entry, thread, report, header)
        self._inform_company(record, message, entry)
        return record

    def store_function(self, record: Record, function: str) -> None:
        """Store which function the writer asked for, where no message is sent with it."""
        self._conversations.change_while(
            record, AUTOMATED | {Status.HANDED_OFF}, _function_attributes(function)
        )

    def _entry(self, message: MessagePlan, report: SendReport, ref: str | None) -> Entry:
        draft = report.draft
        return Entry(
            entry_id=message.entry_id,
            message_timestamp=iso(self._clock.now()),
            role="assistant",
            content=report.text or draft.text or " | ".join((draft.variables or {}).values()),
            ai_prompt_tokens=draft.prompt_tokens,
            ai_completion_tokens=draft.completion_tokens,
            ai_total_tokens=draft.total_tokens,
            processing_time_ms=draft.processing_time_ms,
            provider_id=ref,
            note=PERSON if draft.by else message.rule.note,
            by=draft.by,
            rules=list(message.rules) or None,
            revision=draft.revision,
            model=draft.model,
        )

    def _keep_step(
        self, record: Record, message: MessagePlan, entry: Entry, thread: dict[str, Any]
    ) -> Record:
        following = self._follow_ups.next_step(record, str(message.step))
        return self._conversations.append(
            record,
            entry,
            expected=set(Status),
            changes=thread | dict(following.attributes if following else {}),
            remove=("withheld_reason", *(() if following else (NEXT_STEP,))),
            then=(following.row,) if following else (),
        )[0]

    def _keep_state(
        self,
        record: Record,
        message: MessagePlan,
        entry: Entry,
        thread: dict[str, Any],
        report: SendReport,
        header: str | None,
    ) -> Record:
        status = message.rule.status
        changes: dict[str, Any] = {
            **_begun_attributes(record),
            "conversation_status": status.value if status else None,
            **_function_attributes(message.function),
            **thread,
        }
        gone = [] if message.function else ["function_call_type"]
        if message.rule.keeps is Keeps.QUESTION:
            changes |= self._question_attributes(record, message, report, entry, header)
        then: tuple[Item, ...] = ()
        is_opening = message.rule.keeps is Keeps.BEGINNING
        if is_opening:
            changes |= self._opening_attributes(report, header)
            following = self._follow_ups.next_step(record, OPENING)
            changes |= following.attributes if following else {}
            then = (following.row,) if following else ()
        record = self._append_counted(
            record,
            message,
            entry,
            expected=UNATTENDED,
            changes=changes,
            remove=(*_CLEARED_BY_SENDING, *gone),
            then=then,
            before=_prompt_entry(record, entry.entry_id) if is_opening else None,
        )
        if is_opening:
            self._endings.free_start(record)
        if is_opening and report.is_late:
            self._starts.note_outcome(record.start_event, outcome="sent")
        return record

    def _append_counted(
        self,
        record: Record,
        message: MessagePlan,
        entry: Entry,
        **how: Any,  # noqa: ANN401 - those of `Conversations.append`
    ) -> Record:
        """Append a sent message to its conversation, and count it in its day's figures."""
        counts = self._counts(record, message, entry)
        record, is_new = self._conversations.append(record, entry, **how)
        if is_new and counts:
            self._conversations.count(record, counts)
        return record

    def _counts(self, record: Record, message: MessagePlan, entry: Entry) -> Sequence[str]:
        """The names under which a sent message is counted in its day's figures; empty for none."""
        what = message.rule.counts
        if what is None:
            return ()
        is_answer = what in ANSWERS
        counts = (
            answer_names(self._conversations.entries_since_ours(record), entry)
            if is_answer
            else [what]
        )
        return (*counts, channel_name(what, record.channel))

    def _question_attributes(
        self,
        record: Record,
        message: MessagePlan,
        report: SendReport,
        entry: Entry,
        header: str | None,
    ) -> dict[str, Any]:
        """The attributes for a tool's question, just sent, that waits for the recipient's yes.

        Without such a question, or if the recipient wrote meanwhile, they only clear the asked
        function.
        """
        found: dict[str, Any] = {"function_call": False, "function_call_type": None}
        step = ToolStep.of(report.draft.tool)
        recent = self._conversations.recent_entries(record)
        said = [recent_entry.entry_id for recent_entry in recent if recent_entry.role == "user"]
        is_newest = report.answers is None or said[-1:] == [report.answers]
        if step is None or not message.function or not is_newest:
            return found
        ref = keys.digest("message-id", header)[:32] if header else entry.provider_id
        # The carrier's time: if a worker died before this line, the yes may be older than now.
        at = clock.parsed(report.sent_at) or self._clock.now()
        return found | {
            CONFIRMATION: question_item(message.function, step, entry.entry_id, ref, at)
        }

    def _opening_attributes(self, report: SendReport, header: str | None) -> dict[str, Any]:
        """The attributes that a conversation's first message adds when sent: the milliseconds that it took.

        An e-mail also adds its Message-ID, the digest of that id, and its subject.
        """
        took = int((self._clock.monotonic() - report.started) * 1000)
        found: dict[str, Any] = {"processing_time_ms": took}
        if header:
            digest = keys.digest("message-id", header)[:32]
            found |= {"email_id": header, "email_id_digest": digest}
            found["email_subject"] = report.draft.subject
        return found

    def _inform_company(self, record: Record, message: MessagePlan, entry: Entry) -> None:
        name = message.rule.tells
        if name is None:
            return
        by = "person" if entry.by else "machine"
        self._events.record(
            record,
            name,
            entry.entry_id,
            message_id=entry.entry_id,
            by=by if name is EventName.ANSWERED else None,
            step=message.step,
            **persons.parsed_person(entry.by or "").facts,
        )

    def _mark_refusal(self, record: Record, row: ActionRow) -> None:
        """Mark the recipient where the carrier's refusal shows an opt-out, a block or a dead address."""
        if row.reason == OPT_OUT_CODE:
            self._endings.forbid(record, MarkReason.CARRIER)
        dead = dead_address_reason(record.channel.traits.carrier, row.reason)
        if dead is MarkReason.BLOCKED or (dead and record.item.get("last_inbound_at") is None):
            self._conversations.forbid_on_channel(record, dead, sent_at=row.finished_at)


def _begun_attributes(record: Record) -> dict[str, Any]:
    """The attributes which show that the conversation's first message was sent.

    Every sent message but reminders and fixed texts sets them.
    """
    return {"task_complete": 1, "thread_id": f"thread_{record.opaque_id}"}


def _prompt_entry(record: Record, entry_id: str) -> Entry:
    """The conversation's first entry, of role ``user``: the data from which its first message was written."""
    return Entry(
        entry_id=keys.digest("prompt", entry_id)[:32],
        message_timestamp=record.created_at,
        role="user",
        content=opening_data(record)[:PROMPT_CHARACTERS],
        note=PROMPT,
    )


def _function_attributes(function: str | None) -> dict[str, Any]:
    """The conversation's attributes for the function that its newest answer asks for; None clears them."""
    if function is None:
        return dict(NO_FUNCTION)
    return {"function_call": True, "function_call_type": function}
