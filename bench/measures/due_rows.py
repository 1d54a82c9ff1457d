"""Many events are due at once: how many sweeps, and how long, until each has been queued again.

The product's sweep runs on a table and a queue in memory.  Each AWS call takes as long as `bench.load`
assumes.  Queued events do not end meanwhile, so their due dates are moved and never removed.

`python -m bench.measures.due_rows`: exit code 1 if it takes more than the target.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from bench.load.assumptions import AWS_CALL_SECONDS
from bench.rig.model_client import UnreadLog
from chalicelib.once.event import SWEEP_SECONDS, EventFacts
from chalicelib.once.intake import Intake
from chalicelib.once.job import Job
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import RowSweep
from tests.simulation import tables
from tests.simulation.memory_table import MemoryTable

ROWS = 100_000
PER_SECOND = 50
"""Rows that become due in one second."""
FUNCTION_SECONDS = 240.0
MOST_HOURS = 2.0
_BATCH = 100
_ITEMS_OF_A_PAGE = 1_000


@dataclass(slots=True)
class WorkingClock:
    """A clock that moves only by the work done; a `once.ports.Clock`."""

    seconds: float = 0.0

    def now(self) -> datetime:
        """The simulated time, in UTC."""
        return datetime(2026, 11, 20, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        """Simulated seconds since the start."""
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Move the clock."""
        self.seconds += seconds


class TimedTable:
    """Table A in memory; each call, page and batch moves the clock."""

    def __init__(self, table: MemoryTable, clock: WorkingClock) -> None:
        self._table = table
        self._clock = clock
        self.calls = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the table's methods
        method = getattr(self._table, name)

        def timed(*args: Any, **more: Any) -> Any:  # noqa: ANN401 - likewise
            self._spend(-(-len(args[0]) // _BATCH) if name == "get_all" else 1)
            return method(*args, **more)

        return timed

    def query_pages(self, **more: Any) -> Iterator[Any]:  # noqa: ANN401 - likewise
        """The rows; reading the first row of each page costs one call."""
        for number, row in enumerate(self._table.query_pages(**more)):
            if number % _ITEMS_OF_A_PAGE == 0:
                self._spend(1)
            yield row

    def _spend(self, calls: int) -> None:
        self.calls += calls
        self._clock.seconds += calls * AWS_CALL_SECONDS


class TimedQueue:
    """A queue that collects what is sent, and moves the clock."""

    def __init__(self, clock: WorkingClock) -> None:
        self.sent: set[str] = set()
        self._clock = clock

    def put(self, body: str, **_more: object) -> None:
        """Send a job, by one call."""
        self.sent.add(body)
        self._clock.seconds += AWS_CALL_SECONDS


@dataclass(frozen=True, slots=True)
class DueRows:
    """The result: sweeps and seconds until every row was queued, and table calls for each row."""

    rows: int
    runs: int
    seconds: float
    calls_a_row: float

    def __str__(self) -> str:
        """The result on one line."""
        return (
            f"{self.rows:,} due rows: {self.runs} sweeps, {self.seconds / 3600:.2f} h,"
            f" {self.calls_a_row:.2f} calls of the table a row"
        )


def measure(rows: int = ROWS) -> DueRows:
    """Sweep every five minutes until each of `rows` due events has been queued."""
    clock, owners = WorkingClock(), itertools.count()
    table = TimedTable(tables.ledger(), clock)
    ledger = Ledger(table=table, clock=clock, new_owner=lambda: f"owner-{next(owners)}")  # type: ignore[arg-type]
    for number in range(rows):
        clock.seconds = number / PER_SECOND
        facts = _facts(number, clock)
        ledger.set_aside(facts, reason="set_aside", due_epoch=clock.now().timestamp())
    table.calls, runs, began = 0, 0, clock.seconds
    queue = TimedQueue(clock)
    intake = Intake(
        outbox=queue,
        opaque=lambda: OpaqueIds(b"bench"),
        clock=clock,
        log=UnreadLog(),
        new_id=lambda: f"n-{next(owners)}",
    )  # type: ignore[arg-type]
    keys: set[str] = set()
    while len(keys) < rows:
        starts, runs, summary = clock.seconds, runs + 1, Summary()
        sweep = SweepActions(
            ledger=ledger,
            intake=intake,
            summary=summary,
            time_left_seconds=lambda starts=starts: FUNCTION_SECONDS - (clock.seconds - starts),  # type: ignore[misc]
        )
        RowSweep(
            ledger=ledger,
            settlement=_no_actions(),
            rebuilders={"evt:rp": _rebuilt(keys)},
            clock=clock,
            sweep=sweep,
        ).run()  # type: ignore[arg-type]
        assert not summary.failures, summary
        ended = clock.seconds
        clock.seconds = max(ended, starts + SWEEP_SECONDS)
    return DueRows(rows, runs, ended - began, table.calls / rows)


def _facts(number: int, clock: WorkingClock) -> EventFacts:
    return EventFacts(
        event_key=f"evt:rp:{number}:c-1",
        conversation_id=str(number),
        received_at=clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        payload_sha256="",
        payload_bytes=0,
        source="bench",
        source_message_id="c-1",
        trace_id="t",
    )


def _rebuilt(keys: set[str]) -> Any:  # noqa: ANN401 - a rebuilder
    def job(event: EventFacts) -> Job:
        keys.add(event.event_key)
        return Job(
            kind="bench",
            event_key=event.event_key,
            conversation_id=event.conversation_id,
            received_at=event.received_at,
            source=event.source,
            trace_id=event.trace_id,
        )

    return job


def _no_actions() -> Any:  # noqa: ANN401 - a settlement that is never asked
    return SimpleNamespace()


def main(arguments: Sequence[str]) -> int:
    """Print the result; returns 1 where it misses its target."""
    figure = measure(int(arguments[0]) if arguments else ROWS)
    print(figure)
    return int(figure.seconds > MOST_HOURS * 3600)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
