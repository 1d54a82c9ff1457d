"""The start of a conversation: opened once, held for a person or written and sent."""

from __future__ import annotations

from chalicelib.errors import PermanentError
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import rules
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, NEVER_OPENED, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.door.admission import Starts
from chalicelib.outreach.drafting import Drafting
from chalicelib.outreach.jobs import StartConversation
from chalicelib.outreach.work import Work, handed_off, may_speak
from chalicelib.outreach.writing.composer import Composer


class Starting:
    """Plans starts.

    Args:
        processor_version: kept with every conversation it opens.
    """

    def __init__(
        self,
        conversations: Conversations,
        composer: Composer,
        starts: Starts,
        drafting: Drafting,
        processor_version: str,
    ) -> None:
        self._conversations = conversations
        self._composer = composer
        self._starts = starts
        self._drafting = drafting
        self._version = processor_version

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        work: Work = event.subject
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        is_new = False
        if work.record is None:
            work.record, is_new = self._open(event, work, entry_id, switches)
        record = work.record
        if record.start_event != event.facts.event_key:
            raise NotAnEvent(EventStatus.SKIPPED, "conversation_exists")
        if not is_new and self._conversations.is_forbidden(
            record.primary_channel, record.company_id
        ):  # said since it was opened: it may have waited for a night or a person
            self._drafting.give_up(record, "send", DO_NOT_CONTACT)
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        if rules.is_held(record, "auto_queue_initial_message"):
            return handed_off("start", "auto_queue_initial_message")
        self._drafting.wait_out_quiet_hours(record)
        with self._drafting.typed_failures(record):
            return self._drafting.plan(work, entry_id, switches, is_opening=True)

    def _open(
        self, event: Event, work: Work, entry_id: str, switches: Switches
    ) -> tuple[Record, bool]:
        """The conversation, and whether it was opened just now."""
        job = work.job
        if not isinstance(job, StartConversation):
            self._starts.abandon(event.facts.event_key)
            raise NotAnEvent(EventStatus.FAILED, NEVER_OPENED)
        attributes = {**job.record, "processor_version": self._version}
        unopened = Record({"messages": [], "message_count": 0, **attributes})
        first = None
        is_due = not rules.is_held(unopened, "auto_queue_initial_message") and may_speak(switches)
        if is_due and self._composer.is_instant(unopened):
            try:
                first = (entry_id, self._composer.unsaved_opening(unopened))
            except PermanentError:
                first = None  # it will be refused again below, where the record can say so
        held = self._starts.holding(event.lease) if event.lease else None
        opened = self._conversations.open(attributes, first, held=held)
        if opened.record is None:
            self._starts.free(
                str(attributes["company_id"]), event.facts.event_key, event.facts.received_at
            )
            raise NotAnEvent(EventStatus.FAILED, DO_NOT_CONTACT)
        if first is not None and opened.is_new:
            work.draft = first[1]
        return opened.record, opened.is_new
