"""Finds the examples of verdict sets that name an erased person.

The names come from the person's conversations with a company, and count only in that company's
sets.  An example marked as invented must hold first and last name; any other example, one of
the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.store import Item
from chalicelib.outreach.conversations.verdicts import is_verdict
from ops.companies.verdict_redaction import FIRST_NAME


@dataclass(frozen=True, slots=True)
class TheirNames:
    """The names by which companies call a person.

    Attributes:
        names: (company, first name, last name), case-folded; an unknown name is empty.
    """

    names: frozenset[tuple[str, str, str]] = field(default=frozenset(), repr=False)

    def with_those_of(self, record: Item) -> TheirNames:
        """These names and the one in a conversation of the person."""
        first, last = (_folded(record.get(f"recipient_{part}_name")) for part in ("first", "last"))
        return TheirNames(self.names | {(str(record.get("company_id")), first, last)})

    def are_in(self, row: Item) -> bool:
        """Whether a row is an example that names the person, of a company that knows them."""
        if not is_verdict(row):
            return False
        sought = set()
        for company, first, last in self.names:
            if company != row.get("company_id"):
                continue
            if row.get("is_invented"):
                sought |= {f"{first} {last}"} if first and last else set()
            else:
                sought |= {first, last} - {"", _folded(FIRST_NAME)}
        return any(_is_in(text, name) for name in sought for text in _texts(row))


def _is_in(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - any stored value
    match value:
        case str():
            yield _folded(value)
        case Mapping():
            for part in value.values():
                yield from _texts(part)
        case list():
            for part in value:
                yield from _texts(part)


def _folded(value: object) -> str:
    return " ".join(str(value or "").casefold().split())
