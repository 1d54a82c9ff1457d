"""Every kind of event as one entry: how to send one, and the limits on its calls and units.

A new `Kind` in `KINDS` is measured by all of counts, processor time, cost and the page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.once import keys
from local import company

if TYPE_CHECKING:
    from bench.rig.system import System

LONG_ID = "<CAKx7vQ2pT0mWb4yRz8sJd6fHn1gLe3uXo5iVa9kPc@mail.example.com>"
"""The id of a ticket created by e-mail is its Message-ID, so its rows are longer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    Attributes:
        send: creates one event at the vendor, under the given name, and puts it on the queue.
        is_peer_work: whether the Powertools peer does the same work.
        is_routed: whether these limits apply: with n actions, DynamoDB calls <= 2 n + 4, and write
            units <= 3 n + 4 and one more for every two calls of Richpanel.
        calls, writes: the limits of any other kind; None: no limit.
    """

    name: str
    send: Callable[[System, str], None]
    is_peer_work: bool = False
    is_routed: bool = False
    calls: int | None = None
    writes: int | None = None

    def limits(self, actions: int, vendor_calls: int) -> tuple[int | None, int | None]:
        """The limits of DynamoDB calls and write units, by an event's actions and vendor calls."""
        if self.is_routed:
            return 2 * actions + 4, 3 * actions + 4 + (vendor_calls + 1) // 2
        return self.calls, self.writes


def routed(system: System, name: str) -> None:
    """Send a webhook of a ticket with one message."""
    system.post(system.message(name))


def _by_email(system: System, name: str) -> None:
    system.post(system.message(LONG_ID.replace("@", f"{name}@")))


def _two_tags_there(system: System, name: str) -> None:
    """Send a message on a ticket that already has its route and intent tags."""
    tags = ["route-returns-admin", "mw-intent-refund_request"]
    system.post(system.message(name, tags=tags))


def _rerouted(system: System, name: str) -> None:
    system.post(system.message(name, tags=["route-sales-team"]))


def _thin(system: System, name: str) -> None:
    """Send a notification without a message id, for which the worker must read the ticket."""
    body = system.message(name)
    system.post({"ticket_id": body["ticket_id"]})


def _duplicate(system: System, name: str) -> None:
    system.post(system.message(name))
    system.work()
    system.send_again(name)


def _asked(system: System, name: str) -> None:
    _by_customer(system, name, "Where is my order?")


def _replied(system: System, name: str) -> None:
    _by_customer(system, name, "Where is my order #{order}?")


def _replied_and_closed(system: System, name: str) -> None:
    _by_customer(system, name, "When will order #{order} arrive?", is_shipped=False)


def _by_customer(system: System, name: str, text: str, *, is_shipped: bool = True) -> None:
    """Send a message by a new customer of the shop, as replies are limited per customer."""
    number = 1001 + int(keys.digest(name)[:6], 16)
    email = f"{keys.digest(name)[:10]}@example.com"
    tracking = {"number": "ZZ555", "url": "https://carrier.example/ZZ555", "company": "DHL"}
    more = {"tracking": tracking} if is_shipped else {}
    system.shopify.add_order(f"#{number}", email=email, **more)
    ticket_id, comment_id = f"t-{keys.digest(name)[:12]}", system.comment_of(name)
    body = text.format(order=number)
    system.richpanel.add_ticket(
        ticket_id, comments=[{"id": comment_id, "body": body}], customer_email=email
    )
    system.post({"ticket_id": ticket_id, "message_id": comment_id, "message": body})


def fact(system: System, name: str) -> None:
    """Send one signed HubSpot event."""
    del name
    from chalicelib.facts import hubspot_webhook  # noqa: PLC0415 - after the environment
    from local.vendors import hubspot  # noqa: PLC0415

    body, stamp = json.dumps([hubspot.event()]), str(int(time.time() * 1000))
    signature = hubspot_webhook.signature_v3(
        system.stage.secrets.hubspot_secret, uri=hubspot.TARGET_URL, body=body.encode(), stamp=stamp
    )
    headers = {hubspot_webhook.SIGNATURE_V3: signature, hubspot_webhook.TIMESTAMP: stamp}
    system.request("/webhook/hubspot", body, headers)


def started(system: System, name: str) -> None:
    """Start a conversation by SMS, as the Channel Router does."""
    body = company.request(keys.digest(name)[:16], "sms", _phone(name))
    system.request("/initiate-conversation", json.dumps(body), {"x-api-key": company.API_KEY})


def _replied_to(system: System, name: str) -> None:
    """Start a conversation and send a reply by its recipient."""
    started(system, name)
    system.work()
    inbound(system, name)


def inbound(system: System, name: str) -> None:
    """Send a reply by the recipient of the conversation that was started under this name."""
    url = f"{company.PUBLIC_URL}/webhook/twilio"
    text = "Yes, please tell me more"
    post = system.twilio.inbound(_phone(name), company.SMS_NUMBER, text, url=url)
    system.request("/webhook/twilio", post.body.decode(), dict(post.headers))


def _phone(name: str) -> str:
    """An unassigned number (there is no area 555), different for each name."""
    return f"+1555{int(keys.digest(name)[:8], 16) % 10_000_000:07d}"


KINDS: tuple[Kind, ...] = (
    Kind("routed event", routed, is_peer_work=True, is_routed=True),
    Kind("routed event, long ids", _by_email, is_routed=True),
    Kind("event that moves a ticket", _rerouted, is_peer_work=True, is_routed=True),
    Kind("routed, two tags already there", _two_tags_there, is_routed=True),
    Kind("thin notification, resolved", _thin),
    Kind("asked for the order number", _asked),
    Kind("replied, order status", _replied, is_peer_work=True),
    Kind("replied and closed", _replied_and_closed),
    Kind("conversation started, SMS", started),
    Kind("reply answered, SMS", _replied_to),
    Kind("fact, kept", fact),
    Kind("duplicate in the worker", _duplicate, is_peer_work=True, calls=1, writes=1),
)
