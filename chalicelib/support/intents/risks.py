"""The words of grave matters, which are never answered automatically: the rows of ``risks.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.support.intents.words import joined_sets
from chalicelib.tables import Rows, beside, read


@dataclass(frozen=True, slots=True)
class WordsOfRisks:
    """All rows of ``risks.toml``, the phrases of grave matters.

    Attributes:
        sets: the words of each named set, beside the sets of the intents.
        risks: the phrases of each grave matter.
    """

    complaints: tuple[str, ...]
    sets: Mapping[str, tuple[str, ...]]
    risks: Mapping[str, tuple[str, ...]]


FILE = beside(__file__, "risks.toml")


@cache
def _file() -> WordsOfRisks:
    return read(FILE, WordsOfRisks)


def complaints() -> tuple[str, ...]:
    """The phrases by which people say that our first answer did not help."""
    return _file().complaints


SETS: Mapping[str, str] = Rows(lambda: joined_sets(_file().sets))
RISKS: Mapping[str, tuple[str, ...]] = Rows(lambda: _file().risks)
"""Every matter and its phrases."""
