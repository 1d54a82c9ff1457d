"""Whether a draft gives a link, an e-mail address or a number as the right person's; pure.

Where several fields hold an address, each is known by its name, its declaration, and the person
who has the same role: "Dana's number" is the number of the recruiter, where Dana is the recruiter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chalicelib.outreach.value_roles import role_hits
from chalicelib.outreach.writing.checks.contact_details import (
    Addresses,
    addresses,
    is_phone,
)
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.said_values import stems_of
from chalicelib.outreach.writing.sources import Source, Sources


@dataclass(frozen=True, slots=True)
class _Words:
    """The roles and word stems by which a sentence or a field describes an address."""

    roles: frozenset[str]
    stems: frozenset[str]

    def shared(self, other: _Words) -> int:
        return 2 * len(self.roles & other.roles) + len(self.stems & other.stems)


def is_swapped(address: str, kind: str, sentence: str, asked: str, sources: Sources) -> bool:
    """Whether a draft gives an address for a wrong person or use: another one fits its sentence better.

    False where no field of the sources has the address, or no field has another one of its kind.

    Args:
        address: as `checks.contact_details` finds it.
        kind: ``phones``, ``emails`` or ``links``; a link is its host and path.
        sentence: the sentence that contains the address.
        asked: the message that the draft answers; it decides where the sentence does not.
        sources: the sources of the draft.
    """
    fields = [
        (source, _of_kind(addresses(source.text), kind))
        for source in sources.given
        if source.is_field
    ]
    own = [source for source, its in fields if _has_address(address, kind, its)]
    rivals = [source for source, its in fields if its and not _has_address(address, kind, its)]
    if not own or not rivals:
        return False
    for text in (sentence, asked):
        said = _words_of(text, sources)
        mine, theirs = _best(said, own), _best(said, rivals)
        if mine != theirs:
            return theirs > mine
    return False


def _of_kind(found: Addresses, kind: str) -> frozenset[str]:
    if kind == "links":
        return frozenset("".join(link) for link in found.links)
    return found.phones if kind == "phones" else found.emails


def _has_address(address: str, kind: str, its: frozenset[str]) -> bool:
    return is_phone(address, its) if kind == "phones" else address in its


def _words_of(text: str, sources: Sources) -> _Words:
    """The roles and word stems of a text.

    Where the text mentions the person or name in a source's field, those of the field are added.
    """
    low = folded(text)
    named = [
        source
        for source in sources.given
        if source.is_text and any(part in low.split() for part in _names(source))
    ]
    roles = {hit.role for hit in role_hits(low)} | {
        r for source in named for r in source.meaning.nearest
    }
    stems = stems_of(text) | {stem for source in named for stem in source.meaning.stems}
    return _Words(frozenset(roles), frozenset(stems))


def _names(source: Source) -> set[str]:
    """The capitalised words of a field's text, as of a name, also with the endings "s" and "'s"."""
    words = [folded(word) for word in source.text.split() if word[:1].isupper()]
    return {form for word in words for form in (word, f"{word}s", f"{word}'s")}


def _best(said: _Words, fields: Iterable[Source]) -> int:
    return max(said.shared(_Words(field.meaning.nearest, field.meaning.stems)) for field in fields)
