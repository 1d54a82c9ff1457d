"""Batches of which some statements fail: DynamoDB reports an error for each of them alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_BITS = 16


@dataclass(frozen=True, slots=True)
class Partial:
    """One batch that is done in part.

    Attributes:
        at: the number of the batch, among all batches of writes.
        mask: which of its statements fail, as bits; the same again after sixteen.
    """

    at: int
    mask: int

    def is_failing(self, number: int) -> bool:
        """Whether the statement with this number fails."""
        return bool(self.mask >> (number % _BITS) & 1)

    def taken(self, what: Sequence[Any]) -> list[Any]:
        """The statements that are executed."""
        return [statement for number, statement in enumerate(what) if not self.is_failing(number)]


def drawn(rng: random.Random, *, batches: int) -> tuple[Partial, ...]:
    """The batches done in part of a schedule with about so many: mostly none."""
    count = rng.choice((0, 0, 0, 0, 1, 1, 2))
    found = {
        at: Partial(at, rng.getrandbits(_BITS) | 1) for at in rng.sample(range(batches), count)
    }
    return tuple(found[at] for at in sorted(found))
