"""``python -m tests.crash``: kill the real functions at every call of every flow; prints one table."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.report import marked, sources
from tests.crash.flow import Flow
from tests.crash.flows import FLOWS
from tests.crash.lines import HEAD, HEADS, Line, total
from tests.crash.rig import Rig
from tests.crash.runs import disturbed, every, late, undisturbed
from tests.crash.sampling import sample

KEPT = Path(marked.ROOT) / "bench" / "results" / "crash.json"
MOST_MISSED = 20
"""At most one run in this many may miss its call."""


def main() -> int:
    """Run everything; 1 when a promise did not hold."""
    given = _arguments()
    if given.page:
        _write_page(json.loads(KEPT.read_text()))
        return 0
    flows = [flow for flow in FLOWS if given.flow in flow.name]
    lines = _sampled(flows, given.sample) if given.sample else _whole(flows, given)
    together = total(lines)
    print("\n".join(["", HEAD, *(str(line) for line in lines), str(together)]))
    if together.missed:
        print(f"\n{together.missed} calls were not met")
    is_empty = together.missed * MOST_MISSED > together.runs
    return 1 if together.lost or together.duplicated or together.other or is_empty else 0


def _whole(flows: Sequence[Flow], given: argparse.Namespace) -> list[Line]:
    """Every fault at every call."""
    lines: list[Line] = []
    with Rig.up() as rig:
        for flow in flows:
            lines.append(_line(rig, flow, given))
            print(lines[-1], flush=True)
            if given.keep:
                _keep(lines[-1], given.stop_every)
    print("\nA request held in the network beyond D, which is not promised:")
    print("\n".join(f"  {outcome}" for line in lines for outcome in line.beyond))
    return lines


def _sampled(flows: Sequence[Flow], kills: int) -> list[Line]:
    """Some kills of each flow, and each fault once."""
    found = sample(flows, kills)
    lines = []
    for known, outcomes in zip(found.knowns, found.outcomes, strict=True):
        line = Line(known.flow.name, len(known.boundaries))
        for outcome in outcomes:
            line.add(outcome)
        lines.append(line)
    if found.untried and len(flows) == len(FLOWS):  # the sample no longer has every fault
        lines.append(Line(f"met by no flow: {', '.join(found.untried)}", other=1))
    return lines


def _line(rig: Rig, flow: Flow, given: argparse.Namespace) -> Line:
    began = time.monotonic()
    known = undisturbed(rig, flow)
    line = Line(flow.name, len(known.boundaries))
    options = {"both_sides": given.both_sides, "stop_every": given.stop_every}
    for outcome in every(rig, known, **options, loses_aws_answers=given.aws):
        line.add(outcome)
    for call in late(known):
        outcome = disturbed(rig, known, call, "held_beyond")
        line.beyond.append(f"{outcome.name}: {'; '.join(outcome.problems) or 'nothing repeated'}")
    line.seconds = time.monotonic() - began
    return line


def _keep(line: Line, stop_every: int) -> None:
    """Replace a flow's older line."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[line.name] = {
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="minutes"),
        "seconds": round(line.seconds),
        "stop_every": stop_every,
        "cells": line.cells,
        "beyond": line.beyond,
        "sources": sources.digest("crashes"),
    }
    kept = {flow.name: kept[flow.name] for flow in FLOWS if flow.name in kept}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")


def _write_page(kept: Mapping[str, Any]) -> None:
    """Write the kept table into docs/reliability-crashes.md."""
    rows = [flow["cells"] for flow in kept.values()]
    together = ["together", *(sum(column) for column in list(zip(*rows, strict=True))[1:-1]), ""]
    minutes = sum(flow["seconds"] for flow in kept.values()) // 60
    paces = [flow["stop_every"] for flow in kept.values()]
    sparse = [pace for pace in paces if pace > 1]
    stops = "every call"
    if sparse:
        stops = f"every call, in {len(sparse)} of {len(paces)} flows at every {max(sparse)}. call"
    lines = [
        (
            f"Run until {max(flow['at'] for flow in kept.values())}, {minutes} min on a shared"
            f" machine of {os.cpu_count()} cores; a process was paused at {stops}."
        ),
        "",
        *marked.table(HEADS, [*rows, together]),
        "",
        "Requests delayed beyond D, for which nothing is promised:",
        "",
        *(f"- {outcome}" for flow in kept.values() for outcome in flow["beyond"]),
    ]
    marked.write("reliability-crashes.md", "crashes", lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--flow", default="", help="only flows with this in their name")
    parser.add_argument(
        "--sample", type=int, default=0, help="only so many kills of each flow, and each fault once"
    )
    parser.add_argument(
        "--stop-every",
        type=int,
        default=1,
        help="pause a worker only at every n-th call",
    )
    parser.add_argument(
        "--both-sides", action="store_true", help="kill before and after, even if equivalent"
    )
    parser.add_argument("--aws", action="store_true", help="lose responses of AWS writes, too")
    parser.add_argument("--keep", action="store_true", help="keep each line for the page's table")
    parser.add_argument("--page", action="store_true", help="write the kept table into the page")
    given = parser.parse_args()
    if not any(given.flow in flow.name for flow in FLOWS):
        parser.error(
            f"no flow has {given.flow!r} in its name: {', '.join(flow.name for flow in FLOWS)}"
        )
    return given


if __name__ == "__main__":
    sys.exit(main())
