"""What a recipient says about being contacted: STOP, START and HELP in 24 languages; pure.

A keyword is a whole message, whatever its case, accents, punctuation, emoji and courtesies.  A plain
wish ("don't text me again") counts as STOP.  A message that may be one, or may be about something
else, is in doubt and belongs to a person; so does one in which a small model suspects a wish.
The languages are not distinguished, as a keyword of one is no word of another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache

from chalicelib.outreach.consent import folding, unwanted, wordings
from chalicelib.tables import Rows


class Word(StrEnum):
    """What was said."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    DOUBT = "doubt"


class Scope(StrEnum):
    """What a STOP or a doubt is about."""

    ALL = "all"
    MARKETING = "marketing"


class HeardBy(StrEnum):
    """By what a message was understood."""

    CARRIERS_KEYWORD = "carriers_keyword"
    KEYWORD = "keyword"
    PLAIN_WISH = "plain_wish"
    PLAIN_CLAUSE = "plain_clause"
    SAID_BEFORE = "said_before"
    WISH_WITH_LIMITS = "wish_with_limits"
    REFUSAL = "refusal"
    POSSIBLE_WISH = "possible_wish"
    ASKED_WHENCE = "asked_whence"
    SUSPECTED = "suspected"
    AGAIN = "again"
    YES = "yes"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as understood.

    Attributes:
        word: None where it says nothing about being contacted.
        language: of a HELP in a language other than English, e.g. ``es``.
        is_carriers: a keyword that Twilio answers itself, if its own handling is on.
        is_yes: START by a word that means "yes" as well, so only from somebody who has said STOP.
        scope: less than everything where the person has limited it ("no more advertising").
    """

    word: Word | None = None
    language: str | None = None
    is_carriers: bool = False
    is_yes: bool = False
    scope: Scope = Scope.ALL
    why: HeardBy = HeardBy.NOTHING


CARRIERS: Mapping[str, Word] = Rows(
    lambda: {one: Word(name) for name, them in wordings.listed().carriers.items() for one in them}
)
"""Twilio's default keywords."""
_SIGNATURE = re.compile(
    r"\n+\s*(?:sent from|get outlook for|enviado desde|envoyé de|gesendet von) .*",
    re.IGNORECASE | re.DOTALL,
)
_AGAIN = re.compile(r"\b(\w+)(?: \1)+\b")
_LENGTHENED = re.compile(r"(\w)\1+$")
"""A last letter that was held down: "STOPPP"."""
_STARTLED = re.compile(r"(?:stop+|стоп|στοπ|stopp|ストップ|스톱|스탑|ستوب|स्टॉप)(?!\S)(?!.*\d)")
"""How a short message begins that asks what this is."""
_SHORT = 8
"""Words of a message in which one clause that is a keyword counts."""
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
    stop = frozenset(map(bare, wordings.every(of.stop)))
    said = sorted(map(bare, wordings.every(rows.courtesies)), key=len, reverse=True)
    unspaced = "|".join(
        bare(one) for name in wordings.UNSPACED for one in rows.courtesies.get(name, ())
    )
    return _Keywords(
        stop,
        frozenset(map(bare, wordings.every(of.start))),
        frozenset(map(bare, wordings.every(of.yes))),
        {
            bare(one): None if name == "en" else name
            for name, them in of.help.items()
            for one in them
        },
        tuple(one for one in stop if len(one) >= _SLIPPED and one.isascii()),
        re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, said))})(?!\S)|{unspaced}"),
    )


