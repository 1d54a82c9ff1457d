"""``python -m tests.crash``: kill the real functions at every boundary and print what came of it."""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.crash.harness import Rig
from tests.crash.runs import boundaries, every, held_request


def main() -> int:
    """Run everything; 1 when a promise did not hold."""
    started = time.monotonic()
    totals: Counter[str] = Counter()
    with Rig.up() as rig:
        for outcome in every(rig):
            kind = " ".join(outcome.name.split()[:2])
            totals[kind] += 1
            totals["parked"] += outcome.parked
            totals["repeated set operations"] += outcome.repeated
            for problem in outcome.problems:
                totals["problems"] += 1
                print(f"RED {outcome.name}: {problem}", flush=True)
        reply = next(c for c in boundaries(rig, wiring="replied") if "send-message" in c.operation)
        beyond = held_request(rig, reply, beyond=True)
    print()
    for name, number in totals.items():
        print(f"{name:32}{number:>6}")
    print(f"{'seconds':32}{time.monotonic() - started:>6.0f}")
    print(f"\nbeyond D, outside the promise: {'; '.join(beyond.problems) or 'nothing repeated'}")
    return 1 if totals["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
