"""How well STOP, START and HELP are recognised in messages that nothing was tuned on.

    python -m bench.measures.words

Of each wish: how many of its messages are recognised (recall), and how many of the others are taken
for it (false positives), each with its Wilson interval of 95 %.  The table and the small model beside it
are measured, without the language model that reads every other message.
"""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

from chalicelib.outreach.consent.words import heard

SAMPLES = Path(__file__).parents[2] / "tests" / "samples" / "consent" / "held_out_2.jsonl"
WISHES = {"stop": "stop", "start": "start", "help": "help", "doubt": "doubtful"}
"""Names of `words.Word` in the samples."""
_Z = 1.959964


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval of 95 % of a share; of nothing, the whole range."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def measured() -> list[str]:
    """The lines of the report."""
    rows = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    said = [(row["wish"], WISHES.get(str(heard(row["text"]).word), "none")) for row in rows]
    lines = [f"{len(rows)} messages"]
    for wish in (*WISHES.values(), "none"):
        own = [found for label, found in said if label == wish]
        others = [found for label, found in said if label != wish]
        lines.append(f"{wish:9} recall {_shown(own.count(wish), len(own))}")
        lines.append(f"{'':9} false  {_shown(others.count(wish), len(others))}")
    wished = [found for label, found in said if label == "stop"]
    heeded = sum(found in ("stop", "doubtful") for found in wished)
    lines.append(f"stop, marked or to a person  {_shown(heeded, len(wished))}")
    harmless = [found for label, found in said if label in ("none", "start", "help")]
    lines.append(f"no wish, but marked          {_shown(harmless.count('stop'), len(harmless))}")
    return lines


def _shown(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    return f"{hits:4} of {of:4}  {low:6.1%} to {high:6.1%}"


if __name__ == "__main__":
    print("\n".join(measured()))
