"""What the queue carries: a closed union of models, encoded as JSON with a version.

A queue body is one of the two places that may hold message text, by design and with an end date
(the queue keeps a message for at most 14 days).  Everything else in a job is an identifier.

Example body of a notification that named its comment::

    {"v": 1, "kind": "ticket_message", "event_key": "evt:rp:1042:c-77", "conversation_id": "1042",
     "message_id": "c-77", "text": "Where is my order?", "created_at": null,
     "received_at": "2026-11-20T09:00:00.000Z", "payload_sha256": "9f...", "payload_bytes": 131,
     "source": "richpanel_http_target", "trace_id": "1f...", "recovery": null}
"""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, get_args

from pydantic import Field, TypeAdapter, ValidationError

from chalicelib.errors import HandBackError, PayloadError
from chalicelib.job_kinds import (
    ActionResend,
    AlowareDelivery,
    AnyJob,
    DeliveryReceipt,
    HandoffRelease,
    HubSpotBatch,
    InboundMessage,
    OutreachResume,
    Recovery,
    StartConversation,
    TicketMessage,
    TicketNotification,
)
from chalicelib.ports import EventFacts

__all__ = ["Job", "Recovery", "decode", "encode", "facts_of"]

VERSION = 1


Job = (
    TicketMessage
    | TicketNotification
    | AlowareDelivery
    | HubSpotBatch
    | StartConversation
    | InboundMessage
    | DeliveryReceipt
    | OutreachResume
    | HandoffRelease
    | ActionResend
)
"""Every job; a new kind is added here."""
_KINDS = frozenset(kind.model_fields["kind"].default for kind in get_args(Job))


@cache
def _adapter() -> TypeAdapter[Job]:
    """Built when the first job is read: the door only writes them."""
    return TypeAdapter(Annotated[Job, Field(discriminator="kind")])


def encode(job: AnyJob) -> str:
    """The job as a compact JSON text, safe for SQS (ASCII only)."""
    return json.dumps(job.model_dump(mode="json"), ensure_ascii=True, separators=(",", ":"))


def decode(body: str) -> Job:
    """The job in a queue body.

    Raises:
        HandBackError: the version or kind is not known here; a newer deployment will take it.
        PayloadError: the body is not a job at all.
    """
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        raise PayloadError("invalid_job", "the queue body is not JSON") from None
    if not isinstance(raw, dict):
        raise PayloadError("invalid_job", "the queue body is not a JSON object")
    version, kind = raw.get("v"), raw.get("kind")
    if not isinstance(kind, str) or version != VERSION or kind not in _KINDS:
        if isinstance(version, int) and isinstance(kind, str):
            raise HandBackError("unknown_job_version")
        raise PayloadError("invalid_job", "the queue body names no known job")
    try:
        return _adapter().validate_python(raw)
    except ValidationError as error:
        fields = ", ".join(sorted({str(e["loc"][-1]) for e in error.errors() if e["loc"]}))
        raise PayloadError("invalid_job", f"the queue body has wrong fields: {fields}") from None


def facts_of(job: AnyJob) -> EventFacts:
    """What the ledger stores of a job's own event."""
    return EventFacts(
        event_key=job.event_key,
        conversation_id=job.conversation_id,
        received_at=job.received_at,
        payload_sha256=job.payload_sha256,
        payload_bytes=job.payload_bytes,
        source=job.source,
        source_message_id=getattr(job, "message_id", None),
        trace_id=job.trace_id,
    )
