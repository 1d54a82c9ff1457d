"""Short waits outside the FIFO queues: a job waits on a standard queue and comes back to its group.

A message that is handed back to a FIFO queue stays at the head of its group, and everything behind
it waits too.  A wait that is no fault therefore ends the message: the event's row says when it is
due, and the sweep sends it then.  The sweep runs every few minutes; for a shorter wait a copy of the
job goes through this queue, too.  Should the copy be lost, the sweep finds the row.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.errors import PayloadError
from chalicelib.once import keys, lanes
from chalicelib.once.job import Job, encode
from chalicelib.once.ports import DelayQueue, Outbox

SOONEST_SECONDS = 1.0
"""A job that comes this much before its time is not sent back to wait."""
MAX_DELAY_SECONDS = 900
"""SQS delays a message for at most 15 minutes."""


@dataclass(frozen=True, slots=True)
class Later:
    """The worker's side: puts a job aside."""

    queue: DelayQueue
    opaque: Callable[[], keys.OpaqueIds]

    def put(self, job: Job, delay_seconds: float) -> None:
        """Let a job come back into its FIFO group after a while, at most `MAX_DELAY_SECONDS`.

        Raises:
            UnavailableError: it was not queued.
        """
        body = {"group": self.opaque().fifo_group(*job.group), "job": encode(job)}
        if job.lane != lanes.TICKETS:
            body["lane"] = job.lane.name
        if job.slot is not None:
            body["slot"] = str(job.slot)
        self.queue.put(json.dumps(body), delay_seconds=min(MAX_DELAY_SECONDS, delay_seconds))


def put_back(
    body: str, message_id: str, outbox: Outbox, *, queue: DelayQueue | None = None, now: float = 0.0
) -> None:
    """The handler's side: put the job of one message back into its FIFO group.

    One whose time is more than a delay ahead waits here again, and takes no worker's time.

    The message's own id is the nonce of the deduplication id: without one the FIFO queue would take
    the job for a copy of its first message, and with one of its own each delivery of this message
    would be another copy.

    Args:
        body: of the message.
        message_id: of the message.
        outbox: the FIFO queues.
        queue: this queue; without it a job never waits here again.
        now: epoch seconds.

    Raises:
        PayloadError: the body was not written by `Later.put`.
        UnavailableError: the job was not queued; the message is delivered again.
    """
    try:
        raw = json.loads(body)
        group, job = str(raw["group"]), str(raw["job"])
        lane = lanes.named(raw.get("lane"))
        left = float(raw.get("slot", 0.0)) - now
    except (ValueError, TypeError, KeyError, AttributeError):
        raise PayloadError("invalid_later", "the queue body is no put-back") from None
    if queue is not None and left > SOONEST_SECONDS:
        queue.put(body, delay_seconds=min(MAX_DELAY_SECONDS, left))
        return
    deduplication_id = keys.fifo_deduplication_id("later", message_id)
    outbox.put(job, group_id=group, deduplication_id=deduplication_id, lane=lane)