def heard(text: str) -> Heard:
    """What a message says about being contacted."""
    raw = " ".join(text.strip().lower().split()).strip(" .!\"'")
    text = _SIGNATURE.sub("", text[:_MOST_CHARACTERS])
    said, known = _plain_text(text), _keywords()
    if raw in CARRIERS:
        return Heard(
            CARRIERS[raw],
            is_carriers=True,
            is_yes=raw in known.yes,
            why=HeardBy.CARRIERS_KEYWORD,
        )
    if said in known.stop or (_is_keyword(said) and not _is_soft(text)):
        return Heard(Word.STOP, why=HeardBy.KEYWORD)
    if said in known.start:
        return Heard(Word.START, why=HeardBy.KEYWORD)
    if wordings.patterns().again.fullmatch(said):
        return Heard(Word.START, why=HeardBy.AGAIN)
    if said in known.help:
        return Heard(Word.HELP, language=known.help[said], why=HeardBy.KEYWORD)
    if said in known.yes and not _is_soft(text):
        return Heard(Word.START, is_yes=True, why=HeardBy.YES)
    word, why = _wish(text, said)
    is_limited = word is not None and wordings.patterns().marketing.search(bare(text)) is not None
    return Heard(word, scope=Scope.MARKETING if is_limited else Scope.ALL, why=why)


def _wish(text: str, said: str) -> tuple[Word | None, HeardBy]:
    """Whether a message that is no keyword wishes no further one, or may wish it.

    A wish may stand in one of several clauses, beside a reason for it; not beside its limits.
    """
    patterns = wordings.patterns()
    whole = bare(text)
    if patterns.negated.search(whole):
        rest = patterns.negated.sub(" ", whole)
        return _in_doubt(f"{rest} {whole}" if patterns.whence.search(whole) else rest)
    if _is_plain(said) or _is_plain(whole):
        return Word.STOP, HeardBy.PLAIN_WISH
    clauses = [one for one in patterns.clauses.split(text.casefold()) if bare(one)][:_MOST_CLAUSES]
    plain = [_is_plain(_plain_text(one)) for one in clauses]
    soft = [_is_soft(one) for one in clauses]
    stops = [_is_keyword(_plain_text(one)) for one in clauses]
    is_strong = any(
        is_one and not wordings.WEAK.fullmatch(_plain_text(one))
        for one, is_one in zip(clauses, plain, strict=True)
    )
    has_limits = patterns.limits.search(said) is not None
    if patterns.complained.search(said):
        return Word.STOP, HeardBy.SAID_BEFORE
    is_all = all(map(any, zip(plain, soft, stops, strict=True)))
    if (is_strong and not has_limits) or (is_all and any(stops)):
        return Word.STOP, HeardBy.PLAIN_CLAUSE
    if any(plain):
        return Word.DOUBT, HeardBy.WISH_WITH_LIMITS
    if _is_soft(text) or (is_all and any(soft)):
        return Word.DOUBT, HeardBy.REFUSAL
    is_short = len(said.split()) <= _SHORT
    if is_short and (_has_stop(text) or ("?" in text and _STARTLED.match(said))):
        return Word.DOUBT, HeardBy.POSSIBLE_WISH
    word, why = _in_doubt(whole)
    if word is None and unwanted.is_suspected(folding.words_of(whole)):
        return Word.DOUBT, HeardBy.SUSPECTED
    return word, why


def _has_stop(text: str) -> bool:
    """Whether a part of a message between marks is a keyword: "no, stop, who are you"."""
    parts = re.split(wordings.ENDS, text)[:_MOST_CLAUSES]
    return any(_is_keyword(_plain_text(one)) for one in parts)


def _in_doubt(said: str) -> tuple[Word | None, HeardBy]:
    """Whether the tables know a part of a message as what may be a wish."""
    patterns = wordings.patterns()
    if patterns.doubt.search(said):
        return Word.DOUBT, HeardBy.POSSIBLE_WISH
    if patterns.whence.search(said):
        return Word.DOUBT, HeardBy.ASKED_WHENCE
    return None, HeardBy.NOTHING


def _is_keyword(said: str) -> bool:
    """A keyword of STOP, also a long one with a slip in it."""
    known = _keywords()
    if said in known.stop or _LENGTHENED.sub(r"\1", said) in known.stop:
        return True
    words = said.split()
    if len(words) > 1 and all(one in known.stop for one in words):
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
    """Lower case without accents, marks and emoji; short forms spelled out."""
    return folding.bare(text, wordings.listed().spellings)
