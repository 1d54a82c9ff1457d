"""How well sentences are judged: invented ones, and an adversary's made of the grammars' own words.

Each judge is also counted alone, which shows what the other adds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.intents import composing, train_sentences
from chalicelib.support.intents.sentence_model import FILE
from chalicelib.support.intents.sentences import OTHER, Sentence, read_sentences

ROUNDS = 10
"""How often each frame of the adversary is filled."""
JUDGES = ("grammar", "model")


def lines() -> list[str]:
    """The lines of the report."""
    invented = train_sentences.invented()
    plain = [text for text, kind in invented if kind != OTHER]
    other = [text for text, kind in invented if kind == OTHER]
    dice = random.Random(4049)  # noqa: S311 - the same in every run
    composed = [text for _ in range(ROUNDS) for text in composing.every_frame(dice)]
    return [
        f"plain sentences explained   {_explained(plain)}",
        f"other sentences explained   {_explained(other)}   target 0",
        f"adversary's explained       {_explained(composed)}   target 0",
        f"learned judge               {FILE.stat().st_size} bytes",
    ]


def _explained(texts: Sequence[str]) -> str:
    """How many texts are fully explained, by both judges and by each alone."""
    read = [read_sentences(text) for text in texts]
    both = sum(all(sentence.kind != OTHER for sentence in sentences) for sentences in read)
    alone = ", ".join(f"{judge} alone {_by(judge, read)}" for judge in JUDGES)
    return f"{both} of {len(texts)} ({alone})"


def _by(judge: str, read: Sequence[tuple[Sentence, ...]]) -> int:
    return sum(
        all(sentence.judges.get(judge) != OTHER for sentence in sentences) for sentences in read
    )
