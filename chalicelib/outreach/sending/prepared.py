"""Prepares a message for any vendor: conversation, draft, and the last look before it leaves.

A missing draft (the message was withheld before it was written) is composed first; every draft is
stored before it is sent.  `texts` and `emails` add what differs between vendors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from chalicelib.errors import PermanentError
from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.effect import Effect, Executor
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.consent.unsubscribe import LinkKeys
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Draft, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.lane_shares import LaneShares, share_of_call
from chalicelib.outreach.messages.look import LastLook, is_stopped
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Look
from chalicelib.outreach.sending.effects import NOTICES, Loaded
from chalicelib.outreach.writing.composer import Composer

_FOR_A_PERSON = reasons.FOR_A_PERSON
"""Reason of a message that is not sent, as its draft asks for more than its plan performs."""
Message = TypeVar("Message")
"""A message in its vendor's form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderParts:
    """The services that the senders of all vendors need.

    Attributes:
        links: the keys of unsubscribe links.
        public_base_url: our URL, without a path.
        shares: counts sends against the companies' shares; None outside a worker.
    """

    conversations: Conversations
    composer: Composer
    clock: Clock
    links: LinkKeys
    public_base_url: str
    shares: LaneShares | None = None


class MessageSender(ABC, Generic[Message]):
    """The base class that sends one vendor's messages to recipients, and settles those of unknown outcome."""

    def __init__(self, parts: SenderParts) -> None:
        self.parts = parts
        self._built_messages: dict[str, tuple[Record, Message]] = {}
        self._looks = LastLook(conversations=parts.conversations, clock=parts.clock)

    @abstractmethod
    def check(self, record: Record) -> None:
        """Check that the company's credentials exist and are well-formed, before composing.

        Raises:
            PermanentError: the credentials are malformed or missing.
            UnavailableError: the credentials cannot be read now.
        """

    @abstractmethod
    def account_of(self, record: Record) -> str | None:
        """The company's account at the vendor; None where there is none, or it cannot be known.

        Raises:
            UnavailableError: the secret that names it cannot be read now.
        """

    @abstractmethod
    def settle(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """Find out whether a message of unknown outcome was sent.

        Returns every message at the vendor that may be this one; empty: it was not sent; None: the
        vendor does not show every message, so only a later report can prove it.
        """

    @abstractmethod
    def _message(self, record: Record, draft: Draft, action: Effect) -> Message:
        """The message to send, built from its draft in the vendor's form.

        Raises:
            PermanentError: the draft has no text, or the vendor cannot send it in the draft's form.
        """

    @abstractmethod
    def _send(
        self,
        record: Record,
        message: Message,
        action: Effect,
        deadline_seconds: float,
        guard: Callable[[], None] | None,
    ) -> str:
        """Send a built message by the vendor.

        It returns the vendor's id of the message, and calls `guard` right before the request.
        """

    def executor(self) -> Executor:
        """The functions that prepare, check, send and settle this vendor's messages."""
        return Executor(self.send, self.prepare, self.last_look, self.settle)

    def executor_of_notice(self) -> Executor:
        """The functions that prepare, send and settle answers to STOP and HELP, which take no last look."""
        return Executor(self.send, prepare=self.prepare, settler=self.settle)

    def prepare(self, actions: Sequence[Effect]) -> None:
        """Read each message's conversation, draft and credentials, and build the vendor's requests."""
        self._built_messages = {action.key: self._built(action) for action in actions}

    def last_look(self, actions: Sequence[Effect]) -> None:
        """Check right before sending whether each message may still be sent.

        Raises:
            PermanentError: ``do_not_contact``.
            WithdrawnError: a person or the recipient has written, or another conversation took its
                place.
            TransientError: the register could not be read.
        """
        for action in actions:
            built = self._built_messages.get(action.key)
            if built is not None:
                self._looks.take(built[0], action.key, *_look(built[0], action))

    def send(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one message within the company's share of the lane; returns the vendor's id."""
        (action,) = actions
        built = self._built_messages.pop(action.key, None)
        record, message = self._built(action) if built is None else built
        with share_of_call(self.parts.shares, record, deadline_seconds, is_send=True):
            guard = self._guard(record, action)
            return self._send(record, message, action, deadline_seconds, guard)

    def _guard(self, record: Record, action: Effect) -> Callable[[], None] | None:
        """A function that checks once more, right before the request leaves, that the message may be sent.

        None for answers to STOP and HELP.
        """
        if action.kind.name in NOTICES:
            return None
        look = _look(record, action)
        return lambda: self._looks.refresh(record, action.key, *look)

    def _built(self, action: Effect) -> tuple[Record, Message]:
        """A message's conversation, and the message in the vendor's form."""
        record, draft = self._loaded(action)
        return record, self._message(record, draft, action)

    def _loaded(self, action: Effect) -> tuple[Record, Draft]:
        conversations = self.parts.conversations
        loaded: Loaded | None = action.data.loaded
        record = loaded.record if loaded else conversations.find(action.conversation_id)
        if record is None:
            raise PermanentError("conversations", "read", reason=reasons.CONVERSATION_GONE)
        draft = loaded.draft if loaded else None
        if draft is not None:
            return record, draft
        # An earlier run planned the send, perhaps days ago: the recipient may have opted out since.
        look, _ = _look(record, action)
        obeys_register = action.kind.name not in NOTICES
        if obeys_register and is_stopped(conversations.forbids(record), look):
            raise PermanentError("conversations", "read", reason=DO_NOT_CONTACT)
        stored = conversations.draft(record, action.argument)
        written = stored or self.parts.composer.withheld_draft(record, action.argument)
        message: MessagePlan | None = action.data.message
        if message and message.is_unwritten and written.needs_more_than_its_text:
            raise PermanentError("conversations", "compose", reason=_FOR_A_PERSON)
        return record, written


def _look(record: Record, action: Effect) -> tuple[Look, str]:
    """The checks to make in a message's last look (right before it is sent), and what `after` names.

    `after` is the newest act of a person when the message was planned; empty for a person's own
    message.
    """
    message: MessagePlan = action.data.message
    return message.look(record), message.after or ""
