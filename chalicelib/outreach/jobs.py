"""The jobs of outreach on the queue: starts, replies, receipts, resumes, releases, persons' acts, clicks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from chalicelib.once.job import Job
from chalicelib.once.lanes import COMPANIES, EMAIL, OUTREACH, Lane
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Carrier, Channel, lane_of


class OutreachJob(Job):
    """Base of the jobs about a conversation and its recipient."""

    @property
    def lane(self) -> Lane:
        """The job's queue (lane), chosen by the company's sending address; `OUTREACH` without an address."""
        return lane_of(self.group[1]) if len(self.group) > 1 else OUTREACH


class StartConversation(OutreachJob):
    """The job that opens a conversation and sends its first message.

    Attributes:
        sender: the company's number or address.
        recipient: the recipient's number or address, normalised.
        record: the conversation's attributes, as `conversations.store.Conversations.open` takes them.
            Personal data is in `record`, `sender` and `recipient` only, and only in the queue body.
    """

    kind: Literal["start_conversation"] = "start_conversation"
    sender: str
    recipient: str
    record: dict[str, Any]

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: one per sender and recipient, whose jobs never run at the same time."""
        return ("pair", self.sender, self.recipient)


class InboundMessage(OutreachJob):
    """The job of a message that a recipient sent, on any channel.

    Attributes:
        sender: the company's number or address that received the message, without a plus tag.
        recipient: the number or address that wrote it, normalised: the conversation's recipient.
        account: the Twilio account that signed the webhook; None for e-mail.
        message_id: the provider's id; for e-mail a hash, because a Message-ID looks like an address.
        token: the conversation's opaque id from the reply address; None without one.
        in_reply_to: the messages that it refers to, the closest one last: hashes of Message-IDs for
            an e-mail, the quoted message's id for a text.
        media: references to its media or attachments, as `conversations.records.Entry` has them.
        email_message_id: the e-mail's own Message-ID, for the threading headers of an answer.
        is_automatic: an auto-reply or a bounce, which is never answered.
        consent_at_door: the door has already acted on a STOP or START in the message, so the worker
            does not.
        carrier_answers: the carrier answers this keyword (STOP, START, HELP) itself.
        is_proven: the text's signature or the e-mail's checks prove who wrote it; where they do not,
            the token may still prove it.
        pair: the conversation's sender and recipient, where they differ from the message's: an e-mail
            with a valid token may come from any address.
        is_apart: the door could not prove who wrote it: the signing account does not own the number,
            or the e-mail failed its checks.  It waits in a FIFO group of that account or address, so
            it delays no conversation; the worker judges it as any other message.
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
        """The job's queue: that of the message's channel."""
        return self.channel.traits.lane

    @property
    def origin(self) -> str:
        """The Twilio account within which the message's id is unique; empty for e-mail."""
        return self.account or ""

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: the conversation's sender and recipient, else those of the message.

        A message whose writer is not proven (`is_apart`) has the group of the account that signed
        it, or for e-mail of the address that wrote it.
        """
        if self.is_apart and self.pair is None:
            return ("foreign", self.account) if self.account else ("unproven", self.recipient)
        return ("pair", *(self.pair or (self.sender, self.recipient)))


class DeliveryReceipt(OutreachJob):
    """The job of a carrier's report on the delivery of one of our messages.

    Attributes:
        account: the Twilio account that signed the callback; None for e-mail.
        entry_id: our id of the message.
        provider_id: the carrier's id of the message.
        status: sent, delivered, read, canceled, undelivered, failed, bounced, complained, rejected.
        rank: order of the statuses; a lower rank never replaces a higher one.
        reason: the carrier's error code.
        opts_out: the recipient must not be contacted again.
        is_dead: the address does not exist.
        is_apart: the signing account does not own the number; the receipt waits in that account's
            FIFO group.
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
        """The Twilio account within which the message's id is unique; empty for e-mail."""
        return self.account or ""

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: sender and recipient, or the account that signed an unproven receipt."""
        if self.is_apart and self.account:
            return ("foreign", self.account)
        return ("pair", self.sender, self.recipient)


class OutreachResume(OutreachJob):
    """The job that resumes a stored event of a conversation; all it needs is stored.

    Attributes:
        pair: the company's and the recipient's address, where known.
    """

    kind: Literal["outreach_resume"] = "outreach_resume"
    pair: tuple[str, str] | None = None

    @property
    def message_id(self) -> str | None:
        """The provider's id of the message that the resumed event is about; None where it is about none.

        The keys of the event's actions are made of it, so they are those of the first run.
        """
        key = outreach_keys.parsed(self.event_key)
        return key.name if key.kind is outreach_keys.EventKind.MESSAGE else None

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: sender and recipient; without them the ledger's lease keeps the order."""
        return ("pair", *self.pair) if self.pair else (self.conversation_id,)


class HandoffRelease(OutreachJob):
    """The job of a released hand-off: a person approved the held message, or gave the conversation back."""

    kind: Literal["handoff_release"] = "handoff_release"
    handoff_id: str
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: sender and recipient."""
        return ("pair", *self.pair)


class DeskReply(OutreachJob):
    """The job that sends a reply that a person wrote; its text is stored as a draft of the conversation."""

    kind: Literal["desk_reply"] = "desk_reply"
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: sender and recipient."""
        return ("pair", *self.pair)


class UnsubscribeReport(OutreachJob):
    """The job that reports an unsubscribe to the company; the do-not-contact mark is written already."""

    kind: Literal["unsubscribed"] = "unsubscribed"
    pair: tuple[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: sender and recipient."""
        return ("pair", *self.pair)


class HandoffNotice(Job):
    """The job that sends the company an e-mail about a conversation that waits for a person."""

    kind: Literal["handoff_notice"] = "handoff_notice"

    @property
    def lane(self) -> Lane:
        """The job's queue: that of e-mails, whatever the channel of the conversation."""
        return EMAIL

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: one of its own, so that no message of the conversation waits for it."""
        return ("notice", self.conversation_id)


class TellCompany(Job):
    """The job that posts one event of a conversation to the company; the event is in the outbox.

    Attributes:
        number: the event's place among the conversation's events, from 1.
    """

    kind: Literal["tell_company"] = "tell_company"
    number: int

    @property
    def lane(self) -> Lane:
        """The job's queue: that of companies' endpoints, so that a slow endpoint delays no recipient."""
        return COMPANIES

    @property
    def group(self) -> tuple[str, ...]:
        """The job's FIFO group: one per conversation, whose events are posted one after another."""
        return ("events", self.conversation_id)


KINDS = (
    StartConversation,
    InboundMessage,
    DeliveryReceipt,
    OutreachResume,
    HandoffRelease,
    DeskReply,
    UnsubscribeReport,
    HandoffNotice,
    TellCompany,
)
"""Every kind of job of outreach; `wiring.jobs` joins them with those of tickets and facts."""
TO_COMPANIES = (HandoffNotice, TellCompany)
"""The kinds of jobs that send something to companies, not to recipients."""
