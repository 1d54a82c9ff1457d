"""What a recipient says about being contacted: STOP, START and HELP in seven languages; pure.

A keyword is a whole message, whatever its case, accents, punctuation, emoji and courtesies.  A plain
wish ("don't text me again") counts as STOP.  A message that may be one, or may be about something
else, is in doubt and belongs to a person; so does one in which a small model suspects a wish.
English, Spanish, French, Portuguese, German, Italian and Dutch; the languages are not distinguished,
as a keyword of one is no word of another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache

from chalicelib.outreach.consent import unwanted, wordings
from chalicelib.tables import Rows


class Word(StrEnum):
    """What was said."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as understood.

    Attributes:
        word: None where it says nothing about being contacted.
        language: of a HELP in a language other than English, e.g. ``es``.
        is_carriers: a keyword that Twilio answers itself, if its own handling is on.
        is_yes: START by a word that means "yes" as well, so only from somebody who has said STOP.
    """

    word: Word | None = None
    language: str | None = None
    is_carriers: bool = False
    is_yes: bool = False


CARRIERS: Mapping[str, Word] = Rows(
    lambda: {one: Word(name) for name, them in wordings.listed().carriers.items() for one in them}
)
"""Twilio's default keywords."""
_SIGNS = {"\N{OCTAGONAL SIGN}": " stop ", "\N{NO ENTRY}": " stop "}
_MARKS = re.compile(r"[^\w]+|_+")
_SIGNATURE = re.compile(
    r"\n+\s*(?:sent from|get outlook for|enviado desde|envoyé de|gesendet von) .*",
    re.IGNORECASE | re.DOTALL,
)
_SPELT = re.compile(r"(?:\b\w\b ?){4,}")
_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")

_LONGEST_WISH = 160
"""Characters of a plain wish; a bound also on the time that one takes."""
_MOST_CLAUSES = 20
_SLIPPED = 9
"""Letters of a keyword that is also recognised with a slip: a shorter one is near another word."""
_SLIP = 0.88
"""How alike, as `difflib` counts."""
_MOST_CHARACTERS = 1000
"""Of a longer message only so much is looked at; a longer one is no STOP, or quotes a text."""


@dataclass(frozen=True, slots=True)
class _Keywords:
    """The keywords of all languages.

    Attributes:
        help: with their language, where it is not English.
        long: those of STOP that are recognised with a slip.
    """

    stop: frozenset[str]
    start: frozenset[str]
    yes: frozenset[str]
    help: Mapping[str, str | None]
    long: tuple[str, ...]
    courtesies: re.Pattern[str]


@cache
def _keywords() -> _Keywords:
    rows = wordings.listed()
    of = rows.keywords
    stop = frozenset(wordings.every(of.stop))
    courtesies = sorted(map(re.escape, wordings.every(rows.courtesies)), key=len, reverse=True)
    return _Keywords(
        stop,
        frozenset(wordings.every(of.start)),
        frozenset(wordings.every(of.yes)),
        {one: None if name == "en" else name for name, them in of.help.items() for one in them},
        tuple(one for one in stop if len(one) >= _SLIPPED),
        re.compile(rf"\b(?:{'|'.join(courtesies)})\b"),
    )


def heard(text: str) -> Heard:
    """What a message says about being contacted."""
    raw = " ".join(text.strip().lower().split()).strip(" .!\"'")
    text = _SIGNATURE.sub("", text[:_MOST_CHARACTERS])
    said, known = _plain_text(text), _keywords()
    if raw in CARRIERS:
        return Heard(CARRIERS[raw], is_carriers=True, is_yes=raw in known.yes)
    if _is_keyword(said) and not _is_soft(text):
        return Heard(Word.STOP)
    if said in known.start or wordings.patterns().again.fullmatch(said):
        return Heard(Word.START)
    if said in known.help:
        return Heard(Word.HELP, language=known.help[said])
    if said in known.yes and not _is_soft(text):
        return Heard(Word.START, is_yes=True)
    return Heard(_wish(text, said))


def _wish(text: str, said: str) -> Word | None:
    """Whether a message that is no keyword wishes no further one, or may wish it.

    A wish may stand in one of several clauses, beside a reason for it; not beside its limits.
    """
    patterns = wordings.patterns()
    if patterns.negated.search(said):
        rest = patterns.negated.sub(" ", said)
        is_doubtful = patterns.doubt.search(rest) or patterns.whence.search(said)
        return Word.DOUBT if is_doubtful else None
    if _is_plain(said):
        return Word.STOP
    clauses = [one for one in patterns.clauses.split(text.casefold()) if bare(one)][:_MOST_CLAUSES]
    plain = [_is_plain(_plain_text(one)) for one in clauses]
    soft = [_is_soft(one) for one in clauses]
    stops = [_is_keyword(_plain_text(one)) for one in clauses]
    is_strong = any(
        is_one and not wordings.WEAK.fullmatch(_plain_text(one))
        for one, is_one in zip(clauses, plain, strict=True)
    )
    has_limits = patterns.limits.search(said) is not None
    if patterns.complained.search(said) or (is_strong and not has_limits):
        return Word.STOP
    is_all = all(map(any, zip(plain, soft, stops, strict=True)))
    if is_all and any(stops):
        return Word.STOP
    is_unclear = _is_soft(text) or (is_all and any(soft)) or any(plain)
    if is_unclear or patterns.doubt.search(said) or patterns.whence.search(said):
        return Word.DOUBT
    return Word.DOUBT if unwanted.is_suspected(bare(text).split()) else None


def _is_keyword(said: str) -> bool:
    """A keyword of STOP, also a long one with a slip in it."""
    known = _keywords()
    if said in known.stop:
        return True
    if len(said) < _SLIPPED or said in known.start:
        return False
    near = [one for one in known.long if one[:2] == said[:2]]  # "subscribe" is no "unsubscribe"
    return bool(get_close_matches(said, near, 1, _SLIP))


def _is_soft(text: str) -> bool:
    said = bare(text)
    return len(said) <= _LONGEST_WISH and wordings.patterns().soft.fullmatch(said) is not None


def _is_plain(said: str) -> bool:
    if len(said) > _LONGEST_WISH:
        return False
    asked = wordings.ASKED.sub("", said)
    return any(one.fullmatch(said) or one.fullmatch(asked) for one in wordings.patterns().plain)


def _plain_text(text: str) -> str:
    """Lower case without accents, marks, emoji and courtesies; a word repeated is one."""
    words = bare(text)
    kept = " ".join(_keywords().courtesies.sub(" ", words).split())
    return _AGAIN.sub(r"\1", kept or words)


def bare(text: str) -> str:
    """Lower case without accents, marks and emoji."""
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(one for one in apart if not unicodedata.combining(one))
    words = _MARKS.sub(" ", bare).strip()
    words = _SPELT.sub(lambda found: found[0].replace(" ", "") + " ", words).strip()
    spellings = wordings.listed().spellings
    return " ".join(spellings.get(one, one) for one in words.split())
