"""Many processed events are replayed by two operators at once, which must have no effect; and `ops explain`.

`python -m bench.measures.replay [EVENTS]`: exit code 1 if an effect was repeated, if memory grows with
the number of events, or if explaining one of the tickets takes a second.

A few tickets are really processed.  The other events are copies of their rows under other ids, as a
replay only reads rows.  Then two operators replay the same few hundred events at once, as
`ops replay --limit --after` does, and two workers clear the queue, round by round until all events are
replayed.  Ten thousand events take about twenty minutes on the local engine.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bench.measures.reconcile import remove_rate_limit
from bench.rig.system import System
from chalicelib.clock import iso

EVENTS = 300
REAL = 20
"""Number of tickets that are really processed."""
ROUND = 250
"""Number of events that are replayed before the workers clear the queue."""
BASE = 2 * ROUND
"""Memory growth is counted from its value after this many events, so only longer runs show any."""
MOST_EXPLAIN_SECONDS = 1.0
MOST_GROWTH_BYTES = 20_000_000
"""Maximum memory that this process may gain from the second round to the last."""


@dataclass(slots=True)
class Replayed:
    """The totals of all rounds so far; `growth` is memory in bytes."""

    events: int = 0
    deliveries: int = 0
    seconds: float = 0.0
    growth: int = 0


def main(events: int) -> int:
    """Process, replay, explain, print."""
    with System(on_dynoxide=True) as system:
        from ops import cli  # noqa: PLC0415 - the environment is set

        remove_rate_limit(system)
        fill(system, events)
        before, calls = len(system.richpanel.effects), len(system.richpanel.calls)
        done = Replayed()
        for done in rounds(system):
            if not done.events % (4 * ROUND):
                print(f"{done.events} of {events} ...", file=sys.stderr, flush=True)
        again = len(system.richpanel.effects) - before
        called = len(system.richpanel.calls) - calls
        started = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            code = cli.main(["explain", "t-0"])
        seconds = time.perf_counter() - started
    print(f"replay    {done.events} of {events} events twice at once: ", end="")
    print(f"{done.deliveries} deliveries, {again} effects, {called} vendor calls;", end=" ")
    print(f"{done.deliveries / max(done.seconds, 1e-9):.0f} deliveries a second,", end=" ")
    grown = f"{done.growth / 1e6:+.1f} MB" if events > BASE else f"not judged up to {BASE} events"
    print(f"memory {grown}")
    print(f"explain   one ticket of {events}: {seconds:.2f} s (under {MOST_EXPLAIN_SECONDS:.0f} s)")
    is_whole = done.events == events and done.deliveries == 2 * events
    is_flat = done.growth <= MOST_GROWTH_BYTES
    is_quick = seconds < MOST_EXPLAIN_SECONDS
    quiet = not (again or called or code)
    return int(not (is_whole and is_flat and is_quick and quiet))


def fill(system: System, events: int) -> None:
    """Create processed events: a few real ones, and copies of their rows."""
    real = min(events, REAL)
    for number in range(real):
        system.post(system.message(f"t-{number}"))
        system.work()
    services: Any = system.services
    table = services.ledger._table  # noqa: SLF001 - rows as the worker left them
    rows, start = table.scan_page(limit=1000)
    assert start is None, "the rows of a few tickets are one page"
    model = [row for row in rows if row.get("conversation_id") == "t-0"]
    assert f"evt:rp:t-0:{system.comment_of('t-0')}" in [row["event_id"] for row in model], model
    for first in range(real, events, ROUND):
        some = range(first, min(first + ROUND, events))
        table.put_all([_renamed(row, number) for number in some for row in model])


def _renamed(row: dict[str, Any], number: int) -> dict[str, Any]:
    """A copy of a row of the first ticket for another ticket, with its ids replaced everywhere."""
    text = json.dumps(row).replace(System.comment_of("t-0"), System.comment_of(f"t-{number}"))
    for before, after in ((":", ":"), ('"', '"'), ('\\"', '\\"')):
        text = text.replace(f"{before}t-0{after}", f"{before}t-{number}{after}")
    renamed: dict[str, Any] = json.loads(text)
    return renamed


class Operator:
    """Replays processed events, a few hundred at a time, as `ops replay` does."""

    def __init__(self) -> None:
        from ops.session import Session  # noqa: PLC0415 - the environment is set

        self._session = Session("dev")
        self._session.may_write("replay")
        self._last: str | None = None

    def replay(self) -> int:
        """Continue after the last event; returns how many were put on the queue."""
        from ops.inspect import ledger_rows  # noqa: PLC0415 - the environment is set
        from ops.repair import replay  # noqa: PLC0415 - the environment is set

        now = self._session.services.clock.now()
        found = ledger_rows.events_of(
            self._session,
            status="processed",
            since=iso(now - timedelta(days=7)),
            until=iso(now),
            after=self._last,
        )
        put = 0
        some = itertools.islice(found, ROUND)
        for key in replay.replay(self._session, some, per_second=10_000):
            self._last, put = key, put + 1
        return put


def rounds(system: System) -> Iterator[Replayed]:
    """Run both operators, then both workers, round by round; yields the totals so far."""
    done, base = Replayed(), 0
    operators = (Operator(), Operator())
    with ThreadPoolExecutor(2) as pool:
        while True:
            started = time.perf_counter()
            put = list(pool.map(Operator.replay, operators))
            done.deliveries += sum(pool.map(lambda _: system.work(), range(2)))
            done.seconds += time.perf_counter() - started
            if not any(put):
                return
            done.events += max(put)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            base = used if done.events <= BASE else base
            done.growth = used - base
            yield done


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS))
