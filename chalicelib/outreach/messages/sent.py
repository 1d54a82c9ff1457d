"""Writes the results of an outreach event: the entry, the status, and the outcome for the sender.

An entry is appended once per id and a status moves only from the expected one, so that a worker
that has lost its lease writes the same as its successor, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, suffix
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Clock
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.names import Name
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.do_not_contact import Reason
from chalicelib.outreach.conversations.handoffs import listed_id
from chalicelib.outreach.conversations.records import (
    ASKED,
    AUTOMATED,
    FOLLOW_UP,
    NEXT_STEP,
    PERSON,
    PROMPT,
    UNATTENDED,
    UNSENT,
    Draft,
    Entry,
    Record,
    Status,
)
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.messages import threads
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.messages.look import GIVEN_WAY
from chalicelib.outreach.project.admission import Starts
from chalicelib.outreach.project.follow_up_settings import OPENING
from chalicelib.outreach.sending import effects as outreach_actions
from chalicelib.outreach.sending.effects import HAND_OFF, SendData
from chalicelib.outreach.twilio import codes
from chalicelib.outreach.writing.about import about
from chalicelib.outreach.writing.tool_writer import ASK, CALL

OPT_OUT_CODE = "21610"
GIVEN_UP = "retries"
"""``failure_stage`` of a conversation whose start was given up after its last attempt."""
SWITCHES = frozenset({"kill_switch", "shadow", "safe_mode", "automation_disabled"})
"""Reasons of `once.ports.Switches.forbids`: an action they stopped may be done later."""
PROMPT_CHARACTERS = 1000
"""Of the first entry: the request's own data is an attribute of the conversation."""
_NOT_SENT = frozenset({ActionStatus.REFUSED, ActionStatus.SKIPPED, ActionStatus.ABANDONED})
_OF_A_PERSONS_REPLY = ("task_complete", "thread_id", "email_references")
"""Attributes that also a person's reply changes."""
_CLEARED_BY_SENDING = ("withheld_reason", "failure_stage", "failure_reason")
"""Attributes that no longer apply once a message is sent."""


