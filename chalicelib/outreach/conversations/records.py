"""The `conversations` table's items as values: a record, its entries, and the draft of a message.

Example item (required attributes first; the rest as seed 002 names them)::

    primary_channel      +15550100001                    conversation_status  processing
    conversation_id      ci-aaa-001#pi-aaa-001#req123#15550100001
    company_id           ci-aaa-001                      channel_method       whatsapp
    project_id           pi-aaa-001                      request_id           req123
    messages             [{"entry_id": "...", "message_timestamp": "...", "role": "assistant",
                           "content": "...", "ai_prompt_tokens": 150, ...}]
    created_at, updated_at                               task_complete        0
    comms_consent        true                            function_call        false
    hand_off_to_human    false                           ttl                  1795160000
    gsi_recipient_tel, gsi_company_whatsapp_number, ...  only where they have a value (sparse)

Beyond the seed an item has ``opaque_id`` (the conversation's id in every other table),
``start_event`` (the ledger's key of its start), ``message_count``, ``delivery_status``,
``last_inbound_at``, ``confirmation``, ``function_call_outcome`` (of a declared tool: accepted),
``failure_stage``, ``failure_reason``, ``withheld_reason`` (the switch that stopped its newest
message), while it is handed off ``handoff``, while events of it wait ``waiting``,
``unclear_between``, the opaque ids of the conversations to which its newest unclear message may
belong, ``person_act`` and ``reply_failure`` (why a person's newest reply was not sent), ``hint``,
what a person who gave it back wants the writer to know, ``send_at`` (no message of ours before),
``not_allowed`` (its project does not allow the channel), ``follow_ups`` (see `follow_up_settings`),
``next_follow_up``, ``continues`` and ``continued_by``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.once.store import Item
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel


class Status(StrEnum):
    """A conversation's status (`conversation_status`).

    ::

        processing ─▶ initial_message_sent ─▶ reply_sent ─▶ reply_sent ...
             │                  └──────┬──────────┘
             ├─▶ handed_off ◀──────────┘        with a person; released: previous status again
             ├─▶ withheld                       a switch stopped the first message; replayed: sent
             └─▶ failed                         with stage and reason; replayed, or written to: sent
    """

    PROCESSING = "processing"
    INITIAL_MESSAGE_SENT = "initial_message_sent"
    REPLY_SENT = "reply_sent"
    HANDED_OFF = "handed_off"
    WITHHELD = "withheld"
    FAILED = "failed"


AUTOMATED = frozenset(
    {Status.PROCESSING, Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT, Status.WITHHELD}
)
"""Statuses in which no person has the conversation and it has not failed."""
UNATTENDED = AUTOMATED | {Status.FAILED}
"""Statuses in which no person has the conversation."""
UNSENT = frozenset({Status.PROCESSING, Status.WITHHELD})
"""Statuses in which the first message is not known to have been sent."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a conversation.

    Attributes:
        entry_id: unique within the conversation: the provider's id of a received message, our own
            id of a sent one.
        role: ``user``, ``assistant``, ``note`` for an internal note of a person, or ``tool`` for
            what a tool has given back.
        provider_id: the vendor's id of a sent message.
        note: a fixed code on a message that is no plain text of the recipient's; see `NOTES`.
        media: of each attachment ``type``, ``size`` in bytes, ``digest`` of the URL or the content,
            and ``link`` where the vendor keeps it; what is not known is left out.
        number: its position in the order of writing, from 0; -1 until it is appended.
        by: the person who wrote it for the company; None for the machine's messages.
        rules: which rules of the recipient's place allowed it, with their versions.
        revision: revision of the settings by which a model wrote it; see `ai_config`.
        model: which model wrote it.
    """

    entry_id: str
    message_timestamp: str
    role: str
    content: str = field(repr=False)
    ai_prompt_tokens: int | None = None
    ai_completion_tokens: int | None = None
    ai_total_tokens: int | None = None
    processing_time_ms: int | None = None
    provider_id: str | None = None
    note: str | None = None
    media: Sequence[Mapping[str, Any]] | None = field(default=None, repr=False)
    number: int = -1
    by: str | None = None
    rules: Sequence[str] | None = None
    revision: str | None = None
    model: str | None = None

    def item(self) -> Item:
        """The message as the map that is stored; attributes that are None are left out."""
        fields = {name: getattr(self, name) for name in ENTRY_FIELDS}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class OtherMessages:
    """The company's other messages to a recipient besides a given one, sent or to be sent.

    Attributes:
        texts: their free texts, normalised; texts of templates are rendered by the carrier and
            missing.
        refs: the provider's ids of the messages for which a receipt arrived.
        unreported: the text of each message without a receipt, by its send's action key; "" for a
            template.
    """

    texts: frozenset[str] = frozenset()
    refs: frozenset[str] = frozenset()
    unreported: Mapping[str, str] = field(default_factory=dict)


ENTRY_FIELDS = (
    "entry_id",
    "message_timestamp",
    "role",
    "content",
    "ai_prompt_tokens",
    "ai_completion_tokens",
    "ai_total_tokens",
    "processing_time_ms",
    "provider_id",
    "note",
    "media",
    "number",
    "by",
    "rules",
    "revision",
    "model",
)
PROMPT = "prompt"
"""Note on the first ``user`` entry: what the opening was written from."""
OTHER_SENDER = reasons.OTHER_SENDER
"""Note on an e-mail with the conversation's token from an address that is not the recipient's."""
UNPROVEN = reasons.UNPROVEN
"""Note on an e-mail of which nothing shows that its sender wrote it."""
SEVERAL = reasons.SEVERAL
"""Note on a message that may belong to one of several conversations."""
OPT_OUT_IN_DOUBT = reasons.OPT_OUT_IN_DOUBT
"""Note on a message that may ask for no further one, and may be about something else."""
LATE = reasons.LATE
"""Note on a message that came after the end of its conversation."""
MACHINE = reasons.MACHINE
"""Note on a message whose words are those of an auto-reply; one that says so itself is `AUTO_REPLY`."""
LOOP = reasons.LOOP
"""Note on a message that repeats itself, or came as no person writes: a machine answers us."""
WITHDRAWN = reasons.WITHDRAWN
"""Note on a message that came between a yes and the tool's call; also why that is not called."""
HELP = "help"
"""Note on a message that asks how to reach the company; it has its own answer."""
PERSON = "person"
"""Note on a message that a person of the company wrote."""
FOLLOW_UP = "follow_up"
"""Note on a message of ours that came without an answer to the one before."""
INTERNAL = "internal"
"""Note on an entry that a person of the company wrote for colleagues; it is never sent."""
TOOL_RESULT = "tool_result"
"""Note on an entry that a tool has given back; its role is ``tool``."""
AUTO_REPLY, OPT_OUT, MEDIA, NO_TEXT = "auto_reply", "opt_out", "media", "no_text"
NOTES = frozenset(
    {
        *(PROMPT, OTHER_SENDER, SEVERAL, LATE, OPT_OUT_IN_DOUBT, AUTO_REPLY, OPT_OUT, MEDIA),
        *(NO_TEXT, MACHINE, LOOP, HELP, WITHDRAWN, PERSON, INTERNAL, FOLLOW_UP, UNPROVEN),
        TOOL_RESULT,
    }
)
"""The codes of `Entry.note`."""
UNSAID = frozenset({PROMPT, OTHER_SENDER, UNPROVEN, AUTO_REPLY, INTERNAL})
"""Notes on entries that the recipient has not said; no writer is given them as such."""


