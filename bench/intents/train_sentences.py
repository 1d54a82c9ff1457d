"""`python -m bench.intents.train_sentences`: trains the learned judge of sentences, writes its file.

The judge learns a sentence's kind from the invented sentences of `tests/samples/intents/sentences.jsonl`,
from sentences composed of the grammars' rows and of harmful frames, and from the labelled messages.  The
result is the same on every machine up to rounding; `made_from` in the file is a digest of the training
data, and a test compares it.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from bench.intents import composing, fitting, train
from chalicelib.support.intents import grammar
from chalicelib.support.intents.own_words import own_part
from chalicelib.support.intents.sentence_model import FILE, OTHER
from chalicelib.support.intents.sentence_words import sentences_of, tokens_of
from chalicelib.support.intents.sentences import kind_by_grammar
from chalicelib.vendors import linear

SENTENCES = train.SAMPLES / "sentences.jsonl"
LANGUAGES = ("en", "es")
COMPOSED, RUN_ON, FRAMED, SHUFFLED = 1500, 1500, 8, 1200
INVENTED_WEIGHT, OTHER_WEIGHT = 3.0, 1.0
C = 30.0
MIN_SENTENCES = 3

Labelled = tuple[str, str, float]
"""A sentence, its kind and its weight."""


def invented() -> list[tuple[str, str]]:
    """The invented sentences with their kinds."""
    rows = [json.loads(line) for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    return [(row["text"], row["kind"]) for row in rows]


def samples(left_out: Collection[str] = ()) -> list[Labelled]:
    """The training data, without the invented sentences and frames in `left_out`."""
    dice = random.Random(7)  # noqa: S311 - the same in every run
    kept = [(text, kind) for text, kind in invented() if text not in left_out]
    found = [(text, kind, INVENTED_WEIGHT) for text, kind in kept]
    found += [(composing.slipped(text, dice), kind, 1.0) for text, kind in kept]
    found += _composed(dice)
    for _ in range(FRAMED):
        found += [(text, OTHER, 1.0) for text in composing.every_frame(dice, left_out)]
    shuffled = (composing.shuffled(dice) for _ in range(SHUFFLED))
    found += [(text, OTHER, 0.5) for text in shuffled if kind_by_grammar(text) == OTHER]
    found += _of_messages()
    return found


def _composed(dice: random.Random) -> Iterator[Labelled]:
    """Sentences of the grammars, alone and run together."""
    for kind in grammar.KINDS:
        for _ in range(COMPOSED):
            yield composing.neutral(dice, kind)[0], kind, 0.5
    for _ in range(RUN_ON):
        parts = [composing.neutral(dice) for _ in range(dice.randint(2, 3))]
        kinds = {kind for _, kind in parts}
        leading = next(kind for kind in grammar.KINDS if kind in kinds)
        yield " ".join(text for text, _ in parts), leading, 0.5


def _of_messages() -> Iterator[Labelled]:
    """Sentences of the labelled messages: of the kind that the grammars give, else `other`.

    A sentence that the grammars do not know is left out where the whole message is simple.
    """
    for part in train.PARTS:
        for line in (train.SAMPLES / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["language"] not in LANGUAGES:
                continue
            for sentence in sentences_of(own_part(row["text"])):
                kind = kind_by_grammar(sentence)
                if kind != OTHER:
                    yield sentence, kind, 1.0
                elif not row.get("simple", row["intent"] == "order_status_tracking"):
                    yield sentence, OTHER, OTHER_WEIGHT


def words_in(sentence: str) -> list[str]:
    """The words of a sentence as the model's features."""
    return [token.word for token in tokens_of(sentence)]


def made_from() -> str:
    """A digest of the training data and constants."""
    files = [
        SENTENCES,
        composing.FRAMES,
        *(train.SAMPLES / f"{part}.jsonl" for part in train.PARTS),
    ]
    files += [Path(grammar.__file__).with_name(file) for file in (*grammar.FILES, grammar.WORDS)]
    constants = [
        C,
        COMPOSED,
        RUN_ON,
        FRAMED,
        SHUFFLED,
        MIN_SENTENCES,
        INVENTED_WEIGHT,
        OTHER_WEIGHT,
    ]
    digest = hashlib.sha256(json.dumps(constants).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def fitted(rows: list[Labelled]) -> linear.Linear:
    """The model that is fitted to labelled sentences."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - takes a second

    matrix, names = fitting.matrix_of(map(words_in, (text for text, _, _ in rows)), MIN_SENTENCES)
    model = LogisticRegression(C=C, max_iter=300, tol=1e-3)
    model.fit(
        matrix, [kind for _, kind, _ in rows], sample_weight=[weight for _, _, weight in rows]
    )
    scale, stored = fitting.rows_of(model.coef_, names)
    return linear.Linear(
        intents=[str(class_) for class_ in model.classes_],
        intercept=[float(value) for value in model.intercept_],
        scale=round(scale, 4),
        made_from=made_from(),
        rows=stored,
    )


def main() -> int:
    """Train and write the file."""
    rows = samples()
    model = fitted(rows)
    FILE.write_bytes(linear.packed(model))
    print(f"{len(rows)} sentences, {len(model.rows)} features, {FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
