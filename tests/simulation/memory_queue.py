"""The lanes' SQS FIFO queues in memory, with their dead letters, on the caller's clock.

A lane's groups are its own, so one object holds all lanes: a group's key names its lane.

Its rules: a deduplication id is remembered for five minutes; a group delivers nothing while one
of its messages is in flight; a message that is not deleted is redelivered after its visibility
timeout, at the head of its group; after `max_receives` it goes to the dead-letter queue instead;
a receipt of an earlier receive, or one whose visibility has ended, deletes and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chalicelib.once.lanes import TICKETS, Lane

DEDUPLICATION_SECONDS = 300.0


class ReceiptError(Exception):
    """The receipt does not name a message in flight."""


@dataclass(slots=True)
class Message:
    """One message; `visible_at` in the future means in flight or deferred."""

    id: str
    body: str = field(repr=False)
    group: str
    deduplication_id: str
    sent_at: float
    visible_at: float = 0.0
    receives: int = 0
    receipt: str = ""
    lane: Lane = TICKETS


class MemoryQueue:
    """The queue.

    Args:
        now: epoch seconds.
        visibility_seconds: how long a received message stays invisible by default.
        max_receives: after so many receives a message goes to `dead`.
    """

    def __init__(
        self, now: Callable[[], float], *, visibility_seconds: float, max_receives: int
    ) -> None:
        self._now = now
        self._visibility = visibility_seconds
        self._max_receives = max_receives
        self._groups: dict[str, list[Message]] = {}
        self._recent: dict[str, tuple[float, str]] = {}
        self._in_flight: dict[str, Message] = {}
        self._sent = 0
        self._received = 0
        self.dead: list[Message] = []

    def send(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        """Keep a message, unless its deduplication id was seen in the last five minutes."""
        now = self._now()
        if lane != TICKETS:
            group_id, deduplication_id = (
                f"{lane.name} {group_id}",
                f"{lane.name} {deduplication_id}",
            )
        known = self._recent.get(deduplication_id)
        if known is not None and now - known[0] < DEDUPLICATION_SECONDS:
            return known[1]
        self._sent += 1
        message = Message(f"m{self._sent}", body, group_id, deduplication_id, now, lane=lane)
        self._recent[deduplication_id] = (now, message.id)
        self._groups.setdefault(group_id, []).append(message)
        return message.id

    def ready_groups(self) -> list[str]:
        """Groups that would deliver a message now."""
        now = self._now()
        return [
            group
            for group, messages in self._groups.items()
            if messages and messages[0].visible_at <= now
        ]

    def receive(self, group: str | None = None) -> Message | None:
        """The head of a group (or of the first ready one), now in flight."""
        ready = self.ready_groups()
        if group is None:
            group = ready[0] if ready else None
        while group in ready:
            message = self._groups[group][0]
            if message.receives < self._max_receives:
                return self._hand_out(message)
            self._bury(message)
            ready = self.ready_groups()
        return None

    def delete(self, receipt: str) -> None:
        """Acknowledge; raises `ReceiptError` for a receipt that has expired."""
        message = self._flying(receipt)
        self._groups[message.group].remove(message)
        del self._in_flight[receipt]

    def change_visibility(self, receipt: str, seconds: float) -> None:
        """Make a message in flight visible after so many seconds from now."""
        message = self._flying(receipt)
        message.visible_at = self._now() + seconds
        if seconds <= 0:
            del self._in_flight[receipt]

    def next_change(self) -> float | None:
        """When the next head of a group becomes visible; None when the queue is empty."""
        return min((m[0].visible_at for m in self._groups.values() if m), default=None)

    def redrive(self) -> list[Message]:
        """Move the dead letters back; they get new ids and receive counts, as on SQS."""
        moved, self.dead = self.dead, []
        for message in moved:
            group = message.group.removeprefix(f"{message.lane.name} ")
            again = f"r-{message.id}"
            self.send(message.body, group_id=group, deduplication_id=again, lane=message.lane)
        return moved

    def waiting(self) -> list[Message]:
        """Everything that is not deleted and not dead, group by group."""
        return [message for messages in self._groups.values() for message in messages]

    def _hand_out(self, message: Message) -> Message:
        self._received += 1
        self._in_flight.pop(message.receipt, None)
        message.receipt = f"r{self._received}"
        message.receives += 1
        message.visible_at = self._now() + self._visibility
        self._in_flight[message.receipt] = message
        return message

    def _bury(self, message: Message) -> None:
        self._groups[message.group].remove(message)
        self._in_flight.pop(message.receipt, None)
        self.dead.append(message)

    def _flying(self, receipt: str) -> Message:
        message = self._in_flight.get(receipt)
        if message is None or message.visible_at <= self._now():
            raise ReceiptError(receipt)
        return message
