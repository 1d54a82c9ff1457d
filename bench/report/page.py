"""`python -m bench.report.page`: writes the stored results into docs/performance.md and its plot.

On every page with figures from bench/results, it also writes on which sources they were measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.report import counts, event_figures, plot, sources
from bench.report.marked import replaced
from bench.report.table import Row, markdown, matrix
from ops.cost import event_kinds

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
DOCS = ROOT / "docs"
PAGE, PLOT = DOCS / "performance.md", DOCS / "performance.svg"
OTHERS = {
    "crashes": ("reliability-crashes.md", "crash.json"),
    "power": ("reliability-tests.md", "power.json"),
    "designs": ("reliability-tests.md", "reliability.json"),
}
"""Other pages' tables, by mark: the page, and the result that it shows."""
COUNTED = ("calls", "units", "$")
"""Units of figures that follow from counts.  Figures of an older run would be another version's."""


def main() -> int:
    """Write every page; the text outside the marks stays."""
    for path, text in pages().items():
        path.write_text(text)
    return 0


def pages() -> Mapping[Path, str]:
    """The new texts of the pages and the plot, by path."""
    found = json.loads((RESULTS / "latest.json").read_text())
    rows = [Row.from_json(raw) for run in found.values() for raw in run["rows"]]
    texts = {PAGE: _marked(PAGE.read_text(), "figures", figures(found)), PLOT: plot.bars(rows)}
    for mark, (page, result) in OTHERS.items():
        line = sources.line(mark, *_digests(json.loads((RESULTS / result).read_text())))
        text = texts.get(DOCS / page) or (DOCS / page).read_text()
        texts[DOCS / page] = _marked(text, f"sources of {mark}", [line])
    return texts


def _digests(kept: Mapping[str, Any]) -> list[str | None]:
    """The source digests of a result: of its one run, or of each run that measured a part."""
    runs = [kept] if "at" in kept else kept.values()
    return [run.get("sources") for run in runs]


def _marked(text: str, mark: str, lines: list[str]) -> str:
    return replaced(text, f"<!-- {mark} -->", f"<!-- end of {mark} -->", ["", *lines, ""])


def figures(found: Mapping[str, Any]) -> list[str]:
    """The expected counts and what follows from them, then the times of every section, each with its run."""
    lines, expected = ["### Counts", ""], counts.expected()
    for section, counted in expected.items():
        if counted:
            lines += [f"**{section}**", "", *matrix(counted), ""]
    kinds = event_kinds.counted().values()
    charged = event_figures.dollars(kinds, event_figures.peers_of(expected["events"]))
    for section, members in groupby(charged, key=lambda row: row.section):
        lines += [f"### {_begun(section)}", "", *markdown(members), ""]
    lines += ["![every ratio](performance.svg)", ""]
    for name, run in found.items():
        rows = [Row.from_json(raw) for raw in run["rows"]]
        timed = [row for row in rows if not row.is_exact and row.unit not in COUNTED]
        when = f"Run of {run['at']}: {run['machine']}; load {run['load']} before; `{run['size']}`."
        since = sources.line(name, run.get("sources"))
        for section, members in groupby(timed, key=lambda row: row.section):
            lines += [f"### {_begun(section)}", "", when, since, ""]
            lines += [*markdown(members), ""]
    return lines[:-1]


def _begun(section: str) -> str:
    return section[0].upper() + section[1:]


if __name__ == "__main__":
    sys.exit(main())
