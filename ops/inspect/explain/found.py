"""What a look-up starts from and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.store import Item
from ops.inspect.explain.event_records import Reader
from ops.inspect.explain.nothing import Unasked
from ops.session import Session

Watch = Callable[[Iterable[Item], int | None], Iterable[Item]]
"""Passes rows on and shows progress; the number is how many there are, None if unknown."""


@dataclass(frozen=True, slots=True)
class Looking:
    """One report's means.

    Attributes:
        deep: the operator asked for a scan.
        watch: shows a scan's progress.
    """

    session: Session
    reader: Reader
    deep: bool = False
    watch: Watch = lambda rows, _total: rows


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What an identifier names.

    Attributes:
        about: as the report calls it: a ticket's id or a key.
        event_keys: the events to explain; one without a row is left out.
        facts: rows of the facts' ledger.
        notes: what a reader should know besides.
        state: what is known of the conversation.
        is_known: something is stored although there is no event.
        unasked: the places that may have more, and were not asked.
    """

    about: str
    event_keys: frozenset[str] = frozenset()
    facts: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    is_known: bool = False
    unasked: tuple[Unasked, ...] = ()
