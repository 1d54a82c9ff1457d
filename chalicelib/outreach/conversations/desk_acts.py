"""Stores what persons at the desk do with a conversation: each act is one transaction with all its changes.

The act is stored under its id, beside the conversation's pages and drafts (``act#{digest of
conversation_id}#{act id}``), so that a repetition finds that it was done; it is kept as long as
they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.conversations import handoffs, items
from chalicelib.outreach.conversations.entry_pages import Paging
from chalicelib.outreach.conversations.handoff_list import HandoffHistory
from chalicelib.outreach.conversations.items import TRIES
from chalicelib.outreach.conversations.records import CONFIRMATION, Draft, Entry, Record
from chalicelib.outreach.conversations.subject_rows import SubjectChange

_ABSENT = "attribute_not_exists(#conversation_id)"


class OutdatedError(Exception):
    """The conversation or the register has changed since it was read, so the act was refused.

    Nothing was written.
    """


class RepeatedError(Exception):
    """The act was done before, so nothing is written; `mark` is the row that was stored of it then."""

    def __init__(self, mark: Item) -> None:
        super().__init__("repeated")
        self.mark = mark


@dataclass(frozen=True, slots=True)
class ActChange:
    """The changes that a person's act makes to a conversation.

    Attributes:
        handoff: the hand-off from now on; None leaves it, and its entry in the list, as they are.
        ended: how the hand-off has ended, for its entry in the list; empty while it goes on.
        attributes: attributes of the conversation to set.
        remove: attributes of the conversation to remove.
        draft: entry id and text of a message to send.
        note: a note for colleagues, appended to the conversation and never sent.
        register: changes of the recipient's do-not-contact marks.
    """

    handoff: Mapping[str, Any] | None = None
    ended: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    remove: Collection[str] = ()
    draft: tuple[str, Draft] | None = None
    note: Entry | None = None
    register: Sequence[SubjectChange] = ()


class DeskActRows(HandoffHistory, Paging):
    """Stores what persons at the desk do with conversations."""

    def act_row(self, record: Record, act_id: str) -> Item | None:
        """The row that was stored of a person's act; None where the act was not done."""
        return self._table.get(items.act_key(record, act_id))

    def acts_of(self, record: Record) -> Iterator[Item]:
        """The stored rows of all acts of persons on a conversation, in no order."""
        return self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :act)",
            values={
                "p": items.partition(record),
                "act": items.act_key(record, "")["conversation_id"],
            },
        )

    def act(
        self,
        record: Record,
        act_id: str,
        change: ActChange,
        *,
        about: Mapping[str, Any],
        journal: Sequence[Item] = (),
        event: Item | None = None,
    ) -> bool:
        """Store a person's act on a conversation, once, if the conversation is unchanged since it was read.

        Args:
            record: the conversation as last read; status, hand-off and number of messages must be
                unchanged.
            act_id: unique within the conversation; equal for a repetition.
            change: the changes.
            about: what is stored of the act, for a repetition to return.
            journal: the writes of the journal's entry.
            event: the write of the ledger row of the event that does the rest of the act; left out
                where that row exists already.

        Returns:
            Whether the ledger row was written.

        Raises:
            OutdatedError: the conversation or the register has changed since it was read.
            RepeatedError: the act was done before.
            TransientError: other writers interfered with every attempt.
        """
        if change.handoff is not None and not record.is_handed_off:
            self.announce_handoff(record)
        changed = [write for entry in change.register for write in self.changing(entry)]
        writes = self._act_writes(record, act_id, change, about, (*changed, *journal))
        opened = [event] if event is not None else []
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            try:
                self._table.transact([*writes, *opened])
            except TransactionRefused as refused:
                mark, *seen = refused.found[: 2 + len(changed)]
                if mark is not None:
                    raise RepeatedError(mark) from None
                if any(row is not None for row in seen):
                    raise OutdatedError from None
                if opened and refused.found[-1] is not None:
                    opened = []
                attempts.wait_or_raise(TransientError("dynamodb", "act", reason=CONTENDED))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return bool(opened)

    def note_reply_failed(self, record: Record, reason: str) -> None:
        """Store that a person's reply was not sent, and why.

        A handed-off conversation waits for an answer again.

        Raises:
            TransientError: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            now = iso(self._clock.now())
            changes: dict[str, Any] = {"reply_failure": {"reason": reason, "at": now}}
            writes: list[Item] = []
            seen = "#conversation_status = :status"
            values: dict[str, Any] = {}
            if record.is_handed_off:
                since = handoffs.unanswered_since(record.handoff) or now
                handoff = {**record.handoff, "unanswered_since": since}
                changes["handoff"], values = handoff, {"handoff": record.item["handoff"]}
                seen = f"{seen} AND #handoff = :handoff"
                writes.append(self._table.putting(handoffs.entry(record, handoff)))
            update = self._table.updating(
                record.key, set_=changes, condition=seen, status=record.status.value, **values
            )
            try:
                self._table.transact([update, *writes])
            except (TransactionRefused, TransactionConflict):
                attempts.wait_or_raise(
                    TransientError("dynamodb", "note_reply_failed", reason=CONTENDED)
                )
                record = Record(self._table.get(record.key) or record.item)
            else:
                return

    @staticmethod
    def _gone(change: ActChange) -> Collection[str]:
        """The attributes that an act removes; an act that is no mere note also removes the open question."""
        return change.remove if change.handoff is None else (*change.remove, CONFIRMATION)

    def _act_writes(
        self,
        record: Record,
        act_id: str,
        change: ActChange,
        about: Mapping[str, Any],
        beside: Sequence[Item],
    ) -> list[Item]:
        """All writes of a person's act, for one transaction.

        The row that stores the act is first, then the conversation, then the register: the place of
        a refused write shows what failed. Messages for which the item has no room are written to
        rows at once.
        """
        now = self._clock.now()
        common = {"primary_channel": items.partition(record), "ttl": items.ttl_at(now)}
        mark = {**common, **items.act_key(record, act_id), **about, "done_at": iso(now)}
        notes = () if change.note is None else (replace(change.note, number=record.message_count),)
        written: Item = {"updated_at": iso(now)}
        if notes:
            written, leaving = items.after_append(record, notes, now, self._kept, change.attributes)
            self._write_pages(record, leaving)
        seen = "#conversation_status = :status AND #message_count = :count"
        values: dict[str, Any] = {}
        if record.handoff:
            seen, values = f"{seen} AND #handoff = :handoff", {"handoff": record.item["handoff"]}
        else:
            seen = f"{seen} AND attribute_not_exists(#handoff)"
        handoff = {} if change.handoff is None else {"handoff": dict(change.handoff)}
        writes = [
            self._table.putting(mark, condition=_ABSENT),
            self._table.updating(
                record.key,
                set_={**written, **change.attributes, **handoff},
                remove=[name for name in self._gone(change) if name in record.item],
                condition=seen,
                status=record.status.value,
                count=record.message_count,
                **values,
            ),
            *beside,
        ]
        if change.handoff is not None:
            listed = handoffs.entry(record, change.handoff, change.ended, now=now)
            writes.append(self._table.putting(listed))
        if change.draft is not None:
            writes.append(self._table.putting(items.draft_item(record, *change.draft, now)))
        return writes
