"""Identifiers among common words of six languages are masked, and harmless numbers stay."""

import pytest

from bench.redaction.attacker import KINDS, attack, chosen, line

COUNTS = [5_000, pytest.param(25_000, marks=pytest.mark.long)]
"""More texts of the same kinds; `make attack-redaction` tries a million."""


@pytest.mark.parametrize("count", COUNTS)
def test_nothing_composed_leaks_and_nothing_harmless_is_altered(count):
    seeds = chosen(0, "open", frozenset(KINDS))
    report = attack(seed for seed, _ in zip(seeds, range(count), strict=False))
    first = "\n".join(map(line, report.failures[:10]))
    assert not first, f"{len(report.failures)} of {count} failed:\n{first}"
