"""Keeps the order of a conversation while an event of it waits, for example for the end of quiet hours.

A waiting event is a row of the ledger with a due date, and has no message on the queue.  So
that a later reply is not answered before it, the conversation lists the events that wait, oldest
first; a reply that finds one of them unended joins behind it, with a due date a second later.  The
sweep sends them in the order of their dates, into one FIFO group.

The list is only a hint of which rows to read: whether an event still waits is what its row says.
STOP, START, hand-offs and what a person asks for never look at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Waits
from chalicelib.once.ledger.events import Ledger
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations

MOST_LISTED = 50
"""Bounds the item; events beyond these keep their order by their due dates alone."""
_UNENDED = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})


@dataclass(frozen=True, slots=True)
class Turns:
    """Lets the events of a conversation run one after another, whichever of them waits."""

    conversations: Conversations
    ledger: Ledger

    def wait(self, record: Record, event_key: str, until: datetime, reason: str) -> None:
        """Let an event wait until a time.

        Raises:
            Waits: always.
        """
        self._join(record, event_key, until.timestamp(), reason)

    def take(self, record: Record, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            Waits: it has joined behind that one.
        """
        waiting = record.waiting
        keys = [one["event"] for one in waiting]
        earlier = keys[: keys.index(event_key)] if event_key in keys else keys
        left = self._unended(waiting) if earlier else waiting
        before = [one for one in left if one["event"] in earlier]
        if before:
            after = int(before[-1]["due"]) + 1
            self._join(record, event_key, after, "behind_another", known=left)
        has_followers = any(one["event"] != event_key for one in left)
        self.conversations.set_waiting(record, left if has_followers else ())

    def _join(
        self,
        record: Record,
        event_key: str,
        due_epoch: float,
        reason: str,
        *,
        known: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        left = self._unended(record.waiting) if known is None else known
        listed = [dict(one) for one in left]
        mine = {"event": event_key, "due": int(due_epoch)}
        at = next((n for n, one in enumerate(listed) if one["event"] == event_key), None)
        if at is not None:
            listed[at] = mine
        elif len(listed) < MOST_LISTED:
            listed.append(mine)
        else:
            due_epoch += record.message_count  # it grows with every message
        self.conversations.set_waiting(record, listed)
        raise Waits(reason, due_epoch)

    def _unended(self, waiting: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        if not waiting:
            return []
        statuses = self.ledger.statuses([one["event"] for one in waiting])
        return [one for one in waiting if statuses.get(one["event"]) in _UNENDED]
