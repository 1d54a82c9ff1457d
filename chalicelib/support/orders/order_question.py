"""What a message asks about which orders, as far as an order can answer it; pure."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise

from chalicelib.once.keys import normalised
from chalicelib.support.intents.own_words import (
    MAX_INPUT_CHARACTERS,
    order_number,
    own_part,
    words_of,
)
from chalicelib.support.orders.order_rules import order_rules


class Question(StrEnum):
    """The questions about an order that the shop's data can answer."""

    STATUS = "order_status_tracking"
    NOT_SENT = "shipping_delay_not_shipped"
    NOT_RECEIVED = "delivered_not_received"


def question_of(intent: str, text: str) -> Question | None:
    """The question about an order that a message of this intent asks; None where a person must answer.

    A person must answer, too, if the message has a word for theft or loss, or if its intent is "I
    have not received it" and it has a word that says "delivered".
    """
    if intent not in set(Question):
        return None
    question, said, rules = Question(intent), words_of(text), order_rules()
    if question is Question.NOT_RECEIVED and not set(rules.said_delivered.words).isdisjoint(said):
        return None
    gone, lost_by_them = rules.said_gone.words, rules.said_gone.by_themselves
    is_gone = any(
        word in gone and before not in lost_by_them for before, word in pairwise(("", *said))
    )
    return None if is_gone else question


def order_numbers(text: str, *, is_asked_for: bool = False) -> tuple[str, ...]:
    """The order numbers in a message that is about orders, each once, in the message's order.

    These are: the number of `own_words.order_number`, numbers with ``#``, the numbers of a list
    after a word for orders, and any number with as many digits as one of these.  In a message
    without any of them, every number of four to ten digits that is no year or date counts, as a
    reader would take it for an order, too.

    Args:
        text: the message.
        is_asked_for: we asked for the number, so any bare number of 3 to 20 digits counts.
    """
    first = order_number(text, is_asked_for=is_asked_for)
    message = normalised(own_part(text[:MAX_INPUT_CHARACTERS]))
    bare = [number for number in _BARE.findall(message) if not _YEAR_OR_DATE.fullmatch(number)]
    if first is None:
        return tuple(dict.fromkeys(bare))
    named = [number for group in _LIST.findall(message) for number in _NUMBER.findall(group)]
    named += [*_MARKED.findall(message), first]
    lengths = {len(number) for number in named}
    found = dict.fromkeys((*named, *(number for number in bare if len(number) in lengths)))
    return tuple(sorted(found, key=message.index))


_LIST = re.compile(
    r"(?:order|pedido|orden|ordene|compra)s?\b[^\d\n.?!]{0,20}"
    r"(#?\d{3,20}(?!\w)(?:(?:\s*,\s*|\s*,?\s*(?:and|y|e|&|or|o)\s+|\s+)#?\d{3,20}(?!\w))*)"
)
_NUMBER = re.compile(r"\d{3,20}")
_MARKED = re.compile(r"(?<!\w)#(\d{3,20})(?!\w)")
_BARE = re.compile(r"(?<![\w.,:/$€£+#-])(\d{4,10})(?![\w%:/-]|[.,]\d)")
_YEAR_OR_DATE = re.compile(r"(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?")
