"""`python -m bench.report.page`: writes the newest results into docs/performance.md and its plot."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.report import plot
from bench.report.table import Row, markdown

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "performance.md"
PLOT = ROOT / "docs" / "performance.svg"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def main() -> int:
    """Write the newest tables between the page's marks; the text around them is kept."""
    found = json.loads((RESULTS / "latest.json").read_text())
    rows = [Row.from_json(raw) for run in found.values() for raw in run["rows"]]
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{figures(found)}\n{END}{after}")
    PLOT.write_text(plot.bars(rows))
    return 0


def figures(found: dict[str, Any]) -> str:
    """The tables of every section, each with its run."""
    lines = ["![every ratio](performance.svg)", ""]
    for run in found.values():
        rows = [Row.from_json(raw) for raw in run["rows"]]
        when = f"Run of {run['at']}: {run['machine']}; load {run['load']} before; `{run['size']}`."
        for section, members in groupby(rows, key=lambda row: row.section):
            lines += [f"### {section[0].upper()}{section[1:]}", "", when, ""]
            lines += [*markdown(members), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
