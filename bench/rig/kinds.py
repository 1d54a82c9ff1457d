"""Every kind of event as one entry: how to send one, and the limits on its calls and units.

A new `Kind` in `KINDS` is measured by all of counts, processor time, cost and the page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.rig import conversation_kinds as talk
from bench.rig.conversation_kinds import SMS
from chalicelib.once import keys
from chalicelib.outreach.channels import Channel
from ops.cost.event_kinds import MessageEvent

if TYPE_CHECKING:
    from bench.rig.system import System

LONG_ID = "<CAKx7vQ2pT0mWb4yRz8sJd6fHn1gLe3uXo5iVa9kPc@mail.example.com>"
"""The id of a ticket created by e-mail is its Message-ID, so its rows are longer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    Attributes:
        send: creates one event with this name at the vendor and puts it on the queue.
        is_peer_work: whether the peer built on another library does the same work.
        is_routed: whether these limits apply: with n actions, calls <= 2 n + 4 and write
            units <= 3 n + 4, and one for each turn at Richpanel, which is two calls.
        calls, writes: the limits of any other kind.
        jobs: how many a worker gets of it.
        carrier: the prices of the messages in it, each of one segment.
        receipt: the kind of the receipts that its message has.
        is_timed: whether its processor time is measured; others are as quick as one that is.
    """

    name: str
    send: Callable[[System, str], None]
    is_peer_work: bool = False
    is_routed: bool = False
    calls: int | None = None
    writes: int | None = None
    jobs: int = 1
    carrier: tuple[str, ...] = ()
    receipt: str = ""
    is_timed: bool = True

    def limits(self, actions: int, vendor_calls: int) -> tuple[int | None, int | None]:
        """The limits of DynamoDB calls and write units, by an event's actions and vendor calls."""
        if self.is_routed:
            return 2 * actions + 4, 3 * actions + 4 + (vendor_calls + 1) // 2
        return self.calls, self.writes


def send_ticket_webhook(system: System, name: str) -> None:
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


def send_fact_event(system: System, name: str) -> None:
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


def _refused(system: System, name: str) -> None:
    """A webhook with a token that is not ours."""
    token = {"x-richpanel-webhook-token": "another"}
    system.request("/webhook/richpanel", json.dumps({"ticket_id": name}), token, is_refused=True)


KINDS: tuple[Kind, ...] = (
    Kind("routed event", send_ticket_webhook, is_peer_work=True, is_routed=True),
    Kind("routed event, long ids", _by_email, is_routed=True),
    Kind("event that moves a ticket", _rerouted, is_peer_work=True, is_routed=True),
    Kind("routed, two tags already there", _two_tags_there, is_routed=True),
    Kind("thin notification, resolved", _thin),
    Kind("asked for the order number", _asked),
    Kind("replied, order status", _replied, is_peer_work=True),
    Kind("replied and closed", _replied_and_closed),
    *(
        Kind(
            MessageEvent.START.of(channel),
            talk.started(channel),
            calls=talk.START_CALLS,
            carrier=channel.traits.charged_out,
            receipt=MessageEvent.RECEIPT.of(channel),
            is_timed=channel == SMS,
        )
        for channel in Channel
    ),
    *(
        Kind(
            MessageEvent.REPLY.of(channel),
            talk.replied_to(channel),
            carrier=(*channel.traits.charged_in, *channel.traits.charged_out),
            receipt=MessageEvent.RECEIPT.of(channel),
            is_timed=channel == SMS,
        )
        for channel in Channel
    ),
    Kind(
        MessageEvent.WRITTEN.of(SMS),
        talk.replied_to_a_model,
        carrier=(*SMS.traits.charged_in, *SMS.traits.charged_out),
        receipt=MessageEvent.RECEIPT.of(SMS),
    ),
    *(
        Kind(MessageEvent.RECEIPT.of(channel), talk.reported(channel), is_timed=channel == SMS)
        for channel in Channel
    ),
    Kind("fact, kept", send_fact_event),
    Kind("duplicate in the worker", _duplicate, is_peer_work=True, calls=1, writes=1),
    Kind("refused request", _refused, jobs=0, is_timed=False),
)
