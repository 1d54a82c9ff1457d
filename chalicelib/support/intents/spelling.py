# ruff: noqa: SIM905 - a row of words reads best as one row
"""The listed word that a misspelt one stands for; pure.

A letter left out, written once too often or swapped with its neighbour is mended in words of six
letters and more.  A wrong letter is not: too many words differ from another by one ("meeting",
"melting").
"""

from __future__ import annotations

import itertools
import re
from functools import cache

from chalicelib.support.intents.risks import RISKS
from chalicelib.support.intents.risks import SETS as RISK_SETS
from chalicelib.support.intents.words import SETS, TABLES, TYPOS

_SHORT_LETTERS = 5
"""Words of at most this many letters are not matched when misspelt."""


def mended(word: str) -> str:
    """The word as the tables spell it; any other word as it is."""
    known, nearly = _index()
    if word in known:
        return word
    found = nearly.get(word)
    if found is None and len(word) > _SHORT_LETTERS + 1:
        found = next((one for one in _without_one(word) if one in known), None)
        if found is not None and (len(found) <= _SHORT_LETTERS or found[0] != word[0]):
            found = None
    return found or word


def is_listed(word: str) -> bool:
    """Whether any table names the word."""
    return word in _index()[0]


@cache
def words_of_table(intent: str) -> frozenset[str]:
    """Every word of an intent's phrases."""
    table = TABLES.get(intent)
    if table is None:
        return frozenset()
    listed = " ".join((*table.sure, *table.likely, *table.hint))
    sets = (SETS[name] for name in re.findall(r"{(\w+)}", listed))
    return frozenset(re.findall(r"[a-z]+", " ".join((re.sub(r"{\w+}", " ", listed), *sets))))


@cache
def _index() -> tuple[frozenset[str], dict[str, str]]:
    """Every word of the tables, and the misspellings that are looked up at once."""
    listed = itertools.chain(
        SETS.values(),
        RISK_SETS.values(),
        itertools.chain.from_iterable(RISKS.values()),
        *(itertools.chain(one.sure, one.likely, one.hint) for one in TABLES.values()),
    )
    known = frozenset(re.findall(r"[a-z]+", " ".join(listed)))
    nearly: dict[str, str] = {}
    for word in sorted(one for one in known if len(one) > _SHORT_LETTERS):
        for at in range(1, len(word) - 1):
            nearly.setdefault(word[:at] + word[at + 1] + word[at] + word[at + 2 :], word)
        for shorter in _without_one(word):
            if len(shorter) > _SHORT_LETTERS - 1 and shorter[0] == word[0]:
                nearly.setdefault(shorter, word)
    kept = known.union(_USUAL, (one.removesuffix("s") for one in known))
    return known, {k: v for k, v in nearly.items() if k not in kept} | dict(TYPOS)


def _without_one(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


_USUAL = frozenset(
    "quite quiet shoed moths month months their there thier three later latter diner dinner form"
    " from spilt stoped posed possible sting string strings paste past pasta least lease"
    " please pleased these those though through thought tough rough bought brought ought"
    " ship shop steps stops stop still stall scared sacred desert dessert loose lose chose"
    " choose father fatter hopping hoping planing planning staring starring caring"
    " marrow morrow trail trial united untied angel angle bread beard casual causal"
    " camera cameras corona marked marker market parking sparing"
    " cares scars stars bans bands hands ands mans mind kind bride bridge fingers finger"
    " overeating laptop lamp cover covers color colors hover over".split()
)
"""Words that look like a misspelling and are none."""
