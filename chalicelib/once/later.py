"""Short waits outside the FIFO queues: a job waits on a standard queue and comes back to its group.

A message that is handed back to a FIFO queue stays at the head of its group, and everything behind
it waits too.  For a wait that is no fault, the event's row is therefore dated and its message
acknowledged; the sweep queues the event when it is due.  The sweep runs every few minutes, so for a
shorter wait a copy of the job also goes through this queue.  If the copy is lost, the sweep finds
the row.

Lambda stops a chain of function, queue, function after about 16 rounds, and a copy is two of them: one
to this queue and one back.  So a job is copied `MOST_ROUNDS` times; from then on its row alone carries it.
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
"""A wait shorter than this counts as none."""
MAX_DELAY_SECONDS = 900
"""SQS delays a message for at most 15 minutes."""
MOST_ROUNDS = 7
"""The most copies of one job over the queue `later`, one after another; a job that the sweep queues
begins at none again."""


@dataclass(frozen=True, slots=True)
class Later:
    """Puts a copy of a job on the queue `later`, from which it comes back after a short wait."""

    queue: DelayQueue
    opaque: Callable[[], keys.OpaqueIds]

    def put(self, job: Job, delay_seconds: float) -> None:
        """Send a job to the queue `later`, from which it returns to its FIFO group after the delay.

        A delay beyond `MAX_DELAY_SECONDS` is cut to it.

        Raises:
            UnavailableError: it was not queued.
        """
        body = {"group": self.opaque().fifo_group(*job.group), "job": encode(job)}
        if job.lane != lanes.TICKETS:
            body["lane"] = job.lane.name
        self.queue.put(json.dumps(body), delay_seconds=min(MAX_DELAY_SECONDS, delay_seconds))


def put_back(body: str, message_id: str, outbox: Outbox) -> None:
    """Put the job in one message of the queue `later` back into the job's own FIFO group.

    The message's id is the nonce of the deduplication id.  Without a nonce the FIFO queue would
    drop the job as a copy of its first message; with a random one, each delivery of this message
    would add another copy.

    Args:
        body: of the message.
        message_id: of the message.
        outbox: the FIFO queues.

    Raises:
        PayloadError: the body was not written by `Later.put`.
        UnavailableError: the job was not queued; the message is delivered again.
    """
    try:
        raw = json.loads(body)
        group, job = str(raw["group"]), str(raw["job"])
        lane = lanes.by_name(raw.get("lane"))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise PayloadError("invalid_later", "the queue body is no put-back") from None
    deduplication_id = keys.fifo_deduplication_id("later", message_id)
    outbox.put(job, group_id=group, deduplication_id=deduplication_id, lane=lane)
