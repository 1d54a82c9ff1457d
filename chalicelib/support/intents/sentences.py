"""What each sentence of a message is, by two judges that must agree; pure.

The grammar says which rows a sentence is made of, the learned model what it looks like.  Only a sentence
that both take for an order question, an identifier, a listed circumstance or a courtesy is one; any
other is `other`, and a message with one in it is left to a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.support.intents.grammar import KINDS, MAX_SYMBOLS, Kind, grammars, kinds_of
from chalicelib.support.intents.own_words import MAX_INPUT_CHARACTERS
from chalicelib.support.intents.sentence_model import likeliest
from chalicelib.support.intents.sentence_words import (
    Token,
    paragraphs_of,
    sentences_of,
    symbols_of,
    tokens_of,
)

OTHER: Kind = "other"
ORDER_QUESTION: Kind = "order_question"
MAX_SENTENCES = 40
"""What is behind so many sentences is not judged, and is `other`."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message.

    Attributes:
        kind: what both judges take it for, else `other`.
        judges: what each of them took it for, by its name.
    """

    text: str = field(repr=False)
    kind: Kind
    judges: Mapping[str, str]


def read_sentences(own: str) -> tuple[Sentence, ...]:
    """The sentences of a message without quoted history, in their order.

    A line break may end a sentence or only a line: a paragraph whose lines do not make sense one after
    the other is read as one.
    """
    found: list[Sentence] = []
    for lines in paragraphs_of(own[:MAX_INPUT_CHARACTERS]):
        apart = [one for line in lines for one in _judged(line)]
        if len(lines) > 1 and any(one.kind == OTHER for one in apart):
            together = list(_judged(" ".join(lines)))
            if all(one.kind != OTHER for one in together):
                apart = together
        found += apart
        if len(found) > MAX_SENTENCES:
            return (*found[:MAX_SENTENCES], Sentence("", OTHER, {}))
    return tuple(found)


def explained(sentences: tuple[Sentence, ...]) -> float:
    """The share of the sentences that both judges explain, 0 to 1; 0 without a sentence."""
    if not sentences:
        return 0.0
    return sum(one.kind != OTHER for one in sentences) / len(sentences)


def by_grammar(sentence: str) -> Kind:
    """The leading kind of the units that a sentence is made of, by the grammars alone."""
    return _by_grammar(tokens_of(sentence))


def asks_what_no_order_answers(tokens: Sequence[Token]) -> bool:
    """Whether words of a `never` row are in a sentence: a cause, a day that is past, a payment."""
    words = [one.word for one in tokens]
    return any(True for one in grammars() for _ in one.never.matches(words))


def _judged(text: str) -> Iterator[Sentence]:
    for sentence in sentences_of(text)[: MAX_SENTENCES + 1]:
        tokens = tokens_of(sentence)
        grammar, model = _by_grammar(tokens), likeliest(tokens)
        agree = OTHER not in (grammar, model)
        yield Sentence(sentence, grammar if agree else OTHER, {"grammar": grammar, "model": model})


def _by_grammar(tokens: Sequence[Token]) -> Kind:
    if len(tokens) > MAX_SYMBOLS or asks_what_no_order_answers(tokens):
        return OTHER
    kinds = kinds_of([one.matching(symbols_of(tokens, one)) for one in grammars()])
    if kinds is None:
        return OTHER
    return next((one for one in KINDS if one in kinds), "courtesy")
