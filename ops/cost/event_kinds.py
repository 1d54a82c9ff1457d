"""What one event of each kind uses, counted at the wire by `python -m bench.measures.event_counts`."""

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
    """By fixed words of the project."""
    WRITTEN = "reply written by a model"
    RECEIPT = "delivery receipt"

    def of(self, channel: Channel) -> str:
        """The kind's name on a channel."""
        return f"{self}, {channel.traits.title}"


@dataclass(frozen=True, slots=True)
class EventCount:
    """One event, from its request at the door to its end in the worker.

    Attributes:
        name: of the kind.
        actions: how many it had.
        doors: requests at the gateway.
        notices: notifications of SES, which reach a function without the gateway.
        jobs: invocations of a worker.
        door_calls, worker_calls: requests to AWS of each function.
        queue_requests: sends, and Lambda's receive and delete of each message.
        writes, reads: DynamoDB's units, those of transactions doubled.
        door_writes: of `writes`, those at the door.
        index_units: write units of the worker by index; they are part of `writes`.
        vendors: requests by vendor.
        log_bytes: what door and worker write, without metrics.
        metric_bytes: what metrics add to it.
        carrier: messages by the price that they cost.
        model_calls: of a language model.
        receipt: the kind of the receipts of its message; each is an event of its own, after this one.
        receipts: how many there are.
        starts: of a container, which Lambda bills like a job.
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
        """To all vendors, language models among them."""
        return sum(self.vendors.values()) + self.model_calls


COLD_START = EventCount("start of a container", doors=0, jobs=0, starts=1)
"""A new container's own: how many there are depends on how steady the traffic is, so no event has one."""


@cache
def counted() -> Mapping[str, EventCount]:
    """Every kind by its name, in the order of the bench."""
    rows: Sequence[dict[str, object]] = json.loads(COUNTED.read_text())["kinds"]
    return {str(row["name"]): EventCount(**row) for row in rows}  # type: ignore[arg-type]


def on_channel(kind: MessageEvent, channel: Channel) -> EventCount:
    """A kind on a channel; one that is counted on another channel alone has this one's messages."""
    found = counted().get(kind.of(channel))
    if found is not None:
        return found
    alike = next(count for name, count in counted().items() if name.startswith(kind))
    of = on_channel(MessageEvent.REPLY, channel)
    return replace(
        alike,
        name=kind.of(channel),
        doors=of.doors,
        notices=of.notices,
        vendors={**of.vendors, "moderation": alike.vendors.get("moderation", 0)},
        carrier=of.carrier,
        receipt=of.receipt,
        receipts=of.receipts,
    )
