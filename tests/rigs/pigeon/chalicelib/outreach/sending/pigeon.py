"""Sends pigeons, and settles those of unknown outcome by what the dovecote has reported."""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.outreach.pigeon.client import Dovecote, Flight

from chalicelib.errors import PermanentError
from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.effect import Effect
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.sending.prepared import MessageSender, SenderParts


class Pigeons(MessageSender[Flight]):
    """`MessageSender` by the dovecote."""

    def __init__(self, parts: SenderParts, dovecote: Dovecote) -> None:
        super().__init__(parts)
        self._dovecote = dovecote

    def check(self, record: Record) -> None:
        """See `MessageSender.check`."""
        self._dovecote.key_of(record)

    def account_of(self, record: Record) -> None:
        """See `MessageSender.account_of`: it names none."""

    def settle(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """See `MessageSender.settle`."""
        record = self.parts.conversations.find(action.conversation_id)
        entry_id = action.probe["entry_id"]
        ref = self.parts.conversations.reported_id(record, entry_id) if record else None
        return (Found(ref),) if ref else None

    def _send(
        self,
        record: Record,
        message: Flight,
        action: Effect,
        deadline_seconds: float,
        guard: Callable[[], None] | None,
    ) -> str:
        del action
        return self._dovecote.send(record, message, deadline_seconds=deadline_seconds, guard=guard)

    def _message(self, record: Record, draft: Draft, action: Effect) -> Flight:
        if not draft.text:
            raise PermanentError("pigeon", "send", reason=reasons.NOTHING_TO_SAY)
        mark = f"{record.opaque_id}.{action.argument}"
        return Flight(record.primary_channel, record.sender, draft.text, mark)
