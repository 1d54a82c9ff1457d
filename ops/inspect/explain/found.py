"""The input and the result of a look-up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.store import Item
from ops.inspect.explain.event_records import Reader
from ops.inspect.explain.nothing import Unasked
from ops.session import Session

Watch = Callable[[Iterable[Item], int | None], Iterable[Item]]
"""Passes rows on and shows progress; takes the rows and their number, None if unknown."""


@dataclass(frozen=True, slots=True)
class Looking:
    """What look-ups of one report share.

    Attributes:
        deep: whether to scan the ledger too.
        watch: shows a scan's progress.
    """

    session: Session
    reader: Reader
    deep: bool = False
    watch: Watch = lambda rows, _total: rows


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What a look-up of one identifier found.

    Attributes:
        about: the identifier as the report shows it, such as a ticket's id or a key.
        event_keys: the events to explain; keys without a row are left out.
        facts: rows of the facts' ledger.
        notes: further remarks for the reader.
        state: the state of the conversation or ticket.
        is_known: something is stored, even if there is no event.
        unasked: the places that may hold more and were not searched.
    """

    about: str
    event_keys: frozenset[str] = frozenset()
    facts: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    is_known: bool = False
    unasked: tuple[Unasked, ...] = ()
