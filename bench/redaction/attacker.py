"""Attacks `redact` with composed texts: `python -m bench.redaction.attacker --count N | --seconds N`.

Every seed gives one text and one oracle that judges the output; a failing seed is printed and can be run
alone (`--seed S --count 1`).  A seed's half is "open" if the last hexadecimal digit of the SHA-256 of its
id is even, else "held-out".
"""

import argparse
import hashlib
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.redaction.compose import MASKED
from bench.redaction.harmless import STAYS
from bench.redaction.oracles import Oracle
from bench.redaction.words import LANGUAGES
from chalicelib.redaction import redact

KINDS = MASKED | STAYS
_NAMES = tuple(KINDS)
_HALVES = ("open", "held-out")
_Z = 1.96  # 95 %


class Composition(NamedTuple):
    """One composed text, its language (e.g. "en"), and the oracle that judges its output."""

    seed: int
    kind: str
    language: str
    text: str
    oracle: Oracle


class Failure(NamedTuple):
    """A text that was redacted wrongly.

    `seen` is the visible part of an identifier, or the output of a text that should have stayed
    unchanged, or that changed when it was redacted again.
    """

    seed: int
    kind: str
    language: str
    text: str
    output: str
    seen: str


@dataclass(slots=True)
class Report:
    """The number of texts tried by kind, and the failures in the order of their seeds."""

    tried: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


def half(seed: int) -> str:
    """The half of a seed: "open" may be used for corrections, "held-out" only for measuring."""
    return _HALVES[hashlib.sha256(f"redaction-{seed}".encode()).digest()[-1] & 1]


def kind_of(seed: int) -> str:
    """The kind of a seed, without composing its text."""
    return _NAMES[random.Random(seed).randrange(len(_NAMES))]


def compose(seed: int) -> Composition:
    """The composition of a seed, the same on every machine."""
    rng = random.Random(seed)
    kind = _NAMES[rng.randrange(len(_NAMES))]
    language = rng.choice(LANGUAGES)
    return Composition(seed, kind, language, *KINDS[kind](rng, language))


def attack(seeds: Iterable[int]) -> Report:
    """Redact the composition of every seed and judge it."""
    report = Report()
    for composition in map(compose, seeds):
        report.tried[composition.kind] += 1
        output = redact(composition.text)
        again = redact(output)
        seen = composition.oracle(output) or (again if again != output else "")
        if seen:
            report.failures.append(Failure(*composition[:4], output, seen))
    return report


def chosen(start: int, part: str, kinds: frozenset[str]) -> Iterator[int]:
    """The seeds from `start` on that belong to a half and to one of the kinds, without end."""
    seed = start
    while True:
        if half(seed) == part and (len(kinds) == len(_NAMES) or kind_of(seed) in kinds):
            yield seed
        seed += 1


def wilson(failed: int, tried: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate; `tried` is above zero."""
    rate, square = failed / tried, _Z * _Z / tried
    centre, width = rate + square / 2, _Z * math.sqrt((rate * (1 - rate) + square / 4) / tried)
    return max(0.0, (centre - width) / (1 + square)), min(1.0, (centre + width) / (1 + square))


def main() -> int:
    """Attack and print; the exit code is 1 if anything failed."""
    options = _options()
    seeds = chosen(options.seed, options.half, options.kinds)
    report = attack(_limited(seeds, options.count, options.seconds))
    shown: Counter[str] = Counter()
    for failure in report.failures:
        shown[failure.kind] += 1
        if shown[failure.kind] <= options.failures:
            print(line(failure))
    print_rates(report)
    return 1 if report.failures else 0


def line(failure: Failure) -> str:
    """One failure on one line."""
    note = f"  seen: {failure.seen}" if failure.kind in MASKED else ""
    return f"{failure.seed} {failure.kind} {failure.language}: {failure.text!r} -> {failure.output!r}{note}"


def print_rates(report: Report) -> None:
    """Print failure rates with intervals; without failures the upper bound is 3 / texts tried."""
    failed = Counter(failure.kind for failure in report.failures)
    for side, names in (("must be masked", MASKED), ("must stay", STAYS)):
        tried = sum(report.tried[name] for name in names)
        print(f"\n{side:18}    tried  failed     rate  95 %")
        for name in names:
            if report.tried[name]:
                _print_rate(name, failed[name], report.tried[name])
        if tried:
            _print_rate("all", sum(failed[name] for name in names), tried)


def _print_rate(name: str, failed: int, tried: int) -> None:
    low, high = wilson(failed, tried)
    bound = f"{low:.3%} to {high:.3%}" if failed else f"below {3 / tried:.3%}"
    print(f"{name:18} {tried:8,} {failed:7,} {failed / tried:8.3%}  {bound}")


def _limited(seeds: Iterator[int], count: int | None, seconds: float | None) -> Iterator[int]:
    end = time.monotonic() + seconds if seconds else math.inf
    for done, seed in enumerate(seeds):
        if (count is not None and done >= count) or time.monotonic() >= end:
            return
        yield seed


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--count", type=int, help="compositions (default 100,000)")
    length.add_argument("--seconds", type=float, help="how long instead")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--half", choices=_HALVES, default="open")
    parser.add_argument("--kinds", type=_kinds, default=frozenset(KINDS), help="kinds, by commas")
    parser.add_argument("--failures", type=int, default=10, help="printed of each kind")
    options = parser.parse_args()
    if options.count is None and options.seconds is None:
        options.count = 100_000
    return options


def _kinds(text: str) -> frozenset[str]:
    kinds = frozenset(text.split(","))
    if unknown := kinds - frozenset(KINDS):
        raise argparse.ArgumentTypeError(
            f"unknown: {' '.join(sorted(unknown))}; known: {' '.join(KINDS)}"
        )
    return kinds


if __name__ == "__main__":
    sys.exit(main())