def entry(item: Mapping[str, Any]) -> Entry:
    """An `Entry` from its stored map."""
    return Entry(**{name: item[name] for name in ENTRY_FIELDS if name in item})


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as written, before it is sent.

    Attributes:
        text: as the customer reads it; for a template our own rendering, which may be empty.
        variables: values of an approved template's variables, by number.
        function_call: a function the writer requests, instead of or beside the text.
        tool: the next step of a declared tool, see `tools.confirmation.ToolStep`; None for any
            other function, which is only noted.
        hand_off_reason: why a person should take over, if the writer requests it.
        opts_out: the recipient wishes no further message; the text, if any, confirms it.
        by: the person who wrote or edited it; None where the machine did.
        template: the approved template of `variables`, where it is not the channel's own.
        revision: revision of the settings by which a model wrote it; see `ai_config`.
        model: which model wrote it.
        refused: the rules that it breaks, comma-separated; such a draft is never sent, and shown to
            a person.
        claims: the sources that its writer cites, each with the words taken from it.
    """

    text: str = field(default="", repr=False)
    subject: str | None = field(default=None, repr=False)
    html: str | None = field(default=None, repr=False)
    variables: Mapping[str, str] | None = field(default=None, repr=False)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    processing_time_ms: int | None = None
    function_call: str | None = None
    function_arguments: str | None = field(default=None, repr=False)
    tool: Mapping[str, Any] | None = None
    hand_off_reason: str | None = None
    opts_out: bool | None = None
    by: str | None = None
    template: str | None = None
    revision: str | None = None
    model: str | None = None
    refused: str | None = None
    claims: Sequence[Mapping[str, str]] | None = field(default=None, repr=False)

    @property
    def needs_more_than_its_text(self) -> bool:
        """Whether the draft asks for more than sending its text: a function call, a person or an opt-out."""
        return bool(self.function_call or self.hand_off_reason or self.opts_out)

    def item(self) -> Item:
        """The draft as stored attributes; those that are None are left out."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}


def draft(item: Mapping[str, Any]) -> Draft:
    """A `Draft` from its stored attributes."""
    return Draft(**{name: item[name] for name in Draft.__slots__ if name in item})


