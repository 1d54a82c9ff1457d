"""The dead-letter queue: what is in it and why, and how it gets out.

A redrive sends the message to the event queue under a nonce, then deletes it here: interrupted
between the two, it is sent twice, which the ledger makes harmless.  SQS shows, of a conversation,
only what it hands over together, so that a later message may appear after an earlier one is gone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from chalicelib.errors import MiddlewareError
from chalicelib.once.job import Job, Recovery
from chalicelib.wiring.jobs import decode
from ops.inspect.events import Pace
from ops.session import Session

LOOK_SECONDS = 60
"""How long a message that is looked at stays away from others; it is put back at the end."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One message.

    Attributes:
        job: None where the body is no job this version knows.
        row: the event's row, where there is one.
    """

    message_id: str
    receipt_handle: str = field(repr=False)
    body: str = field(repr=False)
    sent_epoch_ms: int
    job: Job | None
    row: dict[str, Any] | None

    @property
    def reason(self) -> str:
        """Why it is here, by the event's row."""
        if self.job is None:
            return "undecodable"
        if self.row is None:
            return "no row: its worker never got that far"
        return str(self.row.get("reason") or self.row.get("last_reason") or self.row["status"])

    @property
    def told(self) -> dict[str, Any]:
        """Identifiers only; the body may hold a customer's words."""
        return {
            "message_id": self.message_id,
            "event": self.job.event_key if self.job else None,
            "conversation": self.job.conversation_id if self.job else None,
            "status": self.row["status"] if self.row else None,
            "reason": self.reason,
            "sent_epoch_ms": self.sent_epoch_ms,
        }


def url(session: Session) -> str:
    """The dead-letter queue, by its fixed name."""
    return session.queue_url(f"rp-mw-events-dlq-{session.stage}.fifo")


def look(session: Session, *, limit: int) -> list[DeadLetter]:
    """Up to so many messages, each put back."""
    found: list[DeadLetter] = []
    try:
        found.extend(_received(session, limit=limit, at_once=10))
    finally:
        for letter in found:
            put_back(session, letter)
    return found


def redrive(
    session: Session, *, limit: int, per_second: float, only: str | None = None
) -> Iterator[tuple[DeadLetter, str]]:
    """Send each back to the event queue; tells what was done with it.

    Args:
        session: the stage.
        limit: at most so many.
        per_second: no faster, so that vendors and live traffic keep their room.
        only: an event key or message id; everything else is put back.
    """
    pace = Pace(session.services.clock, per_second)
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=limit, at_once=1):
            if only and only not in (letter.message_id, letter.job and letter.job.event_key):
                left.append(letter)
                continue
            if letter.job is None:
                left.append(letter)
                yield letter, "left: undecodable"
                continue
            pace.wait()
            was = letter.job.recovery
            recovery = was if was == Recovery.HANDOFF else Recovery.OPERATOR
            session.services.intake.accept(letter.job, recovery=recovery)
            session.client("sqs").delete_message(
                QueueUrl=url(session), ReceiptHandle=letter.receipt_handle
            )
            yield letter, "redriven"
    finally:
        for letter in left:
            put_back(session, letter)


def put_back(session: Session, letter: DeadLetter) -> None:
    """Let others see it again at once."""
    with suppress(ClientError):  # SQS refuses one whose time was over: that one is back already
        session.client("sqs").change_message_visibility(
            QueueUrl=url(session), ReceiptHandle=letter.receipt_handle, VisibilityTimeout=0
        )


def purge(session: Session, holds: Callable[[str], bool]) -> int:
    """Delete the messages whose body holds what must be forgotten; tells how many."""
    sqs, queue_url, gone = session.client("sqs"), url(session), 0
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=100_000, at_once=10):
            if holds(letter.body):
                sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=letter.receipt_handle)
                gone += 1
            else:
                left.append(letter)
    finally:
        for letter in left:
            put_back(session, letter)
    return gone


def _received(session: Session, *, limit: int, at_once: int) -> Iterator[DeadLetter]:
    sqs, queue_url = session.client("sqs"), url(session)
    taken = 0
    while taken < limit:
        messages = sqs.receive_message(
            QueueUrl=queue_url,
            MaxNumberOfMessages=min(at_once, limit - taken),
            VisibilityTimeout=LOOK_SECONDS,
            AttributeNames=["All"],
        ).get("Messages", [])
        if not messages:
            return
        for message in messages:
            taken += 1
            yield _letter(session, message)


def _letter(session: Session, message: dict[str, Any]) -> DeadLetter:
    job: Job | None
    try:
        job = decode(message["Body"])
    except (MiddlewareError, json.JSONDecodeError):
        job = None
    row = session.ledger_table.get({"event_id": job.event_key}) if job else None
    return DeadLetter(
        message_id=message["MessageId"],
        receipt_handle=message["ReceiptHandle"],
        body=message["Body"],
        sent_epoch_ms=int(message.get("Attributes", {}).get("SentTimestamp", "0")),
        job=job,
        row=row,
    )
