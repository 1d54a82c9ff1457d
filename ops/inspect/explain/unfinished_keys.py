"""The keys of unfinished events, from the two sparse indexes that have them; no row is read.

An event that waits, is parked or is to be handed off has a date.  One that a worker has again, or that was
given up, has none, and keeps the cause that holds it up.  What a worker has and nothing has held up before
is in neither index: an index of every event would cost each of them two writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.once.timer import Timer
from ops.inspect.explain.nothing import BY_A_SCAN, Unasked
from ops.session import Session

MOST = 10_000
"""Keys that are read of each index: a few calls for each shard."""
KIND = "event"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is unfinished.

    Attributes:
        undated: keys of what a worker has again or that was given up, in order.
        dated: keys of what has a date, the longest due first.
        unasked: what may be behind `MOST` of them.
    """

    undated: Sequence[str]
    dated: Sequence[str]
    unasked: tuple[Unasked, ...] = ()

    @property
    def keys(self) -> Sequence[str]:
        """Both."""
        return [*self.undated, *self.dated]


def read(session: Session) -> Unfinished:
    """The keys of both indexes."""
    table = session.ledger_table
    dated = [key for _, key in Timer(table).due(None, kind=KIND, limit=MOST)]
    held = session.services.incidents.keys(limit=MOST)
    more = Unasked("further unfinished events", f"only {MOST} were compared", BY_A_SCAN)
    is_all = max(len(dated), len(held)) < MOST
    return Unfinished(sorted({*held} - {*dated}), dated, () if is_all else (more,))
