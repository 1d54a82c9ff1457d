"""A recipient's message: kept once, and answered where an answer is due."""

from __future__ import annotations

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import rules
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Channel, Entry, Record, Status
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.drafting import Drafting
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.work import Work, handed_off


class Replying:
    """Finds the conversation of a message, and plans the answer."""

    def __init__(self, conversations: Conversations, drafting: Drafting) -> None:
        self._conversations = conversations
        self._drafting = drafting

    def whose(self, job: InboundMessage) -> Record:
        """The conversation a message belongs to: by its token, its thread, or the newest alive."""
        if job.token is not None:
            record = self._conversations.find(job.token)
            if record is not None:
                return record
        found = sorted(
            self._conversations.of_pair(Channel(job.channel), job.sender, job.recipient),
            key=lambda one: one.created_at,
            reverse=True,
        )
        if len(found) > 1:  # it may have come before, and one of them may have begun since
            for record in found:
                if self._conversations.has_entry(record, job.message_id):
                    return self._conversations.get(record)
        threads = frozenset(job.in_reply_to)
        for record in found:
            if record.item.get("email_id_digest") in threads:
                return self._conversations.get(record)
        if not found:
            raise NotAnEvent(EventStatus.SKIPPED, "unknown_sender")
        alive = [record for record in found if record.status != Status.FAILED]
        spoken = [record for record in alive if record.status != Status.WITHHELD]
        return self._conversations.get((spoken or alive or found)[0])

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        work: Work = event.subject
        if isinstance(work.job, InboundMessage):
            self._heard(work, work.job)
        record = work.known
        message_id = event.facts.source_message_id
        if message_id is None or not self._is_heard(work, message_id):
            return handed_off("reply", "message_gone")
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.PROCESSED, "with_a_person")
        if self._conversations.is_forbidden(record.primary_channel, record.company_id):
            raise NotAnEvent(EventStatus.PROCESSED, DO_NOT_CONTACT)
        if rules.is_held(record, "auto_queue_reply_message"):
            return handed_off("reply", "auto_queue_reply_message")
        self._drafting.wait_out_quiet_hours(record)
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        return self._drafting.answer(work, entry_id, switches)

    def _is_heard(self, work: Work, message_id: str) -> bool:
        """The message was kept; raises `NotAnEvent` where it is one that gets no answer."""
        if isinstance(work.job, InboundMessage):
            return True
        kept = next((one for one in work.known.messages if one.entry_id == message_id), None)
        if kept is not None and kept.note in _UNANSWERED:
            raise NotAnEvent(EventStatus.PROCESSED, _UNANSWERED[kept.note])
        return kept is not None or self._conversations.has_entry(work.known, message_id)

    def _heard(self, work: Work, job: InboundMessage) -> None:
        """Keep the message, once, and see whether it is one that gets no answer."""
        record = work.known
        note = (
            "auto_reply"
            if job.is_automatic
            else "opt_out"
            if job.opt_out == "stop"
            else "media"
            if job.media_count and not job.text.strip()
            else None
        )
        heard = Entry(job.message_id, job.sent_at, "user", job.text, note=note)
        changes = {"last_email_id": job.email_message_id}
        if not job.is_automatic:
            changes["last_inbound_at"] = job.sent_at
        self._heed(record, job)  # first: a run that finds the message kept looks for no wish in it
        work.record, _ = self._conversations.append(record, heard, changes=changes)
        if note is not None:
            raise NotAnEvent(EventStatus.PROCESSED, _UNANSWERED[note])
        if job.opt_out == "help":
            raise NotAnEvent(EventStatus.PROCESSED, "answered_by_provider")
        if not job.text.strip():
            raise NotAnEvent(EventStatus.PROCESSED, "empty_message")

    def _heed(self, record: Record, job: InboundMessage) -> None:
        """Do what a person asks for by STOP or START; a robot asks for nothing."""
        if job.is_automatic:
            return
        if job.opt_out == "stop":
            self._conversations.forbid(record.primary_channel, record.company_id, "stop")
        elif job.opt_out == "start":
            self._conversations.allow(record.primary_channel, record.company_id)


_UNANSWERED = {
    "auto_reply": "automatic_message",
    "opt_out": "opted_out",
    "media": "media_only",
}
"""Notes on messages that get no answer, and the reason it is given by."""
