"""The jobs that put a conversation's stored events back on the queue."""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.event import EventFacts
from chalicelib.once.intake import Intake
from chalicelib.once.job import Job, Recovery
from chalicelib.outreach.conversations.parcels import Parcels
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import OutreachResume

Resume = Callable[[Record, str], None]
"""A function that puts an event of a conversation, by the event's key, back on the queue."""


class ResumeRebuilder:
    """Makes the job that resumes any stored event of a conversation (a `Rebuilder` of recovery).

    Where the conversation was opened, the job joins the FIFO group of its sender and recipient.
    """

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    def __call__(self, event: EventFacts) -> OutreachResume:
        """The job that resumes a stored event, made from the event's facts in the ledger."""
        record = self._conversations.find(event.conversation_id)
        return resume_job(event, record)


class StartRebuilder:
    """Makes the job of a start, event key ``evt:start``, again where it was lost (a `Rebuilder` of recovery).

    Until the conversation is open, a copy of the start's job is stored: its parcel.
    """

    def __init__(self, *, conversations: Conversations, parcels: Parcels) -> None:
        self._conversations = conversations
        self._parcels = parcels

    def __call__(self, event: EventFacts) -> Job:
        """The stored job of a start whose conversation is not open yet; else a job that resumes the start."""
        record = self._conversations.find(event.conversation_id)
        parcel = self._parcels.job(event) if record is None else None
        return parcel or resume_job(event, record)


def resume_job(event: EventFacts, record: Record | None) -> OutreachResume:
    """The job that resumes an event of the ledger; `record` is None where no conversation was opened."""
    return OutreachResume(
        pair=(record.sender, record.primary_channel) if record else None,
        event_key=event.event_key,
        conversation_id=event.conversation_id,
        received_at=event.received_at,
        payload_sha256=event.payload_sha256,
        payload_bytes=event.payload_bytes,
        source=event.source,
        trace_id=event.trace_id or keys.digest(event.event_key)[:16],
    )


def resume_parked_job(record: Record, event_key: str, received_at: str) -> OutreachResume:
    """The job that resumes a parked event of a conversation, now that its outcome is settled."""
    return OutreachResume(
        event_key=event_key,
        conversation_id=record.opaque_id,
        received_at=received_at,
        source="settled",
        trace_id=keys.digest(event_key)[:16],
        recovery=Recovery.SETTLED,
        pair=(record.sender, record.primary_channel),
    )


def resume_through(intake: Intake) -> Resume:
    """A function that queues a parked event again, through `Intake.accept`, once its outcome is settled."""

    def resume(record: Record, event_key: str) -> None:
        job = resume_parked_job(record, event_key, iso(intake.clock.now()))
        intake.accept(job, recovery=Recovery.SETTLED)

    return resume


def own_event(event_key: str, opaque_id: str, at: str, source: str) -> EventFacts:
    """The ledger's facts of an event that no webhook brought, such as a reminder or a tool's result."""
    digest = keys.digest(event_key)
    return EventFacts(
        event_key=event_key,
        conversation_id=opaque_id,
        received_at=at,
        payload_sha256=digest,
        payload_bytes=0,
        source=source,
        trace_id=digest[:16],
    )
