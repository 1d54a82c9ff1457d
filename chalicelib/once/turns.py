"""Keeps the order of a conversation while an event of it waits.

A waiting event is a row of the ledger with a due date, and has no message on its FIFO queue.  So
that a later event is not worked on before it, the conversation lists the events that wait, oldest
first; one that finds an earlier one unended joins behind it.

The list is only a hint of which rows to read: whether an event still waits is what its row says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Waits
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock

BEHIND = "behind_another"
MOST_LISTED = 50
"""Bounds the list; events beyond these keep their order by their due dates alone."""
SOON_SECONDS = 5.0
"""When to look again at an earlier event whose time has just come."""
OVERDUE_SECONDS = 60.0
"""An earlier event that is later than this comes by the sweep, and what waits for it does, too."""
_UNENDED = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})

Listed = Sequence[Mapping[str, Any]]
"""``{"event": key, "due": epoch seconds}``, oldest event first."""


class Line(Protocol):
    """One conversation's list, as it was read."""

    @property
    def waiting(self) -> Listed:
        """The events."""
        ...

    def replace(self, waiting: Listed) -> None:
        """Store another list; raises `TransientError` where it was changed since it was read."""
        ...


class Turns:
    """Lets the events of a conversation run one after another, whichever of them waits."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    def take(self, line: Line, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            Waits: it has joined behind that one.
        """
        waiting = line.waiting
        keys = [one["event"] for one in waiting]
        earlier = keys[: keys.index(event_key)] if event_key in keys else keys
        left = self._unended(waiting) if earlier else waiting
        before = [one for one in left if one["event"] in earlier]
        if before:
            after = self._after(int(before[-1]["due"]))
            due = self._join(line, event_key, after, left)
            raise Waits(BEHIND, due, is_in_line=True, is_turn=True)
        has_followers = any(one["event"] != event_key for one in left)
        line.replace(left if has_followers else ())

    def join(self, line: Line, event_key: str, due_epoch: float) -> float:
        """List an event that waits until a time; returns when it is due."""
        return self._join(line, event_key, due_epoch, self._unended(line.waiting))

    def _after(self, due: int) -> float:
        now = self._clock.now().timestamp()
        is_coming = now - OVERDUE_SECONDS < due < now
        return now + SOON_SECONDS if is_coming else due + 1

    def _join(self, line: Line, event_key: str, due_epoch: float, left: Listed) -> float:
        listed = [dict(one) for one in left]
        mine = {"event": event_key, "due": int(due_epoch)}
        at = next((n for n, one in enumerate(listed) if one["event"] == event_key), None)
        if at is not None:
            listed[at] = mine
        elif len(listed) < MOST_LISTED:
            listed.append(mine)
        else:
            due_epoch = max(due_epoch, float(listed[-1]["due"]) + 1)
        line.replace(listed)
        return due_epoch

    def _unended(self, waiting: Listed) -> list[Mapping[str, Any]]:
        if not waiting:
            return []
        statuses = self._ledger.statuses([one["event"] for one in waiting])
        return [one for one in waiting if statuses.get(one["event"]) in _UNENDED]
