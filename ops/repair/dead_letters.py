"""The lanes' dead-letter queues: read them, redrive from them, delete from them.

A redrive sends the message to its lane under a nonce, then deletes it from the dead-letter queue.
If interrupted between the two, the message exists twice, which the ledger makes harmless.  SQS
shows only the first messages of a FIFO group (a conversation), so a later message may appear only
after an earlier one is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from chalicelib.errors import HandBackError, PayloadError
from chalicelib.once.job import Job, Recovery
from chalicelib.once.lanes import LANES, Lane
from chalicelib.once.reasons import UNDECODABLE, UNSEALED
from ops import journal
from ops.inspect import planned
from ops.inspect.ledger_rows import LoopPace
from ops.repair import preview, replay
from ops.session import OpsError, Session

VISIBILITY_SECONDS = 60
"""Visibility timeout of a message while it is read; it is put back at the end."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One message of a dead-letter queue.

    Attributes:
        queue_url: the queue that holds the message.
        job: None if this version cannot decode the body, or this stage did not seal it.
        row: the event's row, None if there is none.
        fault: why there is no job, a fixed code; empty if there is one.
    """

    message_id: str
    receipt_handle: str = field(repr=False)
    queue_url: str
    body: str = field(repr=False)
    sent_epoch_ms: int
    job: Job | None
    row: dict[str, Any] | None
    fault: str = ""

    @property
    def reason(self) -> str:
        """Why the message is a dead letter, by the event's row."""
        if self.job is None:
            return self.fault
        if self.row is None:
            return "no row: no worker claimed it"
        return str(self.row.get("reason") or self.row.get("last_reason") or self.row["status"])

    @property
    def summary(self) -> dict[str, Any]:
        """Identifiers and reason only; the body may hold a customer's text."""
        return {
            "message_id": self.message_id,
            "event": self.job.event_key if self.job else None,
            "conversation": self.job.conversation_id if self.job else None,
            "status": self.row["status"] if self.row else None,
            "reason": self.reason,
            "sent_epoch_ms": self.sent_epoch_ms,
        }


def _url(session: Session, lane: Lane) -> str:
    """The URL of a lane's dead-letter queue."""
    return session.queue_url(lane.dead_letter_queue(session.stage))


def peek(session: Session, *, limit: int) -> list[DeadLetter]:
    """Read up to `limit` messages and put each back."""
    found: list[DeadLetter] = []
    try:
        found.extend(_received(session, limit=limit, at_once=10))
    finally:
        for letter in found:
            put_back(session, letter)
    return found


@dataclass(frozen=True, slots=True)
class Wanted:
    """Selects dead letters; every given field must match.

    Attributes:
        name: an event key or a message id.
        reason: the beginning of the reason, as `dlq list` prints it.
        events: keys of the events to select.
    """

    name: str | None = None
    reason: str | None = None
    events: frozenset[str] | None = None

    def fits(self, letter: DeadLetter) -> bool:
        """Whether a letter matches."""
        is_named = self.name in (None, letter.message_id, letter.job and letter.job.event_key)
        key = letter.job.event_key if letter.job else ""
        is_one = self.events is None or key in self.events
        return is_one and bool(is_named) and letter.reason.startswith(self.reason or "")


