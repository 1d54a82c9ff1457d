"""The bar chart of docs/performance.md: every ratio on one scale, as an SVG without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bench.report.table import Row

WIDTH, LABEL, BAR = 860, 430, 330
LINE = 20
MET, MISSED, PLAIN = "#2f7d4f", "#b3412e", "#7a8796"


def bars(rows: Sequence[Row]) -> str:
    """An SVG with a bar for each row that has a ratio; the line at 1 means parity with the peer."""
    shown = [row for row in rows if row.ratio is not None]
    top = max((row.ratio or 0 for row in shown), default=1.0)
    scale = BAR / max(top, 1.5)
    height = LINE * (len(shown) + 2) + 10
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LABEL}" y="14" fill="#444">ours / theirs; the line is 1.0</text>',
    ]
    for number, row in enumerate(shown):
        parts += _bar(row, LINE * (number + 1) + 8, scale)
    at = LABEL + scale
    parts.append(
        f'<line x1="{at:.1f}" y1="20" x2="{at:.1f}" y2="{height - 12}" stroke="#222"'
        ' stroke-dasharray="3 3"/>'
    )
    return "\n".join([*parts, "</svg>", ""])


def _bar(row: Row, y: int, scale: float) -> list[str]:
    ratio = row.ratio or 0.0
    colour = {None: PLAIN, True: MET, False: MISSED}[row.is_met]
    short = row.section.partition(":")[0].partition(" (")[0]
    label = f"{short}: {row.name.strip()} / {row.peer}"
    return [
        (
            f'<text x="{LABEL - 8}" y="{y + 12}" text-anchor="end" font-size="10">'
            f"{escape(label[:84])}</text>"
        ),
        (
            f'<rect x="{LABEL}" y="{y + 2}" width="{max(1.0, ratio * scale):.1f}" height="13"'
            f' fill="{colour}"/>'
        ),
        f'<text x="{LABEL + ratio * scale + 5:.1f}" y="{y + 13}">{ratio:.2f}</text>',
    ]