@dataclass(frozen=True, slots=True)
class Record:
    """One conversation as last read from the table."""

    item: Mapping[str, Any] = field(repr=False)

    @property
    def key(self) -> Item:
        """The conversation's key in the table."""
        return {name: self.item[name] for name in ("primary_channel", "conversation_id")}

    @property
    def primary_channel(self) -> str:
        """The recipient's phone number in E.164, or e-mail address: the conversation's partition key."""
        return str(self.item["primary_channel"])

    @property
    def conversation_id(self) -> str:
        """The sort key of the conversations table; it holds personal data, unlike `opaque_id`."""
        return str(self.item["conversation_id"])

    @property
    def opaque_id(self) -> str:
        """The conversation's id in every other table, in logs and outside; it holds no personal data."""
        return str(self.item["opaque_id"])

    @property
    def company_id(self) -> str:
        """The id of the company that started the conversation."""
        return str(self.item["company_id"])

    @property
    def project_id(self) -> str:
        """The id of the company's project that the conversation belongs to."""
        return str(self.item["project_id"])

    @property
    def request_id(self) -> str:
        """The Router's id of the request that started the conversation."""
        return str(self.item["request_id"])

    @property
    def start_event(self) -> str:
        """The ledger's key of the event that started the conversation."""
        return str(self.item["start_event"])

    @property
    def channel(self) -> Channel:
        """The conversation's channel (`channel_method`)."""
        return Channel(self.item["channel_method"])

    @property
    def status(self) -> Status:
        """The conversation's status (`conversation_status`)."""
        return Status(self.item["conversation_status"])

    @property
    def sender(self) -> str:
        """The company's number or address from which the conversation is written."""
        return str(self.channel_config[self.channel.traits.sender])

    @property
    def channel_config(self) -> Mapping[str, Any]:
        """The company's settings for the conversation's channel; empty without any."""
        return dict(self.item.get("channel_config") or {})

    @property
    def ai_config(self) -> Mapping[str, Any]:
        """The company's AI settings for the conversation's channel; empty without any."""
        return dict(self.item.get("ai_config") or {})

    @property
    def messages(self) -> tuple[Entry, ...]:
        """The newest messages, oldest first, as many as the conversation's item has room for.

        The newest message is always among them. `Conversations.newest_entries` and `history` read
        older ones.
        """
        return tuple(entry(message) for message in self.item["messages"])

    @property
    def message_count(self) -> int:
        """The number of messages in the conversation's whole history."""
        return int(self.item["message_count"])

    @property
    def is_handed_off(self) -> bool:
        """Whether the conversation is handed off to a person."""
        return self.status == Status.HANDED_OFF

    @property
    def handoff(self) -> Mapping[str, Any]:
        """The conversation's hand-off: id, reason, held message, times; empty when it is not handed off."""
        return dict(self.item.get("handoff") or {})

    @property
    def person_act(self) -> str:
        """The id of the newest act by which a person took the conversation or answered; empty where none did.

        A message that automation planned before that act is not sent.
        """
        return str(self.item.get("person_act") or "")

    @property
    def waiting(self) -> tuple[str, ...]:
        """The keys of the conversation's events that wait to be handled, oldest first."""
        return tuple(self.item.get("waiting") or ())

    @property
    def created_at(self) -> str:
        """ISO time at which the conversation was created."""
        return str(self.item["created_at"])

    @property
    def last_inbound_at(self) -> datetime | None:
        """When the recipient last wrote, or None; WhatsApp's 24-hour window begins then."""
        return parsed(self.item.get("last_inbound_at"))

    @property
    def is_continued(self) -> bool:
        """Whether another conversation continues this failed one, whose first message is then never sent."""
        return CONTINUED_BY in self.item

    @property
    def asked_at(self) -> str:
        """ISO time at which the company asked for the conversation.

        For a conversation that continues another, this is the time of that other one.
        """
        return str((self.item.get(CONTINUES) or {}).get("since") or self.created_at)


@dataclass(frozen=True, slots=True)
class OpenResult:
    """The result of opening a conversation.

    Attributes:
        record: the conversation, or None because the recipient must not be contacted.
        is_new: the conversation did not exist before.
    """

    record: Record | None
    is_new: bool


CONTINUES, CONTINUED_BY = "continues", "continued_by"
"""Attributes of two conversations of which the second was opened because the first had failed: the
other's ``conversation`` (opaque id), ``request_id`` and ``channel``; in `CONTINUES` also ``since``, when
the first one was opened, and ``tried``, the channels that have failed."""
QUIET_HOURS: str = reasons.QUIET_HOURS
"""Why an event waits; that of one whose setting cannot be read begins likewise."""
SEPARATOR = "#"
"""Between the parts of a conversation's id; no company's or project's id holds it."""
SEND_AT = "send_at"
"""Attribute of a conversation: ISO time before which its first message is not sent."""
NEXT_STEP = "next_follow_up"
"""Attribute of a conversation: ``step`` and ``at`` of what it sends next without an answer."""
CONFIRMATION = "confirmation"
"""Attribute of a conversation: the question that waits for a yes; see `tools.confirmation`."""
NEVER_OPENED = reasons.NEVER_OPENED
"""Reason of a failed start of which only the row exists: nothing was sent; its sender may repeat it."""
DO_NOT_CONTACT = reasons.DO_NOT_CONTACT
"""Reason: the company must not contact the recipient; nothing is sent, and no person is asked to."""
