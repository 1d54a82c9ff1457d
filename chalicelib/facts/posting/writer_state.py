"""The writer's row: the open batch, what is owed to each sink, and the event that the lease is on.

::

    open batch -> the sink that may refuse rows has it -> owed by every other sink -> owed by none: final

A sink that is away is owed its batches, in order, while the other sinks go on.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
    """A rebuild of a dataset that has begun and not ended; it blocks the fact writer for some time.

    Attributes:
        target: the dataset that is being rebuilt.
        owner: name of the operator who started the rebuild.
        until: epoch seconds until which the writer is blocked; each step of the rebuild extends it.
        facts: digest of the facts to post; empty until the dataset's tables are cleared.
        number: number of the rebuild's first batch of facts.
        posted: how many of the facts are in the dataset, in the order of their keys.
        content: digests of the dimensions that were filled, by table (`model.Dimension.content`).
    """

    target: str
    owner: str
    until: float
    facts: str = ""
    number: int = 0
    posted: int = 0
    content: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwedBatch:
    """A batch of facts that no sink can refuse any more, and that some sinks do not have yet.

    Attributes:
        number: number of the batch.
        keys: keys of the batch's facts, which stay pending until every sink has the batch.
        lacking: targets of the sinks that do not have the batch.
    """

    number: int
    keys: tuple[str, ...]
    lacking: frozenset[str]


@dataclass(frozen=True, slots=True)
class WriterState:
    """The fact writer's stored state: the open batch, the batches that sinks still lack, a rebuild under way.

    Attributes:
        number: number of the last batch; never reset, so that a number always names the same rows.
        keys: keys of the open batch's facts; empty where no batch is open.
        owed: earlier batches that at least one sink lacks, oldest first.
        corrected: number of the last correction; like a batch's, it is never used for other rows.
        rests: for a sink that takes every row, by target: the epoch seconds until which it asked
            for no calls.
        not_before: the epoch seconds until which the sink that may refuse rows asked for no calls.
        retry_was_refused: the sink that may refuse rows refused a retry of the open batch, but may
            have accepted the first request.
        rebuilding: a rebuild that has not ended; None where there is none.
    """

    number: int = 0
    keys: tuple[str, ...] = ()
    owed: tuple[OwedBatch, ...] = ()
    corrected: int = 0
    rests: Mapping[str, float] = field(default_factory=dict)
    not_before: float = 0.0
    retry_was_refused: bool = False
    rebuilding: Rebuilding | None = None

    @property
    def unfinished_keys(self) -> frozenset[str]:
        """The keys of facts in the open batch or an owed one: one sink may have such a fact, another not."""
        return frozenset((*self.keys, *(key for batch in self.owed for key in batch.keys)))

    def next_number(self, now: datetime) -> int:
        """The number for a new batch, greater than every earlier one: the time in epoch milliseconds.

        If the clock went back, the number is one more than the last.
        """
        return max(self.number + 1, self.corrected + 1, int(now.timestamp() * 1000))

    def opened(self, number: int, keys: Iterable[str]) -> WriterState:
        """The state with a new open batch of these facts in place of the present one; owed batches stay."""
        return replace(self.closed(), number=number, keys=tuple(keys))

    def closed(self) -> WriterState:
        """The state once its batch is closed: no open batch, no rebuild, no time to wait for (`not_before`).

        What sinks still lack, what was corrected and what rests stay.
        """
        return WriterState(self.number, owed=self.owed, corrected=self.corrected, rests=self.rests)

    def handed_on(self, keys: Iterable[str], targets: Iterable[str]) -> WriterState:
        """The state after the sink that may refuse rows took the open batch; `targets` still lack it."""
        owes = OwedBatch(self.number, tuple(keys), frozenset(targets))
        return replace(self.closed(), owed=(*self.owed, owes))

    def merged(self, *, at_most: int) -> WriterState:
        """The state with the owed facts in fewer batches, each of at most `at_most` facts.

        A batch joins the one before only if the same sinks lack both, and a still earlier one.  A
        sink gets batches in order, so these sinks have begun neither of the two, and know neither
        number.
        """
        owed: list[OwedBatch] = []
        for batch in self.owed:
            alike = [earlier for earlier in owed[-2:] if earlier.lacking == batch.lacking]
            keys = (*owed[-1].keys, *batch.keys) if owed else ()
            if len(alike) > 1 and len(keys) <= at_most:
                owed[-1] = replace(batch, keys=keys)
            else:
                owed.append(batch)
        return replace(self, owed=tuple(owed))

    def encode(self) -> str:
        """The state as the JSON text that is stored in the writer's row; keys are compressed."""
        raw: dict[str, Any] = {"n": self.number, "k": _packed(self.keys), "nb": self.not_before}
        if self.owed:
            raw["o"] = [
                [batch.number, _packed(batch.keys), sorted(batch.lacking)] for batch in self.owed
            ]
        if self.corrected:
            raw["c"] = self.corrected
        if self.rests:
            raw["s"] = dict(self.rests)
        if self.retry_was_refused:
            raw["d"] = True
        if self.rebuilding:
            raw["r"] = asdict(self.rebuilding)
        return json.dumps(raw, separators=(",", ":"))

    @classmethod
    def decode(cls, text: str | None) -> WriterState:
        """The state that a stored JSON text holds; an empty state for None or an empty text."""
        if not text:
            return cls()
        raw = json.loads(text)
        return cls(
            raw["n"],
            _unpacked(raw["k"]),
            owed=tuple(
                OwedBatch(number, _unpacked(keys), frozenset(lacking))
                for number, keys, lacking in raw.get("o", ())
            ),
            corrected=raw.get("c", 0),
            rests=raw.get("s", {}),
            not_before=raw["nb"],
            retry_was_refused=raw.get("d", False),
            rebuilding=Rebuilding(**raw["r"]) if "r" in raw else None,
        )


def facts_that_fit(facts: Sequence[Fact], state: WriterState = WriterState()) -> Sequence[Fact]:
    """The first of these facts, so many that their batch fits into the writer's row beside owed batches.

    The result is empty if not even one fact fits.
    """
    while facts:
        opened = state.opened(0, (fact.key for fact in facts))
        if len(opened.encode()) <= _PLAN_CHARACTERS:
            break
        facts = facts[: len(facts) // 2]
    return facts


def _packed(keys: Sequence[str]) -> str:
    packed = zlib.compress("\n".join(keys).encode(), 9) if keys else b""
    return base64.b64encode(packed).decode()


def _unpacked(text: str) -> tuple[str, ...]:
    packed = base64.b64decode(text)
    return tuple(zlib.decompress(packed).decode().split("\n")) if packed else ()


def writer_event(now: datetime) -> EventFacts:
    """The ledger event on which the fact writer claims its lease.

    Its key is fixed, so only one run of the writer has the lease at a time.
    """
    return EventFacts(
        event_key=WRITER_KEY,
        conversation_id=FACT_EVENT,
        received_at=iso(now),
        payload_sha256="",
        payload_bytes=0,
        source="WRITER",
    )
