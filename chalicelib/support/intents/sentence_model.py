"""The learned judge of sentences: the likely kind of a sentence, by words, pairs and parts of words.

It is a linear model like that of the intents, with kinds of sentences instead of intents.
`python -m bench.intents.train_sentences` makes `sentences.bin` from the invented sentences in
`tests/samples/intents` and from sentences composed of the grammars' rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from chalicelib.support.intents.sentence_words import Token
from chalicelib.tables import beside
from chalicelib.vendors import linear

FILE = beside(__file__, "sentences.bin")
OTHER = "other"
OTHER_FROM = 0.8
"""The probability of `other` from which the model takes a sentence for `other`."""


@cache
def shipped_model() -> linear.Linear:
    """The linear model of sentences in this release.

    Read for the first message, to keep cold starts short.
    """
    return linear.read(FILE.read_bytes())


def likeliest_kind(tokens: Sequence[Token], model: linear.Linear | None = None) -> str:
    """The kind of a sentence by the linear model.

    It is `other` from a probability of `OTHER_FROM` on; below that, the likeliest of all other
    kinds.

    Args:
        tokens: the words of the sentence.
        model: by default the shipped one.
    """
    kinds, _ = (model or shipped_model()).probabilities([token.word for token in tokens])
    if kinds[OTHER] >= OTHER_FROM:
        return OTHER
    return max((kind for kind in kinds if kind != OTHER), key=lambda kind: (kinds[kind], kind))
