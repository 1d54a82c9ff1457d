"""Reads the keys of unfinished events from two sparse indexes; reads no row.

An event that waits, is parked or is to be handed off has a due date.  An event that a worker has
again, or that was given up, has no date, but keeps the cause that held it up.  An event that a
worker has for the first time is in neither index: indexing every event would cost two more writes
for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.once.timer import Timer
from ops.inspect.explain.nothing import BY_A_SCAN, Unasked
from ops.session import Session

MOST = 10_000
"""The most keys read from each index: a few calls for each shard."""
KIND = "event"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The keys of unfinished events.

    Attributes:
        undated: sorted keys of events that a worker has again or that were given up.
        dated: keys of events with a due date, the longest due first.
        unasked: names the keys beyond `MOST`, if any.
    """

    undated: Sequence[str]
    dated: Sequence[str]
    unasked: tuple[Unasked, ...] = ()

    @property
    def keys(self) -> Sequence[str]:
        """The undated keys, then the dated."""
        return [*self.undated, *self.dated]


def read(session: Session) -> Unfinished:
    """Read the keys of both indexes."""
    table = session.ledger_table
    dated = [key for _, key in Timer(table).due(None, kind=KIND, limit=MOST)]
    held = session.services.incidents.stuck_keys(limit=MOST)
    more = Unasked("further unfinished events", f"only {MOST} were compared", BY_A_SCAN)
    is_all = max(len(dated), len(held)) < MOST
    return Unfinished(sorted({*held} - {*dated}), dated, () if is_all else (more,))
