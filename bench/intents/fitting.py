"""Turns texts into the matrix for a linear model, and the model's weights into rows of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from chalicelib.vendors import linear

_LARGEST = 127


def matrix_of(texts: Iterable[Sequence[str]], least: int) -> tuple[Any, list[str]]:
    """The matrix, with a row for each text, and the names of its columns.

    Args:
        texts: the words of each text.
        least: a feature of fewer texts than this is left out.
    """
    from sklearn.feature_extraction import DictVectorizer  # noqa: PLC0415 - takes a second

    found = [linear.features(words) for words in texts]
    counts = Counter(feature for whole, parts in found for feature in (*whole, *parts))
    kept = {feature for feature, count in counts.items() if count >= least}
    values = []
    for whole, parts in found:
        size = linear.score_divisor(len(whole), len(parts))
        values.append(
            dict.fromkeys(whole & kept, 1 / size)
            | dict.fromkeys(parts & kept, linear.LETTERS_WEIGHT / size)
        )
    vectors = DictVectorizer()
    matrix = vectors.fit_transform(values)
    matrix.indices, matrix.indptr = (
        part.astype("int32") for part in (matrix.indices, matrix.indptr)
    )
    return matrix, [str(name) for name in vectors.get_feature_names_out()]


def rows_of(weights: Any, names: Sequence[str]) -> tuple[float, dict[str, int]]:  # noqa: ANN401 - of numpy
    """The scale of the stored weights, and the row of each feature.

    Args:
        weights: a line for each class (an intent, a risk), a column for each feature.
        names: the names of the columns.
    """
    scaled = weights.copy()
    for at, name in enumerate(names):
        if name.startswith("_"):
            scaled[:, at] *= linear.LETTERS_WEIGHT
    scale = float(_LARGEST / abs(scaled).max())
    return scale, {name: linear.row(scaled[:, at], scale) for at, name in enumerate(names)}
