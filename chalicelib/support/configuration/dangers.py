"""What a valid document says that its author most likely does not mean; pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.intents.classify import COMPATIBLE, TIER_0
from chalicelib.support.intents.departments import LEADERSHIP, RISK_ROUTES, ROUTES
from chalicelib.support.intents.own_words import words_of
from chalicelib.support.intents.phrases import SURE, Phrases
from chalicelib.support.intents.words import SETS
from chalicelib.tables import beside, read

_FOR_TIER_0 = frozenset({LEADERSHIP, *RISK_ROUTES.values()})
"""Built-in departments that grave matters may go to; any department of the shop's own is allowed."""
_OUR_TAGS = ("mw-", "route-")


@dataclass(frozen=True, slots=True)
class NeutralMessages:
    """Ordinary messages, from ``neutral_messages.toml``, which an operator's phrases should not match.

    Attributes:
        courtesies: sentences that people write around any question.
        orders: questions that people ask about any order.
    """

    courtesies: tuple[str, ...]
    orders: tuple[str, ...]


FILE = beside(__file__, "neutral_messages.toml")


@cache
def neutral_messages() -> NeutralMessages:
    """The ordinary messages in ``neutral_messages.toml``, read from the file once."""
    return read(FILE, NeutralMessages)


def dangers(rules: Rules) -> Iterator[str]:
    """Warnings about a valid settings document: for each dangerous row its place, and what it would do."""
    yield from _broad_phrases(rules)
    for intent, department in rules.document.routes.items():
        if intent in TIER_0 and department in set(ROUTES.values()) - _FOR_TIER_0:
            yield f"routes.{intent}: a matter of tier 0 would go to {department}"
    for tag in rules.document.answers.stop_tags:
        if tag.lower().startswith(_OUR_TAGS):
            yield f"answers.stop_tags: {tag} is a tag that is set here; such tickets get no answer"


def _broad_phrases(rules: Rules) -> Iterator[str]:
    neutral, about_orders = neutral_messages(), COMPATIBLE[0]
    for intent, given in rules.document.phrases.items():
        messages = neutral.courtesies + (() if intent in about_orders else neutral.orders)
        for strength in ("sure", "likely"):
            for number, phrase in enumerate(getattr(given, strength)):
                caught = _caught(phrase, messages)
                if caught:
                    yield (
                        f"phrases.{intent}.{strength}[{number}]: it matches {len(caught)} of"
                        f' {len(messages)} ordinary messages, such as "{caught[0]}"'
                    )


def _caught(phrase: str, messages: tuple[str, ...]) -> list[str]:
    tried = Phrases([(phrase, "", SURE)], SETS)
    return [message for message in messages if any(True for _ in tried.matches(words_of(message)))]
