"""Suspects a wish not to be contacted in wordings that no table lists, by a small linear model.

`bench.consent` makes `unwanted.bin` from labelled messages.  A suspicion is never a STOP: the machine
falls silent, and a person reads the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from chalicelib.vendors.linear import Linear, read

FILE = Path(__file__).with_name("unwanted.bin")
WISH = "unwanted"
"""The matter's name in the file."""


@cache
def shipped() -> Linear:
    """The model of this release; read for the first message, to keep cold starts short."""
    return read(FILE.read_bytes())


def is_suspected(words: Sequence[str]) -> bool:
    """Whether a message of these words may be a wish not to be contacted.

    Args:
        words: of the message, as `keywords.bare` gives them.
    """
    model = shipped()
    return bool(model.suspected(model.probabilities(words)[1]))
