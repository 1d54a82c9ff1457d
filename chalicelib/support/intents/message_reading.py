"""What one message says: its intents, grave matters, language, and how much of it is understood; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.support.intents.classify import TIER_0, Classification, classify
from chalicelib.support.intents.combined import ANSWERABLE, combine
from chalicelib.support.intents.harmless import hide_harmless, without_titles
from chalicelib.support.intents.own_words import marked_words, own_part, without_marks
from chalicelib.support.intents.phrases import Phrases, of_complaints, of_risks
from chalicelib.support.intents.sentences import (
    ORDER_QUESTION,
    OTHER,
    Sentence,
    explained,
    read_sentences,
)
from chalicelib.vendors.linear import Linear

SURE_FROM = 0.9
"""A grave matter's probability from which the model alone sends the message to its team."""

UNDERSTOOD_CONFIDENCE = 0.9
"""Confidence of an order question that two judges have read sentence by sentence."""


@dataclass(frozen=True, slots=True)
class MessageReading:
    """What was found in one message: intents, grave matters, sentences.

    Attributes:
        found: the message's intents, by tables and linear model together.
        reasons: fixed codes, where tables and model differ.
        risks: flags of the grave matters in the message.
        suspected: flags of grave matters that only the model sees, and not with certainty.
        sentences: the message's sentences, with their kinds.
        explained: the share of sentences that grammar and model both understand, 0 to 1.
        is_complaint: the message may say that something is still wrong; a mere courtesy does not.
    """

    found: Classification
    reasons: tuple[str, ...] = ()
    risks: frozenset[str] = frozenset()
    suspected: frozenset[str] = frozenset()
    sentences: tuple[Sentence, ...] = ()
    explained: float = 1.0
    is_complaint: bool = False

    @property
    def states_one_matter(self) -> bool:
        """Whether at most one sentence of the message is of kind `other`, which means not understood."""
        return sum(sentence.kind == OTHER for sentence in self.sentences) <= 1


def read(
    text: str,
    subject: str = "",
    phrases: Phrases | None = None,
    *,
    model: Linear | None = None,
) -> MessageReading:
    """Find what a message says; its ticket's subject is searched for grave matters only.

    Args:
        text: the message.
        subject: its ticket's subject.
        phrases: the shop's own phrases of intents.
        model: by default the shipped one.
    """
    own = own_part(text)
    words = marked_words(without_titles(own))
    shown = hide_harmless(words)
    sentences = read_sentences(own)
    found = classify(text, phrases, words=without_marks(shown))
    reasons: tuple[str, ...] = ()
    suspected: Mapping[str, float] = {}
    risks = risks_in(hide_harmless(marked_words(without_titles(subject))))
    is_explained = _is_explained(sentences, found)
    if is_explained and any(sentence.kind == ORDER_QUESTION for sentence in sentences):
        found = _understood(found)
    else:
        found, reasons, suspected = combine(found, without_marks(shown), model)
    if is_explained:
        suspected = {}
    else:
        risks |= risks_in(shown)
        risks |= {risk for risk, share in suspected.items() if share >= SURE_FROM}
    return MessageReading(
        found=found,
        reasons=reasons,
        risks=risks,
        suspected=frozenset(suspected) - risks,
        sentences=sentences,
        explained=explained(sentences),
        is_complaint=_is_complaint(sentences, words, found),
    )


def _is_explained(sentences: Sequence[Sentence], found: Classification) -> bool:
    """Whether grammar and model both understand every sentence, as an order question, a courtesy or the like.

    Such a message is not searched for grave matters: only false ones would be found, across
    sentences ("is there any info?  Thank you") or by the linear model in a courtesy.  A message
    whose intent was named by a sure phrase of the shop's own is never explained.
    """
    return (
        bool(sentences)
        and all(sentence.kind != OTHER for sentence in sentences)
        and not found.is_own
    )


def _understood(found: Classification) -> Classification:
    """The classification `found`, changed to that of a plain question about an order."""
    intent = found.intent if found.intent in ANSWERABLE else "order_status_tracking"
    confidence = max(found.confidence, UNDERSTOOD_CONFIDENCE)
    return replace(found, intent=intent, confidence=confidence, margin=1.0, secondary=())


def risks_in(words: Sequence[str]) -> frozenset[str]:
    """The flags of the grave matters that a message's words name."""
    flags = {risk for risk, _, _ in of_risks().matches(words)}
    if list(words) in _ALONE:
        flags.add("human_requested")
    return frozenset(flags)


def _is_complaint(
    sentences: Sequence[Sentence], words: Sequence[str], found: Classification
) -> bool:
    if sentences and all(sentence.kind == "courtesy" for sentence in sentences):
        return False
    return found.intent in _WRONG | TIER_0 or any(True for _ in of_complaints().matches(words))


_ALONE = [
    ["agent"],
    ["human"],
    ["representative"],
    ["operator"],
    ["agente"],
    ["humano"],
    ["asesor"],
]
"""Messages of one word, as people say them to a telephone menu."""
_WRONG = frozenset(
    {
        "billing_issue",
        "delivered_not_received",
        "missing_items_in_shipment",
        "wrong_item_received",
        "damaged_item",
        "order_status_delivery_issue",
        "order_status_tracking",
        "shipping_delay_not_shipped",
        "refund_request",
    }
)
"""Intents of a customer whose question our answer has not settled."""
