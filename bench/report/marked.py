"""Writes a generated table between two marks of a docs page; the text around them is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write(page: str, mark: str, lines: Sequence[str]) -> None:
    """Replace the text between ``<!-- mark -->`` and ``<!-- end of mark -->``.

    Raises:
        ValueError: the page has no such marks.
    """
    path = ROOT / "docs" / page
    before, begin, rest = path.read_text().partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition(f"<!-- end of {mark} -->")
    if not begin or not end:
        raise ValueError(f"{page} has no marks for {mark}")
    path.write_text(
        "".join([before, begin, "\n", *(f"{line}\n" for line in lines), "\n", end, after])
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; columns that are numbers in the first row are right-aligned."""
    ruled = "".join("--:|" if isinstance(cell, int) else "---|" for cell in rows[0])
    lines = ["| " + " | ".join(heads) + " |", f"|{ruled}"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
