"""Opens the lanes of an upgraded stage once its old queue was seen drained (`once.opening`)."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.opening import NOTICE_SECONDS, Opening
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.cursor import SweepCursor
from chalicelib.once.recovery.sweep import SweepActions

BETWEEN_LOOKS_SECONDS = 120
"""SQS counts approximately; two looks as far apart do not err in the same way."""


class Queues(Protocol):
    """The lanes' queues, as far as they are counted."""

    def is_empty(self, lane: Lane) -> bool:
        """Whether a lane's queue has no message, waiting or in flight."""
        ...


class LaneOpener:
    """`once.recovery.sweep.SweepPart`: opens the lanes once the old queue was seen drained."""

    def __init__(self, opening: Opening, queues: Queues, clock: Clock) -> None:
        self._opening = opening
        self._queues = queues
        self._clock = clock
        self._is_open = False

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """See `SweepPart.run`."""
        del since
        if self._is_open or sweep.dry_run:
            return cursor
        row = self._opening.read()
        self._is_open = bool(row.get("opens_at"))
        if not self._is_open:
            self._look(int(row.get("seen_empty", 0)))
        return cursor

    def _look(self, seen_empty: int) -> None:
        now = self._clock.now().timestamp()
        if not self._queues.is_empty(TICKETS):
            if seen_empty:
                self._opening.save()
        elif not seen_empty:
            self._opening.save(seen_empty=now)
        elif now - seen_empty >= BETWEEN_LOOKS_SECONDS:
            self._opening.save(opens_at=now + NOTICE_SECONDS)
