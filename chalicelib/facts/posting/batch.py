"""The writer's row: the open batch, and the event that its lease is on."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.model import Fact
from chalicelib.once.event import EventFacts

WRITER_KEY = "WRITER:facts"
_PLAN_CHARACTERS = 300_000
"""An item holds 400 KB; keys beyond this wait for the next batch."""


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """A rebuild that has begun and not ended; the writer is blocked by it for some time.

    Attributes:
        target: the dataset that is being rebuilt.
        owner: who started it.
        until: epoch seconds; the writer is blocked until then, and each step moves it on.
        facts: digest of the facts to post; empty until the tables are cleared and may be filled.
        number: of the first batch of facts.
        posted: how many of the facts are in the dataset, in the order of their keys.
        content: of the dimensions that were filled, by table; see `model.Dimension`.
    """

    target: str
    owner: str
    until: float
    facts: str = ""
    number: int = 0
    posted: int = 0
    content: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """The writer's open batch, as its row holds it.

    Attributes:
        number: of the last batch; never reset, so that a number always names the same rows.
        keys: of the facts in it; empty when it is finished.
        not_before: epoch seconds before which the vendor asked for no calls.
        retry_was_refused: a retry was refused; the first request may have been accepted all the same.
        rebuilding: the rebuild that has not ended.
    """

    number: int = 0
    keys: tuple[str, ...] = ()
    not_before: float = 0.0
    retry_was_refused: bool = False
    rebuilding: Rebuilding | None = None

    def encode(self) -> str:
        """As text."""
        packed = zlib.compress("\n".join(self.keys).encode(), 9) if self.keys else b""
        raw: dict[str, Any] = {
            "n": self.number,
            "k": base64.b64encode(packed).decode(),
            "nb": self.not_before,
        }
        if self.retry_was_refused:
            raw["d"] = True
        if self.rebuilding:
            raw["r"] = asdict(self.rebuilding)
        return json.dumps(raw, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | None) -> Batch:
        """The batch from a text; a new one for an empty text."""
        if not text:
            return cls()
        raw = json.loads(text)
        packed = base64.b64decode(raw["k"])
        keys = zlib.decompress(packed).decode().split("\n") if packed else []
        return cls(
            raw["n"],
            tuple(keys),
            raw["nb"],
            retry_was_refused=raw.get("d", False),
            rebuilding=Rebuilding(**raw["r"]) if "r" in raw else None,
        )


def first_that_fit(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The first facts, as many as fit into the writer's row."""
    while len(Batch(0, tuple(fact.key for fact in facts)).encode()) > _PLAN_CHARACTERS:
        facts = facts[: len(facts) // 2]
    return facts


def writer_event(now: datetime) -> EventFacts:
    """The event that the writer's lease is on."""
    return EventFacts(
        event_key=WRITER_KEY,
        conversation_id=FACT_EVENT,
        received_at=iso(now),
        payload_sha256="",
        payload_bytes=0,
        source="WRITER",
    )
