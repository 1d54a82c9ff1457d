"""The rows of ``wordings.toml``, what recipients say about being contacted, as patterns for `contact_words`.

A pattern is matched against folded text: lower case without accents, punctuation and courtesies.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.consent import compiled, folding
from chalicelib.tables import TableError, beside, read

ByLanguage = Mapping[str, tuple[str, ...]]
"""Wordings by the two letters of their language."""
UNSPACED = ("zh", "ja")
"""Languages that write no spaces between words."""
FILE = beside(__file__, "wordings.toml")


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords (whole messages of a few words) for STOP, START, yes and HELP, each by language."""

    stop: ByLanguage
    start: ByLanguage
    yes: ByLanguage
    help: ByLanguage


@dataclass(frozen=True, slots=True)
class Wordings:
    """The contents of ``wordings.toml``, the wordings about being contacted; the file explains each table.

    Attributes:
        sets: lists of words that wordings insert as ``{name}``.
        limits: words after which a wish may be limited, e.g. to a time.
        clauses: words that begin a new clause.
    """

    carriers: Mapping[str, tuple[str, ...]]
    keywords: Keywords
    courtesies: ByLanguage
    spellings: Mapping[str, str]
    sets: Mapping[str, tuple[str, ...]]
    plain: ByLanguage
    negated: ByLanguage
    doubt: ByLanguage
    complained: ByLanguage
    soft: ByLanguage
    whence: ByLanguage
    again: ByLanguage
    marketing: ByLanguage
    limits: ByLanguage
    clauses: ByLanguage


@dataclass(frozen=True, slots=True)
class Patterns:
    """The compiled regular expressions of ``wordings.toml``: a field for each table, for all languages."""

    plain: tuple[re.Pattern[str], ...]
    negated: re.Pattern[str]
    doubt: re.Pattern[str]
    complained: re.Pattern[str]
    soft: re.Pattern[str]
    whence: re.Pattern[str]
    again: re.Pattern[str]
    marketing: re.Pattern[str]
    limits: re.Pattern[str]
    clauses: re.Pattern[str]


ASKED = re.compile(r"^(?:so )?(?:you )?(?:can|could|would|will|may|should|must|need to)(?: you)? ")
"""Polite beginnings of a wish ("can you ..."), which do not change it."""
WEAK = re.compile(
    r"(?:do not|dont|don t|no|nao|non)(?: (?:me|mi))? \w+(?: (?:me|us|to me|here|now|this number))*"
)
"""Weak wishes: beside another clause they may hold only for now ("don't call me, I am at work")."""
_SOFTENED = (
    r"(?:(?:no|nah|nope|sorry|hi|thanks|oh|ugh|um|well|honestly|really|im|i m|i am|we re|we are|just|so)"
    r" )*(?:%s)(?: (?:sorry|man|mate|dude|please|lol|though|sir|guys))*"
)
ENDS = "[.!?;,:\n\u2013\u2014()\u3002\uff01\uff1f\uff0c\u3001\u060c\u061f\u061b\u0964\u037e]+"
"""Pattern of the punctuation that ends a clause, in any script."""
_SET = re.compile(r"\{([a-z]+)\}")


@cache
def all_wordings() -> Wordings:
    """The contents of ``wordings.toml``; read at the first message, to keep cold starts short."""
    return read(FILE, Wordings)


@cache
def patterns() -> Patterns:
    """The patterns of ``wordings.toml``: from `wordings.bin` if that is current, else compiled.

    They are loaded at the first message.
    """
    *plain, negated, doubt, complained, soft, whence, again, marketing, limits, clauses = (
        compiled.shipped(made_from()) or map(re.compile, sources())
    )
    return Patterns(
        tuple(plain),
        negated,
        doubt,
        complained,
        soft,
        whence,
        again,
        marketing,
        limits,
        clauses,
    )


def made_from() -> str:
    """A digest of ``wordings.toml``, by which a precompiled file shows that it is current."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]


def sources() -> list[str]:
    """The regular expressions of ``wordings.toml``, in the order in which `patterns` compiles them."""
    rows = all_wordings()
    return [
        *(_filled(wording) for wording in all_languages(rows.plain)),
        _anywhere(rows.negated),
        _anywhere(rows.doubt),
        _anywhere(rows.complained),
        _SOFTENED % _either(rows.soft),
        _anywhere(rows.whence),
        _either(rows.again),
        _anywhere(rows.marketing),
        _anywhere(rows.limits),
        rf"{ENDS}|\b(?:{_either(rows.clauses)})\b",
    ]


def all_languages(rows: ByLanguage) -> Iterable[str]:
    """The wordings of a table, of all its languages one after another."""
    return (wording for of_language in rows.values() for wording in of_language)


def _anywhere(rows: ByLanguage) -> str:
    """A regular expression that finds any wording of a table, in any language, as whole words.

    In languages without spaces, it finds a wording anywhere.
    """
    spaced = _either({name: them for name, them in rows.items() if name not in UNSPACED})
    unspaced = _either({name: rows[name] for name in UNSPACED if name in rows})
    return rf"(?<!\S)(?:{spaced})(?!\S)" + (f"|{unspaced}" if unspaced else "")


def _either(rows: ByLanguage) -> str:
    return _filled("|".join(all_languages(rows)))


def _filled(wording: str) -> str:
    """A wording with each ``{set}`` replaced by its words as alternatives (``a|b``), without accents."""
    whole = _SET.sub(lambda found: _filled("|".join(_set(found[1]))), wording)
    return folding.plain_letters(whole)


def _set(name: str) -> tuple[str, ...]:
    if name not in all_wordings().sets:
        raise TableError(f"{FILE.name}: sets.{name} is missing")
    return all_wordings().sets[name]
