"""Every kind of event there is, each as one entry: what is sent, and what it may cost.

A new kind of event is a new `Kind` in `KINDS`; counts, processor time, cost and the page follow.
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
"""A ticket that came by e-mail has its Message-ID for an id; its rows are longer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    Attributes:
        send: makes one event with this name at the vendor and puts it on the queue.
        is_peer_work: the peer built on another library does the same work, to be compared.
        is_routed: with n actions, calls <= 2 n + 4 and write units <= 3 n + 4.
        calls, writes: limits of another kind.
    """

    name: str
    send: Callable[[System, str], None]
    is_peer_work: bool = False
    is_routed: bool = False
    calls: int | None = None
    writes: int | None = None

    def limits(self, actions: int) -> tuple[int | None, int | None]:
        """DynamoDB calls and write units that an event with so many actions may use."""
        if self.is_routed:
            return 2 * actions + 4, 3 * actions + 4
        return self.calls, self.writes


def _routed(system: System, name: str) -> None:
    system.post(system.message(name))


def _by_email(system: System, name: str) -> None:
    system.post(system.message(LONG_ID.replace("@", f"{name}@")))


def _two_tags_there(system: System, name: str) -> None:
    """A second message on a ticket that has its route and its intent."""
    tags = ["route-returns-admin", "mw-intent-refund_request"]
    system.post(system.message(name, tags=tags))


def _rerouted(system: System, name: str) -> None:
    system.post(system.message(name, tags=["route-sales-team"]))


def _thin(system: System, name: str) -> None:
    """A notification without a message id: the worker reads the ticket to learn what is new."""
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
    """A customer of the shop writes, each for the first time: guard rails count by customer."""
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


def _fact(system: System, name: str) -> None:
    """One signed event of HubSpot."""
    del name
    from chalicelib.facts import hubspot_webhook  # noqa: PLC0415 - after the environment
    from local.vendors import hubspot  # noqa: PLC0415

    body, stamp = json.dumps([hubspot.event()]), str(int(time.time() * 1000))
    signature = hubspot_webhook.signature_v3(
        system.stage.secrets.hubspot_secret, uri=hubspot.TARGET_URL, body=body.encode(), stamp=stamp
    )
    headers = {hubspot_webhook.SIGNATURE_V3: signature, hubspot_webhook.TIMESTAMP: stamp}
    system.request("/webhook/hubspot", body, headers)


def _started(system: System, name: str) -> None:
    """The Channel Router starts a conversation by SMS."""
    body = company.request(keys.digest(name)[:16], "sms", _phone(name))
    system.request("/initiate-conversation", json.dumps(body), {"x-api-key": company.API_KEY})


def _replied_to(system: System, name: str) -> None:
    """The recipient of a conversation answers."""
    _started(system, name)
    system.work()
    _inbound(system, name)


def _inbound(system: System, name: str) -> None:
    url = f"{company.PUBLIC_URL}/webhook/twilio"
    text = "Yes, please tell me more"
    post = system.twilio.inbound(_phone(name), company.SMS_NUMBER, text, url=url)
    system.request("/webhook/twilio", post.body.decode(), dict(post.headers))


def _phone(name: str) -> str:
    """A number that nobody has, for no area has 555; enough of them that no two names share one."""
    return f"+1555{int(keys.digest(name)[:8], 16) % 10_000_000:07d}"


KINDS: tuple[Kind, ...] = (
    Kind("routed event", _routed, is_peer_work=True, is_routed=True),
    Kind("routed event, long ids", _by_email, is_routed=True),
    Kind("event that moves a ticket", _rerouted, is_peer_work=True, is_routed=True),
    Kind("routed, two tags already there", _two_tags_there, is_routed=True),
    Kind("thin notification, resolved", _thin),
    Kind("asked for the order number", _asked),
    Kind("replied, order status", _replied, is_peer_work=True),
    Kind("replied and closed", _replied_and_closed),
    Kind("conversation started, SMS", _started),
    Kind("reply answered, SMS", _replied_to),
    Kind("fact, kept", _fact),
    Kind("duplicate in the worker", _duplicate, is_peer_work=True, calls=1, writes=1),
)
