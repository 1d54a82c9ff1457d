"""The frame of every table that the load model prints: heads, then rows, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def framed(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines of aligned text.

    Args:
        heads: of the columns.
        rows: cells; a float is shown with two digits, and commas where it is large.
    """
    found = list(rows)
    cells = [list(heads), *([_shown(cell) for cell in row] for row in found)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [any(isinstance(row[place], str) for row in found) for place in range(len(heads))]
    for line in cells:
        aligned = [
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, texts, strict=True)
        ]
        yield f"  {'  '.join(aligned)}".rstrip()


def _shown(cell: object) -> str:
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)
