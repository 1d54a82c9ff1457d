"""Examples of verdict sets that name a person who is erased.

The names are those of the person's own conversations, and count in the company's sets alone.  An example
that says it is invented is about them where it has first and last name, any other where it has either.
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
    """How companies call a person.

    Attributes:
        names: company, first name and last name, folded; empty where it is not known.
    """

    names: frozenset[tuple[str, str, str]] = field(default=frozenset(), repr=False)

    def with_those_of(self, record: Item) -> TheirNames:
        """These, and how a conversation of theirs calls them."""
        first, last = (_folded(record.get(f"recipient_{one}_name")) for one in ("first", "last"))
        return TheirNames(self.names | {(str(record.get("company_id")), first, last)})

    def are_in(self, row: Item) -> bool:
        """Whether a row is an example of their company that names them."""
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
        return any(_is_in(text, one) for one in sought for text in _texts(row))


def _is_in(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - any stored value
    match value:
        case str():
            yield _folded(value)
        case Mapping():
            for one in value.values():
                yield from _texts(one)
        case list():
            for one in value:
                yield from _texts(one)


def _folded(value: object) -> str:
    return " ".join(str(value or "").casefold().split())
