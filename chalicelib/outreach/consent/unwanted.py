"""A small linear model that suspects a STOP in wordings that no table lists.

`bench.consent` makes `unwanted.bin` from labelled messages.  A suspicion is never a STOP: automation
sends nothing, and a person reads the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from chalicelib.vendors.linear import Linear, read

FILE = Path(__file__).with_name("unwanted.bin")
WISH = "unwanted"
"""Name of the class "wish not to be contacted" in the model's file."""


@cache
def shipped_model() -> Linear:
    """The linear model that suspects a STOP, as this release ships it; loaded at the first message."""
    return read(FILE.read_bytes())


def is_suspected(words: Sequence[str]) -> bool:
    """Whether the model suspects that a message wishes no further contact; a person then reads it.

    Args:
        words: the message's words, as `folding.words_of` gives them.
    """
    model = shipped_model()
    return bool(model.suspected(model.probabilities(words)[1]))
