"""The kinds of jobs, a model each; `jobs` makes queue bodies of them.

Texts and addresses are in a job by design and with an end date; everything else in it is an
identifier.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from chalicelib import keys


class Recovery(StrEnum):
    """Why a job was put on the queue a second time; widens what its claim may take over."""

    SWEEP = "sweep"
    """Reconciliation found it lost or unfinished."""
    SETTLED = "settled"
    """Its unknown actions were settled: a parked event may go on."""
    HANDOFF = "handoff"
    """It failed and no person could be told: only that is done now."""
    OPERATOR = "operator"
    """A person replays it: a failed event may run again, skipped and refused actions too."""


class AnyJob(BaseModel):
    """What every job has."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    v: Literal[1] = 1
    event_key: str = Field(min_length=1, max_length=2048)
    conversation_id: str = Field(min_length=1, max_length=1024)
    received_at: str
    payload_sha256: str = ""
    payload_bytes: int = 0
    source: str
    trace_id: str
    recovery: Recovery | None = None

    @property
    def reopens(self) -> bool:
        """Whether it claims on purpose what had ended: nobody left that behind."""
        return self.recovery in (Recovery.SETTLED, Recovery.OPERATOR)

    @property
    def group(self) -> tuple[str, ...]:
        """What the FIFO group is made of: jobs of one group are worked on one after the other."""
        return (self.conversation_id,)


class TicketMessage(AnyJob):
    """One customer comment on a Richpanel ticket, named by its id."""

    kind: Literal["ticket_message"] = "ticket_message"
    message_id: str
    text: str | None = None
    created_at: str | None = None


class TicketNotification(AnyJob):
    """Something happened on a ticket; which comment it was is for the worker to find out.

    Attributes:
        text: the message as the notification had it; the key of last resort is built from it.
        created_at: the message's own time, when the notification had it.
    """

    kind: Literal["ticket_notification"] = "ticket_notification"
    text: str | None = None
    created_at: str | None = None


class AlowareDelivery(AnyJob):
    """One delivery of Aloware about one communication, reduced to what a fact is made of.

    Names, numbers, recordings and message texts of the delivery are not carried.

    Attributes:
        event: the delivery's name, e.g. ``OutboundPhoneCall-DispositionCompleted``; it can lie.
        communication_id: all deliveries of one call share it.
        type: 1 call, 2 SMS, ...; see `flows.fact_mapping`.
        direction: 1 inbound, 2 outbound.
        status: 1 initiated, 2 ringing, 9 closed.
        disposition: 1 in progress, 4 completed, ...
        agent: the owner's id, or else the user's.
        created_at: the communication's own time; naive means UTC.
        timezone: the contact's, an IANA name.
    """

    kind: Literal["aloware_delivery"] = "aloware_delivery"
    event: str = ""
    communication_id: str
    type: int | None = None
    direction: int | None = None
    status: int | None = None
    disposition: int | None = None
    agent: str | None = None
    created_at: str | None = None
    timezone: str | None = None


class HubSpotEvent(BaseModel):
    """One event of a batch, or one workflow webhook, reduced to what a fact is made of.

    Attributes:
        subscription_type: e.g. ``object.creation``; ``workflow.case_created`` for a workflow.
        object_type: e.g. ``0-5``; derived from the subscription where the sender leaves it out.
        occurred_at_ms: time of the change; the same in every retry.
        property_value: kept only where it looks like a constant of an enumeration.
        agent: e.g. ``hubspot:5001`` for user 5001, ``hubspot-owner:77`` for owner 77.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    subscription_type: str
    object_type: str | None = None
    object_id: str | None = None
    occurred_at_ms: int | None = None
    property_name: str | None = None
    property_value: str | None = None
    agent: str | None = None


class HubSpotBatch(AnyJob):
    """Up to 100 events of HubSpot, kept as one message."""

    kind: Literal["hubspot_batch"] = "hubspot_batch"
    events: tuple[HubSpotEvent, ...]


class ActionResend(AnyJob):
    """A person wants a finished action done once more; its event's key ends in ``:resend:{nonce}``.

    Attributes:
        source_event_key: the event that did it.
        action_key: what it did.
        nonce: the same one does it once only.
    """

    kind: Literal["action_resend"] = "action_resend"
    source_event_key: str
    action_key: str
    nonce: str


class StartConversation(AnyJob):
    """Open a conversation and send its first message.

    Attributes:
        sender: the company's number or address.
        recipient: the customer's, normalised.
        record: the conversation's attributes as `conversations.Conversations.open` takes them;
            with `sender` and `recipient` the only personal data, and only in the queue body.
    """

    kind: Literal["start_conversation"] = "start_conversation"
    sender: str
    recipient: str
    record: dict[str, Any]

    @property
    def group(self) -> tuple[str, ...]:
        """A pair's starts, replies and receipts never run side by side."""
        return ("pair", self.sender, self.recipient)


class InboundMessage(AnyJob):
    """Something a recipient sent, on any channel.

    Attributes:
        sender: the company's number or address it came to, without a plus tag.
        recipient: whose message it is, normalised.
        message_id: the provider's id; for e-mail a hash, because a Message-ID looks like an address.
        token: the opaque id a reply address carried.
        in_reply_to: hashes of the Message-IDs the e-mail refers to.
        email_message_id: the e-mail's own Message-ID, for the threading headers of an answer.
        is_automatic: an auto-reply or a bounce; never answered.
    """

    kind: Literal["inbound_message"] = "inbound_message"
    channel: Literal["whatsapp", "sms", "email"]
    sender: str
    recipient: str
    message_id: str
    text: str = ""
    sent_at: str
    media_count: int = 0
    token: str | None = None
    in_reply_to: list[str] = Field(default_factory=list)
    email_message_id: str | None = None
    is_automatic: bool = False
    opt_out: Literal["stop", "start", "help"] | None = None

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", self.sender, self.recipient)


class DeliveryReceipt(AnyJob):
    """A provider's word on a message of ours; `conversation_id` is the opaque id it carried.

    Attributes:
        entry_id: which of the conversation's messages.
        provider_id: the provider's id of it.
        status: sent, delivered, read, canceled, undelivered, failed, bounced, complained, rejected.
        rank: a higher one is known later; a receipt never takes a message back.
        reason: the provider's error code as a fixed word.
        opts_out: the recipient must not be written to again.
    """

    kind: Literal["delivery_receipt"] = "delivery_receipt"
    channel: Literal["text", "email"]
    sender: str
    recipient: str
    entry_id: str
    provider_id: str
    status: str
    rank: int
    reason: str | None = None
    opts_out: bool = False

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", self.sender, self.recipient)


class OutreachResume(AnyJob):
    """An event of a conversation goes on: everything it needs is in its row and in the record.

    Attributes:
        pair: the company's and the recipient's address, where the sender of the job knows them.
    """

    kind: Literal["outreach_resume"] = "outreach_resume"
    pair: tuple[str, str] | None = None

    @property
    def message_id(self) -> str | None:
        """Which message it is about, so that its actions have the keys that they had before."""
        return keys.message_of(self.event_key)

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`; without the pair, the ledger's lease alone orders it."""
        return ("pair", *self.pair) if self.pair else (self.conversation_id,)


class HandoffRelease(AnyJob):
    """A person approved: what was held back is sent."""

    kind: Literal["handoff_release"] = "handoff_release"
    handoff_id: str
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", *self.pair)
