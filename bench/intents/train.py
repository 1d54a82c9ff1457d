"""`python -m bench.intents.train`: trains the linear model of the intents and writes its file.

The model learns from the development samples of `tests/samples/intents` and, with less weight, from the
phrases of the tables.  The result is the same on every machine up to rounding; `made_from` in the
file is a digest of the training data, and a test compares it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.intents import fitting
from chalicelib.support.intents.departments import RISK_FLAGS
from chalicelib.support.intents.linear_model import FILE
from chalicelib.support.intents.own_words import words_of
from chalicelib.support.intents.risks import RISKS
from chalicelib.support.intents.risks import SETS as SETS_OF_RISKS
from chalicelib.support.intents.words import SETS, TABLES
from chalicelib.vendors import linear

SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "intents"
PARTS = ("dev", "widened", "fresh")
FLAGS: Mapping[str, str] = {
    "legal": "legal_threat",
    "chargeback": "chargeback",
    "fraud": "fraud_suspected",
    "threat": "harassment_threats",
    "minor": "minor_involved",
    "human_wanted": "human_requested",
}
"""The product's names of risks, by the samples' names, where they differ."""
FALSE_ALARMS = 0.002
"""Share of the harmless texts in which each risk may be suspected."""
FOLDS = 5
C = 10.0
PHRASE_WEIGHT = 0.3
ROUNDS_OF_PHRASES, ROUNDS_OF_RISKS = 2, 3
C_OF_RISKS = 100.0
MIN_MESSAGES = 2
"""A feature of fewer messages is left out."""
_WRITTEN = {"<n>": "40123", "<age>": "9", "<emergency>": "911"}


Labelled = tuple[str, str, frozenset[str]]
"""A text, its intent and its risks."""


def samples() -> list[Labelled]:
    """The labelled texts of the development parts."""
    lines = [
        line for part in PARTS for line in (SAMPLES / f"{part}.jsonl").read_text().splitlines()
    ]
    return [labelled(row) for row in map(json.loads, lines)]


def labelled(row: Mapping[str, Any]) -> Labelled:
    """A row of the samples as training data; an intent of tier 0 counts as a risk, too."""
    named = {FLAGS.get(risk, risk) for risk in row.get("risks", ())}
    intents = (row["intent"], *row.get("also", ()))
    return row["text"], row["intent"], frozenset(named | of_intents(intents))


def of_intents(intents: Iterable[str]) -> set[str]:
    """The risks that intents imply."""
    return {RISK_FLAGS[intent] for intent in intents if intent in RISK_FLAGS}


def phrases() -> list[tuple[str, str]]:
    """Short messages made of the phrases of the tables of intents, each with its intent."""
    tables = {intent: (*table.sure, *table.likely) for intent, table in TABLES.items()}
    return _spoken(tables, SETS, ROUNDS_OF_PHRASES)


def phrases_of_risks() -> list[tuple[str, str]]:
    """Short messages made of the phrases of the tables of risks, each with its risk."""
    return _spoken(RISKS, {**SETS, **SETS_OF_RISKS}, ROUNDS_OF_RISKS)


def _spoken(
    tables: Mapping[str, Sequence[str]], sets: Mapping[str, str], rounds: int
) -> list[tuple[str, str]]:
    """Each phrase of the tables `rounds` times, with random words where it offers a choice."""
    dice = random.Random(0)  # noqa: S311 - the same in every run
    found = []
    for meaning, listed in tables.items():
        for phrase in listed:
            for _ in range(rounds):
                words = []
                for part in phrase.split():
                    if part == "*" or (part.endswith("?") and dice.random() < 0.5):  # noqa: PLR2004
                        continue
                    word = dice.choice(part.removesuffix("?").split("|"))
                    if word.startswith("{"):
                        word = dice.choice(sets[word[1:-1]].split("|"))
                    words.append(word)
                text = " ".join(_WRITTEN.get(word, word) for word in words)
                found.append((text, meaning))
    return found


def made_from() -> str:
    """A digest of the training data and constants."""
    texts = [(text, intent, sorted(risks)) for text, intent, risks in samples()]
    constants = [C, C_OF_RISKS, PHRASE_WEIGHT, MIN_MESSAGES, FALSE_ALARMS]
    everything = json.dumps([texts, phrases(), phrases_of_risks(), *constants])
    return hashlib.sha256(everything.encode()).hexdigest()[:16]


def train(
    rows: Sequence[Labelled],
    extra: Sequence[tuple[str, str]],
    thresholds: Mapping[str, float] | None = None,
) -> linear.Linear:
    """The model that is fitted to labelled texts.

    Args:
        rows: the labelled texts.
        extra: more texts with their intents, which count less.
        thresholds: probability from which each risk is suspected; 1 by default.
    """
    import numpy  # noqa: ICN001, PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - takes a second

    more = phrases_of_risks()
    texts = [*(text for text, _, _ in rows), *(text for text, _ in (*extra, *more))]
    matrix, names = fitting.matrix_of(map(words_of, texts), MIN_MESSAGES)
    labels = [*(intent for _, intent, _ in rows), *(intent for _, intent in extra)]
    grave = [
        *(risks for _, _, risks in rows),
        *(of_intents([intent]) for _, intent in extra),
        *({risk} for _, risk in more),
    ]
    weights = [1.0] * len(rows) + [PHRASE_WEIGHT] * (len(extra) + len(more))
    size = len(labels)
    # Values are divided by the message's length, so regularisation is weaker by the length's square.
    fitted = LogisticRegression(C=C * 36, max_iter=300, tol=1e-3)
    fitted.fit(matrix[:size], labels, sample_weight=weights[:size])
    names_of_risks = sorted({risk for risks in grave for risk in risks})
    heads = []
    for risk in names_of_risks:
        head = LogisticRegression(C=C_OF_RISKS, solver="liblinear", tol=1e-2, random_state=0)
        heads.append(head.fit(matrix, [risk in risks for risks in grave], sample_weight=weights))
    weights_of_all = numpy.vstack([fitted.coef_, *(head.coef_ for head in heads)])
    scale, stored = fitting.rows_of(weights_of_all, names)
    return linear.Linear(
        intents=[str(class_) for class_ in fitted.classes_],
        intercept=[
            *(float(value) for value in fitted.intercept_),
            *(float(head.intercept_[0]) for head in heads),
        ],
        risks=names_of_risks,
        thresholds=[(thresholds or {}).get(risk, 1.0) for risk in names_of_risks],
        scale=round(scale, 4),
        made_from=made_from(),
        rows=stored,
    )


def thresholds_of(rows: Sequence[Labelled], extra: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The threshold of each risk, by cross-validation.

    It is the lowest probability that at most `FALSE_ALARMS` of the harmless texts reach.
    """
    order = list(range(len(rows)))
    random.Random(3).shuffle(order)  # noqa: S311 - the same in every run
    harmless: dict[str, list[float]] = {}
    for number in range(FOLDS):
        tested = order[number::FOLDS]
        left_out = set(tested)
        model = train([row for at, row in enumerate(rows) if at not in left_out], extra)
        for text, _, risks in (rows[at] for at in tested):
            if not risks:
                for risk, share in model.probabilities(words_of(text))[1].items():
                    harmless.setdefault(risk, []).append(share)
    found = {}
    for risk, shares in harmless.items():
        allowed = int(len(shares) * FALSE_ALARMS)
        found[risk] = round(sorted(shares, reverse=True)[allowed] + 1e-4, 4)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and write the file."""
    argparse.ArgumentParser(prog="python -m bench.intents.train", description=__doc__).parse_args(
        arguments
    )
    rows, extra = samples(), phrases()
    model = train(rows, extra, thresholds_of(rows, extra))
    FILE.write_bytes(linear.packed(model))
    print(f"{FILE.name}: {len(model.rows)} features, {FILE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
