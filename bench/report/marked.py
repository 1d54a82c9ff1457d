"""Writes a generated table between two marks of a docs page; the text around them is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write(page: str, mark: str, lines: Sequence[str]) -> None:
    """Replace a page's text between ``<!-- mark -->`` and ``<!-- end of mark -->``.

    Raises:
        ValueError: the page has no such marks.
    """
    path = ROOT / "docs" / page
    marks = (f"<!-- {mark} -->", f"<!-- end of {mark} -->")
    path.write_text(replaced(path.read_text(), *marks, ["", *lines, ""]))


def replaced(text: str, begin: str, end: str, lines: Sequence[str]) -> str:
    """The text with `lines` in place of what was between its lines `begin` and `end`.

    Raises:
        ValueError: the text has no such marks.
    """
    before, begun, rest = text.partition(f"{begin}\n")
    _, ended, after = rest.partition(end)
    if not begun or not ended:
        raise ValueError(f"no marks {begin} and {end}")
    return "".join([before, begun, *(f"{line}\n" for line in lines), ended, after])


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; columns that are numbers in the first row are right-aligned."""
    ruled = "".join("--:|" if isinstance(cell, int) else "---|" for cell in rows[0])
    lines = ["| " + " | ".join(heads) + " |", f"|{ruled}"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
