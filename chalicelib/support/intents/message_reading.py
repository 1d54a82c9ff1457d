"""What one message says: its intents, grave matters, language, and how much of it is understood; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.support.intents.classify import TIER_0, Classified, classify
from chalicelib.support.intents.combined import agreed
from chalicelib.support.intents.own_words import marked_words, own_part
from chalicelib.support.intents.phrases import Phrases, of_complaints, of_risks
from chalicelib.support.intents.understood import explained, is_only_courtesy
from chalicelib.vendors.linear import Linear

SURE_FROM = 0.9
"""A grave matter's probability from which the model's word is enough for its team."""


@dataclass(frozen=True, slots=True)
class MessageReading:
    """A message as it was read.

    Attributes:
        found: its intents, by tables and linear model together.
        reasons: fixed codes, where the two differ.
        risks: the grave matters in it, as flags.
        suspected: those that only the model sees, and without certainty.
        explained: the share of its words that the intent explains, 0 to 1.
        is_complaint: it says that something is still wrong.
    """

    found: Classified
    reasons: tuple[str, ...] = ()
    risks: frozenset[str] = frozenset()
    suspected: frozenset[str] = frozenset()
    explained: float = 1.0
    is_complaint: bool = False


def read(
    text: str,
    subject: str = "",
    phrases: Phrases | None = None,
    *,
    model: Linear | None = None,
) -> MessageReading:
    """Read a message; its subject is searched for grave matters only.

    Args:
        text: the message.
        subject: of its ticket.
        phrases: further phrases of intents, of the shop.
        model: by default the shipped one.
    """
    own = own_part(text)
    words = marked_words(own)
    found, reasons, suspected = agreed(text, classify(text, phrases), model)
    risks = risks_in(words) | risks_in(marked_words(subject))
    risks |= {risk for risk, share in suspected.items() if share >= SURE_FROM}
    return MessageReading(
        found=found,
        reasons=reasons,
        risks=risks,
        suspected=frozenset(suspected) - risks,
        explained=explained(own, found.intent),
        is_complaint=_is_complaint(own, words, found),
    )


def risks_in(words: Sequence[str]) -> frozenset[str]:
    """The flags of the grave matters in a message's words."""
    flags = {risk for risk, _, _ in of_risks().matches(words)}
    if list(words) in _ALONE:
        flags.add("human_requested")
    return frozenset(flags)


def _is_complaint(own: str, words: Sequence[str], found: Classified) -> bool:
    if is_only_courtesy(own):
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
"""Messages of one word, as people say them to a telephone computer."""
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
"""Intents of somebody whose first question our answer has not settled."""
