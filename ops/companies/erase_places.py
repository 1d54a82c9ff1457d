"""What a place that may hold an erased person answered, as the proof of an erasing shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ops.companies.erase_canaries import Canary, texts_of


@dataclass(frozen=True, slots=True)
class Sighting:
    """A canary in a place; holds no personal data.

    Attributes:
        canary: which.
        item: a digest of the item's key; of what may be a namesake's, the id of their conversation.
        where: the attributes that hold it.
    """

    canary: str
    item: str
    where: tuple[str, ...]


@dataclass(slots=True)
class AskedPlace:
    """What a place answered.

    Attributes:
        name: of the table, archive, report or queue.
        asked: how many items; None where it was not asked.
        left: what should not be there.
        named: the name alone, in a conversation of somebody else.
        stays: why something stays, each with how many items and the latest end.
        why_not: why it, or a part of it, was not asked, and until when it may hold something.
        has_failed: it could not be asked, so that nothing is proven of it.
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
    return [one for one in canaries if one.is_in(item, texts, keys)]
