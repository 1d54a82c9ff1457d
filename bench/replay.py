"""Many processed events replayed twice and at once, which must have no effect; and `ops explain`.

`python -m bench.replay [EVENTS]`: exit status 1 when anything was done again, or when explaining
one of the tickets takes a second.  Ten thousand events take the local engine a good while.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from bench.reconcile import unlimited
from bench.system import System

EVENTS = 300
MOST_EXPLAIN_SECONDS = 1.0


def main(events: int) -> int:
    """Process, replay, explain, print."""
    with System() as system:
        from ops import cli  # noqa: PLC0415 - the environment is set

        unlimited(system)
        for number in range(events):
            system.post(system.message(f"t-{number}"))
            system.work()
        before, calls = len(system.richpanel.effects), len(system.richpanel.calls)
        with contextlib.redirect_stdout(io.StringIO()), ThreadPoolExecutor(2) as pool:
            replay = ["replay", "--status", "processed", "--rate", "10000"]
            codes = list(pool.map(lambda _: cli.main(replay), range(2)))
        with ThreadPoolExecutor(2) as pool:
            replayed = sum(pool.map(lambda _: system.work(), range(2)))
        again = len(system.richpanel.effects) - before
        called = len(system.richpanel.calls) - calls
        started = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            codes.append(cli.main(["explain", "t-0"]))
        seconds = time.perf_counter() - started
    print(f"replay    {events} events twice at once: {replayed} deliveries,", end=" ")
    print(f"{again} effects, {called} vendor calls")
    print(f"explain   one ticket of {events}: {seconds:.2f} s (under {MOST_EXPLAIN_SECONDS:.0f} s)")
    return int(bool(again or called or any(codes) or seconds >= MOST_EXPLAIN_SECONDS))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS))
