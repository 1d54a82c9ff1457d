"""Facts, agents and dimensions, and the ports of the roster and the sink.

A fact is one row of the report: who did what on which day.  Example of a posted row::

    {"EventID": "ALOWARE:719285063", "AgentID": "101", "FactDateKey": "2025-11-05T00:00:00",
     "MetricID": "CALLS", "Notes": "event=OutboundPhoneCall-DispositionCompleted;tz=UTC"}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from chalicelib.facts import reasons as why
from chalicelib.facts.drift import Drift, Mark

Row = Mapping[str, str | int | float | bool]
"""One row of a table of the dataset: text, whole number, number or truth value per column."""


class Metric(StrEnum):
    """The metrics that a report counts: calls, texts, e-mails and cases."""

    CALLS = "CALLS"
    TEXTS = "TEXTS"
    EMAILS = "EMAILS"
    CASES = "CASES"


class FactStatus(StrEnum):
    """The status of a stored fact, e.g. pending or posted."""

    PENDING = "pending"
    """Stored, and not known to be in the dataset."""
    POSTED = "posted"
    """The dataset has it."""
    SKIPPED = "skipped"
    """Does not count, for the reason on the row; a later delivery that counts replaces it."""
    FAILED = "failed"
    """The dataset refuses this row; an operator checks the reason."""
    REMOVED = "removed"
    """An operator has taken it out of the sinks; no later delivery brings it back."""


UNKNOWN_AGENT = "unknown"
NOT_TERMINAL = why.NOT_TERMINAL
"""A delivery before the communication's end; all other reasons not to count are final."""


@dataclass(frozen=True, slots=True)
class Happening:
    """How a fact's event went, as its source reports it; a field is None or empty where the source is silent.

    Attributes:
        at: when the event happened, in UTC; where None, the fact's day is that of its receipt.
        timezone: the IANA zone of the fact's day.
        seconds: how long the event took.
        channel: ``call``, ``sms``, ``email``, ``ticket``, ...
        outcome: Aloware's disposition, e.g. ``completed``; HubSpot's status, where it has one.
        marks: what the payload lacked or had in another form.
    """

    at: datetime | None = None
    timezone: str = ""
    seconds: int | None = None
    channel: str = ""
    outcome: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact: one counted event of an agent, as it is stored and posted.

    Attributes:
        key: ``{SOURCE}:{event id}``; at most one fact per key is ever posted.
        agent_id: id of the agent in the dataset.
        date: ``YYYY-MM-DD``, the day of the event in its time zone.
        notes: details for operators, no personal data.
        skip: the reason why the fact does not count; None where it counts.
        happening: how the event went.
    """

    key: str
    source: str
    agent_id: str
    date: str
    metric: Metric | None
    notes: str
    skip: str | None = None
    happening: Happening = Happening()

    def skipped_for(self, reason: str) -> Fact:
        """A copy of the fact that does not count, for the given reason."""
        return replace(self, skip=reason)


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of one scan of all stored facts.

    Attributes:
        posted: the posted facts that have not expired, oldest first.
        stale: by dataset: the keys of corrected facts whose former values the dataset still has,
            each with the day under which the dataset has the fact.
        newest_seconds: by source: age in seconds of the newest stored fact that counts.
        drift: by source: the drift of the facts stored in the last day.
    """

    posted: Sequence[Fact]
    stale: Mapping[str, Mapping[str, str]]
    newest_seconds: Mapping[str, int]
    drift: Mapping[str, Drift] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """The result of storing one job's facts: how many were new, how many duplicate, how many skipped."""

    new: int = 0
    duplicate: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Agent:
    """A person whose events are counted, as the roster or a directory names them.

    Attributes:
        aliases: ids the same person has at other senders, e.g. ``hubspot:5001``.
    """

    id: str
    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    aliases: tuple[str, ...] = ()


class Roster(Protocol):
    """The port of the roster: the agents whose events count."""

    def agents(self) -> Mapping[str, Agent] | None:
        """The roster's agents by id and alias.

        None means that every agent counts: there is no roster, or it was never read.
        """
        ...


class Sink(Protocol):
    """The port of a place to which rows are posted.

    When a method returns, the place has accepted the rows; else the method raises `ProviderError`s.
    A batch's number is never used for other rows, so a sink that checks numbers accepts a repeated
    batch only once.
    """

    @property
    def target(self) -> str:
        """The sink's name, e.g. ``powerbi:<dataset>``.

        Under this name it is recorded which keys and batches the sink has.
        """
        ...

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Add a batch of rows to a table; `number` is the batch's number, never used for other rows."""
        ...

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Replace all rows of a table by these; repeating the call changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Dimension:
    """The stored record of one dimension table in one sink: the keys that it has, and requests under way.

    Attributes:
        known: the keys that the table has.
        posting: the keys whose insertion was under way, as batch `number`, when the record was
            stored.
        number: number of the last batch of the table's rows.
        again_at: the epoch second from which the table may be cleared and filled again, because no
            earlier request can reach it any more; 0 if no refill is needed.
        version: grows with every write, so that a writer that was suspended writes nothing.
        content: `dataset.rows_digest` the rows in the table; None if they are not known.
    """

    known: frozenset[str] = frozenset()
    posting: tuple[str, ...] = ()
    number: int = 0
    again_at: int = 0
    version: int = 0
    content: int | None = None

    @property
    def is_settled(self) -> bool:
        """Whether no request to the table is under way, and none of unknown outcome can still reach it."""
        return not self.posting and not self.again_at


TimeLeft = Callable[[], float]
Keys = Collection[str]
