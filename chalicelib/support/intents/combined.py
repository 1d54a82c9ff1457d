"""Tables and linear model together: if they agree, a team gets the message, else a person looks at it.

On new wording, either alone is wrong more often than both in the same way.  An escalation that the
tables found is never revoked.  One of the shop's own sure phrases is its operator's decision: the
model, which knows no shop's words, may escalate such a message but not change its intent otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chalicelib.support import reasons as why
from chalicelib.support.intents.classify import CLEAR, DEFAULT_INTENT, TIER_0, Classification
from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES
from chalicelib.support.intents.linear_model import shipped_model
from chalicelib.vendors.linear import Linear

DECIDES_FROM = 0.80
"""A department's probability from which the model alone names it, if the tables know nothing."""
OVERRULES_FROM = 0.90
"""A department's probability from which the model names it against the tables."""
AGREES_FROM = 0.25
"""A probability below this speaks against the tables' department."""
ESCALATES_FROM = 0.98
"""A tier 0 intent's probability from which the model alone escalates a long enough message."""
_LONG_ENOUGH = 4
ANSWERABLE = frozenset({"order_status_tracking", "shipping_delay_not_shipped"})
_NOT_ANSWERABLE = 0.65
"""Confidence of an order question that only the model sees: enough for the team, not for an answer."""
_UNSURE = 0.55
"""Confidence of a message that goes to the default team, with a tag."""
_MAX_CONFIDENCE = 0.95

DISAGREES = why.LINEAR_DISAGREES
DECIDES = why.LINEAR_DECIDES


def combine(
    found: Classification, words: Sequence[str], model: Linear | None = None
) -> tuple[Classification, tuple[str, ...], dict[str, float]]:
    """Combine the classification of a message by the tables with that by the linear model.

    A message of numbers alone keeps the classification by the tables.

    Args:
        found: the classification by the tables.
        words: the message's words that are looked at.
        model: by default the shipped one.

    Returns:
        The combined classification, the reasons where the two differ, and for each grave matter
        that the model suspects its probability.
    """
    if all(word == "<n>" for word in words):
        return found, (), {}
    model = model or shipped_model()
    intents, risks = model.probabilities(words)
    suspected = model.suspected(risks) if is_long(words) else {}
    if found.intent in TIER_0:
        return found, (), suspected
    return *combine_with_probabilities(found, intents, is_long=is_long(words)), suspected


def is_long(words: Sequence[str]) -> bool:
    """Whether a message has enough words for the linear model alone to find a grave matter in it."""
    return len(words) >= _LONG_ENOUGH


def combine_with_probabilities(
    found: Classification,
    probabilities: Mapping[str, float],
    *,
    is_long: bool = True,
    decides_from: float = DECIDES_FROM,
) -> tuple[Classification, tuple[str, ...]]:
    """Combine the tables' classification with the model's probabilities of intents.

    Returns the combined classification, and the reasons where the two differ.
    """
    risk = max(TIER_0, key=lambda intent: (probabilities.get(intent, 0.0), intent))
    if is_long and probabilities.get(risk, 0.0) >= ESCALATES_FROM:
        more = tuple(
            intent for intent in (found.intent, *found.secondary) if intent != DEFAULT_INTENT
        )
        confidence = probabilities[risk]
        return replace(found, intent=risk, confidence=confidence, secondary=more[:2]), (DECIDES,)
    if found.is_own:
        return replace(found, model=dict(probabilities)), ()
    team, share = _best_team(probabilities)
    own = ROUTES[found.intent]
    is_clear = found.scores.get(found.intent, 0.0) > CLEAR
    least = OVERRULES_FROM if found.is_contradicted else AGREES_FROM
    if is_clear and (own == team or _share_of(own, probabilities) >= least):
        return replace(found, model=dict(probabilities)), ()
    if share >= (OVERRULES_FROM if is_clear else decides_from):
        intent = max(
            (
                probability
                for probability in probabilities
                if ROUTES[probability] == team and probability not in TIER_0
            ),
            key=lambda intent: (probabilities[intent], intent),
            default=found.intent,
        )
        secondary = (found.intent,) if is_clear else ()
        confidence = round(min(share, _MAX_CONFIDENCE), 2)
        if intent in ANSWERABLE and not ANSWERABLE & found.scores.keys():
            confidence = min(confidence, _NOT_ANSWERABLE)
        decided = replace(
            found,
            intent=intent,
            confidence=confidence,
            secondary=secondary,
            model=dict(probabilities),
        )
        return decided, (DECIDES,)
    if own == DEFAULT_ROUTE and not is_clear:
        return replace(found, model=dict(probabilities)), ()
    doubtful = replace(found, confidence=min(found.confidence, _UNSURE), model=dict(probabilities))
    return doubtful, (DISAGREES,)


def _best_team(probabilities: Mapping[str, float]) -> tuple[str, float]:
    teams: dict[str, float] = {}
    for intent, share in probabilities.items():
        if intent in TIER_0:
            continue
        teams[ROUTES[intent]] = teams.get(ROUTES[intent], 0.0) + share
    best = max(teams, key=lambda team: (teams[team], team))
    return best, teams[best]


def _share_of(team: str, probabilities: Mapping[str, float]) -> float:
    return sum(share for intent, share in probabilities.items() if ROUTES[intent] == team)
