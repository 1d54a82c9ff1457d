"""Each sweep makes progress: what waits changes from sweep to sweep, until nothing is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.world import World

IDLE_ROUNDS = 27
"""Sweeps, seven minutes apart, after which something must have changed.

They span the longest wait that the sweep knows: three hours for a released event's message.
"""


class Progress:
    """Watches the sweeps while a system comes to rest, without faults."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._before: dict[str, int] = {}
        self._idle = 0

    def swept(self) -> None:
        """One more sweep is over, and all that it caused."""
        now = {
            row["event_id"]: hash(repr(sorted(row.items(), key=str)))
            for row in self._world.ledger.rows.values()
            if "due_at" in row and row["status"] != "parked"
        }
        self._idle = self._idle + 1 if now and now == self._before else 0
        self._before = now
        if self._idle == IDLE_ROUNDS:
            waiting = min(now)
            self._world.oracle.broken("P2", f"{len(now)} rows wait, {waiting}: no sweep moves one")

    def gave_up(self) -> None:
        """The last sweep is over, and there is still something left."""
        self._world.oracle.broken("P2", "the sweeps do not come to an end")
