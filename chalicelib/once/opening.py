"""When the doors begin to use the lanes: after the one old queue was seen drained.

A stage of an earlier release has one queue for all systems.  A job put straight into its lane could
overtake an earlier one of its conversation that still waits there.  So the doors go on using the old
queue, whose worker forwards in order, until two looks of the sweep in a row found it empty
(`once.recovery.lane_opener`).  The opening is dated a minute ahead: every container has read it by
then.  A job of that minute may still be on its way through the old queue, so the first ones after it
are held at the door for a few seconds, each a little shorter than the one before: they stay in order
among themselves, too.  The lanes are never closed again.

::

    event_id   sweep:lanes     seen_empty   epoch seconds of the first empty look, 0 after any other
                               opens_at     epoch seconds; from then on the doors use the lanes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.once.event import EventStatus
from chalicelib.once.ledger.rows import LedgerRows, NewOwner
from chalicelib.once.ports import UNDECIDED, Clock
from chalicelib.once.store import Store

KEY = "sweep:lanes"
READ_AGAIN_SECONDS = 20.0
"""How long a door believes that the lanes are closed."""
NOTICE_SECONDS = 60
"""From the decision to the opening: three times as long, against skewed clocks."""
HOLD_SECONDS = 5.0
"""How long the first job after the opening is held: an idle worker forwards within a second."""
HOLDING_SECONDS = 60.0
"""Within this time the holding shrinks to nothing."""
_FOR_GOOD = timedelta(days=36_500)


class Opening(LedgerRows):
    """The row that says since when the lanes are open."""

    def __init__(self, table: Store, clock: Clock, new_owner: NewOwner) -> None:
        super().__init__(table, clock, new_owner, retention=_FOR_GOOD)

    def read(self) -> Mapping[str, Any]:
        """The row; empty before the first look."""
        return self._table.get({"event_id": KEY}) or {}

    def save(self, *, seen_empty: float = 0, opens_at: float = 0) -> None:
        """Store a look, or the opening."""
        self._table.put(
            {
                **self._required(self._now(), "sweep", UNDECIDED),
                "event_id": KEY,
                "status": EventStatus.PROCESSED.value,
                "payload_sha256": "",
                "payload_bytes": 0,
                "source": "reconcile",
                "seen_empty": int(seen_empty),
                "opens_at": int(opens_at),
            }
        )

    def open_now(self) -> None:
        """Open the lanes of a stage whose queues are new: by every clock they have been open."""
        self.save(opens_at=1)


class OpenLanes:
    """Whether the lanes are open, for one container: asked at every job, read rarely.

    Just after the opening it holds its caller.

    Args:
        opening: the row, built at the first read.
    """

    def __init__(self, opening: Callable[[], Opening], clock: Clock) -> None:
        self._opening = opening
        self._clock = clock
        self._opens_at = 0
        self._read_at: float | None = None

    def __call__(self) -> bool:
        """Whether a door may use the lanes; False where the row cannot be read."""
        now = self._clock.now().timestamp()
        if not self._opens_at and self._is_old():
            self._read()
        if not 0 < self._opens_at <= now:
            return False
        left = HOLD_SECONDS * (1.0 - (now - self._opens_at) / HOLDING_SECONDS)
        if left > 0:
            self._clock.sleep(left)
        return True

    def _is_old(self) -> bool:
        now = self._clock.monotonic()
        return self._read_at is None or now - self._read_at >= READ_AGAIN_SECONDS

    def _read(self) -> None:
        try:
            row = self._opening().read()
        except MiddlewareError:
            return  # the old way is always right; the next job asks again
        self._read_at = self._clock.monotonic()
        self._opens_at = int(row.get("opens_at", 0))
