"""How to send the events of a conversation on each channel: its start, a reply, a receipt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from chalicelib.once import keys
from chalicelib.outreach.channels import LISTED_CHANNELS, PHONE, Channel
from local import company

if TYPE_CHECKING:
    from bench.rig.system import System

START_CALLS = 13
"""Of AWS in the worker.  Three are looks at the register of who must not be contacted: as the conversation
is opened, as the message is planned, and right before it leaves."""
SMS = Channel("sms")
Send = Callable[["System", str], None]


def started(channel: Channel) -> Send:
    """The Channel Router starts a conversation on a channel."""
    return lambda system, name: _start(system, name, channel)


def replied_to(channel: Channel) -> Send:
    """A reply by the recipient of a conversation, which the project's fixed words answer."""

    def send(system: System, name: str) -> None:
        _start(system, name, channel)
        system.work()
        send_reply(system, name, channel)

    return send


def replied_to_a_model(system: System, name: str) -> None:
    """A reply by SMS to a project whose messages a language model writes."""
    _start(system, name, SMS, company_data={"project_id": company.MODEL_PROJECT_ID})
    system.work()
    send_reply(system, name, SMS)


def reported(channel: Channel) -> Send:
    """The last receipt of a conversation's first message: it was delivered."""

    def send(system: System, name: str) -> None:
        for vendor in (system.twilio.callbacks, system.ses.events):
            vendor()  # those of events before
        _start(system, name, channel)
        system.work()
        if channel not in LISTED_CHANNELS:
            system.notify(system.ses.events()[-1])
            return
        last = system.twilio.callbacks()[-1]
        path = last.url.removeprefix(company.PUBLIC_URL)
        system.request(path, last.body.decode(), dict(last.headers))

    return send


def send_reply(system: System, name: str, channel: Channel) -> None:
    """A reply by the recipient of the conversation that was started under this name."""
    text, from_ = "Yes, please tell me more", _recipient(name, channel)
    config = company.project(system.stage.name)["channel_config"]
    to = config[channel][channel.traits.sender]
    if channel not in LISTED_CHANNELS:
        system.notify(system.ses.inbound(from_, to, text))
        return
    url, prefix = f"{company.PUBLIC_URL}/webhook/twilio", channel.traits.prefix
    post = system.twilio.inbound(from_, to, text, url=url, whatsapp=bool(prefix))
    system.request("/webhook/twilio", post.body.decode(), dict(post.headers))


def _start(system: System, name: str, channel: Channel, **changes: dict[str, str]) -> None:
    recipient, request_id = _recipient(name, channel), keys.digest(name)[:16]
    body = company.request(request_id, channel, recipient, **changes)
    system.request("/initiate-conversation", json.dumps(body), {"x-api-key": company.API_KEY})


def _recipient(name: str, channel: Channel) -> str:
    """An unassigned number (there is no area 555) or an address, different for each name."""
    digest = keys.digest(name)
    if channel.traits.address is PHONE:
        return f"+1555{int(digest[:8], 16) % 10_000_000:07d}"
    return f"{digest[:10]}@example.com"
