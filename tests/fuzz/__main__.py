"""``python -m tests.fuzz --per-parser 5000``: every parser, as a table; 1 if one did what it must not."""

from __future__ import annotations

import argparse
import sys

from tests.fuzz import bodies, files, proofs, texts
from tests.fuzz.judge import fuzz

PARSERS = (*bodies.PARSERS, *proofs.PARSERS, *texts.PARSERS, *files.PARSERS)


def main() -> int:
    """Fuzz the parsers whose names hold a word, else all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-parser", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    named = tuple(parser for parser in PARSERS if chosen.only in parser.name)
    report = fuzz(named, chosen.per_parser, chosen.seed)
    print(report.table())
    return int(bool(report.problems))


if __name__ == "__main__":
    sys.exit(main())
