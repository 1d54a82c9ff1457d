"""`python -m bench.intents.train`: trains the linear model of the intents and writes its file.

It learns from the development samples of `tests/samples/intents` and, with less weight, from the
phrases of the tables.  The result is the same on every machine up to rounding; `made_from` in the
file is a digest of what it was made from, and a test compares it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chalicelib.support.intents import linear
from chalicelib.support.intents.message import words_of
from chalicelib.support.intents.words import SETS, TABLES

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "intents"
PARTS = ("dev", "widened")
C = 10.0
PHRASE_WEIGHT = 0.3
ROUNDS_OF_PHRASES = 2
MIN_MESSAGES = 2
"""A feature of fewer messages is left out."""
_LARGEST = 127


def samples() -> list[tuple[str, str]]:
    """Texts and intents of the development part."""
    lines = [
        line for part in PARTS for line in (SAMPLES / f"{part}.jsonl").read_text().splitlines()
    ]
    return [(row["text"], row["intent"]) for row in map(json.loads, lines)]


def phrases() -> list[tuple[str, str]]:
    """Phrases of the tables as short messages, with one of each row's words."""
    dice = random.Random(0)  # noqa: S311 - the same in every run
    found = []
    for intent, table in TABLES.items():
        for phrase in (*table.sure, *table.likely):
            for _ in range(ROUNDS_OF_PHRASES):
                words = []
                for part in phrase.split():
                    if part == "*" or (part.endswith("?") and dice.random() < 0.5):  # noqa: PLR2004
                        continue
                    name = part.removesuffix("?")
                    listed = SETS[name[1:-1]] if name.startswith("{") else name
                    words.append(dice.choice(listed.split("|")))
                found.append((" ".join(words).replace("<n>", "40123"), intent))
    return found


def made_from() -> str:
    """A digest of everything that the model is made from."""
    everything = json.dumps([samples(), phrases(), C, PHRASE_WEIGHT, MIN_MESSAGES])
    return hashlib.sha256(everything.encode()).hexdigest()[:16]


def train(rows: Sequence[tuple[str, str]], extra: Sequence[tuple[str, str]]) -> linear.Linear:
    """The model of labelled texts, and of more that count less."""
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - takes a second
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    found = [linear.features(words_of(text)) for text, _ in (*rows, *extra)]
    counts = Counter(one for whole, parts in found for one in (*whole, *parts))
    kept = {one for one, count in counts.items() if count >= MIN_MESSAGES}
    values = []
    for whole, parts in found:
        size = linear.length(len(whole), len(parts))
        values.append(
            dict.fromkeys(whole & kept, 1 / size)
            | dict.fromkeys(parts & kept, linear.LETTERS_WEIGHT / size)
        )
    vectors = DictVectorizer()
    labels = [intent for _, intent in (*rows, *extra)]
    weights = [1.0] * len(rows) + [PHRASE_WEIGHT] * len(extra)
    # Values are divided by the message's length, so the regularisation is weaker by its square.
    fitted = LogisticRegression(C=C * 36, max_iter=300, tol=1e-3)
    fitted.fit(vectors.fit_transform(values), labels, sample_weight=weights)
    scaled = fitted.coef_.copy()
    names = list(vectors.get_feature_names_out())
    for at, name in enumerate(names):
        if name.startswith("_"):
            scaled[:, at] *= linear.LETTERS_WEIGHT
    scale = float(_LARGEST / abs(scaled).max())
    return linear.Linear(
        intents=[str(one) for one in fitted.classes_],
        intercept=[float(one) for one in fitted.intercept_],
        scale=round(scale, 4),
        made_from=made_from(),
        rows={name: linear.row(scaled[:, at], scale) for at, name in enumerate(names)},
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the file."""
    argparse.ArgumentParser(prog="python -m bench.intents.train", description=__doc__).parse_args(
        arguments
    )
    model = train(samples(), phrases())
    linear.FILE.write_bytes(linear.packed(model))
    print(f"{linear.FILE.name}: {len(model.rows)} features, {linear.FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
