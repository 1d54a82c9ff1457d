"""Where an event is now, since when, when it is tried next, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.clock import iso
from chalicelib.once.event import LATE_SECONDS, SWEEP_SECONDS
from chalicelib.once.lanes import LANES
from ops.session import Session

ON_THE_QUEUE, BACK_ON_THE_QUEUE = "on the queue", "back on the queue"
ASIDE = "set aside"
QUEUED = frozenset({ON_THE_QUEUE, BACK_ON_THE_QUEUE})
"""Places that a row alone cannot prove: the message may be a dead letter."""
_LOOK_BACK = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where an event is now and what it waits for.

    Attributes:
        place: a fixed phrase.
        since: ISO time; None if unknown.
        next_try: ISO time by which the next attempt begins; None if none is planned.
        why: what the event waits for: a stored reason or a fixed phrase.
    """

    place: str
    since: str | None = None
    next_try: str | None = None
    why: str | None = None

    def as_dead_letter(self) -> Whereabouts:
        """The same, for an event whose message is a dead letter: only the sweep retries it."""
        return replace(self, place="a dead letter", why="the sweep")


def of_row(row: Mapping[str, Any], *, now_epoch: float) -> Whereabouts:
    """Where an event is, by its row; pure."""
    due = row.get("due_at")
    waits = str(row.get("last_reason") or row.get("reason") or "") or None
    match row["status"]:
        case "received":
            if "until" in row:
                return Whereabouts(ASIDE, row["last_processed_at"], _by_the_sweep(due), waits)
            if waits:  # its source could not be read; SQS delivers its message again
                since = row["last_processed_at"]
                return Whereabouts(BACK_ON_THE_QUEUE, since, _iso(due, LATE_SECONDS), waits)
            return Whereabouts(ON_THE_QUEUE, row["received_at"], _by_the_sweep(due), "its turn")
        case "processing":
            if row.get("lease_until", 0) > now_epoch:
                return Whereabouts("at a worker", row["last_processed_at"], None, "its worker")
            if row.get("lease_until"):
                place = "its worker died or overran"
                next_try = _by_the_sweep(due)
                return Whereabouts(place, row["last_processed_at"], next_try, "its message")
            if "until" in row:
                return Whereabouts(ASIDE, _last_try(row), _by_the_sweep(due), waits)
            return Whereabouts(BACK_ON_THE_QUEUE, _last_try(row), _iso(due, LATE_SECONDS), waits)
        case "parked":
            return Whereabouts("parked", row["last_processed_at"], _by_the_sweep(due), waits)
    place = "asked for again" if row.get("asked") else "ended"
    next_try = _by_the_sweep(due) if row.get("asked") or row["status"] == "failed" else None
    return Whereabouts(place, row["last_processed_at"], next_try, row.get("reason"))


def on_queues(session: Session) -> dict[str, dict[str, int]]:
    """The counts of each lane's queue: messages waiting, and messages with a worker or held back."""
    names = [session.services.settings.queue_of(lane) for lane in LANES]
    return {name: _waiting(session, name) for name in names}


def oldest_seconds(session: Session, queue_name: str) -> float | None:
    """The age of a queue's oldest message, by CloudWatch's newest figure; None without one."""
    now = session.services.clock.now()
    try:
        found = session.client("cloudwatch").get_metric_statistics(
            Namespace="AWS/SQS",
            MetricName="ApproximateAgeOfOldestMessage",
            Dimensions=[{"Name": "QueueName", "Value": queue_name}],
            StartTime=iso(now - _LOOK_BACK),
            EndTime=iso(now),
            Period=60,
            Statistics=["Maximum"],
        )["Datapoints"]
    except (ClientError, BotoCoreError):
        return None
    newest = max(found, key=lambda point: point["Timestamp"], default=None)
    return None if newest is None else float(newest["Maximum"])


def _waiting(session: Session, name: str) -> dict[str, int]:
    parts = {"": "waiting", "NotVisible": "with a worker or held back"}
    counts = session.client("sqs").get_queue_attributes(
        QueueUrl=session.queue_url(name),
        AttributeNames=[f"ApproximateNumberOfMessages{part}" for part in parts],
    )["Attributes"]
    return {text: int(counts[f"ApproximateNumberOfMessages{part}"]) for part, text in parts.items()}


def _last_try(row: Mapping[str, Any]) -> str:
    tries = row.get("tries") or ()
    return str(tries[-1]["at"] if tries else row["last_processed_at"])


def _by_the_sweep(due: float | None) -> str | None:
    """The ISO time by which the sweep queues a row that is due at an epoch time."""
    return None if due is None else _iso(due + SWEEP_SECONDS)


def _iso(epoch: float | None, earlier: float = 0.0) -> str | None:
    return None if epoch is None else iso(datetime.fromtimestamp(float(epoch) - earlier, UTC))
