"""The result of searching one place for an erased person, as the proof of an erasure shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ops.companies.erase_canaries import Canary, texts_of


@dataclass(frozen=True, slots=True)
class Sighting:
    """A canary found in a place; holds no personal data.

    Attributes:
        canary: the canary's name, such as ``address 1``.
        item: a digest of the item's key; for a name found alone, the conversation's id.
        where: the attributes that hold the canary.
    """

    canary: str
    item: str
    where: tuple[str, ...]


@dataclass(slots=True)
class AskedPlace:
    """The result of searching one place.

    Attributes:
        name: the table, archive, report or queue.
        asked: the number of items read; None if the place was not searched.
        left: sightings that should not be there.
        named: sightings of the name alone in another person's conversation.
        stays: by reason for staying, the number of items and the latest expiry.
        why_not: why all or part of the place was not searched, and until when it may hold
            something.
        has_failed: the search failed, so that nothing is proven.
    """

    name: str
    asked: int | None = None
    left: list[Sighting] = field(default_factory=list)
    named: list[Sighting] = field(default_factory=list)
    stays: dict[str, dict[str, Any]] = field(default_factory=dict)
    why_not: str = ""
    has_failed: bool = False


def found_in(
    item: Mapping[str, Any], canaries: Sequence[Canary], key_texts: Sequence[str] = ()
) -> list[Canary]:
    """The canaries that an item holds."""
    texts, keys = list(texts_of(item)), list(key_texts)
    return [canary for canary in canaries if canary.is_in(item, texts, keys)]
