"""The ticket system and the shop in memory; an effect lands now, late or never.

They hold the ground truth: `landed` counts what really happened, by action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.action import UnsettledAction
from chalicelib.support.orders.order import Lookup, Order
from chalicelib.support.tickets import Comment, Ticket
from tests.simulation.flow import AUTHOR
from tests.simulation.scenario import CANARY

CLOCK_SKEW_SECONDS = 150.0
"""Our comment may carry a time this much before the start by another of our clocks."""


@dataclass(slots=True)
class _Comment:
    id: str
    text: str
    at: float
    is_operator: bool
    visible_at: float


@dataclass(slots=True)
class _Ticket:
    tags: set[str] = field(default_factory=set)
    comments: list[_Comment] = field(default_factory=list)
    is_open: bool = True
    was_closed: bool = False
    updated_at: float = 0.0


class MemoryVendor:
    """Tickets by id.

    Attributes:
        failing_ticket: the ticket at which every request fails.

    Args:
        now: the provider's clock, epoch seconds.
        lag_seconds: how long a new comment of ours stays invisible to reads.
        landed: what happened, by action key.
        on_comment: called with every comment of ours: its ticket, its id and its text.
    """

    def __init__(
        self,
        now: Callable[[], float],
        *,
        lag_seconds: float,
        landed: Counter[str],
        on_comment: Callable[[str, str, str], None] | None = None,
    ) -> None:
        self._now = now
        self._lag = lag_seconds
        self._on_comment = on_comment
        self.failing_ticket = ""
        self.tickets: dict[str, _Ticket] = {}
        self.landed = landed
        self.seen_keys: dict[str, str] = {}
        self._comments = 0

    def customer_writes(self, conversation_id: str, comment_id: str, text: str) -> None:
        """A customer's comment; opens the ticket.  Written once, however often it is posted."""
        ticket = self.tickets.setdefault(conversation_id, _Ticket())
        if any(comment.id == comment_id for comment in ticket.comments):
            return
        now = self._now()
        ticket.comments.append(_Comment(comment_id, text, now, is_operator=False, visible_at=now))
        ticket.is_open = True
        ticket.updated_at = now

    def was_dealt_with(self, conversation_id: str) -> bool:
        """Whether the ticket was ever answered or closed."""
        ticket = self.tickets[conversation_id]
        return ticket.was_closed or any(comment.is_operator for comment in ticket.comments)

    # --- reads --------------------------------------------------------------------------------

    def read(self, conversation_id: str) -> Ticket:
        """The ticket as the API shows it; raises `PermanentError` if there is none."""
        if conversation_id == self.failing_ticket:
            raise TransientError("richpanel", "read_ticket", status=503)
        ticket = self.tickets.get(conversation_id)
        if ticket is None:
            raise PermanentError("richpanel", "read_ticket", status=404)
        return self._shown(conversation_id, ticket)

    def open_since(self, since: float) -> Iterator[Ticket]:
        """Open tickets updated since then, newest first."""
        recent = [(i, t) for i, t in self.tickets.items() if t.is_open and t.updated_at >= since]
        for conversation_id, ticket in sorted(recent, key=lambda one: -one[1].updated_at):
            yield self._shown(conversation_id, ticket)

    def replies(self, action: UnsettledAction, apart: float) -> list[str]:
        """Candidates for a queried reply: our author's comments with its body, since its start.

        `apart`: how many seconds this clock is ahead of the asking container's.
        """
        now = self._now()
        ticket = self.tickets[action.conversation_id]
        return [
            comment.id
            for comment in ticket.comments
            if comment.is_operator
            and comment.visible_at <= now
            and comment.text == action.probe["body"]
            and comment.at >= action.started_epoch + apart - CLOCK_SKEW_SECONDS
        ]

    # --- effects ------------------------------------------------------------------------------

    def land(self, actions: Sequence[Any]) -> str | None:
        """Apply a request that arrives; returns the reference of the last effect."""
        reference: str | None = None
        for action in actions:
            ticket = self.tickets[action.conversation_id]
            reference = self._land(ticket, action)
        return reference

    def _land(self, ticket: _Ticket, action: Any) -> str | None:
        match action.kind:
            case "add_tag":
                ticket.tags.add(action.tag)
            case "remove_tag":
                ticket.tags.discard(action.tag)
            case "close":
                ticket.is_open, ticket.was_closed = False, True
            case "note":
                pass
            case "reply_keyed" if action.key in self.seen_keys:
                return self.seen_keys[action.key]
            case _:
                return self.comment(action.key, action.conversation_id, action.arg)
        self.landed[action.key] += 1
        return None

    def comment(self, key: str, conversation_id: str, text: str) -> str:
        """Add our comment; returns its id."""
        self.landed[key] += 1
        self._comments += 1
        now = self._now()
        mine = _Comment(
            f"reply-{self._comments}", text, now, is_operator=True, visible_at=now + self._lag
        )
        ticket = self.tickets[conversation_id]
        ticket.comments.append(mine)
        ticket.updated_at = now
        self.seen_keys[key] = mine.id
        if self._on_comment is not None:
            self._on_comment(conversation_id, mine.id, text)
        return mine.id

    def close(self, key: str, conversation_id: str) -> None:
        """Close a ticket."""
        self.landed[key] += 1
        ticket = self.tickets[conversation_id]
        ticket.is_open, ticket.was_closed = False, True

    def reopen(self, conversation_id: str) -> None:
        """Open a ticket again."""
        self.tickets[conversation_id].is_open = True

    def _shown(self, conversation_id: str, ticket: _Ticket) -> Ticket:
        now = self._now()
        return Ticket(
            id=conversation_id,
            status="OPEN" if ticket.is_open else "CLOSED",
            tags=frozenset(ticket.tags),
            comments=tuple(
                Comment(
                    id=comment.id,
                    is_operator=comment.is_operator,
                    text=comment.text,
                    created_at=datetime.fromtimestamp(comment.at, UTC),
                    author_id=AUTHOR if comment.is_operator else "customer",
                )
                for comment in ticket.comments
                if comment.visible_at <= now
            ),
            updated_at=datetime.fromtimestamp(ticket.updated_at, UTC),
            channel="email",
            customer_email=f"{CANARY}@example.com",
            customer_name="Ada",
        )


class MemoryShop:
    """Orders by number: the last digit decides what is known of each."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def find(self, number: str) -> Lookup:
        """An order as the shop's search shows it."""
        kind = int(number[-1]) % 3
        if kind == 0:
            return Lookup(None, "not_found")
        ordered = datetime.fromtimestamp(self._now(), UTC) - timedelta(days=2)
        order = Order(
            name=f"#{number}",
            created_at=ordered,
            status="confirmed",
            fulfillment_status="in transit" if kind == 1 else "",
            shipping_method="Standard",
            tracking_number=f"1Z{CANARY}" if kind == 1 else None,
            tracking_url="https://carrier.example/t/1" if kind == 1 else None,
            tracking_company="UPS" if kind == 1 else None,
        )
        return Lookup(order)
