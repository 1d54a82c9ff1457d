"""Writes what follows a first message: the next step, or a fallback conversation on another channel.

A step (a reminder or the closing message) is an event of the ledger,
``evt:follow:{opaque conversation id}:{step}``.  One transaction writes its row together with the message
that it follows.  The row is due at the step's time, when the sweep queues it.  The step's message has an
action key derived from the event, so it is sent once.  A fallback is a conversation of its own: one
transaction writes its record, the ledger row of its start and the link in the failed conversation.

A fallback is opened only where the first message certainly did not arrive: it was refused, could not be
written or sent, or the carrier reports it as undelivered.  An unknown outcome opens none.  The fallback's
ids derive from the failed conversation's, so a repetition finds the same fallback.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import UnavailableError
from chalicelib.once import keys
from chalicelib.once.event import Lease
from chalicelib.once.job import Job
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.former import pair_ids
from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import (
    CONTINUED_BY,
    CONTINUES,
    NEXT_STEP,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import TECHNICAL_REASONS
from chalicelib.outreach.jobs import OutreachResume
from chalicelib.outreach.project import openings
from chalicelib.outreach.project.admission import ConversationStores
from chalicelib.outreach.project.follow_up_settings import tried_channels
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.resume import own_event
from chalicelib.outreach.wishes.preference import Preferences

SOURCE = "follow_up"


@dataclass(frozen=True, slots=True)
class NextStep:
    """A conversation's next reminder or closing message, ready to be scheduled.

    Attributes:
        row: the write that schedules the reminder or closing message in the ledger.
        attributes: the conversation's attributes that change with that write.
    """

    row: Item
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """Schedules the next reminder after a message, and opens a fallback conversation after a failure.

    Attributes:
        current: gives a project's current settings, empty where there are none.
        put_later: queues a job outside its lane; that queue's handler puts it into its lane.
        events: informs the company.
    """

    kept: ConversationStores
    clock: Clock
    opaque: Callable[[], keys.OpaqueIds]
    current: Callable[[Record], Project]
    put_later: Callable[[Job, float], None]
    events: CompanyEvents

    def next_step(self, record: Record, done: str) -> NextStep | None:
        """The reminder or closing message to schedule after one that was sent.

        None where the project has none.

        Args:
            record: the conversation.
            done: `follow_up_settings.OPENING`, or the step that was sent.
        """
        declared = Project(record.item).follow_ups
        found = declared.next_after(done) if declared else None
        if found is None:
            return None
        name, step = found
        at = self.clock.now() + timedelta(minutes=step.after_minutes)
        event_key = outreach_keys.follow(record.opaque_id, name)
        facts = own_event(event_key, record.opaque_id, iso(at), SOURCE)
        row = self.kept.ledger.scheduling(facts, at.timestamp())
        return NextStep(row, {NEXT_STEP: {"step": name, "at": iso(at)}})

    def fall_back(self, record: Record, lease: Lease | None = None) -> None:
        """Open a failed conversation's fallback on another channel, once, where the project declares one.

        The caller is certain that the conversation's first message did not arrive.  Nothing is
        opened where the recipient has written since, must not be contacted, or a person has acted.

        Args:
            record: the failed conversation.
            lease: open only while this lease is held; None where no other run can still send.

        Raises:
            TransientError: the fallback was not opened; call again.
        """
        declared = Project(record.item).follow_ups
        if declared is None or not declared.fallback:
            return
        record = self.kept.conversations.reread(record)
        if not record.is_continued:
            is_wanted = record.status == Status.FAILED and not record.person_act
            if not is_wanted or self.kept.conversations.has_recipient_written(record):
                return
            if not self._open_next(record, lease):
                return
            record = self.kept.conversations.reread(record)
        link = record.item.get(CONTINUED_BY)
        fallback = self.kept.conversations.find(link["conversation"]) if link else None
        if link is None or fallback is None:
            return
        self.events.record(
            record,
            EventName.CONTINUED,
            fallback.opaque_id,
            linked_conversation=fallback.opaque_id,
            linked_request_id=fallback.request_id,
            linked_channel=fallback.channel.value,
        )
        self._queue(fallback)

    def has_accepted_channel(self, record: Record, preferences: Preferences) -> bool:
        """Whether an unsent conversation can fall back on a channel that its recipient accepts.

        False where the recipient has already written.
        """
        if record.status not in UNSENT or self.kept.conversations.has_recipient_written(record):
            return False
        left = self._accepted_channels(record, self.current(record), preferences)
        return any(not preferences.wants_another_than(channel) for channel in left)

    def _preferences(self, record: Record) -> Preferences:
        return preferences_of_person(self.kept.conversations.look(record).subjects)

    @staticmethod
    def _accepted_channels(
        record: Record, project: Project, preferences: Preferences
    ) -> list[Channel]:
        """The channels left for a fallback that the recipient does not refuse, the preferred ones first."""
        declared = Project(record.item).follow_ups
        wanted = declared.fallback if declared and project.is_active else ()
        left = project.channels_left(record.item, tried_channels(record), wanted)
        kept = [channel for channel in left if not preferences.refuses(channel)]
        return sorted(kept, key=preferences.wants_another_than)

    def _open_next(self, record: Record, lease: Lease | None) -> bool:
        """Open the fallback on the first usable channel, in one transaction with the link to it.

        False where none was opened, as no channel is left or the recipient must not be contacted.
        """
        declared, project = Project(record.item).follow_ups, self.current(record)
        if declared is None or not project.is_active:
            return False
        wanted = self._accepted_channels(record, project, self._preferences(record))
        for channel in wanted:
            fallback = Record(self._attributes(record, project, channel))
            forbidden = self.kept.conversations.forbids(fallback)
            if forbidden in TECHNICAL_REASONS:
                continue
            return forbidden is None and self._open(record, fallback, lease)
        return False

    def _open(self, record: Record, fallback: Record, lease: Lease | None) -> bool:
        now = iso(self.clock.now())
        facts = own_event(fallback.start_event, fallback.opaque_id, now, SOURCE)
        link = _link(fallback)
        pairs = pair_ids(self.opaque(), fallback.channel, fallback.sender, fallback.primary_channel)
        opened = self.kept.conversations.open(
            fallback.item,
            pairs=pairs,
            also=(
                self.kept.starts.fallback_row_write(facts, fallback.company_id),
                self.kept.conversations.continuing(record, link),
                *((self.kept.starts.lease_check_write(lease),) if lease else ()),
            ),
        )
        return opened.record is not None or self.kept.conversations.reread(record).is_continued

    def _attributes(self, record: Record, project: Project, channel: Channel) -> dict[str, Any]:
        recipient = str(record.item[channel.traits.address.field])
        ids = (record.company_id, record.project_id)
        request_id = f"fallback-{keys.digest(record.opaque_id, channel)[:32]}"
        conversation_id = "#".join((*ids, request_id, recipient.lstrip("+")))
        before = {**_link(record), "since": record.asked_at, "tried": list(tried_channels(record))}
        given = {name: record.item.get(name) for name in openings.REQUEST_ATTRIBUTES}
        found = openings.attributes(
            project,
            channel,
            given,
            primary_channel=recipient,
            conversation_id=conversation_id,
            opaque_id=self.opaque().of("conversation", recipient, conversation_id),
            start_event=outreach_keys.start(record.company_id, request_id),
            company_id=record.company_id,
            project_id=record.project_id,
            request_id=request_id,
            # The fallback is not counted as a start; ending it decrements the first start's count.
            received_at=record.item.get("received_at"),
            processor_version=record.item.get("processor_version"),
        )
        return {"messages": [], "message_count": 0, **found, CONTINUES: before}

    def _queue(self, fallback: Record) -> None:
        """Queue the fallback's start; idempotent.

        Where queueing fails, the sweep queues the start later.
        """
        facts = own_event(fallback.start_event, fallback.opaque_id, iso(self.clock.now()), SOURCE)
        job = OutreachResume(
            event_key=facts.event_key,
            conversation_id=facts.conversation_id,
            received_at=facts.received_at,
            payload_sha256=facts.payload_sha256,
            source=facts.source,
            trace_id=facts.trace_id,
            pair=(fallback.sender, fallback.primary_channel),
        )
        try:
            self.put_later(job, 0.0)
        except UnavailableError:
            return


def _link(record: Record) -> dict[str, str]:
    return {
        "conversation": record.opaque_id,
        "request_id": record.request_id,
        "channel": record.channel.value,
    }