def totals(session: Session) -> dict[str, int]:
    """The number of messages in each queue, by its name, including messages being read."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    found = {}
    for url in (_url(session, lane) for lane in LANES):
        answer = session.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)
        counts = answer["Attributes"]
        found[url.rpartition("/")[2]] = sum(int(counts[name]) for name in names)
    return found


def foreseen_redrive(session: Session, letter: DeadLetter) -> str:
    """What a redrive of a letter would do, in one line; nothing is sent."""
    if letter.job is None:
        return f"left: {letter.fault}; `dlq drop` ends it"
    if letter.row is None:
        return "would be redriven: not decided yet, no worker has claimed it"
    return f"would be redriven: {preview.summary(planned.would_do(session, letter.row))}"


def redrive(
    session: Session,
    *,
    limit: int,
    per_second: float,
    wanted: Wanted = Wanted(),
    because: str = "",
) -> Iterator[tuple[DeadLetter, str]]:
    """Send each matching message back to its lane; yield it with what was done.

    Args:
        session: the stage.
        limit: the most messages to read.
        per_second: the rate limit, which leaves capacity for vendors and live traffic.
        wanted: selects the messages; all others are put back.
        because: the reason, for the journal.
    """
    pace = LoopPace(session.services.clock, per_second)
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=limit, at_once=1):
            if not wanted.fits(letter):
                left.append(letter)
                continue
            if letter.job is None:
                left.append(letter)
                yield letter, f"left: {letter.fault}"
                continue
            pace.wait()
            was = letter.job.recovery
            recovery = was if was == Recovery.HANDOFF else Recovery.OPERATOR
            _enter(session, letter, is_rerun=recovery == Recovery.OPERATOR, because=because)
            session.services.intake.accept(letter.job, recovery=recovery)
            delete(session, letter)
            yield letter, "redriven"
    finally:
        for letter in left:
            put_back(session, letter)


def taken(session: Session, wanted: Wanted) -> Iterator[DeadLetter]:
    """Yield matching letters one at a time; the caller must delete each, or put it back, before the next."""
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=100_000, at_once=1):
            if wanted.fits(letter):
                yield letter
            else:
                left.append(letter)
    finally:
        for letter in left:
            put_back(session, letter)


def delete(session: Session, letter: DeadLetter) -> None:
    """Delete a letter whose job is on its lane again."""
    session.client("sqs").delete_message(
        QueueUrl=letter.queue_url, ReceiptHandle=letter.receipt_handle
    )


def drop(session: Session, message_id: str, *, because: str) -> DeadLetter:
    """Delete a letter that this version cannot decode; the journal keeps its digest.

    Raises:
        OpsError: no letter has that id, or it can be decoded and must be redriven instead.
    """
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=100_000, at_once=1):
            if letter.message_id != message_id:
                left.append(letter)
                continue
            if letter.job is not None:
                left.append(letter)
                raise OpsError(f"{message_id} can be decoded: redrive it")
            journal.enter(
                session,
                "dlq drop",
                f"dlq:{message_id}",
                reason=because,
                act_id=message_id,
                queue=letter.queue_url.rpartition("/")[2],
                body_sha256=hashlib.sha256(letter.body.encode()).hexdigest(),
                body_bytes=len(letter.body.encode()),
                sent_epoch_ms=letter.sent_epoch_ms,
            )
            session.client("sqs").delete_message(
                QueueUrl=letter.queue_url, ReceiptHandle=letter.receipt_handle
            )
            return letter
    finally:
        for letter in left:
            put_back(session, letter)
    raise OpsError(f"no such dead letter: {message_id}")


def _enter(session: Session, letter: DeadLetter, *, is_rerun: bool, because: str) -> None:
    """Enter a redrive in the journal; mark an existing row, so that the sweep replaces a lost message."""
    seen = {"message_id": letter.message_id, "why_here": letter.reason}
    if letter.row is not None and is_rerun:
        replay.record_request(session, "dlq redrive", letter.row, because=because, **seen)
    elif letter.job is not None:
        key = letter.job.event_key
        about = [letter.job.conversation_id]
        journal.enter(
            session, "dlq redrive", key, row=letter.row, reason=because, about=about, **seen
        )


def put_back(session: Session, letter: DeadLetter) -> None:
    """Make a message visible again at once."""
    with suppress(ClientError):  # SQS refuses after the timeout: the message is visible already
        session.client("sqs").change_message_visibility(
            QueueUrl=letter.queue_url, ReceiptHandle=letter.receipt_handle, VisibilityTimeout=0
        )


def purge(session: Session, holds: Callable[[str], bool], *, dry_run: bool = False) -> int:
    """Delete the messages whose body matches, or only count them; return the number."""
    sqs, gone = session.client("sqs"), 0
    left: list[DeadLetter] = []
    try:
        for letter in _received(session, limit=100_000, at_once=10):
            is_about = holds(letter.body)
            gone += is_about
            if is_about and not dry_run:
                sqs.delete_message(QueueUrl=letter.queue_url, ReceiptHandle=letter.receipt_handle)
            else:
                left.append(letter)
    finally:
        for letter in left:
            put_back(session, letter)
    return gone


def _received(session: Session, *, limit: int, at_once: int) -> Iterator[DeadLetter]:
    left = limit
    for lane in LANES:
        for letter in _received_of(session, lane, limit=left, at_once=at_once):
            left -= 1
            yield letter


def _received_of(session: Session, lane: Lane, *, limit: int, at_once: int) -> Iterator[DeadLetter]:
    sqs, queue_url = session.client("sqs"), _url(session, lane)
    taken = 0
    while taken < limit:
        messages = sqs.receive_message(
            QueueUrl=queue_url,
            MaxNumberOfMessages=min(at_once, limit - taken),
            VisibilityTimeout=VISIBILITY_SECONDS,
            AttributeNames=["All"],
        ).get("Messages", [])
        if not messages:
            return
        for message in messages:
            taken += 1
            yield _letter(session, lane, queue_url, message)


def _letter(session: Session, lane: Lane, queue_url: str, message: dict[str, Any]) -> DeadLetter:
    job, fault, attributes = None, "", message.get("Attributes", {})
    try:
        job = session.services.job_in(message["Body"], lane, attributes.get("MessageGroupId", ""))
    except PayloadError as error:
        fault = UNSEALED if error.code == UNSEALED else UNDECODABLE
    except HandBackError:
        fault = UNDECODABLE
    row = session.ledger_table.get({"event_id": job.event_key}) if job else None
    return DeadLetter(
        message_id=message["MessageId"],
        receipt_handle=message["ReceiptHandle"],
        queue_url=queue_url,
        body=message["Body"],
        sent_epoch_ms=int(attributes.get("SentTimestamp", "0")),
        job=job,
        row=row,
        fault=fault,
    )
