"""What the writer's row holds: the batch that is open, and whose lease it is under."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.model import Fact
from chalicelib.once.event import EventFacts

WRITER_KEY = "WRITER:facts"
_PLAN_CHARACTERS = 300_000
"""An item holds 400 KB; keys beyond this wait for the next batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The writer's open batch, as its row holds it.

    Attributes:
        number: of the last batch; never reset, so that a number names the same rows for ever.
        keys: of the facts in it; empty when it is over.
        not_before: epoch seconds before which the vendor wants no call.
        is_doubted: its repetition was refused, which says nothing of the first request.
    """

    number: int = 0
    keys: tuple[str, ...] = ()
    not_before: float = 0.0
    is_doubted: bool = False

    def encode(self) -> str:
        """As text."""
        packed = zlib.compress("\n".join(self.keys).encode(), 9) if self.keys else b""
        raw = {"n": self.number, "k": base64.b64encode(packed).decode(), "nb": self.not_before}
        if self.is_doubted:
            raw["d"] = True
        return json.dumps(raw, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | None) -> Batch:
        """The batch in a text; a new one where there is none."""
        if not text:
            return cls()
        raw = json.loads(text)
        packed = base64.b64decode(raw["k"])
        keys = zlib.decompress(packed).decode().split("\n") if packed else []
        return cls(raw["n"], tuple(keys), raw["nb"], is_doubted=raw.get("d", False))


def fitting(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The first of the facts, as many as the writer's row can name."""
    while len(Batch(0, tuple(fact.key for fact in facts)).encode()) > _PLAN_CHARACTERS:
        facts = facts[: len(facts) // 2]
    return facts


def writer_event(now: datetime) -> EventFacts:
    """What the writer's lease is a lease of."""
    return EventFacts(
        event_key=WRITER_KEY,
        conversation_id=FACT_EVENT,
        received_at=iso(now),
        payload_sha256="",
        payload_bytes=0,
        source="WRITER",
    )
