"""The words of requests, withdrawals and subjects: the rows of ``conversation_words.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from chalicelib.ready import ready
from chalicelib.support.intents.own_words import marked_words, unmarked
from chalicelib.support.intents.phrases import SURE, Phrases
from chalicelib.support.intents.words import SETS
from chalicelib.tables import beside, read


class RequestKind(StrEnum):
    """What a customer may want; the values are stored for months, so none is renamed."""

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
    """One row: a phrase, and an invented sentence that it must match."""

    words: str
    says: str


@dataclass(frozen=True, slots=True)
class WordsOfWithdrawals:
    """Clauses that take back everything, or what was asked about a delivery."""

    everything: tuple[WordsRow, ...]
    delivery: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfQuestions:
    """How a machine asks for the order number."""

    number: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfSubjects:
    """Subjects that say nothing by themselves."""

    neutral: tuple[WordsRow, ...]


@dataclass(frozen=True, slots=True)
class WordsOfConversations:
    """The rows of the file.

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
    """The file as it is shipped."""
    return read(FILE, WordsOfConversations)


def requests_in(words: Sequence[str]) -> frozenset[RequestKind]:
    """Kinds of requests that a message's words name, whatever its intents."""
    return frozenset(RequestKind(kind) for kind, _, _ in _requests().matches(words))


def withdrawn_by(clause: str) -> str | None:
    """What a whole clause takes back: `EVERYTHING`, `DELIVERY`, or None."""
    words = marked_words(clause)
    found = {
        meaning
        for meaning, start, end in _spans(_withdrawals(), words)
        if (start, end) == (0, len(words))
    }
    return EVERYTHING if EVERYTHING in found else DELIVERY if found else None


def asks_for_number(text: str) -> bool:
    """Whether a machine's text asks for the order number."""
    return any(True for _ in _questions().matches(marked_words(text)))


def is_neutral(subject: str) -> bool:
    """Whether a whole subject says nothing by itself."""
    words = unmarked(marked_words(subject))
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
