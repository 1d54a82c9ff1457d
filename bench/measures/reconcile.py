"""Vendor calls and memory of a sweep over many listed tickets, a few of which were never processed.

`python -m bench.measures.reconcile`: exit code 1 if a count or the memory exceeds its target.
"""

from __future__ import annotations

import sys
import tracemalloc
from dataclasses import dataclass
from typing import Any

from bench.rig.system import System

TICKETS = 10_000
MISSING_EVERY = 100
MOST_PER_LISTED = 0.02
MOST_PER_MISSING = 3
MOST_GROWTH_BYTES = 1_000_000
"""Maximum additional memory for ten times as many tickets; keeping even one page would exceed it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The result of one run."""

    tickets: int
    missing: int
    listing_calls: int
    worker_calls: int
    peak_bytes: int

    @property
    def allowed(self) -> float:
        """Maximum number of vendor calls that the run may make."""
        return MOST_PER_LISTED * self.tickets + MOST_PER_MISSING * self.missing


def measure(system: System, tickets: int = TICKETS) -> Figure:
    """Add tickets, most of them already processed, then run the sweep and the worker."""
    services: Any = system.services
    remove_rate_limit(system)
    system.richpanel.reset()
    system.richpanel.modes.rate_limit = None
    _fill(system, tickets)
    system.richpanel.forget_calls()
    tracemalloc.start()
    summary = services.reconciler.sweep(time_left_seconds=lambda: 3600.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert summary.listing == "complete", summary
    assert summary.listed == tickets, summary
    listing_calls = len(system.richpanel.calls)
    system.work()
    worker_calls = len(system.richpanel.calls) - listing_calls
    return Figure(tickets, summary.missing, listing_calls, worker_calls, peak)


def remove_rate_limit(system: System) -> None:
    """Remove our rate limit at Richpanel, as no other client uses this tenant."""
    from chalicelib.vendors.rate_limit import LevelPace, RateLimit  # noqa: PLC0415 - the environment is set

    services: Any = system.services
    services.support.richpanel._calls.client.rate_limit = RateLimit(  # noqa: SLF001 - without it
        provider="richpanel", clock=services.clock, pace=LevelPace(1e6)
    )


def _fill(system: System, tickets: int) -> None:
    """Add tickets; all but one in a hundred are processed: tagged, with a row in table B."""
    services: Any = system.services
    rows = []
    for number in range(tickets):
        is_missing = number % MISSING_EVERY == 0
        ticket_id = f"t{tickets}-{number}"
        comment = {"body": "I want a refund", "id": f"c-{number}"}
        tags = () if is_missing else ("mw-processed",)
        system.richpanel.add_ticket(ticket_id, comments=[comment], tags=tags)
        if not is_missing:
            rows.append(
                {
                    "conversation_id": ticket_id,
                    "version": 1,
                    "last_processed_at": "2999-01-01T00:00:00.000Z",
                    "expires_at": 4_102_444_800,
                }
            )
    services.support.state._table.put_all(rows)  # noqa: SLF001 - as the worker would have left them


def main() -> int:
    """Measure a tenth of the tickets and all of them, and print."""
    with System() as system:
        measure(system, 200)  # warms up everything that is built once
        small = measure(system, TICKETS // 10)
        whole = measure(system)
    growth = whole.peak_bytes - small.peak_bytes
    for run in (small, whole):
        calls = run.listing_calls + run.worker_calls
        print(
            f"reconcile {run.tickets:>6} listed, {run.missing:>4} missing:"
            f" {run.listing_calls} listing + {run.worker_calls} worker = {calls} vendor calls"
            f" (at most {run.allowed:.0f}); peak {run.peak_bytes / 1e6:.2f} MB"
        )
    print(f"          ten times the tickets: {growth / 1e6:+.2f} MB (at most +1 MB)")
    fits = all(run.listing_calls + run.worker_calls <= run.allowed for run in (small, whole))
    return 0 if fits and growth <= MOST_GROWTH_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
