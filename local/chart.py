"""`python -m local.chart`: a chart of facts per agent and day, from the files of the local sink.

It prints bars on the terminal and writes an SVG, without a plotting library.
"""

from __future__ import annotations

import argparse
import html
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.posting.ndjson import FileRows
from local.stack import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Cells = Counter[tuple[str, str, str]]
"""The number of facts per (day, agent, metric)."""

COLOURS: Mapping[str, str] = {
    "CALLS": "#2f6db5",
    "TEXTS": "#e08a1e",
    "EMAILS": "#3f9b62",
    "CASES": "#a34a8f",
}
LETTERS: Mapping[str, str] = {"CALLS": "c", "TEXTS": "t", "EMAILS": "e", "CASES": "s"}
WIDTH, ROW, LEFT, TOP = 760, 22, 250, 56
TEXT_WIDTH = 60


def counted(rows: Iterable[Mapping[str, str]]) -> Cells:
    """Facts by day, agent and metric, each `EventID` once."""
    by_id = {row["EventID"]: row for row in rows}
    return Counter(
        (row["FactDateKey"][:10], row["AgentID"], row["MetricID"]) for row in by_id.values()
    )


def as_text(cells: Cells) -> str:
    """Bars of letters: ``c`` a call, ``t`` a text, ``e`` an e-mail, ``s`` a case."""
    lines = _lines(cells)
    if not lines:
        return "no facts yet"
    most = max(sum(counts.values()) for _, _, counts in lines)
    per_letter = max(1, -(-most // TEXT_WIDTH))
    agents = max(len(agent) for _, agent, _ in lines)
    shown = [f"facts per day and agent (a letter is {per_letter}):"]
    for day, agent, counts in lines:
        bar = "".join(LETTERS[m] * -(-n // per_letter) for m, n in counts.items() if n)
        shown.append(f"{day}  {agent.ljust(agents)}  {bar} {sum(counts.values())}")
    keys = ", ".join(f"{letter} {metric}" for metric, letter in LETTERS.items())
    return "\n".join([*shown, keys])


def as_svg(cells: Cells) -> str:
    """The chart as an SVG: a stacked bar per day and agent."""
    lines = _lines(cells)
    most = max((sum(counts.values()) for _, _, counts in lines), default=1)
    unit = (WIDTH - LEFT - 60) / most
    height = TOP + ROW * max(1, len(lines)) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">',
        "<style>text { font: 13px sans-serif }</style>",
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="10" y="20">Facts per day and agent</text>',
        *_legend(),
    ]
    for number, (day, agent, counts) in enumerate(lines):
        y = TOP + ROW * number
        label = html.escape(f"{day}  {agent}")
        parts.append(f'<text x="10" y="{y + 14}">{label}</text>')
        x = float(LEFT)
        for metric, count in counts.items():
            width = count * unit
            colour = COLOURS[metric]
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{ROW - 6}"'
                f' fill="{colour}"><title>{metric} {count}</title></rect>'
            )
            x += width
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 14}">{sum(counts.values())}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the chart and write the SVG."""
    parser = argparse.ArgumentParser(prog="python -m local.chart", description=__doc__)
    parser.add_argument("--folder", type=Path, default=environment.FACTS)
    parser.add_argument("--out", type=Path, default=environment.RUN / "facts.svg")
    options = parser.parse_args(arguments)
    cells = counted(FileRows(options.folder).read(FACT_EVENT))
    print(as_text(cells))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(as_svg(cells), encoding="utf-8")
    print(f"chart written to {options.out}")
    return 0


def _lines(cells: Cells) -> list[tuple[str, str, dict[str, int]]]:
    """A line per day and agent, with a count of every metric."""
    pairs = sorted({(day, agent) for day, agent, _ in cells})
    return [
        (day, agent, {metric: cells[day, agent, metric] for metric in COLOURS})
        for day, agent in pairs
    ]


def _legend() -> list[str]:
    parts = []
    for number, (metric, colour) in enumerate(COLOURS.items()):
        x = LEFT + 110 * number
        parts.append(f'<rect x="{x}" y="32" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="43">{metric}</text>')
    return parts


if __name__ == "__main__":
    sys.exit(main())
