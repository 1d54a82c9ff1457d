"""`python -m bench.measures.replies`: vendor calls and DynamoDB units of an automatic reply.

"Overhead" counts the calls to Richpanel that neither send the message nor read the order.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass

from bench.rig.system import System
from local.vendors.shopify import SimulatedShopify

LIMIT_OVERHEAD = 3
_REPLY_CALLS = frozenset({"send_message", "read_order_link"})


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one event, from the queue to its end."""

    name: str
    richpanel: Counter[str]
    shopify: int
    writes: float
    reads: float
    dynamodb_calls: int

    @property
    def overhead(self) -> int:
        """Calls to Richpanel that neither send the reply nor read the order."""
        return sum(n for operation, n in self.richpanel.items() if operation not in _REPLY_CALLS)


def measure() -> list[Cost]:
    """Measure an event that is only routed, and each kind of reply."""
    with SimulatedShopify() as shopify:
        tracking = {"number": "ZZ555", "url": "https://carrier.example/ZZ555", "company": "DHL"}
        shopify.add_order("#1001", email="ada@example.com", tracking=tracking)
        shopify.add_order("#1002", email="bob@example.com")
        with System(
            RICHPANEL_OUTBOUND_ENABLED="true",
            MW_CLOSE_AFTER_REPLY="true",
            RICHPANEL_BOT_AGENT_ID="bot-1",
            MW_OUTBOUND_ALLOWLIST_DOMAINS="example.com",
            SHOPIFY_BASE_URL=shopify.base_url,
        ) as system:
            _cost(system, shopify, "warm-up", "I want a refund", "eve")
            return [
                _cost(system, shopify, "routed, no reply", "I want a refund", "eve"),
                _cost(system, shopify, "asked for the number", "Where is my order?", "cy"),
                _cost(system, shopify, "status, with tracking", "Where is my order #1001?", "ada"),
                _cost(
                    system, shopify, "status, ticket closed", "When will order #1002 arrive?", "bob"
                ),
            ]


def _cost(system: System, shopify: SimulatedShopify, name: str, text: str, customer: str) -> Cost:
    ticket_id = name.replace(" ", "-")
    system.richpanel.add_ticket(
        ticket_id,
        comments=[{"id": "c-1", "body": text}],
        customer_email=f"{customer}@example.com",
    )
    system.post({"ticket_id": ticket_id, "message_id": "c-1", "message": text})
    system.meter.reset()
    system.richpanel.forget_calls()
    shopify.forget_calls()
    with system.meter.weighing():
        assert system.work() == 1
    return Cost(
        name,
        system.richpanel.count(),
        shopify.count()["graphql"],
        system.meter.writes,
        system.meter.reads,
        system.meter.of("dynamodb"),
    )


def main() -> int:
    """Print the table; the exit code is 1 if a reply without closing exceeds the limit."""
    found = measure()
    print(f"{'event':<24}{'Richpanel':>10}{'overhead':>9}{'Shopify':>9}", end="")
    print(f"{'DynamoDB':>10}{'write units':>13}{'read units':>12}")
    for event in found:
        total = event.richpanel.total()
        print(f"{event.name:<24}{total:>10}{event.overhead:>9}{event.shopify:>9}", end="")
        print(f"{event.dynamodb_calls:>10}{event.writes:>13.0f}{event.reads:>12.1f}")
    print(f"limit of overhead for a reply: {LIMIT_OVERHEAD}; closing adds the change and its check")
    replies = [event for event in found if "send_message" in event.richpanel]
    return int(
        any(reply.overhead > LIMIT_OVERHEAD for reply in replies if "closed" not in reply.name)
    )


if __name__ == "__main__":
    sys.exit(main())
