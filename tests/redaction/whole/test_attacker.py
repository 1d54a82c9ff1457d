"""Identifiers among common words of six languages are masked, and harmless numbers stay."""

from bench.redaction.attacker import KINDS, attack, chosen, line

COUNT = 25_000
"""About eight seconds of processor time; `make attack-redaction` tries a million."""


def test_nothing_composed_leaks_and_nothing_harmless_is_altered():
    seeds = chosen(0, "open", frozenset(KINDS))
    report = attack(seed for seed, _ in zip(seeds, range(COUNT), strict=False))
    first = "\n".join(map(line, report.failures[:10]))
    assert not first, f"{len(report.failures)} of {COUNT} failed:\n{first}"
