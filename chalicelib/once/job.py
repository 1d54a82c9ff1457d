"""Messages of the queue: a closed set of models, encoded as JSON with a version.

A queue body is one of the two places that may hold message text, by design and with an end date
(the queue keeps a message for at most 14 days).  Everything else in a job is an identifier.

Example body of a notification that names its comment::

    {"v": 1, "kind": "ticket_message", "event_key": "evt:rp:1042:c-77", "conversation_id": "1042",
     "message_id": "c-77", "text": "Where is my order?", "created_at": null,
     "received_at": "2026-11-20T09:00:00.000Z", "payload_sha256": "9f...", "payload_bytes": 131,
     "source": "richpanel_http_target", "trace_id": "1f...", "recovery": null}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.clock import parsed
from chalicelib.errors import HandBackError, PayloadError
from chalicelib.once.event import EventFacts
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.reasons import UNKNOWN_JOB_VERSION
from chalicelib.once.seal import SEAL_BYTES

VERSION = 1
MAX_MESSAGE_BYTES = 1024 * 1024
"""The most bytes of a queue message's body: SQS refuses more."""


class Recovery(StrEnum):
    """Why a job is queued again; decides which ended states its claim may reopen."""

    SWEEP = "sweep"
    """The sweep found the event lost or unfinished."""
    SETTLED = "settled"
    """The event's unknown actions have an outcome now: the parked event may resume."""
    HANDOFF = "handoff"
    """The event failed and no person was notified: only the notification is sent."""
    OPERATOR = "operator"
    """An operator replays the event: a failed one may run again, skipped and refused actions too."""


class Job(BaseModel):
    """The fields that every job on a queue has.

    Attributes:
        turns: how often it was set aside until a time at which it may call its vendor.
        rounds: how many copies of it have gone over the queue `later`, one after another.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    v: Literal[1] = 1
    kind: str
    event_key: str = Field(min_length=1, max_length=2048)
    conversation_id: str = Field(min_length=1, max_length=1024)
    received_at: str
    payload_sha256: str = ""
    payload_bytes: int = 0
    source: str
    trace_id: str
    recovery: Recovery | None = None
    turns: int = 0
    rounds: int = 0

    @property
    def reopens(self) -> bool:
        """Whether the job runs an ended or parked event again on purpose.

        Its claim then counts as no takeover from a dead worker.
        """
        return self.recovery in (Recovery.SETTLED, Recovery.OPERATOR)

    def age_seconds(self, now: datetime) -> float:
        """Seconds since the job was received; 0 where its time cannot be read."""
        received = parsed(self.received_at)
        return (now - received).total_seconds() if received is not None else 0.0

    @property
    def origin(self) -> str:
        """The sender, where several senders share one space of ids; empty for other jobs.

        A copy of a job has the same origin.
        """
        return ""

    @property
    def lane(self) -> Lane:
        """The lane (a queue with its worker) that handles the job; the same for every job of a FIFO group."""
        return TICKETS

    @property
    def group(self) -> tuple[str, ...]:
        """The parts of the job's FIFO group id: jobs of one group are processed one after another."""
        return (self.conversation_id,)


class ActionResend(Job):
    """The job that repeats a finished action for an operator; its event's key ends in ``:resend:{nonce}``.

    Attributes:
        source_event_key: the event that performed the action.
        action_key: the action to repeat.
        nonce: one repetition per nonce.
    """

    kind: Literal["action_resend"] = "action_resend"
    source_event_key: str
    action_key: str
    nonce: str


def encode(job: Job) -> str:
    """A job as compact JSON for the body of a queue message, in ASCII only."""
    fields = job.model_dump(mode="json")
    for name in ("turns", "rounds"):
        if not fields[name]:
            del fields[name]
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":"))


def fits(job: Job) -> bool:
    """Whether a job, encoded and sealed, is small enough for a message of the queue.

    Escaping makes a text longer: a character of one byte may become six.
    """
    return len(encode(job)) + SEAL_BYTES <= MAX_MESSAGE_BYTES


def by_kind(models: Iterable[type[Job]]) -> dict[str, type[Job]]:
    """Index the models of jobs by the `kind` that a queue body names."""
    return {model.model_fields["kind"].default: model for model in models}


def decode(body: str, kinds: Mapping[str, type[Job]]) -> Job:
    """The job in the body of a queue message.

    Args:
        body: the output of `encode`.
        kinds: the models that this deployment knows, from `by_kind`.

    Raises:
        HandBackError: the version or kind is unknown here; a newer deployment will process it.
        PayloadError: the body is not a job.
    """
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        raise PayloadError("invalid_job", "the queue body is not JSON") from None
    if not isinstance(raw, dict):
        raise PayloadError("invalid_job", "the queue body is not a JSON object")
    version, kind = raw.get("v"), raw.get("kind")
    if not isinstance(kind, str) or version != VERSION or kind not in kinds:
        if isinstance(version, int) and isinstance(kind, str):
            raise HandBackError(UNKNOWN_JOB_VERSION)
        raise PayloadError("invalid_job", "the queue body names no known job")
    try:
        return kinds[kind].model_validate(raw)
    except ValidationError as error:
        fields = ", ".join(sorted({str(e["loc"][-1]) for e in error.errors() if e["loc"]}))
        raise PayloadError("invalid_job", f"the queue body has wrong fields: {fields}") from None


def facts_of(job: Job) -> EventFacts:
    """The `EventFacts` of a job's own event, which the ledger stores."""
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
