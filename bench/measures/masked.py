"""`python -m bench.measures.masked [open|held]`: what a language model must not see, and what it needs.

Each line of `tests/samples/masked` is a message, with a part that must be hidden from the model or a part
that must be kept.  Printed by kind: how many hidden parts were seen, and how many kept parts were altered,
with 95 % intervals by Wilson.  `--list` names them.  A hidden part counts as seen if any of its groups of
letters and digits is.

A message belongs to the held half if the last hexadecimal digit of the SHA-256 of its id is odd.  The
author knew the code, but wrote the messages before the forms that they test existed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measures.words import wilson
from bench.redaction import mix
from chalicelib.redaction import model_view, redact

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "masked"
KINDS = ("identity", "plate", "birth", "secret")
HALVES = ("open", "held")
COMPANY = ("+442079460000",)
"""The company's own phone numbers, which the model may see."""
_GROUP = re.compile(r"[^\W_]+")
_TIMED_BYTES = 4096


@dataclass(frozen=True, slots=True)
class MaskedSample:
    """One message of the samples.

    Attributes:
        of: country or language; empty without one.
        hidden: the part that must not be seen; None where one must be kept.
        kept: the part that must stay as written; None where one must be hidden.
    """

    id: str
    text: str
    of: str = ""
    hidden: str | None = None
    kept: str | None = None

    @property
    def kind(self) -> str:
        """What the part is: one of `KINDS`."""
        return self.id.partition("-")[0]

    @property
    def half(self) -> str:
        """The half: `open`, which may be used for corrections, or `held`, which may not."""
        is_odd = int(hashlib.sha256(self.id.encode()).hexdigest()[-1], 16) % 2
        return HALVES[is_odd]

    @property
    def view(self) -> str:
        """The message as the model gets it."""
        return model_view(self.text, needed=COMPANY)

    @property
    def is_right(self) -> bool:
        """Whether the part is hidden or kept, as it must be."""
        if self.hidden is None:
            return (self.kept or "") in self.view
        around = _GROUP.findall(self.text.replace(self.hidden, " "))
        seen = _GROUP.findall(self.view)
        groups = _GROUP.findall(self.hidden)
        return all(seen.count(group) <= around.count(group) for group in groups)


def masked_samples(half: str) -> list[MaskedSample]:
    """The messages of a half."""
    lines = [
        line
        for kind in KINDS
        for line in (SAMPLES / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    found = [MaskedSample(**json.loads(line)) for line in lines]
    return [sample for sample in found if sample.half == half]


def report(found: Sequence[MaskedSample]) -> Iterator[str]:
    """The lines of the report's table."""
    yield f"{'':10} {'seen':>6} {'of':>4} {'':22} {'altered':>8} {'of':>4}"
    for kind in (*KINDS, "all"):
        rows = [sample for sample in found if kind in (sample.kind, "all")]
        seen = _share([row for row in rows if row.hidden is not None])
        yield f"{kind:10} {seen:34} {_share([row for row in rows if row.kept is not None]):>34}"


def _share(rows: Sequence[MaskedSample]) -> str:
    wrong = sum(not row.is_right for row in rows)
    low, high = wilson(wrong, len(rows))
    return f"{wrong:6} {len(rows):4} {wrong / len(rows):6.1%} ({low:.1%} to {high:.1%})"


def mistakes(found: Iterable[MaskedSample]) -> Iterator[str]:
    """A line for each message whose part was not hidden or kept as it must be."""
    for sample in found:
        if not sample.is_right:
            yield f"  {sample.id} {sample.of or 'kept'}: {sample.text!r} -> {sample.view!r}"


def microseconds() -> float:
    """Median processor time for redacting 4 KB of typical messages (`bench.redaction.mix`), in µs."""
    text = " ".join(mix.messages("typical", 8)).encode()[:_TIMED_BYTES].decode(errors="ignore")
    times = []
    for _ in range(31):
        start = time.process_time()
        redact(text)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e6


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.masked")
    parser.add_argument("half", nargs="?", choices=HALVES, default="open")
    parser.add_argument("--list", action="store_true", help="name the wrong ones")
    options = parser.parse_args()
    found = masked_samples(options.half)
    print("\n".join(report(found)))
    if options.list:
        print("\n".join(mistakes(found)))
    print(f"a text of 4 KB: {microseconds():.0f} µs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
