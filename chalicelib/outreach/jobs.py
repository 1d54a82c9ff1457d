"""What the queue carries of outreach: starts, replies, receipts, and what makes an event go on."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from chalicelib.once.job import Job
from chalicelib.outreach import keys as outreach_keys


class StartConversation(Job):
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


class InboundMessage(Job):
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


class DeliveryReceipt(Job):
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


class OutreachResume(Job):
    """An event of a conversation goes on: everything it needs is in its row and in the record.

    Attributes:
        pair: the company's and the recipient's address, where the sender of the job knows them.
    """

    kind: Literal["outreach_resume"] = "outreach_resume"
    pair: tuple[str, str] | None = None

    @property
    def message_id(self) -> str | None:
        """Which message it is about, so that its actions have the keys that they had before."""
        return outreach_keys.message_of(self.event_key)

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`; without the pair, the ledger's lease alone orders it."""
        return ("pair", *self.pair) if self.pair else (self.conversation_id,)


class HandoffRelease(Job):
    """A person approved: what was held back is sent."""

    kind: Literal["handoff_release"] = "handoff_release"
    handoff_id: str
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", *self.pair)


KINDS = (StartConversation, InboundMessage, DeliveryReceipt, OutreachResume, HandoffRelease)
"""Every kind of job of this system; `wiring.jobs` puts the lists together."""
