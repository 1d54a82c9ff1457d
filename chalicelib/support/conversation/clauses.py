"""What one message asks for, and what it takes back, clause by clause; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chalicelib.support.conversation.conversation_words import (
    RequestKind,
    is_neutral,
    requests_in,
    table,
    withdrawn_by,
)
from chalicelib.support.intents.classify import DEFAULT_INTENT
from chalicelib.support.intents.message_reading import MessageReading, read
from chalicelib.support.intents.own_words import marked_words, own_part
from chalicelib.support.intents.phrases import Phrases
from chalicelib.support.orders.order_question import Question, order_numbers, question_of

UNDERSTOOD_FROM = 1.0
"""The share of a message that must be explained: all of it."""


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a customer's message asks for and takes back, without its text.

    Attributes:
        kinds: kinds of the message's requests; empty for a mere courtesy.
        risks: flags of grave matters in the message, suspected ones included.
        numbers: order numbers that the message names, the text's before the subject's.
        takes_back: which earlier requests it withdraws: `EVERYTHING`, `DELIVERY`, or None.
    """

    kinds: frozenset[RequestKind] = frozenset()
    risks: frozenset[str] = frozenset()
    numbers: tuple[str, ...] = ()
    takes_back: str | None = None


def asked_in(
    text: str,
    subject: str = "",
    phrases: Phrases | None = None,
    reading: MessageReading | None = None,
) -> AskedFor:
    """Find out, clause by clause, what a customer's message asks for and what it takes back.

    Args:
        text: the message.
        subject: subject of the ticket, if the message opens it; the subject counts as its first
            sentence.
        phrases: the shop's own phrases of intents.
        reading: the analysis of the whole message, if it was made before.
    """
    own = own_part(text)
    clauses = [clause for clause in _CLAUSE.split(own) if clause.strip()]
    taken = [withdrawn_by(clause) for clause in clauses]
    if any(taken):
        own = ". ".join(clause for clause, back in zip(clauses, taken, strict=True) if back is None)
        reading = None
    found = _read(own, phrases, reading)
    opened = asked_in_subject(subject, phrases)
    return AskedFor(
        kinds=found.kinds | opened.kinds,
        risks=found.risks | opened.risks,
        numbers=tuple(dict.fromkeys((*found.numbers, *opened.numbers))),
        takes_back=max(filter(None, taken), default=None),
    )


def asked_in_subject(subject: str, phrases: Phrases | None = None) -> AskedFor:
    """What a ticket's subject asks for; a neutral subject such as "Hello" only gives its order numbers."""
    said = _REPLIED.sub("", subject).strip()
    if not said:
        return AskedFor()
    if is_neutral(said):
        return AskedFor(numbers=order_numbers(said))
    return _read(said, phrases)


def _read(text: str, phrases: Phrases | None, reading: MessageReading | None = None) -> AskedFor:
    if not text.strip():
        return AskedFor()
    reading = reading or read(text, phrases=phrases)
    intents = {reading.found.intent, *reading.found.secondary} - {DEFAULT_INTENT}
    kinds = {_kind(intent, text) for intent in intents}
    kinds |= requests_in(marked_words(text))
    risks = reading.risks | reading.suspected
    if risks:
        kinds.add(RequestKind.GRAVE)
    if kinds <= {RequestKind.ORDER_STATUS} and reading.explained < UNDERSTOOD_FROM:
        kinds.add(RequestKind.OTHER)
    return AskedFor(frozenset(kinds), frozenset(risks), order_numbers(text))


def _kind(intent: str, text: str) -> RequestKind:
    """The kind of request that an intent of this text means.

    "I have not received it", without words for a delivery or a loss, is a question about the
    order's status.
    """
    if intent == Question.NOT_RECEIVED and question_of(intent, text) is not None:
        return RequestKind.ORDER_STATUS
    return table().kinds.get(intent, RequestKind.OTHER)


_CLAUSE = re.compile(r"[.!?;,\n]+|\s[-\u2013\u2014]+\s|\s(?:but|pero)\s", re.IGNORECASE)
_REPLIED = re.compile(r"^(?:\s*(?:re|fw|fwd|aw|wg|rv|sv|tr)\s*(?:\[\d+\])?\s*:)+", re.IGNORECASE)