class Conclusions:
    """Writes an event's results into its conversation and its start.

    Args:
        message_id_header: makes an e-mail's Message-ID from the vendor's id.
        events: tells the company.
        follow_ups: what comes after a message, or after a failure.
    """

    def __init__(
        self,
        conversations: Conversations,
        starts: Starts,
        clock: Clock,
        message_id_header: Callable[[str], str],
        events: CompanyEvents,
        follow_ups: FollowUps,
    ) -> None:
        self._conversations = conversations
        self._starts = starts
        self._clock = clock
        self._message_id_header = message_id_header
        self._events = events
        self._follow_ups = follow_ups

    def conclude(self, event: Event, plan: Plan, rows: Mapping[str, ActionRow]) -> bool:
        """See `once.flow.Flow.conclude`."""
        context: EventContext = event.subject
        record = context.record or self._conversations.find(event.facts.conversation_id)
        if record is None:
            return False
        for planned in plan.actions:
            action = outreach_actions.build(
                planned,
                conversation_id=record.opaque_id,
                suffix=suffix(event),
                sending=SendData(context.loaded),
            )
            row = rows[action.key]
            if action.kind is HAND_OFF:
                self._record_hand_off(event, record, row)
            elif row.status == ActionStatus.DONE:
                record = self._record_sent(event, plan, record, action.argument, row)
            elif row.status == ActionStatus.REFUSED:
                self._record_refusal(record, row, plan)
            if plan.facts.get("desk") and row.status in _NOT_SENT:
                self.reply_failed(record, row.reason or row.status.value)
            is_over = row.status in _NOT_SENT and row.reason not in SWITCHES
            if plan.facts.get("follow_up") and is_over:
                self._conversations.move(record, set(Status), {}, remove=(NEXT_STEP,))
            is_opening = bool(plan.facts.get("opening"))
            gave_way = is_opening and row.reason in GIVEN_WAY
            if row.status == ActionStatus.SKIPPED and (row.reason in SWITCHES or gave_way):
                record = self._record_withheld(event, record, plan, row.reason or "")
        function = plan.facts.get("function")
        if function and all(one.kind == "hand_off" for one in plan.actions):
            self._conversations.move(
                record, AUTOMATED | {Status.HANDED_OFF}, _function_attributes(function)
            )
        if plan.facts.get("tool") == CALL:
            entry_id = str(plan.facts["entry_id"])
            self._events.record(
                record, Name.TOOL_CALLED, entry_id, tool=function, message_id=entry_id
            )
        return True

    def fail(self, record: Record, stage: str, reason: str, lease: Lease | None = None) -> None:
        """Fail a conversation before its first message.

        A handed-off conversation fails once it is released.

        Args:
            record: the conversation.
            stage: where it failed.
            reason: a fixed code.
            lease: of the event that found it unsendable, which another run may find sendable: only
                its holder goes on by another channel.
        """
        why = {"failure_stage": stage, "failure_reason": reason}
        self._end_unsent(record, UNSENT | {Status.FAILED}, Status.FAILED, why)
        self._events.record(record, Name.FAILED, f"{stage}:{reason}", stage=stage, reason=reason)
        if stage != GIVEN_UP:  # then it is not known whether it was sent
            self._follow_ups.fall_back(record, lease)

    def continued(self, record: Record) -> None:
        """Do what a run that died has left undone after another conversation took this one's place."""
        self._follow_ups.fall_back(record)
        self.free(record)

    def give_way(self, record: Record, reason: str) -> None:
        """A person has the conversation before its first message, or its recipient: that is not sent."""
        self.free(record)
        self._end_unsent(record, UNSENT, Status.WITHHELD, {"withheld_reason": reason})

    def person_acted(self, record: Record, name: Name, act_id: str) -> None:
        """A person has taken the conversation, or closed it: its company hears of that."""
        listed = listed_id(record.handoff)
        self._events.record(record, name, act_id, hand_off=listed)

    def reply_failed(self, record: Record, reason: str) -> None:
        """A person's reply was not sent: their conversation says why, and waits for an answer."""
        self._conversations.reply_failed(record, reason)

    def opt_out(self, record: Record) -> None:
        """The recipient has asked in their own words to get no further message."""
        said_at = str(record.item.get("last_inbound_at") or iso(self._clock.now()))
        self._conversations.forbid_person(record, Reason.ASKED, said_at=said_at)
        self._tell_opt_out(record, Reason.ASKED)

    def unsubscribed(self, record: Record) -> None:
        """The recipient has unsubscribed by one click; the door has written the mark."""
        self._tell_opt_out(record, Reason.UNSUBSCRIBED)

    def free(self, record: Record) -> None:
        """Remove its start from the company's open ones."""
        self._starts.free(
            record.company_id, record.start_event, str(record.item.get("received_at") or "")
        )

    def _record_sent(
        self, event: Event, plan: Plan, record: Record, entry_id: str, row: ActionRow
    ) -> Record:
        context: EventContext = event.subject
        draft = context.draft or self._conversations.draft(record, entry_id) or Draft()
        now = self._clock.now()
        is_opening = bool(plan.facts.get("opening"))
        text = context.loaded.sent[0] if context.loaded and context.loaded.sent else draft.text
        entry = Entry(
            entry_id=entry_id,
            message_timestamp=iso(now),
            role="assistant",
            content=text or " | ".join((draft.variables or {}).values()),
            ai_prompt_tokens=draft.prompt_tokens,
            ai_completion_tokens=draft.completion_tokens,
            ai_total_tokens=draft.total_tokens,
            processing_time_ms=draft.processing_time_ms,
            provider_id=row.ref,
            note=PERSON if draft.by else FOLLOW_UP if plan.facts.get("follow_up") else None,
            by=draft.by,
        )
        if plan.facts.get("notice"):  # says nothing about the state of the conversation
            return self._conversations.append(record, entry)[0]
        if plan.facts.get("follow_up"):
            return self._record_follow_up(record, entry, str(plan.facts["follow_up"]))
        status = Status.INITIAL_MESSAGE_SENT if is_opening else Status.REPLY_SENT
        changes: dict[str, Any] = {
            "conversation_status": status.value,
            "task_complete": 1,
            "thread_id": f"thread_{record.opaque_id}",
            **_function_attributes(plan.facts.get("function")),
        }
        is_asking = plan.facts.get("tool") == ASK
        if is_asking:
            changes |= {ASKED: entry_id, "function_call": False, "function_call_type": None}
        header = self._message_id_header(row.ref) if row.ref else None
        if record.channel == Channel.EMAIL and header:
            changes |= threads.sent(record, header)
        if plan.facts.get("desk"):  # the hand-off goes on
            kept = {name: changes[name] for name in _OF_A_PERSONS_REPLY if name in changes}
            record = self._conversations.append(record, entry, expected=set(Status), changes=kept)[
                0
            ]
            self._events.record(record, Name.ANSWERED, entry_id, message_id=entry_id, by="person")
            return record
        also: tuple[dict[str, Any], ...] = ()
        if is_opening:
            changes["processing_time_ms"] = int((self._clock.monotonic() - context.started) * 1000)
            also = (self._freeing(record),)
            following = self._follow_ups.after(record, OPENING)
            if following is not None:
                also += (following.row,)
                changes |= following.attributes
            if record.channel == Channel.EMAIL and header:
                changes["email_id"] = header
                changes["email_id_digest"] = keys.digest("message-id", header)[:32]
                changes["email_subject"] = draft.subject
        gone = [] if plan.facts.get("function") and not is_asking else ["function_call_type"]
        gone += [] if is_asking else [ASKED]
        record, _ = self._conversations.append(
            record,
            entry,
            expected=UNATTENDED,
            changes=changes,
            remove=(*_CLEARED_BY_SENDING, *gone),
            also=also,
            before=_prompt(record, entry_id) if is_opening else None,
        )
        if event.facts.event_key.startswith("evt:release:") and is_opening:
            self._starts.note(record.start_event, outcome="sent")
        if is_opening:
            self._events.record(record, Name.SENT, entry_id, message_id=entry_id)
        else:
            by = "person" if draft.by else "machine"
            self._events.record(record, Name.ANSWERED, entry_id, message_id=entry_id, by=by)
        return record

    def _record_follow_up(self, record: Record, entry: Entry, step: str) -> Record:
        """A reminder or an end message was sent: the recipient has the word, as before it."""
        following = self._follow_ups.after(record, step)
        changes = dict(following.attributes) if following else {}
        if record.channel == Channel.EMAIL and entry.provider_id:
            changes |= threads.sent(record, self._message_id_header(entry.provider_id))
        record, _ = self._conversations.append(
            record,
            entry,
            expected=set(Status),
            changes=changes,
            remove=("withheld_reason", *(() if following else (NEXT_STEP,))),
            also=(following.row,) if following else (),
        )
        sent = entry.entry_id
        self._events.record(record, Name.FOLLOWED_UP, sent, message_id=sent, step=step)
        return record

    def _tell_opt_out(self, record: Record, reason: Reason) -> None:
        self._events.record(record, Name.OPTED_OUT, reason.value, reason=reason.value)

    def _record_refusal(self, record: Record, row: ActionRow, plan: Plan) -> None:
        if row.reason == OPT_OUT_CODE:
            self._conversations.forbid_person(record, Reason.CARRIER)
            self._tell_opt_out(record, Reason.CARRIER)
        dead = codes.technical(row.reason) if record.channel != Channel.EMAIL else None
        if dead is not None and record.item.get("last_inbound_at") is None:
            self._conversations.forbid(
                record.primary_channel, record.company_id, dead, channel=record.channel
            )
        if not plan.facts.get("opening"):
            return
        self.fail(record, "send", row.reason or "refused")
        self.free(record)

    def _record_withheld(self, event: Event, record: Record, plan: Plan, reason: str) -> Record:
        """A switch stopped the message: store that; a replay resumes the event."""
        why = {"withheld_reason": reason}
        if not plan.facts.get("opening"):
            return self._conversations.move(record, AUTOMATED, why) or record
        self.free(record)
        if event.facts.event_key != record.start_event:
            self._starts.note(record.start_event, outcome=f"withheld:{reason}")
        return self._end_unsent(record, UNSENT, Status.WITHHELD, why) or record

    def _end_unsent(
        self, record: Record, expected: Collection[Status], status: Status, why: Mapping[str, str]
    ) -> Record | None:
        """In a handed-off conversation, only the reason: `Releasing` derives the status from it."""
        moved = self._conversations.move(record, expected, {"conversation_status": status, **why})
        return moved or self._conversations.move(record, {Status.HANDED_OFF}, why)

    def _record_hand_off(self, event: Event, record: Record, row: ActionRow) -> None:
        if row.status == ActionStatus.DONE and event.facts.event_key == record.start_event:
            self._starts.note(record.start_event, outcome="handed_off")
            self.free(record)

    def _freeing(self, record: Record) -> dict[str, Any]:
        return self._starts.ended(
            record.company_id, record.start_event, str(record.item.get("received_at") or "")
        )


def _function_attributes(function: str | None) -> dict[str, Any]:
    """The record's attributes for the function that the newest answer asks for, or for none."""
    return {"function_call": True, "function_call_type": function} if function else NO_FUNCTION


NO_FUNCTION: dict[str, Any] = {"function_call": False}
"""Beside it, ``function_call_type`` is removed."""


def _prompt(record: Record, entry_id: str) -> Entry:
    """The first ``user`` entry: what the opening was written from."""
    return Entry(
        entry_id=keys.digest("prompt", entry_id)[:32],
        message_timestamp=record.created_at,
        role="user",
        content=about(record)[:PROMPT_CHARACTERS],
        note=PROMPT,
    )
