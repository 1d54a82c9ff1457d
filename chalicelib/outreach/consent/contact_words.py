"""Recognises STOP, START and HELP in a recipient's message, in 24 languages; pure.

A keyword is a whole message, whatever its case, accents, punctuation, emoji and courtesies.  A plain
wish ("don't text me again") counts as STOP.  A message that may be a STOP or may mean something else is
in doubt, and a person judges it; so is a message in which a small model suspects a wish to stop.
All languages are tried at once, because a keyword of one language is no word of another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.outreach.consent import folding, keywords, unwanted, wordings
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.tables import Rows


class Word(StrEnum):
    """What a message says about being contacted; `DOUBT` is a possible STOP."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    DOUBT = "doubt"


class Scope(StrEnum):
    """Which messages a STOP or a possible STOP refuses: all of them, or only marketing."""

    ALL = "all"
    MARKETING = "marketing"


class HeardBy(StrEnum):
    """The rule that decided what a message says about being contacted."""

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
    PREFERENCE = "preference"
    AGAIN = "again"
    YES = "yes"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message says about being contacted, and the rule that decided it.

    Attributes:
        word: None where the message says nothing about being contacted.
        language: the language of a HELP that is not English, e.g. ``es``.
        is_carriers: the message is one of Twilio's keywords, which Twilio answers itself if so configured.
        is_yes: a START that also means "yes", so it counts only from somebody who said STOP.
        scope: marketing only, where the recipient limits a STOP ("no more advertising").
        why: the rule by which the message was understood.
    """

    word: Word | None = None
    language: str | None = None
    is_carriers: bool = False
    is_yes: bool = False
    scope: Scope = Scope.ALL
    why: HeardBy = HeardBy.NOTHING

    @property
    def purposes(self) -> frozenset[ContactPurpose] | None:
        """The purposes that a STOP or possible STOP refuses: marketing, if it says so; None: every one."""
        is_limited = self.word in (Word.STOP, Word.DOUBT) and self.scope == Scope.MARKETING
        return frozenset({ContactPurpose.MARKETING}) if is_limited else None


CARRIERS: Mapping[str, Word] = Rows(
    lambda: {
        word: Word(name) for name, them in wordings.all_wordings().carriers.items() for word in them
    }
)
"""Twilio's default keywords, each with its meaning."""
_SIGNATURE = re.compile(
    r"\n\s*+(?:sent from|get outlook for|enviado desde|envoyé de|gesendet von) .*",
    re.IGNORECASE | re.DOTALL,
)
_STARTLED = re.compile(r"(?:stop+|стоп|στοπ|stopp|ストップ|스톱|스탑|ستوب|स्टॉप)(?!\S)(?!.*\d)")
"""Beginning of a short, startled message that contains STOP and asks something."""
_SHORT = 8
"""Maximum number of words of a message in which a keyword between punctuation marks counts."""
_LONGEST_WISH = 160
"""Maximum number of characters of a plain wish; also bounds the matching time."""
_MOST_CLAUSES = 20
_MOST_CHARACTERS = 1000
"""Only so many characters of a message are read: a longer one is no STOP, or quotes a text."""


def recognise(text: str) -> Heard:
    """Decide what a message says about being contacted: STOP, START, HELP, a possible STOP, or nothing."""
    raw = " ".join(text.strip().lower().split()).strip(" .!\"'")
    text = _SIGNATURE.sub("", text[:_MOST_CHARACTERS])
    said, known = keywords.plain_text(text), keywords.all_keywords()
    if raw in CARRIERS:
        return Heard(
            CARRIERS[raw],
            is_carriers=True,
            is_yes=raw in known.yes,
            why=HeardBy.CARRIERS_KEYWORD,
        )
    if said in known.stop or (keywords.is_keyword(said) and not _is_soft(text)):
        return Heard(Word.STOP, why=HeardBy.KEYWORD)
    if said in known.start:
        return Heard(Word.START, why=HeardBy.KEYWORD)
    if wordings.patterns().again.fullmatch(said):
        return Heard(Word.START, why=HeardBy.AGAIN)
    if said in known.help:
        return Heard(Word.HELP, language=known.help[said], why=HeardBy.KEYWORD)
    if said in known.yes and not _is_soft(text):
        return Heard(Word.START, is_yes=True, why=HeardBy.YES)
    word, why = _stop_wish(text, said)
    if word is not None and _is_preference(text):
        word, why = None, HeardBy.PREFERENCE
    is_limited = (
        word is not None
        and wordings.patterns().marketing.search(keywords.bare_message(text)) is not None
    )
    return Heard(word, scope=Scope.MARKETING if is_limited else Scope.ALL, why=why)


def _is_preference(text: str) -> bool:
    """Whether a message asks only for another time or channel, so that it is no STOP."""
    from chalicelib.outreach.wishes.wished import wish_if_all_known  # noqa: PLC0415 - of few messages

    wish = wish_if_all_known(text)
    return wish is not None and bool(wish.hours or (wish.channels and wish.channels.wanted))


def _stop_wish(text: str, said: str) -> tuple[Word | None, HeardBy]:
    """Whether a message that is no keyword is a STOP or possible STOP (`DOUBT`), else None; and the rule.

    The wish may be one clause among others, such as a reason; a clause that limits it makes a doubt.
    """
    patterns = wordings.patterns()
    whole = keywords.bare_message(text)
    if patterns.negated.search(whole):
        rest = patterns.negated.sub(" ", whole)
        return _in_doubt(f"{rest} {whole}" if patterns.whence.search(whole) else rest)
    if _is_plain(said) or _is_plain(whole):
        return Word.STOP, HeardBy.PLAIN_WISH
    clauses = [
        clause
        for clause in patterns.clauses.split(text.casefold())
        if keywords.bare_message(clause)
    ][:_MOST_CLAUSES]
    plain = [_is_plain(keywords.plain_text(clause)) for clause in clauses]
    soft = [_is_soft(clause) for clause in clauses]
    stops = [keywords.is_keyword(keywords.plain_text(clause)) for clause in clauses]
    is_strong = any(
        is_one and not wordings.WEAK.fullmatch(keywords.plain_text(clause))
        for clause, is_one in zip(clauses, plain, strict=True)
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
    """Whether one piece of a message, between punctuation marks, is only a word for STOP.

    So it is in "no, stop, who are you".
    """
    parts = re.split(wordings.ENDS, text)[:_MOST_CLAUSES]
    return any(keywords.is_keyword(keywords.plain_text(part)) for part in parts)


def _in_doubt(said: str) -> tuple[Word | None, HeardBy]:
    """`DOUBT` where a text has a doubtful wording of a wish to stop, else None; and the rule that decided."""
    patterns = wordings.patterns()
    if patterns.doubt.search(said):
        return Word.DOUBT, HeardBy.POSSIBLE_WISH
    if patterns.whence.search(said):
        return Word.DOUBT, HeardBy.ASKED_WHENCE
    return None, HeardBy.NOTHING


def _is_soft(text: str) -> bool:
    said = keywords.bare_message(text)
    return len(said) <= _LONGEST_WISH and wordings.patterns().soft.fullmatch(said) is not None


def _is_plain(said: str) -> bool:
    if len(said) > _LONGEST_WISH:
        return False
    asked = wordings.ASKED.sub("", said)
    return any(
        pattern.fullmatch(said) or pattern.fullmatch(asked) for pattern in wordings.patterns().plain
    )
