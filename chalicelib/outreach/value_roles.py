"""Roles of values in sentences (deposit, balance, date of a delivery), by the words of ``roles.toml``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.tables import beside, read

FILE = beside(__file__, "roles.toml")
_LONGEST = 4
"""Maximum number of words of a phrase that names a role."""
_BEGINNING = 3
_ENDINGS = "*"
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class RoleRow:
    """One role that a value can have, such as deposit, with its words: a row of ``roles.toml``.

    The comment at the head of that file explains the fields.
    """

    name: str
    kinds: tuple[str, ...]
    weak: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    en: tuple[str, ...] = ()
    es: tuple[str, ...] = ()
    fr: tuple[str, ...] = ()
    pt: tuple[str, ...] = ()
    de: tuple[str, ...] = ()
    it: tuple[str, ...] = ()
    nl: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoleFile:
    """The contents of ``roles.toml``: the roles of values, such as deposit, with their words."""

    role: tuple[RoleRow, ...]


@dataclass(frozen=True, slots=True)
class RoleHit:
    """A place in a folded text (small letters without accents) whose words name a role, such as deposit."""

    start: int
    end: int
    role: str


LANGUAGES = ("en", "es", "fr", "pt", "de", "it", "nl")


_WANTED = {"time": ("date",), "number": ("number", "money", "percent"), "code": ("number",)}
"""By kind of value, the kinds of roles that it can have; any other kind only its own."""


@cache
def rows() -> Mapping[str, RoleRow]:
    """The rows of ``roles.toml`` by the names of the roles."""
    return {role_row.name: role_row for role_row in read(FILE, RoleFile).role}


def has_kind(role: str, kind: str) -> bool:
    """Whether a kind of value, such as a time, can have a role, such as delivery.

    A plain number can also have the roles of sums of money and of percentages.
    """
    return any(other in rows()[role].kinds for other in _WANTED.get(kind, (kind,)))


def is_weak(role: str, kind: str) -> bool:
    """Whether the role is weak: its words give such a value the role only where no other role's words do."""
    return any(other in rows()[role].weak for other in _WANTED.get(kind, (kind,)))


def is_aside(role: str, kind: str) -> bool:
    """Whether words of the role only say how much a value of a kind is, as in "over 50", never what it is."""
    return any(other in rows()[role].aside for other in _WANTED.get(kind, (kind,)))


def is_like(role: str, other: str) -> bool:
    """Whether words for `role` may mean a value that the company gave as `other`: "total" for a price."""
    return other in rows()[role].like


def role_hits(text: str, languages: Collection[str] = ()) -> Iterator[RoleHit]:
    """The places in a folded text (small letters without accents) whose words name roles, such as deposit.

    Of several phrases that begin at one word, the longest counts.  Only the words of `languages`
    count; without any, those of all languages.
    """
    words = [(hit.start(), hit.end(), hit.group()) for hit in _WORD.finditer(text)]
    phrases, beginnings = _words(tuple(sorted(languages)) or LANGUAGES)
    place = 0
    while place < len(words):
        length = 1
        for count in range(min(_LONGEST, len(words) - place), 0, -1):
            found = phrases.get(" ".join(part for _, _, part in words[place : place + count]))
            if found:
                span = (words[place][0], words[place + count - 1][1])
                yield from (RoleHit(*span, role) for role in found)
                length = count
                break
        if length == 1:
            start, end, word = words[place]
            for beginning, role in beginnings.get(word[:_BEGINNING], ()):
                if word.startswith(beginning):
                    yield RoleHit(start, end, role)
            for ending, role in beginnings.get(_ENDINGS, ()):
                if word.endswith(ending):
                    yield RoleHit(start, end, role)
        place += length


@cache
def _words(
    languages: tuple[str, ...],
) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, list[tuple[str, str]]]]:
    """The words of ``roles.toml``: phrases with their roles; and beginnings and endings of words with theirs.

    Beginnings are listed by their first letters, endings under ``*``.
    """
    phrases, beginnings = (
        defaultdict[str, list[str]](list),
        defaultdict[str, list[tuple[str, str]]](list),
    )
    for row in rows().values():
        for phrase in (phrase for language in languages for phrase in getattr(row, language)):
            key = " ".join(_WORD.findall(phrase))
            if phrase.startswith("*"):
                beginnings[_ENDINGS].append((key, row.name))
            elif phrase.endswith("*") and " " not in key:
                beginnings[key[:_BEGINNING]].append((key, row.name))
            elif row.name not in phrases[key]:
                phrases[key].append(row.name)
    return {key: tuple(found) for key, found in phrases.items()}, beginnings
