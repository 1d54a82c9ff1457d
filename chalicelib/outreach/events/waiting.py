"""Keeps the order of a conversation while an event of it waits, for example for the end of quiet hours.

The conversation's record lists the events that wait (`once.order`).  STOP, START, hand-offs and what
a person asks for never look at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from chalicelib.once import order
from chalicelib.once.flow import NotYet
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.order import EventKeys
from chalicelib.once.ports import Clock
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations


@dataclass(frozen=True, slots=True)
class _RecordLine:
    """The list in a conversation's record."""

    conversations: Conversations
    record: Record

    @property
    def waiting(self) -> EventKeys:
        """See `once.order.Line`."""
        return self.record.waiting

    def replace(self, waiting: EventKeys) -> None:
        """See `once.order.Line`."""
        self.conversations.set_waiting(self.record, waiting)


class ConversationOrder:
    """Lets the events of a conversation run one after another, whichever of them waits."""

    def __init__(self, conversations: Conversations, ledger: Ledger, clock: Clock) -> None:
        self._conversations = conversations
        self._in_order = order.InOrder(ledger, clock)

    def wait(self, record: Record, event_key: str, until: datetime, reason: str) -> None:
        """Let an event wait until a time.

        Raises:
            NotYet: always.
        """
        raise NotYet(reason, self.let_wait(record, event_key, until.timestamp()))

    def let_wait(self, record: Record, event_key: str, until_epoch: float) -> float:
        """List an event that waits until a time; returns when it comes."""
        return self._in_order.join(self._line(record), event_key, until_epoch)

    def check(self, record: Record, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            NotYet: it has joined behind that one.
        """
        self._in_order.check(self._line(record), event_key)

    def _line(self, record: Record) -> _RecordLine:
        return _RecordLine(self._conversations, record)
