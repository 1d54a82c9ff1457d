"""What an event of each kind uses, as `python -m bench.measures.event_counts` counts it at the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from chalicelib.outreach.channels import Channel

COUNTED = Path(__file__).with_name("counted.json")


class MessageEvent(StrEnum):
    """The kinds of events of a conversation; each is counted by channel."""

    START = "conversation started"
    REPLY = "reply answered"
    """A reply that fixed words of the project answered."""
    WRITTEN = "reply written by a model"
    RECEIPT = "delivery receipt"

    def of(self, channel: Channel) -> str:
        """The kind's name on a channel."""
        return f"{self}, {channel.traits.title}"


@dataclass(frozen=True, slots=True)
class EventCount:
    """One event, from its request at the door to its end in the worker.

    Attributes:
        name: the name of the kind.
        actions: the number of actions.
        doors: requests at the gateway.
        notices: notifications of SES, which reach a function without the gateway.
        jobs: invocations of a worker.
        door_calls, worker_calls: requests to AWS of each function.
        queue_requests: requests to queues: each send, and Lambda's receive and delete of each message.
        writes, reads: DynamoDB's units; a transaction uses twice as many.
        door_writes: the part of `writes` at the door.
        index_units: write units of the worker by index; they are part of `writes`.
        vendors: requests by vendor.
        log_bytes: the bytes that door and worker log, without metrics.
        metric_bytes: the bytes that metrics add to the log.
        carrier: the number of messages to a carrier, by the name of their price.
        model_calls: calls of a language model.
        receipt: the kind of its message's receipts; each is an event of its own, after this one.
        receipts: the number of receipts.
        starts: starts of a container, which Lambda bills like a job.
    """

    name: str
    actions: int = 0
    doors: int = 1
    notices: int = 0
    jobs: int = 1
    door_calls: int = 0
    worker_calls: int = 0
    queue_requests: int = 0
    writes: float = 0.0
    reads: float = 0.0
    door_writes: float = 0.0
    index_units: Mapping[str, float] = field(default_factory=dict)
    vendors: Mapping[str, int] = field(default_factory=dict)
    log_bytes: int = 0
    metric_bytes: int = 0
    carrier: Mapping[str, int] = field(default_factory=dict)
    model_calls: int = 0
    receipt: str = ""
    receipts: int = 0
    starts: int = 0

    @property
    def functions(self) -> int:
        """Invocations of all functions."""
        return self.doors + self.notices + self.jobs

    @property
    def vendor_requests(self) -> int:
        """Requests to all vendors, with those to language models."""
        return sum(self.vendors.values()) + self.model_calls


COLD_START = EventCount("start of a container", doors=0, jobs=0, starts=1)
"""The start of a new container.  It is no part of an event: the number depends on how steady traffic is."""


@cache
def counted() -> Mapping[str, EventCount]:
    """Every kind by its name, in the order of the bench."""
    rows: Sequence[dict[str, object]] = json.loads(COUNTED.read_text())["kinds"]
    return {str(row["name"]): EventCount(**row) for row in rows}  # type: ignore[arg-type]


def on_channel(kind: MessageEvent, channel: Channel) -> EventCount:
    """A kind on a channel; if it is counted on another channel only, with this channel's messages."""
    found = counted().get(kind.of(channel))
    if found is not None:
        return found
    alike = next(count for name, count in counted().items() if name.startswith(kind))
    reply = on_channel(MessageEvent.REPLY, channel)
    return replace(
        alike,
        name=kind.of(channel),
        doors=reply.doors,
        notices=reply.notices,
        vendors={**reply.vendors, "moderation": alike.vendors.get("moderation", 0)},
        carrier=reply.carrier,
        receipt=reply.receipt,
        receipts=reply.receipts,
    )
