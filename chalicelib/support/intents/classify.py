"""Keyword classifier: the intents of a support message and their confidence, by tables of phrases.

`phrases` finds the phrases in the words that `message` reads from a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.support.intents.language import Language, language_of
from chalicelib.support.intents.own_words import words_of
from chalicelib.support.intents.phrases import HINT, SURE, Phrases, of_intents

DEFAULT_INTENT = "unknown_other"
PRIORITY: Mapping[str, int] = {
    intent: rank
    for rank, intents in enumerate(
        (
            ("legal_threat", "fraud_suspected", "harassment_threats", "chargeback_dispute"),
            (
                "cancel_order",
                "address_change_order_edit",
                "cancel_subscription",
                "billing_issue",
            ),
            (
                "delivered_not_received",
                "missing_items_in_shipment",
                "wrong_item_received",
                "damaged_item",
            ),
            ("return_request", "refund_request", "exchange_request"),
            ("order_status_tracking", "shipping_delay_not_shipped"),
            (
                "technical_support",
                "phone_support_request",
                "tiktok_support_request",
                "social_media_support_request",
            ),
            ("promo_discount_issue", "pre_purchase_question", "influencer_marketing_inquiry"),
            (DEFAULT_INTENT,),
        )
    )
    for intent in intents
}
"""Rank by which the primary one of several intents is chosen: 0 before 7."""
TIER_0 = frozenset(intent for intent, rank in PRIORITY.items() if rank == 0)
"""Never automated, always routed to people."""
_SEVERITY: Mapping[str, int] = {
    intent: number
    for number, intent in enumerate(intent for intent in PRIORITY if intent in TIER_0)
}
"""Order among several tier 0 intents: leadership before a team."""
COMPATIBLE: tuple[frozenset[str], ...] = (
    frozenset({"order_status_tracking", "shipping_delay_not_shipped"}),
    frozenset({"return_request", "refund_request", "exchange_request"}),
)
"""Intents that do not contradict each other."""

CLEAR = 0.55
"""A score above this makes an intent clear: the message has it."""
_FURTHER = 0.03
"""Score of each further phrase of an intent, three at most; hints never add up to an intent."""
_MUCH_LOWER = 0.14
_NARROW_MARGIN = 0.10
_PENALTY = 0.10
_SHORT_WORDS = 5


@dataclass(frozen=True, slots=True)
class Classification:
    """The intents that a message was found to have, and how sure that is.

    Attributes:
        intent: the primary intent, chosen by priority among the clear ones.
        confidence: how sure the routing is, 0 to 1: the primary intent's score less a penalty for
            each doubt.
        margin: the primary intent's score less the best score of an intent that contradicts it.
        secondary: at most two more clear intents, best first.
        scores: the score of every intent found.
        model: the linear model's probability of every intent, where the model was asked.
        is_own: one of the shop's own sure phrases names the primary intent.
    """

    intent: str
    confidence: float
    margin: float = 1.0
    secondary: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    language: Language = "unknown"
    model: Mapping[str, float] = field(default_factory=dict)
    is_own: bool = False

    @property
    def is_contradicted(self) -> bool:
        """Whether another clear intent of the message contradicts the primary one."""
        return any(not _are_compatible(self.intent, other) for other in self.secondary)


def classify(
    text: str, own: Phrases | None = None, *, words: Sequence[str] | None = None
) -> Classification:
    """Find a message's intents by the tables of phrases alone.

    Args:
        text: the message.
        own: the shop's own phrases.
        words: the words to look at; by default all of the message's.
    """
    words = words_of(text) if words is None else words
    if not words:
        return Classification(DEFAULT_INTENT, 0.0, language=language_of(words, text))
    scores = _scores(words, own)
    language = language_of(words, text)
    clear = _clear(scores)
    if not clear:
        return _unclear(scores, language)
    primary, others = clear[0], clear[1:]
    contradicting = [
        score for intent, score in scores.items() if not _are_compatible(primary, intent)
    ]
    margin = scores[primary] - max(contradicting, default=0.0)
    confidence = scores[primary]
    if primary not in TIER_0:  # other intents never lower the confidence of an escalation
        doubts = (
            margin < _NARROW_MARGIN,
            len(words) < _SHORT_WORDS,
            any(not _are_compatible(primary, other) for other in others),
        )
        confidence -= _PENALTY * sum(doubts)
    return Classification(
        intent=primary,
        confidence=round(confidence, 2),
        margin=round(margin, 2),
        secondary=tuple(others[:2]),
        scores=scores,
        language=language,
        is_own=any(found[:2] == (primary, SURE) for found in (own.matches(words) if own else ())),
    )


# --- scores -----------------------------------------------------------------------------------


def _scores(words: Sequence[str], own: Phrases | None) -> dict[str, float]:
    hits: dict[str, set[tuple[float, int]]] = {}
    for number, phrases in enumerate((of_intents(), own)):
        for meaning, weight, phrase in phrases.matches(words) if phrases else ():
            hits.setdefault(meaning, set()).add((weight, ~phrase if number else phrase))
    return {intent: _score(found) for intent, found in hits.items()}


def _clear(scores: Mapping[str, float]) -> list[str]:
    """The intents whose score is clear (above `CLEAR`), the primary one first.

    Priority decides among intents whose scores are close to the best score.  An intent with a much
    lower score becomes primary only if it is of tier 0.
    """
    clear = [intent for intent, score in scores.items() if score > CLEAR]
    best = max((scores[intent] for intent in clear), default=0.0)
    return sorted(
        clear,
        key=lambda intent: (
            intent not in TIER_0 and scores[intent] < best - _MUCH_LOWER,
            PRIORITY[intent],
            _SEVERITY.get(intent, 0),
            -scores[intent],
            intent,
        ),
    )


def _score(found: set[tuple[float, int]]) -> float:
    best = max(weight for weight, _ in found)
    if best == HINT:
        return HINT
    further = sum(1 for weight, _ in found if weight > HINT) - 1
    return round(best + _FURTHER * min(further, 3), 2)


def _unclear(scores: Mapping[str, float], language: Language) -> Classification:
    """The classification of a message in which no phrase names an intent for sure.

    It has the likeliest of the intents at which phrases hint, or the default one, and a confidence
    too low for an answer.
    """
    if not scores:
        return Classification(DEFAULT_INTENT, 0.4, language=language)
    best = min(scores, key=lambda intent: (-scores[intent], PRIORITY[intent], intent))
    return Classification(best, scores[best], margin=0.0, scores=scores, language=language)


def _are_compatible(intent: str, other: str) -> bool:
    return intent == other or any(intent in group and other in group for group in COMPATIBLE)
