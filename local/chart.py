"""`python -m local.chart`: the report's facts per agent and day, as bars and as a picture.

They are read from the archive's files, or with ``--powerbi`` from the simulated dataset.  Where the
expected figures are known, as in the demo, they are beside the counted ones.  It prints bars on the
terminal and writes an SVG, without a plotting library.
"""

from __future__ import annotations

import argparse
import html
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.posting.ndjson import FileRows
from local.stack import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
PICTURE = environment.RUN / "facts.svg"
TIMEOUT_SECONDS = 10.0
WRONG = "#c0392b"


def counted(rows: Iterable[Mapping[str, str]]) -> Cells:
    """Facts by day, agent and metric, each `EventID` once."""
    by_id = {row["EventID"]: row for row in rows}
    return Counter(
        (row["FactDateKey"][:10], row["AgentID"], row["MetricID"]) for row in by_id.values()
    )


def simulated(url: str) -> Iterator[Mapping[str, str]]:
    """The rows of facts in every dataset of a simulated Power BI, read over HTTP.

    Raises:
        requests.RequestException: none runs there.
    """
    datasets = _read(f"{url}/_sim/datasets")["datasets"]
    for dataset in datasets:
        yield from _read(f"{url}/_sim/datasets/{dataset['id']}/tables/{FACT_EVENT}/rows")["rows"]


def differences(cells: Cells, expected: Cells) -> list[str]:
    """What is not as expected, a line per day, agent and metric."""
    return [
        f"{' '.join(cell)}: {cells[cell]} instead of {expected[cell]}"
        for cell in sorted(cells.keys() | expected.keys())
        if cells[cell] != expected[cell]
    ]


def as_text(cells: Cells, expected: Cells | None = None) -> str:
    """Bars of letters: ``c`` a call, ``t`` a text, ``e`` an e-mail, ``s`` a case."""
    lines = _lines(cells, expected)
    if not lines:
        return "no facts yet"
    most = max(sum(counts.values()) for _, _, counts in lines)
    per_letter = max(1, -(-most // TEXT_WIDTH))
    agents = max(len(agent) for _, agent, _ in lines)
    shown = [f"facts per day and agent (a letter is {per_letter}):"]
    for day, agent, counts in lines:
        bar = "".join(LETTERS[m] * -(-n // per_letter) for m, n in counts.items() if n)
        total = _total(counts, _wanted(expected, day, agent))
        shown.append(f"{day}  {agent.ljust(agents)}  {bar} {total}")
    keys = ", ".join(f"{letter} {metric}" for metric, letter in LETTERS.items())
    return "\n".join([*shown, keys])


def as_svg(cells: Cells, expected: Cells | None = None) -> str:
    """The chart as an SVG: a stacked bar per day and agent, and what was expected beside it."""
    lines = _lines(cells, expected)
    most = max((sum(counts.values()) for _, _, counts in lines), default=0) or 1
    unit = (WIDTH - LEFT - 180) / most
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
        wanted = _wanted(expected, day, agent)
        colour = "black" if wanted in (None, counts) else WRONG
        total = html.escape(_total(counts, wanted))
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 14}" fill="{colour}">{total}</text>')
    return "\n".join([*parts, "</svg>", ""])


def write(cells: Cells, out: Path, expected: Cells | None = None) -> None:
    """Write the SVG."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(as_svg(cells, expected), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the chart and write the SVG."""
    parser = argparse.ArgumentParser(prog="python -m local.chart", description=__doc__)
    parser.add_argument("--folder", type=Path, default=environment.FACTS)
    parser.add_argument("--powerbi", help="URL of the simulated Power BI, in place of the folder")
    parser.add_argument("--out", type=Path, default=PICTURE)
    options = parser.parse_args(arguments)
    try:
        cells = counted(
            simulated(options.powerbi)
            if options.powerbi
            else FileRows(options.folder).read(FACT_EVENT)
        )
    except requests.RequestException:
        sys.stderr.write(f"error: no simulated Power BI answers at {options.powerbi}\n")
        return 1
    print(as_text(cells))
    write(cells, options.out)
    print(f"chart written to {options.out}")
    return 0


def _read(url: str) -> Any:  # noqa: ANN401 - JSON
    answer = requests.get(url, timeout=TIMEOUT_SECONDS)
    answer.raise_for_status()
    return answer.json()


def _total(counts: Mapping[str, int], wanted: Mapping[str, int] | None) -> str:
    total = str(sum(counts.values()))
    if wanted is None:
        return total
    if wanted == counts:
        return f"{total}, as expected"
    named = ", ".join(f"{metric} {count}" for metric, count in wanted.items() if count)
    return f"{total}, expected {named or 'none'}"


def _wanted(expected: Cells | None, day: str, agent: str) -> Mapping[str, int] | None:
    if expected is None:
        return None
    return {metric: expected[day, agent, metric] for metric in COLOURS}


def _lines(cells: Cells, expected: Cells | None) -> list[tuple[str, str, dict[str, int]]]:
    """A line per day and agent, with a count of every metric."""
    pairs = sorted({(day, agent) for day, agent, _ in (*cells, *(expected or ()))})
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
