"""The `conversations` table: open, append once, change status, hand off; the parts do the rest.

`items` has the layout, `queries` reads, `drafts` stores messages before they are sent,
`do_not_contact` changes the register of recipients that must not be contacted, `former` pairs that
had a conversation, `handoffs` the list of hand-offs, `desk_acts` what persons do, `called_tools`
the calls of tools.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import LeaseLostError, TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import ConditionFailed, Item, TransactionConflict, TransactionRefused
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations import former, handoffs, items
from chalicelib.outreach.conversations.called_tools import CalledTools
from chalicelib.outreach.conversations.confirmed import Confirmations
from chalicelib.outreach.conversations.day_counts import DayCounts
from chalicelib.outreach.conversations.desk_acts import DeskActRows
from chalicelib.outreach.conversations.doubts import Doubts
from chalicelib.outreach.conversations.drafts import Drafts
from chalicelib.outreach.conversations.items import TRIES
from chalicelib.outreach.conversations.preferring import Preferring
from chalicelib.outreach.conversations.queries import Queries
from chalicelib.outreach.conversations.records import (
    CONFIRMATION,
    CONTINUED_BY,
    UNATTENDED,
    Draft,
    Entry,
    OpenResult,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_imports import RegisterImports
from chalicelib.outreach.conversations.register_pages import RegisterPages
from chalicelib.outreach.conversations.shelves import Shelves
from chalicelib.outreach.conversations.stop_counts import HELD, StopCounts, rule_of
from chalicelib.outreach.conversations.subject_links import RecipientAtStart, SubjectLinks
from chalicelib.outreach.conversations.subject_rows import SUBJECTS
from chalicelib.outreach.conversations.wrong_answers import WrongAnswers


class Conversations(
    Queries,
    Drafts,
    Doubts,
    Confirmations,
    Preferring,
    SubjectLinks,
    RegisterImports,
    RegisterPages,
    former.FormerPairs,
    DeskActRows,
    CalledTools,
    StopCounts,
    DayCounts,
    WrongAnswers,
    Shelves,
):
    """The store of the conversations table: opens, appends, changes status, hands off; has all parts."""

    def open(
        self,
        record: Mapping[str, Any],
        first: tuple[str, Draft] | None = None,
        *,
        held: Item | None = None,
        pairs: Sequence[str] = (),
        is_wanted: bool = False,
        also: Sequence[Item] = (),
    ) -> OpenResult:
        """Create a conversation, unless it exists or its recipient must not be contacted.

        Doing it again changes nothing. One transaction writes the record, the pointer from its
        opaque id, the rows of `pairs`, the link of the addresses that the start names, the consent
        that the start brings, and the first message's draft.

        Args:
            record: attributes as `records` shows them, without times, ``ttl`` and ``gsi_...``.
            first: the entry id and draft of the first message; None when it is not written yet.
            held: a write of another table that fails unless the caller holds the start's lease.
            pairs: the ids of the rows that outlive the conversation, see `former.pair_ids`.
            is_wanted: the recipient has written first, so no opt-out forbids the conversation, and
                no addresses are linked.
            also: further writes; where the condition of one fails, nothing is opened.

        Returns:
            The conversation, and whether this call created it; None where the recipient must not be
            contacted, or a condition of `also` failed.

        Raises:
            LeaseLostError: the caller does not hold the start's lease any more.
            TransientError: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            start = self.recipient_at_start(Record(record)) if not is_wanted else RecipientAtStart()
            if start.is_forbidden and self.read(*_key_of(record)) is None:
                # The company has named both addresses all the same: they are one person from now on.
                if not start.writes or self._is_written(attempts, start.writes):
                    return OpenResult(None, is_new=False)
                continue
            item, before = self._opening(record, first, pairs, start)
            after = [*also, *((held,) if held is not None else ())]
            try:
                self._table.transact([*before, *start.writes, *after])
            except TransactionRefused as refused:
                there = refused.found[0]
                changed = refused.found[len(before) : len(before) + len(start.writes)]
                if not there and held is not None and refused.found[-1] is not None:
                    raise LeaseLostError(reasons.START_TAKEN) from None
                if there or not any(row is not None for row in changed):
                    return OpenResult(Record(there) if there else None, is_new=False)
                attempts.wait_or_raise(_contended("open"))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return OpenResult(Record(item), is_new=True)

    def _opening(
        self,
        record: Mapping[str, Any],
        first: tuple[str, Draft] | None,
        pairs: Sequence[str],
        start: RecipientAtStart,
    ) -> tuple[Item, list[Item]]:
        """The item of a conversation to open, and the writes that store it.

        The writes are those of the item, of the row that finds it by its opaque id
        (`items.pointer_item`), of the rows that outlive it (`former.pair_item`) and of the first message's
        draft, if given.
        """
        now = self._clock.now()
        roots = {SUBJECTS: list(start.roots)} if start.roots else {}
        item = items.new_item({**record, **roots}, now, self._kept)
        writes = [
            self._table.putting(item, condition="attribute_not_exists(#conversation_id)"),
            self._table.putting(items.pointer_item(item, item["ttl"])),
            *(self._table.putting(former.pair_item(pair, item, now)) for pair in pairs),
        ]
        if first is not None:
            draft = items.draft_item(Record(item), *first, now, self._kept)
            writes.append(self._table.putting(draft))
        return item, writes

    def append(
        self,
        record: Record,
        new: Entry,
        *,
        expected: Collection[Status] | None = None,
        changes: Mapping[str, Any] | None = None,
        remove: Collection[str] = (),
        also: Sequence[Item] = (),
        then: Sequence[Item] = (),
        before: Entry | None = None,
        joins: bool = False,
    ) -> tuple[Record, bool]:
        """Append a message to a conversation once, and change other attributes with it.

        A single write of the conversation's item, or a transaction where other rows must change
        with it.

        Args:
            record: as last read; read again where another writer changed it meanwhile.
            new: the message; one ``entry_id`` is never written twice.
            expected: the statuses in which `changes` may be applied; in any other the entry is
                appended and nothing else is changed.
            changes: attributes that take a value; None leaves one as it is.
            remove: attributes to remove together with `changes`.
            also: unconditional writes that belong to the same transaction.
            then: unconditional writes done once after the append: by this call, or by a repetition
                where this call crashed in between.
            before: a message that is appended just before the new one, in the same write.
            joins: the message is the recipient's: a handed-off conversation then waits for an
                answer.

        Returns:
            The record as stored now, and whether this call appended the message.

        Raises:
            TransientError: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while not self._was_appended(record, new.entry_id):
            may_change = expected is None or record.status in expected
            now = self._clock.now()
            first = record.message_count
            entries = [
                replace(entry, number=first + n)
                for n, entry in enumerate((new,) if before is None else (before, new))
            ]
            wanted = dict((changes or {}) if may_change else {})
            gone = [name for name in remove if may_change and name in record.item]
            if joins and record.is_handed_off:
                said_at = new.message_timestamp
                wanted["handoff"] = handoffs.after_message(record.handoff, said_at)
            attributes, leaving = items.after_append(record, entries, now, self._kept, wanted)
            try:
                self._write_pages(record, leaving)
                self._write_append(record, attributes, gone, now, also)
            except (ConditionFailed, TransactionRefused, TransactionConflict):
                found = self.read(record.primary_channel, record.conversation_id)
                if found is None:  # erased meanwhile: none of its text may be left
                    self._blank_pages(record, leaving)
                attempts.wait_or_raise(_contended("append"))
                record = found or record
            else:
                self._follow(record, new, then)
                left = {name: kept for name, kept in record.item.items() if name not in gone}
                return Record({**left, **attributes}), True
        self._follow(record, new, then)
        return self.reread(record), False

    def change_while(
        self,
        record: Record,
        expected: Collection[Status],
        changes: Mapping[str, Any],
        *,
        remove: Collection[str] = (),
        same_handoff: bool = False,
    ) -> Record | None:
        """Change a conversation's attributes, only while it is in one of the expected statuses.

        Args:
            record: as last read.
            expected: the statuses.
            changes: attributes to set.
            remove: attributes to remove.
            same_handoff: change nothing unless the hand-off is as it was read; it may have been
                released meanwhile, and the conversation handed off again for another reason.

        Returns:
            The record as stored now; None, with nothing changed, where the status or hand-off is
            another one, or the conversation is gone.
        """
        names: dict[str, Any] = {f"e{n}": status.value for n, status in enumerate(sorted(expected))}
        either = " OR ".join(f"#conversation_status = :{name}" for name in names)
        condition = f"attribute_exists(#conversation_id) AND ({either})"
        if same_handoff:
            condition, names["handoff"] = f"{condition} AND #handoff = :handoff", record.handoff
        try:
            item = self._table.update(
                record.key,
                set_={**changes, "updated_at": iso(self._clock.now())},
                remove=sorted(remove),
                condition=condition,
                **names,
            )
        except ConditionFailed:
            return None
        return Record(item)

    def continuing(self, record: Record, link: Mapping[str, Any]) -> Item:
        """The write, for the transaction of `open`, that links a failed conversation to its continuation.

        The write fails where the conversation has not failed, its recipient has written, or another
        conversation continues it already.
        """
        return self._table.updating(
            record.key,
            set_={CONTINUED_BY: dict(link), "updated_at": iso(self._clock.now())},
            condition="#conversation_status = :failed AND attribute_not_exists(#last_inbound_at)"
            f" AND attribute_not_exists(#{CONTINUED_BY})",
            failed=Status.FAILED.value,
        )

    def set_waiting(self, record: Record, waiting: Sequence[str]) -> None:
        """Replace a conversation's stored list of the events that wait to be handled; the record gets it too.

        Raises:
            TransientError: another writer has changed it since the record was read.
        """
        if list(record.waiting) == list(waiting):
            return
        known: dict[str, Any] = {"waiting": record.item.get("waiting")}
        unchanged = "#waiting = :waiting" if known["waiting"] else "attribute_not_exists(#waiting)"
        try:
            self._table.update(
                record.key,
                set_={"waiting": list(waiting) or None},
                remove=() if waiting else ("waiting",),
                condition=f"attribute_exists(#conversation_id) AND {unchanged}",
                reading=False,
                **(known if known["waiting"] else {}),
            )
        except ConditionFailed:
            raise _contended("set_waiting") from None
        if isinstance(record.item, dict):  # the run's next change builds on it
            record.item["waiting"] = list(waiting)

    def hand_off(
        self, record: Record, *, handoff_id: str, held: str, reason: str, reason_text: str
    ) -> bool:
        """Hand a conversation off to a person and list it for the company, in one transaction.

        A hand-off that holds a message replaces one that holds none and that no person has taken,
        so that the message can be released.

        Returns:
            False, with nothing changed, where the conversation is handed off already or gone, or
            this hand-off was made before, even if it was released since.

        Raises:
            TransientError: other writers interfered with every attempt.
        """
        handoff = {
            "id": handoff_id,
            "held": held,
            "reason": reason,
            "since": iso(self._clock.now()),
        }
        self.announce_handoff(record)
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            try:
                self._table.transact(self._hand_off_writes(record, handoff, reason_text))
            except TransactionRefused as refused:
                there, listed = refused.found[:2]
                if not there or listed is not None:
                    return False
                record = Record(there)
                if record.is_handed_off and not handoffs.gives_way(record, handoff):
                    return False
                attempts.wait_or_raise(_contended("hand_off"))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                break
        rule = rule_of(handoff)
        if rule:
            self.count_stop(record, rule, HELD)
        return True

    def _hand_off_writes(
        self, record: Record, handoff: Mapping[str, Any], reason_text: str
    ) -> list[Item]:
        """The writes of a hand-off: of the conversation and of its new entry in the list.

        Where the hand-off replaces another one, that one's entry is written too.
        """
        # A hand-off is stored once: its repetition may come after it was released.
        entry = self._table.putting(
            handoffs.entry(record, handoff, handoffs.WAITING),
            condition="attribute_not_exists(#conversation_id)",
        )
        if handoffs.gives_way(record, handoff):
            update = self._table.updating(
                record.key,
                set_={
                    "handoff": {**handoff, "was": record.handoff["was"]},
                    "hand_off_to_human_reason": reason_text,
                    "updated_at": handoff["since"],
                },
                condition="#conversation_status = :status AND #handoff = :handoff",
                status=Status.HANDED_OFF.value,
                handoff=record.handoff,
            )
            replaced = handoffs.entry(record, record.handoff, handoffs.REPLACED)
            return [update, entry, self._table.putting(replaced)]
        states: dict[str, Any] = {
            f"e{n}": status.value for n, status in enumerate(sorted(UNATTENDED))
        }
        changes = {
            "conversation_status": Status.HANDED_OFF.value,
            "hand_off_to_human": True,
            "hand_off_to_human_reason": reason_text,
            "handoff": {**handoff, "was": record.status.value},
            "updated_at": handoff["since"],
        }
        either = " OR ".join(f"#conversation_status = :{name}" for name in states)
        update = self._table.updating(
            record.key, set_=changes, remove=[CONFIRMATION], condition=either, **states
        )
        return [update, entry]

    def _write_append(
        self,
        record: Record,
        attributes: Mapping[str, Any],
        gone: Sequence[str],
        now: datetime,
        also: Sequence[Item],
    ) -> None:
        """Write an append to a conversation's item, in one transaction with the other rows that must change.

        These are the hand-off's entry in the list, the pointer where ``ttl`` changes, and `also`.
        """
        condition = "#message_count = :was AND #conversation_status = :status"
        values: dict[str, Any] = {"was": record.message_count, "status": record.status.value}
        beside = [*also]
        if "handoff" in attributes:
            condition, values["handoff"] = f"{condition} AND #handoff = :handoff", record.handoff
            listed = Record({**record.item, **attributes})
            beside.append(self._table.putting(handoffs.entry(listed, listed.handoff, now=now)))
        if "ttl" in attributes:
            beside.append(self._table.putting(items.pointer_item(record.item, attributes["ttl"])))
        how: dict[str, Any] = {"set_": attributes, "remove": gone, "condition": condition, **values}
        if beside:
            self._table.transact([self._table.updating(record.key, **how), *beside])
        else:
            self._table.update(record.key, reading=False, **how)

    def _follow(self, record: Record, new: Entry, then: Sequence[Item]) -> None:
        """Do the given writes that follow a message's append, at most once for that message."""
        if not then:
            return
        ends = items.ttl_at(self._clock.now(), self._kept)
        mark = {**items.followed_key(record, new.entry_id), "ttl": ends}
        is_first = "attribute_not_exists(#conversation_id)"
        with contextlib.suppress(TransactionRefused):
            self._transact([self._table.putting(mark, condition=is_first), *then])

    def _transact(self, writes: Sequence[Item]) -> None:
        """Do all writes in one transaction; it is repeated while other transactions write the same rows.

        Raises:
            TransactionRefused: a write's condition failed.
            TransactionConflict: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            try:
                return self._table.transact(writes)
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)


def _key_of(record: Mapping[str, Any]) -> tuple[str, str]:
    return str(record["primary_channel"]), str(record["conversation_id"])


def _contended(operation: str) -> TransientError:
    return TransientError("dynamodb", operation, reason=CONTENDED)
