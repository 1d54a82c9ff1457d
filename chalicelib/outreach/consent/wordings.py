"""What recipients say about being contacted: the rows of ``wordings.toml`` as patterns, for `words`.

Each is matched against text without accents, marks and courtesies, in lower case.
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
    """Whole messages of a few words, by what they say."""

    stop: ByLanguage
    start: ByLanguage
    yes: ByLanguage
    help: ByLanguage


@dataclass(frozen=True, slots=True)
class Wordings:
    """The file, which says of each table when its rows count.

    Attributes:
        sets: words that the wordings name, by the name.
        limits: words after which a wish may have its limits.
        clauses: words that begin another clause.
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
    """The wordings of all languages, compiled; their names are those of `Wordings`."""

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
"""Before a wish, which it leaves as it is."""
WEAK = re.compile(
    r"(?:do not|dont|don t|no|nao|non)(?: (?:me|mi))? \w+(?: (?:me|us|to me|here|now|this number))*"
)
"""Beside another clause it may be a wish for now: "don't call me, I am at work"."""
_SOFTENED = (
    r"(?:(?:no|nah|nope|sorry|hi|thanks|oh|ugh|um|well|honestly|really|im|i m|i am|we re|we are|just|so)"
    r" )*(?:%s)(?: (?:sorry|man|mate|dude|please|lol|though|sir|guys))*"
)
ENDS = "[.!?;,:\n\u2013\u2014()\u3002\uff01\uff1f\uff0c\u3001\u060c\u061f\u061b\u0964\u037e]+"
"""Marks that end a clause, in any script."""
_SET = re.compile(r"\{([a-z]+)\}")


@cache
def listed() -> Wordings:
    """The rows; read for the first message, to keep cold starts short."""
    return read(FILE, Wordings)


@cache
def patterns() -> Patterns:
    """The patterns; likewise."""
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
    """A digest of the file."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]


def sources() -> list[str]:
    """The expressions of the patterns, in their order."""
    rows = listed()
    return [
        *(_filled(one) for one in every(rows.plain)),
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


def every(rows: ByLanguage) -> Iterable[str]:
    """The wordings of all languages."""
    return (one for of_language in rows.values() for one in of_language)


def _anywhere(rows: ByLanguage) -> str:
    """Any of the rows as whole words; those of Chinese and Japanese as any part of a run."""
    spaced = _either({name: them for name, them in rows.items() if name not in UNSPACED})
    unspaced = _either({name: rows[name] for name in UNSPACED if name in rows})
    return rf"(?<!\S)(?:{spaced})(?!\S)" + (f"|{unspaced}" if unspaced else "")


def _either(rows: ByLanguage) -> str:
    return _filled("|".join(every(rows)))


def _filled(wording: str) -> str:
    """A wording with the words of the sets that it names, in the shapes of `folding`."""
    whole = _SET.sub(lambda found: _filled("|".join(_set(found[1]))), wording)
    return folding.shapes(whole)


def _set(name: str) -> tuple[str, ...]:
    if name not in listed().sets:
        raise TableError(f"{FILE.name}: sets.{name} is missing")
    return listed().sets[name]
