"""Keeps the order of a conversation while an event of it waits.

A waiting event is a dated row of the ledger, and has no message on its FIFO queue.  So that a later
event is not worked on before it, the conversation lists the events that wait, oldest first.  An event
that finds an earlier one unended joins behind it.

The list is only a hint of which rows to read: whether an event still waits, and until when, is what its
row says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from chalicelib.once import reasons
from chalicelib.once.event import Unended
from chalicelib.once.flow import NotYet
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock

BEHIND = reasons.BEHIND
MOST_LISTED = 50
"""The most events in a conversation's list; those beyond keep their order by their times alone."""
SOON_SECONDS = 5.0
"""How soon an event is tried again, if the earlier event that it waits behind is due just now."""
OVERDUE_SECONDS = 60.0
"""An earlier event that is overdue by more than this comes by the sweep, and so do those behind it."""

EventKeys = Sequence[str]
"""Keys of the events that wait, oldest event first."""


class WaitingList(Protocol):
    """The stored list of a conversation's waiting events, as it was read."""

    @property
    def waiting(self) -> EventKeys:
        """Keys of the conversation's waiting events, oldest first."""
        ...

    def replace(self, waiting: EventKeys) -> None:
        """Store another list of waiting events; raises `TransientError` if it was changed meanwhile."""
        ...


class InOrder:
    """Lets the events of a conversation run one after another, in order, even if some of them wait."""

    def __init__(self, *, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    def check(self, waiting_list: WaitingList, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            NotYet: it is listed behind the earlier event and waits until after that one.
        """
        waiting = list(waiting_list.waiting)
        earlier = waiting[: waiting.index(event_key)] if event_key in waiting else waiting
        unended = self._unended_of(waiting) if earlier else dict.fromkeys(waiting, Unended())
        before = [key for key in earlier if key in unended]
        if before:
            until = self._add(
                waiting_list, event_key, self._retry_epoch(unended[before[-1]].until_epoch), unended
            )
            raise NotYet(BEHIND, until, is_turn=True)
        has_followers = any(key != event_key for key in unended)
        waiting_list.replace([key for key in waiting if key in unended] if has_followers else ())

    def join(self, waiting_list: WaitingList, event_key: str, until_epoch: float) -> float:
        """Add an event to its conversation's list of waiting events.

        Returns:
            When the event comes back, epoch seconds: the given time, or later where the list is full.
        """
        return self._add(
            waiting_list, event_key, until_epoch, self._unended_of(waiting_list.waiting)
        )

    def _retry_epoch(self, until: float | None) -> float:
        """When an event that waits behind an earlier event is tried next, in epoch seconds.

        `until` is when the earlier event comes back; None where it is not waiting.
        """
        now = self._clock.now().timestamp()
        is_coming = until is None or now - OVERDUE_SECONDS < until < now
        return now + SOON_SECONDS if is_coming or until is None else until + 1

    def _add(
        self,
        waiting_list: WaitingList,
        event_key: str,
        until_epoch: float,
        unended: Mapping[str, Unended],
    ) -> float:
        """Write the list with this event in it, and without those that have ended.

        Returns:
            When the event comes back, epoch seconds: after the last listed one where the list is full.
        """
        waiting = [key for key in waiting_list.waiting if key in unended or key == event_key]
        if event_key not in waiting:
            if len(waiting) < MOST_LISTED:
                waiting.append(event_key)
            else:
                until_epoch = max(until_epoch, (unended[waiting[-1]].until_epoch or 0.0) + 1)
        waiting_list.replace(waiting)
        return until_epoch

    def _unended_of(self, waiting: EventKeys) -> Mapping[str, Unended]:
        return self._ledger.unended(waiting) if waiting else {}
