"""The expected counts of a small run (calls, requests, units, rows, modules), in one committed file.

A count differs from `bench/results/counts.json` only if the product or the measurement was changed, so
any difference fails a run.  `python -m bench --small --accept` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.report.table import Row, number

COUNTS = Path(__file__).resolve().parents[1] / "results" / "counts.json"

Counts = Mapping[str, Mapping[str, float]]
"""Figures by section and by row, such as ``{"events": {"routed event: AWS calls": 9.0}}``."""


def expected() -> Counts:
    """The counts in the file; empty without a file."""
    found: Counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    return found


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
            was, is_ = (number(one.get(name)) or "nothing" for one in (before, now))
            yield f"{section}, {name}: {is_} instead of {was}"


def accept(found: Mapping[str, Iterable[Row]]) -> None:
    """Write the counts of these sections into the file; those of other sections stay."""
    kept = {**expected(), **{section: counted(rows) for section, rows in found.items()}}
    COUNTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
