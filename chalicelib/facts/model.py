"""Facts and the Protocols between the rooms that count them and the edges that keep them.

A fact is one row of the report: who did what on which day.  Example of the row as it is posted::

    {"EventID": "ALOWARE:719285063", "AgentID": "101", "FactDateKey": "2025-11-05T00:00:00",
     "MetricID": "CALLS", "Notes": "event=OutboundPhoneCall-DispositionCompleted;tz=UTC"}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

Row = Mapping[str, str | int | float | bool]
"""One row of a table of the dataset: text, whole number, number or truth value per column."""


class Metric(StrEnum):
    """What is counted."""

    CALLS = "CALLS"
    TEXTS = "TEXTS"
    EMAILS = "EMAILS"
    CASES = "CASES"


class FactStatus(StrEnum):
    """States of a fact's row in the ledger."""

    PENDING = "pending"
    """Kept, and not in the dataset as far as is known."""
    POSTED = "posted"
    """The dataset has it."""
    SKIPPED = "skipped"
    """Counts nothing, for the reason on the row; a later delivery that counts takes its place."""
    FAILED = "failed"
    """The dataset refuses this very row; a person looks at the reason."""


UNKNOWN_AGENT = "unknown"
NOT_TERMINAL = "not_terminal"
"""Not a communication's last word; every other reason to count nothing is."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One event as the ledger keeps it.

    Attributes:
        key: ``{SOURCE}:{event id}``; at most one fact per key is ever posted.
        agent_id: as the dataset knows the agent.
        date: ``YYYY-MM-DD`` where the event belongs.
        notes: small facts for a person, no personal data.
        skip: why it counts nothing, or None.
    """

    key: str
    source: str
    agent_id: str
    date: str
    metric: Metric | None
    notes: str
    skip: str | None = None

    def skipped(self, reason: str) -> Fact:
        """The same, counting nothing."""
        return replace(self, skip=reason)


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the facts of one delivery, in numbers."""

    new: int = 0
    duplicate: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Agent:
    """A person on the roster.

    Attributes:
        aliases: ids the same person has at other senders, e.g. ``hubspot:5001``.
    """

    id: str
    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    aliases: tuple[str, ...] = ()


class Roster(Protocol):
    """Whose events count."""

    def agents(self) -> Mapping[str, Agent] | None:
        """Agents by id and alias; None when there is no gate, or it cannot be read at all."""
        ...


class Sink(Protocol):
    """Where rows go; raises `ProviderError`s, returning means that it has taken them.

    A batch has a number that is never used for other rows, so that a sink which can tell takes a
    repeated batch once.
    """

    @property
    def target(self) -> str:
        """Which dataset this is; what is there once is remembered under this name."""
        ...

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Add rows to a table."""
        ...

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Make these the rows of a table; repeating it changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension's table in one dataset.

    Attributes:
        known: keys that are there.
        posting: keys that were on their way when this was written, under `number`.
        again_at: the epoch second from which the table may be cleared and filled anew, as nothing
            of before can land any more; 0 where it need not be.
        version: grows with every writing, so that a writer who stood still writes nothing.
    """

    known: frozenset[str] = frozenset()
    posting: tuple[str, ...] = ()
    number: int = 0
    again_at: int = 0
    version: int = 0

    @property
    def is_settled(self) -> bool:
        """Nothing is on its way, nor may still land."""
        return not self.posting and not self.again_at


TimeLeft = Callable[[], float]
Keys = Collection[str]
