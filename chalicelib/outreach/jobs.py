"""What the queue carries of outreach: starts, replies, receipts, resumes, releases, persons' acts, clicks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from chalicelib.once.job import Job
from chalicelib.once.lanes import COMPANIES, EMAIL, OUTREACH, Lane
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Carrier, Channel, lane_of


class OutreachJob(Job):
    """Fields of every job of outreach."""

    @property
    def lane(self) -> Lane:
        """See `Job.lane`: by the address that the company writes from."""
        return lane_of(self.group[1]) if len(self.group) > 1 else OUTREACH


class StartConversation(OutreachJob):
    """Open a conversation and send its first message.

    Attributes:
        sender: the company's number or address.
        recipient: the customer's, normalised.
        record: the conversation's attributes, as `conversations.store.Conversations.open` takes them;
            with `sender` and `recipient` the only personal data, and only in the queue body.
    """

    kind: Literal["start_conversation"] = "start_conversation"
    sender: str
    recipient: str
    record: dict[str, Any]

    @property
    def group(self) -> tuple[str, ...]:
        """One group per sender and recipient: their jobs never run at the same time."""
        return ("pair", self.sender, self.recipient)


class InboundMessage(OutreachJob):
    """Something a recipient sent, on any channel.

    Attributes:
        sender: the company's number or address it came to, without a plus tag.
        recipient: the sender of the message, normalised: the conversation's recipient.
        account: the Twilio account that signed it; None for e-mail.
        message_id: the provider's id; for e-mail a hash, because a Message-ID looks like an address.
        token: the opaque id a reply address carried.
        in_reply_to: the messages it refers to, the closest one last: hashes of Message-IDs of an
            e-mail, the id of the message that a text quotes.
        media: references to its media or attachments, as `conversations.records.Entry` has them.
        email_message_id: the e-mail's own Message-ID, for the threading headers of an answer.
        is_automatic: an auto-reply or a bounce; never answered.
        consent_at_door: the door has written or lifted the mark that the message asks for, or found
            none to lift: the worker leaves it.
        carrier_answers: the carrier answers such a message itself.
        is_proven: its sender has written it, as the signature of a text or the checks of an e-mail
            show; a token may still prove one that is not.
        pair: the conversation's own addresses, once they are known to differ from the message's: an
            e-mail with a valid token may come from any address.
        is_apart: the door could not see that it may speak for its sender: the account that signed it
            does not own the number, or nothing proves the e-mail.  It waits in a group of that
            account or address, so that it delays no conversation; the worker judges it as any other.
    """

    kind: Literal["inbound_message"] = "inbound_message"
    channel: Channel
    account: str | None
    sender: str
    recipient: str
    message_id: str
    text: str = ""
    sent_at: str
    media_count: int = 0
    media: list[dict[str, Any]] = Field(default_factory=list)
    token: str | None = None
    in_reply_to: list[str] = Field(default_factory=list)
    email_message_id: str | None = None
    is_automatic: bool = False
    opt_out: Literal["stop", "start", "help"] | None = None
    consent_at_door: bool = False
    carrier_answers: bool
    is_proven: bool = True
    pair: tuple[str, str] | None = None
    is_apart: bool = False

    @property
    def lane(self) -> Lane:
        """See `Job.lane`."""
        return self.channel.traits.lane

    @property
    def origin(self) -> str:
        """The account: a provider's message id is its account's own."""
        return self.account or ""

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`: the conversation's pair, else the message's own."""
        if self.is_apart and self.pair is None:
            return ("foreign", self.account) if self.account else ("unproven", self.recipient)
        return ("pair", *(self.pair or (self.sender, self.recipient)))


class DeliveryReceipt(OutreachJob):
    """A provider's delivery status of one of our messages; `conversation_id` is its opaque id.

    Attributes:
        account: see `InboundMessage`.
        entry_id: which of the conversation's messages.
        provider_id: the provider's id of it.
        status: sent, delivered, read, canceled, undelivered, failed, bounced, complained, rejected.
        rank: order of the statuses; a lower rank never replaces a higher one.
        reason: the provider's error code.
        opts_out: the recipient must not be contacted again.
        is_dead: the address does not exist.
        is_apart: see `InboundMessage`.
    """

    kind: Literal["delivery_receipt"] = "delivery_receipt"
    channel: Carrier
    account: str | None
    sender: str
    recipient: str
    entry_id: str
    provider_id: str
    status: str
    rank: int
    reason: str | None = None
    opts_out: bool = False
    is_dead: bool = False
    is_apart: bool = False

    @property
    def origin(self) -> str:
        """The account: a provider's message id is its account's own."""
        return self.account or ""

    @property
    def group(self) -> tuple[str, ...]:
        """See `InboundMessage.group`; its writes need no order."""
        if self.is_apart and self.account:
            return ("foreign", self.account)
        return ("pair", self.sender, self.recipient)


class OutreachResume(OutreachJob):
    """Resumes an event of a conversation; its row and the record hold everything it needs.

    Attributes:
        pair: the company's and the recipient's address, where known.
    """

    kind: Literal["outreach_resume"] = "outreach_resume"
    pair: tuple[str, str] | None = None

    @property
    def message_id(self) -> str | None:
        """The provider's message id, so that its actions have the same keys as before."""
        key = outreach_keys.parsed(self.event_key)
        return key.name if key.kind is outreach_keys.EventKind.MESSAGE else None

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`; without the pair, the ledger's lease alone orders it."""
        return ("pair", *self.pair) if self.pair else (self.conversation_id,)


class HandoffRelease(OutreachJob):
    """An operator has approved a held message: it is sent."""

    kind: Literal["handoff_release"] = "handoff_release"
    handoff_id: str
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", *self.pair)


class DeskReply(OutreachJob):
    """A person has written a reply: its text is a draft of the conversation."""

    kind: Literal["desk_reply"] = "desk_reply"
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", *self.pair)


class Unsubscribed(OutreachJob):
    """The recipient has unsubscribed by one click; the mark is written, and the company hears of it."""

    kind: Literal["unsubscribed"] = "unsubscribed"
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """See `StartConversation.group`."""
        return ("pair", *self.pair)


class HandoffNotice(Job):
    """An e-mail to the company about a conversation that waits for a person; see `handoff_notices`."""

    kind: Literal["handoff_notice"] = "handoff_notice"

    @property
    def lane(self) -> Lane:
        """See `Job.lane`: it is an e-mail, whatever the channel of its conversation."""
        return EMAIL

    @property
    def group(self) -> tuple[str, ...]:
        """No message of the conversation waits for it."""
        return ("notice", self.conversation_id)


class TellCompany(Job):
    """Tells a company one event of a conversation; its row in the outbox holds it.

    Attributes:
        number: its place among the conversation's events, from 1.
    """

    kind: Literal["tell_company"] = "tell_company"
    number: int

    @property
    def lane(self) -> Lane:
        """See `Job.lane`: what an endpoint is slow at delays no recipient."""
        return COMPANIES

    @property
    def group(self) -> tuple[str, ...]:
        """A conversation's events are posted one after another."""
        return ("events", self.conversation_id)


KINDS = (
    StartConversation,
    InboundMessage,
    DeliveryReceipt,
    OutreachResume,
    HandoffRelease,
    DeskReply,
    Unsubscribed,
    HandoffNotice,
    TellCompany,
)
"""Every kind of job of this system; `wiring.jobs` joins the systems' lists."""
TO_COMPANIES = (HandoffNotice, TellCompany)
"""Those that tell companies, not recipients."""
