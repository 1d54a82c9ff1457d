"""What the queue carries of support: a customer's comment, or a notice that a ticket changed."""

from __future__ import annotations

from typing import Literal

from chalicelib.once import keys
from chalicelib.once.event import EventFacts
from chalicelib.once.job import ActionResend, Job


class TicketMessage(Job):
    """One customer comment on a Richpanel ticket, named by its id."""

    kind: Literal["ticket_message"] = "ticket_message"
    message_id: str
    text: str | None = None
    created_at: str | None = None


class TicketNotification(Job):
    """Something happened on a ticket; which comment it was is for the worker to find out.

    Attributes:
        text: the message as the notification had it; the key of last resort is built from it.
        created_at: the message's own time, when the notification had it.
    """

    kind: Literal["ticket_notification"] = "ticket_notification"
    text: str | None = None
    created_at: str | None = None


def ticket_job(event: EventFacts) -> TicketMessage | TicketNotification | ActionResend:
    """The job of one of Richpanel's events, or of an action of one that is done once more."""
    common = {
        "event_key": event.event_key,
        "conversation_id": event.conversation_id,
        "received_at": event.received_at,
        "payload_sha256": event.payload_sha256,
        "payload_bytes": event.payload_bytes,
        "source": event.source,
        "trace_id": event.trace_id or keys.digest(event.event_key)[:16],
    }
    source, _, nonce = event.event_key.rpartition(keys.RESEND)
    if source.count(":") >= _COLONS_OF_A_KEY:
        resend = {"source_event_key": source, "action_key": "", "nonce": nonce}
        return ActionResend.model_validate(common | resend)
    if event.source_message_id:
        return TicketMessage.model_validate(common | {"message_id": event.source_message_id})
    return TicketNotification.model_validate(common)


_COLONS_OF_A_KEY = 3
"""In ``evt:rp:{conversation}:{message}``; a ticket that is itself called ``resend`` has fewer."""


KINDS = (TicketMessage, TicketNotification)
"""Every kind of job of this system; `wiring.jobs` puts the lists together."""
