"""The kind of each sentence of a message, by two judges that must agree; pure.

The grammar says of which rows a sentence is made, the learned model what it resembles.  If both take a
sentence for an order question, an identifier, a listed circumstance or a courtesy, it has the grammar's
kind.  Any other sentence is `other`, and a message with such a sentence is left to a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.support.intents.grammar import KINDS, MAX_SYMBOLS, Kind, grammars, kinds_of
from chalicelib.support.intents.own_words import MAX_INPUT_CHARACTERS
from chalicelib.support.intents.sentence_model import likeliest_kind
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
"""Sentences beyond this number are not judged, and count as `other`."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message, and its kind.

    Attributes:
        kind: the kind by the grammar, if neither grammar nor model says `other`; else `other`.
        judges: the kind that each of the two judges gives, by ``grammar`` and ``model``.
    """

    text: str = field(repr=False)
    kind: Kind
    judges: Mapping[str, str]


def read_sentences(own: str) -> tuple[Sentence, ...]:
    """The sentences of a message in their order, each with its kind.

    `own` is the message without quoted history.  A line break may end a sentence or not.  So if
    lines of a paragraph are not understood one by one, the paragraph is also read as one line.
    """
    found: list[Sentence] = []
    for lines in paragraphs_of(own[:MAX_INPUT_CHARACTERS]):
        apart = [sentence for line in lines for sentence in _judged(line)]
        if len(lines) > 1 and any(sentence.kind == OTHER for sentence in apart):
            together = list(_judged(" ".join(lines)))
            if all(sentence.kind != OTHER for sentence in together):
                apart = together
        found += apart
        if len(found) > MAX_SENTENCES:
            return (*found[:MAX_SENTENCES], Sentence("", OTHER, {}))
    return tuple(found)


def explained(sentences: tuple[Sentence, ...]) -> float:
    """The share of the sentences that grammar and model both understand, 0 to 1; 0 without any sentence."""
    if not sentences:
        return 0.0
    return sum(sentence.kind != OTHER for sentence in sentences) / len(sentences)


def kind_by_grammar(sentence: str) -> Kind:
    """The kind of a sentence by the grammars alone, without the model."""
    return _by_grammar(tokens_of(sentence))


def asks_what_no_order_answers(tokens: Sequence[Token]) -> bool:
    """Whether a sentence asks what an order's data cannot answer, such as a cause or a payment."""
    words = [token.word for token in tokens]
    return any(True for grammar in grammars() for _ in grammar.never.matches(words))


def _judged(text: str) -> Iterator[Sentence]:
    for sentence in sentences_of(text)[: MAX_SENTENCES + 1]:
        tokens = tokens_of(sentence)
        grammar, model = _by_grammar(tokens), likeliest_kind(tokens)
        agree = OTHER not in (grammar, model)
        yield Sentence(sentence, grammar if agree else OTHER, {"grammar": grammar, "model": model})


def _by_grammar(tokens: Sequence[Token]) -> Kind:
    if len(tokens) > MAX_SYMBOLS or asks_what_no_order_answers(tokens):
        return OTHER
    kinds = kinds_of([grammar.matching(symbols_of(tokens, grammar)) for grammar in grammars()])
    if kinds is None:
        return OTHER
    return next((kind for kind in KINDS if kind in kinds), "courtesy")
