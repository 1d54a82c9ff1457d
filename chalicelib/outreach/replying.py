"""Plans the answer to a recipient's message; the message is stored once."""

from __future__ import annotations

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.job import Recovery
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import rules
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Entry, Record, Status
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.drafting import Drafting
from chalicelib.outreach.event_context import EventContext, hand_off_plan
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.ownership import WRONG_ACCOUNT, Ownership, key_of


class Replying:
    """Finds the conversation of a message, and plans the answer."""

    def __init__(
        self, conversations: Conversations, drafting: Drafting, ownership: Ownership
    ) -> None:
        self._conversations = conversations
        self._drafting = drafting
        self._ownership = ownership

    def conversation_of(self, job: InboundMessage) -> Record:
        """The conversation of a message: by its token, by its thread, else the newest not failed.

        It is one of the company that the message was sent to.
        """
        owner = self._ownership.owner_of(job)
        if job.token is not None:
            record = self._conversations.find(job.token)
            if record is not None and self._ownership.is_to(record, job, owner):
                return record
        candidates = [
            record
            for record in self._conversations.of_pair(job.channel, job.sender, job.recipient)
            if self._ownership.is_to(record, job, owner)
        ]
        found = sorted(
            (one for one in candidates if self._ownership.is_signed_for(one, job, owner)),
            key=lambda one: one.created_at,
            reverse=True,
        )
        if len(found) > 1:  # a redelivery: a newer conversation may have been opened since
            for record in found:
                if self._conversations.has_entry(record, job.message_id):
                    return self._conversations.get(record)
        threads = frozenset(job.in_reply_to)
        for record in found:
            if record.item.get("email_id_digest") in threads:
                return self._conversations.get(record)
        if not found:
            reason = WRONG_ACCOUNT if candidates else "unknown_sender"
            raise NotAnEvent(EventStatus.SKIPPED, reason, event_key=key_of(job, owner))
        not_failed = [record for record in found if record.status != Status.FAILED]
        not_withheld = [record for record in not_failed if record.status != Status.WITHHELD]
        return self._conversations.get((not_withheld or not_failed or found)[0])

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `once.flow.Flow.plan`."""
        context: EventContext = event.subject
        if isinstance(context.job, InboundMessage):
            self._store_message(context, context.job)
        record = context.conversation
        message_id = event.facts.source_message_id
        if message_id is None or not self._is_stored(context, message_id):
            return hand_off_plan("reply", "message_gone")
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.PROCESSED, "with_a_person")
        if self._conversations.forbids(record) is not None:
            raise NotAnEvent(EventStatus.PROCESSED, DO_NOT_CONTACT)
        if rules.is_held(record, "auto_queue_reply_message"):
            return hand_off_plan("reply", "auto_queue_reply_message")
        key = event.facts.event_key
        if (
            context.job.recovery != Recovery.OPERATOR
        ):  # what a person asks for does not wait its turn
            self._drafting.turns.take(record, key)
        self._drafting.wait_out_quiet_hours(context.conversation, key)
        entry_id = outreach_keys.entry_id(key)
        return self._drafting.answer(context, entry_id, switches)

    def _is_stored(self, context: EventContext, message_id: str) -> bool:
        """Whether the message is stored; raises `NotAnEvent` if it gets no answer."""
        if isinstance(context.job, InboundMessage):
            return True
        stored = next(
            (one for one in context.conversation.messages if one.entry_id == message_id), None
        )
        if stored is not None and stored.note in _UNANSWERED:
            raise NotAnEvent(EventStatus.PROCESSED, _UNANSWERED[stored.note])
        return stored is not None or self._conversations.has_entry(context.conversation, message_id)

    def _store_message(self, context: EventContext, job: InboundMessage) -> None:
        """Store the message once; raises `NotAnEvent` if it gets no answer."""
        record = context.conversation
        note = (
            "auto_reply"
            if job.is_automatic
            else "opt_out"
            if job.opt_out == "stop"
            else "media"
            if job.media_count and not job.text.strip()
            else None
        )
        entry = Entry(job.message_id, job.sent_at, "user", job.text, note=note)
        changes = {"last_email_id": job.email_message_id}
        if not job.is_automatic:
            # A text may be found late, after newer ones.
            changes["last_inbound_at"] = max(job.sent_at, record.item.get("last_inbound_at") or "")
        # First: a run that finds the message stored does not read it for STOP again.
        self._apply_opt_out(record, job)
        context.record, _ = self._conversations.append(record, entry, changes=changes)
        if note is not None:
            raise NotAnEvent(EventStatus.PROCESSED, _UNANSWERED[note])
        if job.opt_out == "help":
            raise NotAnEvent(EventStatus.PROCESSED, "answered_by_provider")
        if not job.text.strip():
            raise NotAnEvent(EventStatus.PROCESSED, "empty_message")

    def _apply_opt_out(self, record: Record, job: InboundMessage) -> None:
        """Apply STOP or START; automatic messages are ignored."""
        if job.is_automatic:
            return
        if job.opt_out == "stop":
            self._conversations.forbid(
                record.primary_channel, record.company_id, "stop", said_at=job.sent_at
            )
        elif job.opt_out == "start":
            self._conversations.allow(
                record.primary_channel, record.company_id, said_at=job.sent_at
            )


_UNANSWERED = {
    "auto_reply": "automatic_message",
    "opt_out": "opted_out",
    "media": "media_only",
}
"""Notes on messages that get no answer, and the stored reason of each."""
