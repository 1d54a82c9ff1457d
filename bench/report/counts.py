"""The expected counts: calls, requests, units, rows and modules of a small run, in two committed files.

Those of our own events are in `ops/cost/counted.json`, on which the bill rests
(`python -m bench.measures.event_counts` writes it), all others in `bench/results/counts.json`
(`python -m bench --small --accept`).  A count differs from its file only if the product, or what is
measured, was changed; so any difference fails a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.report import event_figures
from bench.report.table import Row, number
from ops.cost import event_kinds

EVENTS = "events"
COUNTS = Path(__file__).resolve().parents[1] / "results" / "counts.json"

Counts = Mapping[str, Mapping[str, float]]
"""Figures by section and by row, such as ``{"events": {"routed event: AWS calls": 9.0}}``."""


def expected() -> Counts:
    """What the files hold."""
    found = _kept()
    return {**found, EVENTS: {**_of_the_bill(), **found.get(EVENTS, {})}}


def counted(rows: Iterable[Row]) -> dict[str, float]:
    """The figures of the exact rows, by name."""
    return {row.name: row.ours for row in rows if row.is_exact}


def differences(
    section: str, rows: Iterable[Row], then: Counts, *, is_small: bool
) -> Iterator[str]:
    """A line for each count that is not as expected.

    Args:
        section: the part of the bench.
        rows: the measured rows.
        then: the expected counts.
        is_small: the run has the size of the file's counts; other sizes are compared only by the
            counts that both have.
    """
    before, now = then.get(section, {}), counted(rows)
    names = before.keys() | now.keys() if is_small else before.keys() & now.keys()
    for name in sorted(names):
        if before.get(name) != now.get(name):
            was, is_ = (number(counts.get(name)) or "nothing" for counts in (before, now))
            yield f"{section}, {name}: {is_} instead of {was}"


def accept(found: Mapping[str, Iterable[Row]]) -> None:
    """Write the counts of these sections into the bench's file, and keep the others."""
    kept = {**_kept(), **{section: counted(rows) for section, rows in found.items()}}
    of_the_bill = _of_the_bill()
    kept[EVENTS] = {
        name: value for name, value in kept.get(EVENTS, {}).items() if name not in of_the_bill
    }
    COUNTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _kept() -> Counts:
    found: Counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    return found


def _of_the_bill() -> dict[str, float]:
    return counted(event_figures.counted(event_kinds.counted().values()))
