"""The linear model beside the tables: `linear.bin`, which `bench.intents.train` makes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from chalicelib.vendors.linear import Linear, read

FILE = Path(__file__).with_name("linear.bin")


@cache
def shipped_model() -> Linear:
    """The linear model of intents in this release; read for the first message, to keep cold starts short."""
    return read(FILE.read_bytes())
