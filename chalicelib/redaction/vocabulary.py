"""Words beside numbers, in the languages of the customers, typos included: rows of ``vocabulary.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from chalicelib.ready import ready


class Topic(StrEnum):
    """The meaning that a word gives to a number near it, such as an order or a phone."""

    PHONE = "phone"
    ORDER = "order"
    TRACKING = "tracking"
    CARD = "card"
    SSN = "ssn"
    IBAN = "iban"
    ACCOUNT = "account"
    SECRET = "secret"  # noqa: S105 - a topic: card check number, PIN
    AMOUNT = "amount"  # money and quantities: readable
    CATALOGUE = "catalogue"  # words that name a readable number themselves: SKU, EAN, ISBN
    THING = "thing"  # things that have a number: only one right after the word is theirs
    TIME = "time"  # timestamps: readable
    COLOUR = "colour"  # `#112233`: readable


class WordRole(StrEnum):
    """What a word means between a number and the word that says what the number is."""

    MARK = "mark"  # announces a number
    FILLER = "filler"  # has no meaning here


@dataclass(frozen=True, slots=True)
class VocabularyFile:
    """The content of ``vocabulary.toml``, whose head explains each row; a row is words with spaces between."""

    marks: str
    fillers: str
    links: str
    copulas: str
    needs_mark: str
    not_typos: str
    topics: Mapping[Topic, str]
    mistyped: Mapping[Topic, str]
    keyboard: Mapping[str, str]
    numbers: Mapping[int, str]


class Vocabulary(NamedTuple):
    """The words of ``vocabulary.toml`` by what they mean.

    Attributes:
        topics: the topic that each word gives to a number near it.
        roles: by word, what the word is between a topic's word and its number; a topic's own word has
            its topic.
        marks, fillers, links, copulas, needs_mark: the words of each role, as the file's head explains.
        digits: the digits that each number word means.
        number_words: the number words of three letters or more.
        copula_initials: the first letters of `copulas`.
    """

    topics: Mapping[str, Topic]
    roles: Mapping[str, Topic | WordRole]
    marks: frozenset[str]
    fillers: frozenset[str]
    links: frozenset[str]
    copulas: frozenset[str]
    needs_mark: frozenset[str]
    digits: Mapping[str, str]
    number_words: frozenset[str]
    copula_initials: frozenset[str]


@ready
def vocabulary() -> Vocabulary:
    """The words beside numbers and their meaning, typing errors included."""
    from chalicelib.tables import beside, read  # noqa: PLC0415 - a bundle has the result and needs no file

    rows = read(beside(__file__, "vocabulary.toml"), VocabularyFile)
    typos = {
        typo: topic
        for topic, words in rows.mistyped.items()
        for word in words.split()
        for typo in _typos(word, rows.keyboard).difference(rows.not_typos.split())
    }
    topics = typos | {word: topic for topic, words in rows.topics.items() for word in words.split()}
    marks = frozenset(rows.marks.split())
    fillers = marks.union(rows.fillers.split())
    copulas = frozenset(rows.copulas.split())
    digits = {word: str(value) for value, words in rows.numbers.items() for word in words.split()}
    return Vocabulary(
        topics,
        {
            **dict.fromkeys(fillers, WordRole.FILLER),
            **dict.fromkeys(marks, WordRole.MARK),
            **topics,
        },
        marks,
        fillers,
        frozenset(rows.links.split()),
        copulas,
        frozenset(rows.needs_mark.split()),
        digits,
        frozenset(word for word in digits if len(word) > 2),
        frozenset(word[0] for word in copulas),
    )


def _typos(word: str, keyboard: Mapping[str, str]) -> set[str]:
    """The likely typing errors of a word, without those that are words themselves.

    In each, one letter is lost, doubled, swapped with the next, or hit as a neighbouring key.
    """
    spots = range(len(word))
    lost = {word[:i] + word[i + 1 :] for i in spots}
    doubled = {word[: i + 1] + word[i:] for i in spots}
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in spots[:-1]}
    struck = {word[:i] + key + word[i + 1 :] for i in spots for key in keyboard[word[i]]}
    return lost | doubled | swapped | struck
