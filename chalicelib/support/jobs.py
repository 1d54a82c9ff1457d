"""What the queue carries of support: a customer's comment, or a notice that a ticket changed."""

from __future__ import annotations

from typing import Literal

from chalicelib.once import keys
from chalicelib.once.event import EventFacts
from chalicelib.once.job import ActionResend, Job


class TicketMessage(Job):
    """A job: one customer comment on a Richpanel ticket, named by its id."""

    kind: Literal["ticket_message"] = "ticket_message"
    message_id: str
    text: str | None = None
    created_at: str | None = None


class TicketNotification(Job):
    """A job: something has changed on a ticket; the worker reads the ticket to find which comment is new.

    Attributes:
        text: text of the message, if the notification carries it; used if the ticket cannot be
            read.
        created_at: the message's own time, if the notification carries it.
    """

    kind: Literal["ticket_notification"] = "ticket_notification"
    text: str | None = None
    created_at: str | None = None


_COLONS_OF_A_KEY = 3
"""Colons in ``evt:rp:{conversation}:{message}``; a key of a ticket with the id ``resend`` has fewer."""


def ticket_job(event: EventFacts) -> TicketMessage | TicketNotification | ActionResend:
    """The job to queue again for a stored event of a ticket.

    An event of an operator's resend gives an `ActionResend`, any other a message or a notification.
    """
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


KINDS = (TicketMessage, TicketNotification)
"""Every kind of job of this system; `wiring.jobs` joins the systems' lists."""
