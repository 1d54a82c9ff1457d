"""A small linear model of messages: the probability of intents and of risks, by words; pure.

The models are trained from the labelled samples of this repository; their licence is the
repository's.  A model's file is compressed: a line of JSON, the features, then one row for each
feature. A row has a lane of three bytes for each intent, then for each risk.  A message's rows are
added as whole numbers, all lanes at once.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

MAX_WORDS = 120
LANE_BYTES = 3
"""Bytes of one weight in a feature's number: hundreds of numbers can be added without a carry into
the next weight."""
ZERO = 128
"""The stored form of a weight of zero."""
LETTERS_WEIGHT = 0.4
_SHORTEST, _LONGEST = 3, 5
_LOWEST = -50.0
"""Scores below this count as this, as the exponential of their negative would overflow."""


def features(words: Sequence[str]) -> tuple[set[str], set[str]]:
    """The features of a message: its words and pairs of words, and the runs of letters in its words."""
    kept = list(words[:MAX_WORDS])
    pairs = zip(["^", *kept], [*kept, "$"], strict=True)
    whole = {*kept, *(f"{one} {other}" for one, other in pairs)}
    parts: set[str] = set()
    for word in set(kept):
        if not word.startswith("<"):
            parts |= _parts(word)
    return whole, parts


def score_divisor(whole: int, parts: int) -> float:
    """The divisor of a message's scores, so that a long message counts like a short one."""
    return math.sqrt(whole + parts * LETTERS_WEIGHT**2) or 1.0


@cache
def _parts(word: str) -> frozenset[str]:
    """A word's runs of three to five letters, its ends marked by ``_``.

    Each run begins with a further ``_``, so that it differs from a word.
    """
    padded = f"_{word}_"
    return frozenset(
        f"_{padded[at : at + size]}"
        for size in range(_SHORTEST, _LONGEST + 1)
        for at in range(len(padded) - size + 1)
    )


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear model of messages: the weights by which words make intents and risks probable.

    Attributes:
        made_from: digest of the samples that it was trained on.
        scale: the factor of the stored weights.
        risks: names of the risks; each is a yes or no of its own, independent of the intents.
        thresholds: the probability from which each risk is suspected.
    """

    intents: Sequence[str]
    intercept: Sequence[float]
    scale: float
    made_from: str
    rows: Mapping[str, int]
    risks: Sequence[str] = ()
    thresholds: Sequence[float] = ()

    def probabilities(self, words: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
        """The probability of each intent and of each risk, from a message's words."""
        whole, parts = features(words)
        known = [row for feature in (*whole, *parts) if (row := self.rows.get(feature)) is not None]
        size = len(self.intercept) * LANE_BYTES
        total = sum(known).to_bytes(size, "little")
        factor = 1 / (self.scale * score_divisor(len(whole), len(parts)))
        offset = ZERO * len(known)
        scores = [
            start + (int.from_bytes(total[at : at + LANE_BYTES], "little") - offset) * factor
            for start, at in zip(self.intercept, range(0, size, LANE_BYTES), strict=True)
        ]
        of_intents, of_risks = scores[: len(self.intents)], scores[len(self.intents) :]
        best = max(of_intents)
        shares = [math.exp(score - best) for score in of_intents]
        whole_share = sum(shares)
        return (
            {one: share / whole_share for one, share in zip(self.intents, shares, strict=True)},
            {
                risk: 1 / (1 + math.exp(-max(score, _LOWEST)))
                for risk, score in zip(self.risks, of_risks, strict=True)
            },
        )

    def suspected(self, shares: Mapping[str, float]) -> dict[str, float]:
        """The risks whose probability reaches their threshold, with that probability."""
        least = zip(self.risks, self.thresholds, strict=True)
        return {risk: shares[risk] for risk, threshold in least if shares[risk] >= threshold}


def read(packed: bytes) -> Linear:
    """Unpack a linear model from the bytes of its file."""
    head, names, matrix = zlib.decompress(packed).split(b"\n\n", 2)
    known = json.loads(head)
    size = len(known["intercept"]) * LANE_BYTES
    rows = {
        name: int.from_bytes(matrix[at * size : (at + 1) * size], "little")
        for at, name in enumerate(names.decode().split("\n"))
    }
    return Linear(**known, rows=rows)


def packed(model: Linear) -> bytes:
    """Pack a linear model into the bytes of its file, which `read` unpacks."""
    head = json.dumps(
        {
            "intents": list(model.intents),
            "intercept": [round(number, 4) for number in model.intercept],
            "scale": model.scale,
            "made_from": model.made_from,
            "risks": list(model.risks),
            "thresholds": list(model.thresholds),
        },
        sort_keys=True,
    )
    names = sorted(model.rows)
    size = len(model.intercept) * LANE_BYTES
    matrix = b"".join(model.rows[name].to_bytes(size, "little") for name in names)
    return zlib.compress(b"\n\n".join((head.encode(), "\n".join(names).encode(), matrix)), 9)


def row(weights: Iterable[float], scale: float) -> int:
    """Pack the weights of one feature into one whole number, with `LANE_BYTES` bytes for each weight.

    A weight that does not fit is cut to the nearest that does.
    """
    lanes = (max(0, min(255, ZERO + round(weight * scale))) for weight in weights)
    return sum(lane << (8 * LANE_BYTES * at) for at, lane in enumerate(lanes))
