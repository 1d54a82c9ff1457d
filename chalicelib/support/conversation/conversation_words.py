"""The words of requests, withdrawals and subjects: the rows of ``conversation_words.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from chalicelib.ready import ready
from chalicelib.support.intents.own_words import marked_words, without_marks
from chalicelib.support.intents.phrases import SURE, Phrases
from chalicelib.support.intents.words import SETS
from chalicelib.tables import beside, read


class RequestKind(StrEnum):
    """The kinds of requests that a customer may make.

    The values are stored for months, so none is renamed.
    """

    CANCEL = "cancel"
    CHANGE = "change"
    ADDRESS = "address"
    REFUND = "refund"
    RETURN = "return"
    EXCHANGE = "exchange"
    DAMAGED = "damaged"
    WRONG_ITEM = "wrong_item"
    MISSING_ITEM = "missing_item"
    NOT_RECEIVED = "not_received"
    COMPLAINT = "complaint"
    CLAIM = "claim"
    BILLING = "billing"
    ORDER_STATUS = "order_status"
    GRAVE = "grave"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class WordsRow:
    """A row of ``conversation_words.toml``: a phrase, and an invented sentence that it must match."""

    words: str
    says: str


@dataclass(frozen=True, slots=True)
class WordsOfWithdrawals:
    """The phrases by which a customer takes back all requests, or those about a delivery."""

    everything: tuple[WordsRow, ...]
    delivery: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfQuestions:
    """The phrases by which an automatic text of ours asks for the order number."""

    number: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfSubjects:
    """The subjects of tickets that say nothing by themselves, such as "Hello"."""

    neutral: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfConversations:
    """All rows of ``conversation_words.toml``.

    Attributes:
        done_tags: tags by which people say that what they have answered is settled.
        kinds: the kind of request of each intent.
    """

    done_tags: tuple[str, ...]
    kinds: Mapping[str, RequestKind]
    phrases: Mapping[RequestKind, tuple[WordsRow, ...]]
    withdrawn: WordsOfWithdrawals
    questions: WordsOfQuestions
    subjects: WordsOfSubjects


FILE = beside(__file__, "conversation_words.toml")
EVERYTHING = "everything"
DELIVERY = "delivery"


@cache
def table() -> WordsOfConversations:
    """All rows of ``conversation_words.toml``, read from the file once."""
    return read(FILE, WordsOfConversations)


def requests_in(words: Sequence[str]) -> frozenset[RequestKind]:
    """The kinds of requests that phrases in a message's words name; the message's intents do not matter."""
    return frozenset(RequestKind(kind) for kind, _, _ in _requests().matches(words))


def withdrawn_by(clause: str) -> str | None:
    """Which earlier requests a clause of a message takes back: `EVERYTHING`, `DELIVERY`, or None.

    The clause takes something back only if it is one of the listed phrases as a whole.
    """
    words = marked_words(clause)
    found = {
        meaning
        for meaning, start, end in _spans(_withdrawals(), words)
        if (start, end) == (0, len(words))
    }
    return EVERYTHING if EVERYTHING in found else DELIVERY if found else None


def asks_for_number(text: str) -> bool:
    """Whether the text of an automatic reply of ours asks the customer for the order number."""
    return any(True for _ in _questions().matches(marked_words(text)))


def is_neutral(subject: str) -> bool:
    """Whether a ticket's subject says nothing by itself, such as "Hello"."""
    words = without_marks(marked_words(subject))
    return any((start, end) == (0, len(words)) for _, start, end in _spans(_subjects(), words))


def _spans(phrases: Phrases, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    return ((found[0], start, end) for found, start, end in phrases.spans(words))


def _phrases(rows: Mapping[str, tuple[WordsRow, ...]]) -> Phrases:
    return Phrases(((row.words, name, SURE) for name, of in rows.items() for row in of), SETS)


@ready
def _requests() -> Phrases:
    return _phrases({kind.value: rows for kind, rows in table().phrases.items()})


@ready
def _withdrawals() -> Phrases:
    given = table().withdrawn
    return _phrases({EVERYTHING: given.everything, DELIVERY: given.delivery})


@ready
def _questions() -> Phrases:
    return _phrases({"number": table().questions.number})


@ready
def _subjects() -> Phrases:
    return _phrases({"neutral": table().subjects.neutral})
