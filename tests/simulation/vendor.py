"""The ticket system and the shop in memory; an effect lands now, late or never.

They hold the ground truth: `landed` counts what really happened, by action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from chalicelib.clock import parsed
from chalicelib.once.action import UnsettledAction
from chalicelib.support.orders.shop_order import Lookup, Order, Shipment, Tracking
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.wire import Request, WireAnswer
from tests.simulation.flow import AUTHOR
from tests.simulation.in_memory import InMemory
from tests.simulation.scenario import CANARY

CLOCK_SKEW_SECONDS = 150.0
"""Our comment may carry a time this much before the start by another of our clocks."""
CLOSED = "CLOSED"
"""The status of a ticket that is closed."""


class MemoryVendor(InMemory, SimulatedRichpanel):
    """Tickets by id.

    Attributes:
        failing_ticket: the ticket at which every request fails.

    Args:
        now: the provider's clock, epoch seconds.
        lag_seconds: how long a new comment of ours stays invisible to reads.
        landed: what happened, by action key.
        on_comment: called with every comment of ours: its ticket, its id and its text.
    """

    changes: ClassVar[frozenset[str]] = frozenset(
        {"add_tags", "remove_tags", "send_message", "update_ticket"}
    )

    def __init__(
        self,
        now: Callable[[], float],
        *,
        lag_seconds: float,
        landed: Counter[str],
        on_comment: Callable[[str, str, str], None] | None = None,
    ) -> None:
        super().__init__(now=now)
        self.modes.rate_limit = None
        self.modes.comment_lag_seconds = lag_seconds
        self.modes.listed_with_comments = False
        self.landed_keys = landed
        self._on_comment = on_comment
        self.failing_ticket = ""
        self.seen_keys: dict[str, str] = {}
        self._was_closed: set[str] = set()
        self._replies = 0

    def customer_writes(self, conversation_id: str, comment_id: str, text: str) -> None:
        """A customer's comment; opens the ticket.  Written once, however often it is posted."""
        if conversation_id not in self._tickets:
            address = f"{CANARY}@example.com"
            self.add_ticket(conversation_id, customer_email=address, customer_name="Ada")
        ticket = self._tickets[conversation_id]
        if any(comment["id"] == comment_id for comment in ticket.comments):
            return
        self.add_comment(conversation_id, text, id=comment_id)
        ticket.fields.update(status="OPEN", state="open", updated_at=self._iso())

    def has(self, conversation_id: str) -> bool:
        """Whether there is such a ticket."""
        return conversation_id in self._tickets

    def was_dealt_with(self, conversation_id: str) -> bool:
        """Whether the ticket was ever answered or closed."""
        comments = self._tickets[conversation_id].comments
        return conversation_id in self._was_closed or any(
            comment["is_operator"] for comment in comments
        )

    def replies(self, action: UnsettledAction, apart: float) -> list[str]:
        """Candidates for a queried reply: our author's comments with its body, since its start.

        `apart`: how many seconds this clock is ahead of the asking container's.
        """
        shown = self._shown(self._tickets[action.conversation_id])["comments"]
        return [
            comment["id"]
            for comment in shown
            if comment["is_operator"]
            and comment["plain_body"] == action.probe["body"]
            and epoch(comment["created_at"]) >= action.started_epoch + apart - CLOCK_SKEW_SECONDS
        ]

    # --- requests of the product's client -------------------------------------------------------

    def of(self, operation: str, actions: Sequence[Any]) -> Sequence[Any]:
        """See `InMemory.of`: tags that move are a request for each direction."""
        kind = {"add_tags": "add_tag", "remove_tags": "remove_tag"}.get(operation)
        return [action for action in actions if action.kind.name == kind] or actions

    def landed(self, request: Request, operation: str, actions: Sequence[Any]) -> bool:
        """See `InMemory.landed`."""
        (conversation_id,) = {action.conversation_id for action in actions}
        if operation == "send_message":
            self._ours(actions[0].key, conversation_id)
        if operation != "update_ticket":
            return True
        status = request.body["ticket"].get("status")
        if status == CLOSED:
            self._was_closed.add(conversation_id)
        return status != "OPEN"  # opening a ticket again completes nothing

    def is_so(self, request: Request, operation: str) -> bool:
        """See `InMemory.is_so`: tags that are there already, or gone."""
        ticket = self._tickets.get(request.segments[2])
        if ticket is None or operation not in {"add_tags", "remove_tags"}:
            return False
        there = {tag in ticket.tags for tag in request.body["tags"]}
        return there == {operation == "add_tags"}

    def pretended(self, request: Request, operation: str) -> WireAnswer:
        """The ticket as it was before."""
        del operation
        ticket = self._tickets.get(request.segments[2])
        return WireAnswer(200, {"ticket": self._shown(ticket) if ticket else {}})

    def _ours(self, key: str, conversation_id: str) -> str:
        """The comment that this action has just written; returns its id."""
        ticket = self._tickets[conversation_id]
        mine = ticket.comments[-1]
        self._replies += 1
        name = f"reply-{self._replies}"
        ticket.visible_at[name] = ticket.visible_at.pop(mine["id"])
        mine["id"] = name
        self.seen_keys[key], self.keys_by_id[name] = name, key
        if self._on_comment is not None:
            self._on_comment(conversation_id, name, mine["plain_body"])
        return name

    # --- kinds of actions that only the provoking flow has --------------------------------------

    def land(self, actions: Sequence[Any]) -> str | None:
        """Apply a request that arrives; returns the reference of the last effect."""
        reference: str | None = None
        for action in actions:
            reference = self._land(action)
        return reference

    def _land(self, action: Any) -> str | None:
        match action.kind.name:
            case "close":
                self._update(
                    self._tickets[action.conversation_id],
                    {"ticket": {"status": CLOSED, "state": "closed"}},
                )
                self._was_closed.add(action.conversation_id)
            case "note":
                pass
            case "reply_keyed" if action.key in self.seen_keys:
                return self.seen_keys[action.key]
            case _:
                ticket = self._tickets[action.conversation_id]
                self._comment(ticket, action.argument, "message", operator=True, author_id=AUTHOR)
                self.landed_keys[action.key] += 1
                return self._ours(action.key, action.conversation_id)
        self.landed_keys[action.key] += 1
        return None


def epoch(text: str) -> float:
    """The time that a vendor writes."""
    moment = parsed(text)
    assert moment is not None
    return moment.timestamp()


class MemoryShop:
    """Orders by number: the last digit decides what is known of each."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def find(self, number: str, requester_email: str) -> Lookup:
        """An order as the shop's search shows it."""
        kind = int(number[-1]) % 3
        if kind == 0:
            return Lookup(None, "not_found")
        ordered = datetime.fromtimestamp(self._now(), UTC) - timedelta(days=2)
        followed = Tracking("UPS", f"1Z{CANARY}", "https://carrier.example/t/1")
        parcel = Shipment(ordered, "IN_TRANSIT", tracking=(followed,))
        order = Order(
            name=f"#{number}",
            email=requester_email,
            created_at=ordered,
            financial_status="PAID",
            fulfillment_status="FULFILLED" if kind == 1 else "UNFULFILLED",
            country="US",
            shipping_method="Standard",
            fulfillments=(parcel,) if kind == 1 else (),
        )
        return Lookup(order)
