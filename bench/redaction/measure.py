"""Counts leaks, exact masks and altered clean rows, by the same rules for the product and its peers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bench.redaction.rows import KINDS, Row

_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_ESCAPES = [
    ("%2540", "@"),
    ("%40", "@"),
    ("&#64;", "@"),
    ("&#x40;", "@"),
    ("&commat;", "@"),
    ("\\u0040", "@"),
]
_MIN_PIECE = 5


class Figures(NamedTuple):
    """A tool's results as shares from 0 to 1.

    `leak` is by kind of secret, `altered` for clean and hard-clean rows, `masks` of exact masks.
    """

    leak: dict[str, float]
    altered: dict[str, float]
    masks: float
    failures: list[tuple[Row, str]]


def plain(text: str) -> str:
    """A text's letters and digits as a reader sees them; leaks are searched in this form."""
    for written, meant in _ESCAPES:
        text = text.replace(written, meant)
    text = unicodedata.normalize("NFKC", _HIDDEN.sub("", text))
    return "".join(
        str(unicodedata.digit(c)) if c.isdigit() else c
        for c in text.lower()
        if c.isalnum() or c in "*{}[]<>|"  # a mask ends a piece
    )


def leaks(row: Row, output: str) -> bool:
    """Whether 60 % of the secret in one piece, and at least five characters, can be read in the output.

    Pieces that the frame's own words contain do not count.  A secret of fewer than five characters must
    be gone completely.
    """
    if row.kind.startswith("address"):
        street = re.split("[,\n]", row.secret)[0] if row.secret[0].isdigit() else row.secret
        return plain(street) in plain(output)
    secret = plain(row.secret)
    if len(secret) < _MIN_PIECE:
        return re.search(rf"(?<![0-9]){row.secret}(?![0-9])", output) is not None
    if row.kind == "tracking" and "/" in row.secret:
        secret = secret[-12:]
    size = max(_MIN_PIECE, len(secret) * 6 // 10)
    seen, frame = plain(output), plain(row.text.replace(row.secret, "|"))
    pieces = {secret[i : i + size] for i in range(len(secret) - size + 1)}
    return any(seen.count(piece) > frame.count(piece) for piece in pieces)


def has_mask(row: Row, output: str) -> bool:
    """Whether the required mask replaces the secret and the frame is unchanged."""
    return output == row.text.replace(row.secret, row.mask)


def figures(rows: Sequence[Row], outputs: Sequence[str]) -> Figures:
    """The results of one tool, from its outputs for the rows."""
    totals: Counter[str] = Counter()
    leaked: Counter[str] = Counter()
    altered: Counter[str] = Counter()
    masked = 0
    failures = []
    for row, output in zip(rows, outputs, strict=True):
        totals[row.kind] += 1
        if row.kind in KINDS:
            is_leak, is_masked = leaks(row, output), has_mask(row, output)
            leaked[row.kind] += is_leak
            masked += is_masked
            if is_leak or not is_masked:
                failures.append((row, output))
        elif output != row.text:
            altered[row.kind] += 1
            failures.append((row, output))
    secrets = sum(totals[kind] for kind in KINDS)
    return Figures(
        {kind: leaked[kind] / totals[kind] for kind in KINDS},
        {kind: altered[kind] / totals[kind] for kind in ("clean", "hard-clean")},
        masked / secrets,
        failures,
    )
