"""Keeps the order of a conversation while an event of it waits, for example for the end of quiet hours.

The conversation's record lists the events that wait (`once.turns`).  STOP, START, hand-offs and what
a person asks for never look at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from chalicelib.once import turns
from chalicelib.once.flow import Waits
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.once.turns import MOST_LISTED, Listed
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations

__all__ = ["MOST_LISTED", "Turns"]


@dataclass(frozen=True, slots=True)
class _RecordLine:
    """The list in a conversation's record."""

    conversations: Conversations
    record: Record

    @property
    def waiting(self) -> Listed:
        """See `once.turns.Line`."""
        return self.record.waiting

    def replace(self, waiting: Listed) -> None:
        """See `once.turns.Line`."""
        self.conversations.set_waiting(self.record, waiting)


class Turns:
    """Lets the events of a conversation run one after another, whichever of them waits."""

    def __init__(self, conversations: Conversations, ledger: Ledger, clock: Clock) -> None:
        self._conversations = conversations
        self._turns = turns.Turns(ledger, clock)

    def wait(self, record: Record, event_key: str, until: datetime, reason: str) -> None:
        """Let an event wait until a time.

        Raises:
            Waits: always.
        """
        raise Waits(reason, self.set_aside(record, event_key, until.timestamp()))

    def set_aside(self, record: Record, event_key: str, due_epoch: float) -> float:
        """List an event that waits until a time; returns when it is due."""
        return self._turns.join(self._line(record), event_key, due_epoch)

    def take(self, record: Record, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            Waits: it has joined behind that one.
        """
        self._turns.take(self._line(record), event_key)

    def _line(self, record: Record) -> _RecordLine:
        return _RecordLine(self._conversations, record)
