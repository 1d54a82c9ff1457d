"""`python -m bench.consent`: trains the model that suspects a STOP, and compiles the table of wordings.

The model learns from the labelled messages of `tests/samples/consent`, except for the held-out ones that
`bench.measures.words` reads, and with less weight from customers' messages of `tests/samples/intents`.
The threshold is the lowest probability that at most `FALSE_ALARMS` of the harmless messages reach, where
each is judged by a model trained without it.  `made_from` in the file is a digest of the training data,
and a test compares it.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from chalicelib.outreach.consent import compiled, unwanted, wordings
from chalicelib.outreach.consent.folding import words_of
from chalicelib.outreach.consent.keywords import bare_message
from chalicelib.vendors import linear

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
PARTS = ("dev", "fresh", "held_out", "ordinary", "languages")
PARTS_OF_OTHERS = ("dev", "widened")
NEAR = frozenset({"cancel_subscription", "harassment_threats", "threat", "human_wanted"})
WEIGHT_OF_OTHERS = 0.3
WISHED = frozenset({"stop", "doubtful"})
FALSE_ALARMS = 0.01
"""Share of the harmless messages that may be suspected; many samples are chosen to resemble a STOP."""
FOLDS = 5
FEWEST = 2
"""A feature of the model must occur in this many messages; rarer ones would double the file's size."""
C = 100.0
_LARGEST = 127

Labelled = tuple[str, bool]
"""A text, and whether it is or may be a STOP."""


def samples() -> list[Labelled]:
    """The labelled messages about being contacted, and ordinary ones."""
    return [(row["text"], row["wish"] in WISHED) for row in _rows("consent", PARTS)]


def others() -> list[Labelled]:
    """Harmless messages to a shop: none that ask for a person, cancel something or threaten."""
    return [
        (row["text"], False)
        for row in _rows("intents", PARTS_OF_OTHERS)
        if row["intent"] not in NEAR and not NEAR & set(row.get("risks", ()))
    ]


def _rows(folder: str, parts: Iterable[str]) -> list[dict[str, Any]]:
    texts = ((SAMPLES / folder / f"{part}.jsonl").read_text("utf-8") for part in parts)
    return [json.loads(line) for text in texts for line in text.splitlines()]


def made_from() -> str:
    """A digest of the training data and constants."""
    everything = json.dumps([samples(), others(), C, WEIGHT_OF_OTHERS, FALSE_ALARMS, FEWEST])
    return hashlib.sha256(everything.encode()).hexdigest()[:16]


def train(rows: Sequence[Labelled], threshold: float = 1.0) -> linear.Linear:
    """The model that is fitted to labelled messages."""
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - takes a second
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    more = others()
    weights = [1.0] * len(rows) + [WEIGHT_OF_OTHERS] * len(more)
    values = []
    for text, _ in (*rows, *more):
        whole, parts = linear.features(words_of(bare_message(text)))
        size = linear.score_divisor(len(whole), len(parts))
        values.append(
            dict.fromkeys(whole, 1 / size) | dict.fromkeys(parts, linear.LETTERS_WEIGHT / size)
        )
    vectors = DictVectorizer()
    matrix = vectors.fit_transform(values)
    is_kept = matrix.getnnz(axis=0) >= FEWEST
    matrix = matrix[:, is_kept]
    matrix.indices, matrix.indptr = (
        part.astype("int32") for part in (matrix.indices, matrix.indptr)
    )
    head = LogisticRegression(C=C, solver="liblinear", tol=1e-3, random_state=0)
    head.fit(matrix, [is_wish for _, is_wish in (*rows, *more)], sample_weight=weights)
    found = {
        name: weight * (linear.LETTERS_WEIGHT if name.startswith("_") else 1.0)
        for name, weight in zip(
            vectors.get_feature_names_out()[is_kept], head.coef_[0], strict=True
        )
    }
    scale = float(_LARGEST / max(map(abs, found.values())))
    return linear.Linear(
        intents=["any"],
        intercept=[0.0, float(head.intercept_[0])],
        scale=round(scale, 4),
        made_from=made_from(),
        rows={
            str(name): linear.row((0.0, weight), scale)
            for name, weight in found.items()
            if round(weight * scale)
        },
        risks=[unwanted.WISH],
        thresholds=[threshold],
    )


def threshold_of(rows: Sequence[Labelled]) -> float:
    """The lowest probability that at most `FALSE_ALARMS` of the harmless messages reach."""
    order = list(range(len(rows)))
    random.Random(3).shuffle(order)  # noqa: S311 - the same in every run
    harmless: list[float] = []
    for number in range(FOLDS):
        tested = order[number::FOLDS]
        left_out = set(tested)
        model = train([row for at, row in enumerate(rows) if at not in left_out])
        harmless += [
            model.probabilities(words_of(bare_message(text)))[1][unwanted.WISH]
            for text, is_wish in (rows[at] for at in tested)
            if not is_wish
        ]
    return round(sorted(harmless, reverse=True)[int(len(harmless) * FALSE_ALARMS)] + 1e-4, 4)


def main() -> int:
    """Train, compile, and write both files."""
    rows = samples()
    threshold = threshold_of(rows)
    model = train(rows, threshold)
    unwanted.FILE.write_bytes(linear.packed(model))
    size = unwanted.FILE.stat().st_size
    sources = wordings.sources()
    compiled.FILE.write_bytes(compiled.packed(sources, wordings.made_from()))
    print(f"{compiled.FILE.name}: {len(sources)} patterns, {compiled.FILE.stat().st_size} bytes")
    print(f"{unwanted.FILE.name}: {len(model.rows)} features, {size} bytes, from {threshold}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
