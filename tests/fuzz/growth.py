"""``python -m tests.fuzz.growth``: what the largest inputs of each parser cost, as ratios in one run.

Each piece that a parser may stumble over is repeated up to an eighth of its bound, and the slowest up to
half of it, and up to all.  Twice the input takes twice the time where the work grows with the length, and
four times where it grows with the square.  Memory is the peak beside the bytes of the input.  The end is 1
where a parser that takes longer than a tenth of a second grows faster than `MOST`.
"""

from __future__ import annotations

import contextlib
import heapq
import sys
import time
import tracemalloc

from tests.fuzz.__main__ import PARSERS
from tests.fuzz.mutation import PIECES
from tests.fuzz.table import Parser, as_bytes

MOST = 3.0
NOTED_SECONDS = 0.1
"""Below it a ratio says more of the machine than of the parser."""


def main() -> int:
    """Print the table; a line is the slowest piece of a parser."""
    print(
        f"{'parser':26} {'bound':>8}  {'slowest piece':22} {'ms':>8} {'x2 takes':>9} {'memory':>7}"
    )
    slow = 0
    for parser in PARSERS:
        written = [sample for sample in parser.samples() if isinstance(sample, str | bytes)]
        if not written and parser.write is None:
            continue
        is_text = isinstance(written[0], str) if written else isinstance(_written(parser), str)
        seconds, unit = _slowest(parser, is_text=is_text)
        ratio = seconds / max(_seconds(parser, _repeated(parser, unit, 2, is_text=is_text)), 1e-9)
        whole = _repeated(parser, unit, 1, is_text=is_text)
        is_slow = seconds > NOTED_SECONDS and ratio > MOST
        slow += is_slow
        row = (
            f"{parser.name:26} {parser.limit:8}  {unit!r:22.22} {seconds * 1000:8.1f} {ratio:9.1f}"
        )
        print(f"{row} {_memory(parser, whole):7.1f}{'  SLOW' if is_slow else ''}", flush=True)
    return int(bool(slow))


def _written(parser: Parser) -> object:
    return parser.write(parser.samples()[0]) if parser.write else None


def _slowest(parser: Parser, *, is_text: bool) -> tuple[float, str]:
    """The slowest piece at the whole bound, with its time; only the slowest at an eighth of it are tried."""
    units = filter(
        None, dict.fromkeys((*parser.units, *PIECES, "a", "[[", '{"a":', '["a",', "a=b&"))
    )
    tried = [
        (_seconds(parser, _repeated(parser, unit, 8, is_text=is_text)), unit) for unit in units
    ]
    worst = [unit for _, unit in heapq.nlargest(3, tried)]
    return max(
        (_seconds(parser, _repeated(parser, unit, 1, is_text=is_text)), unit) for unit in worst
    )


def _repeated(parser: Parser, unit: str, part: int, *, is_text: bool) -> str | bytes:
    length = parser.limit // part
    text = (unit * (length // len(unit) + 1))[:length]
    return text if is_text else as_bytes(text)[:length]


def _seconds(parser: Parser, given: str | bytes) -> float:
    """Processor time of a parse: other programs may use the machine meanwhile."""
    began = time.process_time()
    with contextlib.suppress(Exception):
        parser.parse(given)
    return time.process_time() - began


def _memory(parser: Parser, given: str | bytes) -> float:
    """Peak memory of a parse, in bytes for each byte of the input."""
    tracemalloc.start()
    try:
        with contextlib.suppress(Exception):
            parser.parse(given)
        return tracemalloc.get_traced_memory()[1] / max(len(given), 1)
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    sys.exit(main())
