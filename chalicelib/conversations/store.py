"""The `conversations` table: open, append once, move on, draft, and a method per index.

Besides a conversation's own item, its partition holds items of no index (they lack every index
key) that carry the same ``ttl``::

    page#{digest of conversation_id}#00000042    one entry of the history, in order
    seen#{digest of conversation_id}#{entry_id}  that entry was appended
    draft#{digest of conversation_id}#{entry_id} what will be sent under that entry
    do-not-contact#{company_id}                  the recipient wants nothing of this company

A partition ``opaque#{opaque_id}`` holds where a conversation is, for whoever knows it only by its
opaque id, and the partition ``handoffs`` is the list of what waits for a person.  ``messages`` in
the conversation's item is the newest end of the history, bounded in entries and in bytes, so that
an append costs the same however long the conversation is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from chalicelib import keys
from chalicelib.clock import iso
from chalicelib.conversations import handoffs
from chalicelib.conversations.records import (
    AUTOMATED,
    SENDER_OF,
    Channel,
    Draft,
    Entry,
    Item,
    Opened,
    Record,
    Status,
    draft,
    entry,
)
from chalicelib.dynamo import ConditionFailed, Table, TransactionRefused
from chalicelib.errors import TransientError
from chalicelib.ports import Clock

TTL = timedelta(days=365)
DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""A wish not to be written to outlives the conversations; nothing here is without an end date."""
NEWEST_ENTRIES = 8
NEWEST_BYTES = 4096
"""Bounds of `messages`; every index projects the whole item, so each byte is written nine times."""
TRIES = 8
"""How often a transaction is offered again while others write to the same items."""
CONFLICT = "TransactionConflict"
_NOT_FORBIDDEN = "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"


class Conversations:
    """One table, by the questions that are asked of it."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    # --- writing ------------------------------------------------------------------------------

    def open(self, record: Mapping[str, Any], first: tuple[str, Draft] | None = None) -> Opened:
        """Create a conversation unless it exists or its recipient must not be contacted.

        One transaction: the record, the pointer from its opaque id, and where `first` gives an
        entry id and a draft, that draft.  Doing it again changes nothing.

        Args:
            record: attributes as `records` shows them, without times, ``ttl`` and ``gsi_...``.
            first: the entry id and draft of the opening, when it is written already.
        """
        item = self._new(record)
        writes = [
            self._table.checking(
                _do_not_contact(item["primary_channel"], item["company_id"]),
                condition=_NOT_FORBIDDEN,
            ),
            self._table.putting(item, condition="attribute_not_exists(#conversation_id)"),
            self._table.putting(
                {
                    **_pointer(item["opaque_id"]),
                    "points_to": {k: item[k] for k in ("primary_channel", "conversation_id")},
                    "ttl": item["ttl"],
                }
            ),
        ]
        if first is not None:
            writes.append(self._table.putting(_draft_item(Record(item), *first)))
        for left in reversed(range(TRIES)):
            try:
                self._table.transact(writes)
            except TransactionRefused as refused:
                there = refused.found[1]
                return Opened(Record(there) if there else None, is_new=False)
            except TransientError as error:
                if error.reason != CONFLICT or not left:
                    raise
            else:
                break
        return Opened(Record(item), is_new=True)

    def append(
        self,
        record: Record,
        new: Entry,
        *,
        expected: Collection[Status] | None = None,
        changes: Mapping[str, Any] | None = None,
        remove: Collection[str] = (),
        also: Sequence[Item] = (),
    ) -> tuple[Record, bool]:
        """Append an entry once, and change other attributes with it.

        Args:
            record: as last read; read again where somebody else wrote meanwhile.
            new: its ``entry_id`` makes it this entry; an entry of that id is never written twice.
            expected: the statuses in which `changes` may be applied; in any other the entry is
                appended and nothing else is changed.
            changes: attributes that take a value; None leaves one as it is.
            remove: attributes to take away together with `changes`.
            also: unconditional writes of other tables that belong to the same transaction.

        Returns:
            The record as it is now, and whether the entry was appended by this call.

        Raises:
            TransientError: others wrote at the same time, again and again.
        """
        for _ in range(TRIES):
            may_change = expected is None or record.status in expected
            attributes = self._appended(record, new) | dict((changes or {}) if may_change else {})
            gone = [name for name in remove if may_change and name in record.item]
            try:
                self._table.transact([*self._append_writes(record, new, attributes, gone), *also])
            except TransactionRefused as refused:
                if refused.found[0] is not None:
                    return self.get(record), False
                record = self.get(record)
            except TransientError as error:
                if error.reason != CONFLICT:
                    raise
                record = self.get(record)
            else:
                left = {name: kept for name, kept in record.item.items() if name not in gone}
                return Record({**left, **_present(attributes)}), True
        raise TransientError("dynamodb", "append", reason="contended")

    def move(
        self,
        record: Record,
        expected: Collection[Status],
        changes: Mapping[str, Any],
        *,
        remove: Collection[str] = (),
    ) -> Record | None:
        """Change attributes while the conversation is in one of the expected statuses.

        Returns:
            The record as it is now, or None when it was in another status: nothing was changed.
        """
        names: dict[str, Any] = {f"e{n}": one.value for n, one in enumerate(sorted(expected))}
        either = " OR ".join(f"#conversation_status = :{name}" for name in names)
        try:
            item = self._table.update(
                record.key,
                set_={**changes, "updated_at": iso(self._clock.now())},
                remove=sorted(remove),
                condition=f"attribute_exists(#conversation_id) AND ({either})",
                **names,
            )
        except ConditionFailed:
            return None
        return Record(item)

    def hand_off(
        self, record: Record, *, handoff_id: str, held: str, reason: str, reason_text: str
    ) -> bool:
        """Give a conversation to a person and put it on their list, in one transaction.

        Returns:
            False when a person has it already, or it has failed: nothing was changed.
        """
        now = self._clock.now()
        handoff = {
            "id": handoff_id,
            "held": held,
            "reason": reason,
            "since": iso(now),
            "was": record.status.value,
        }
        changes = {
            "conversation_status": Status.HANDED_OFF.value,
            "hand_off_to_human": True,
            "hand_off_to_human_reason": reason_text,
            "handoff": handoff,
            "updated_at": iso(now),
        }
        listed = {
            **handoffs.key(handoff_id, record.opaque_id),
            "points_to": record.key,
            "opaque_id": record.opaque_id,
            "company_id": record.company_id,
            "project_id": record.project_id,
            "handoff_state": handoffs.WAITING,
            "ttl": record.item["ttl"],
            **{name: handoff[name] for name in ("held", "reason", "since")},
        }
        states: dict[str, Any] = {f"e{n}": one.value for n, one in enumerate(sorted(AUTOMATED))}
        either = " OR ".join(f"#conversation_status = :{name}" for name in states)
        update = self._table.updating(record.key, set_=changes, condition=either, **states)
        for left in reversed(range(TRIES)):
            try:
                self._table.transact([update, self._table.putting(listed)])
            except TransactionRefused:
                return False
            except TransientError as error:
                if error.reason != CONFLICT or not left:
                    raise
            else:
                break
        return True

    def note_delivery(
        self, record: Record, entry_id: str, status: str, rank: int, *, reason: str | None = None
    ) -> bool:
        """Advance what is known of a sent message's delivery.

        It is kept with the message's draft, which no index holds.

        Returns:
            False when as much or more was known already; the state never goes backwards.
        """
        try:
            self._table.update(
                _draft_key(record, entry_id),
                set_={
                    "delivery_status": status,
                    "delivery_rank": rank,
                    "delivery_reason": reason,
                    "delivery_at": iso(self._clock.now()),
                },
                condition="attribute_exists(#conversation_id) AND"
                " (attribute_not_exists(#delivery_rank) OR #delivery_rank < :rank)",
                rank=rank,
            )
        except ConditionFailed:
            return False
        return True

    def keep_draft(self, record: Record, entry_id: str, written: Draft) -> Draft:
        """Store what will be sent under an entry id; the first one stored stays for good."""
        try:
            self._table.put(
                _draft_item(record, entry_id, written),
                condition="attribute_not_exists(#conversation_id)",
            )
        except ConditionFailed as found:
            return draft(found.item)
        return written

    def forbid(self, primary_channel: str, company_id: str, reason: str) -> None:
        """Mark that a recipient wants nothing of a company; doing it again changes nothing."""
        now = self._clock.now()
        self._table.update(
            _do_not_contact(primary_channel, company_id),
            set_={"reason": reason, "ttl": int((now + DO_NOT_CONTACT_TTL).timestamp())},
            keep={"since": iso(now)},
            remove=["lifted_at"],
        )

    def allow(self, primary_channel: str, company_id: str) -> None:
        """Lift the mark, because the recipient said so; nothing happens where there is none."""
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                _do_not_contact(primary_channel, company_id),
                set_={"lifted_at": iso(self._clock.now())},
                condition="attribute_exists(#conversation_id)",
            )

    # --- reading ------------------------------------------------------------------------------

    def get(self, record: Record) -> Record:
        """A conversation read anew."""
        found = self.read(record.primary_channel, record.conversation_id)
        return found or record

    def read(self, primary_channel: str, conversation_id: str) -> Record | None:
        """A conversation by its key, consistently."""
        item = self._table.get(
            {"primary_channel": primary_channel, "conversation_id": conversation_id}
        )
        return Record(item) if item else None

    def find(self, opaque_id: str) -> Record | None:
        """A conversation by what stands for it in every other table."""
        item = self._table.get(_pointer(opaque_id))
        return self.read(**item["points_to"]) if item else None

    def draft(self, record: Record, entry_id: str) -> Draft | None:
        """What will be, or was, sent under an entry id."""
        item = self._table.get(_draft_key(record, entry_id))
        return draft(item) if item else None

    def delivery(self, record: Record, entry_id: str) -> str | None:
        """How far a sent message is known to have come."""
        item = self._table.get(_draft_key(record, entry_id))
        return item.get("delivery_status") if item else None

    def history(self, record: Record) -> Iterator[Entry]:
        """Every entry, oldest first."""
        return map(entry, self._pages(record))

    def newest(self, record: Record, count: int) -> tuple[Entry, ...]:
        """The newest entries, oldest first; reads only where the record does not hold them."""
        if count <= len(record.messages) or record.message_count == len(record.messages):
            return record.messages[-count:]
        pages = self._pages(record, ScanIndexForward=False, Limit=count)
        return tuple(reversed([entry(item) for item, _ in zip(pages, range(count), strict=False)]))

    def has_entry(self, record: Record, entry_id: str) -> bool:
        """Whether an entry of that id was appended."""
        return self._table.get(_seen_key(record, entry_id)) is not None

    def is_forbidden(self, primary_channel: str, company_id: str) -> bool:
        """Whether the recipient wants nothing of the company."""
        mark = self._table.get(_do_not_contact(primary_channel, company_id))
        return mark is not None and "lifted_at" not in mark

    # --- one method per index -----------------------------------------------------------------

    def of_project(self, company_id: str, project_id: str) -> Iterator[Record]:
        """By `company-id-project-id-index`: for reports."""
        return self._by("company-id-project-id-index", company_id=company_id, project_id=project_id)

    def of_pair(self, channel: Channel, sender: str, recipient: str) -> Iterator[Record]:
        """By the channel's sparse index: which conversations an incoming message may belong to.

        Args:
            channel: which index.
            sender: the company's number or address.
            recipient: the customer's.
        """
        kind = "email" if channel == Channel.EMAIL else "tel"
        by = SENDER_OF[channel]
        return self._by(
            f"{by.replace('_', '-')}-recipient-{kind}-index",
            **{f"gsi_{by}": sender, f"gsi_recipient_{kind}": recipient},
        )

    def created_between(
        self, primary_channel: str, since: datetime, until: datetime
    ) -> Iterator[Record]:
        """By `created-at-index`: a recipient's conversations within a time, oldest first."""
        return self._records(
            IndexName="created-at-index",
            KeyConditionExpression="primary_channel = :p AND created_at BETWEEN :a AND :b",
            values={"p": primary_channel, "a": iso(since), "b": iso(until)},
        )

    def by_task(self, primary_channel: str, *, is_complete: bool) -> Iterator[Record]:
        """By `task-complete-index`: a recipient's conversations whose opening was sent, or not."""
        return self._by(
            "task-complete-index", primary_channel=primary_channel, task_complete=int(is_complete)
        )

    def by_status(self, primary_channel: str, status: Status) -> Iterator[Record]:
        """By `conversation-status-index`: a recipient's conversations in a status."""
        return self._by(
            "conversation-status-index",
            primary_channel=primary_channel,
            conversation_status=status.value,
        )

    def by_channel(self, primary_channel: str, channel: Channel) -> Iterator[Record]:
        """By `channel-method-index`: a recipient's conversations on a channel."""
        return self._by(
            "channel-method-index", primary_channel=primary_channel, channel_method=channel.value
        )

    # --- the items behind ---------------------------------------------------------------------

    def _new(self, record: Mapping[str, Any]) -> Item:
        now = self._clock.now()
        item = {
            "conversation_status": Status.PROCESSING.value,
            "messages": [],
            "message_count": 0,
            "task_complete": 0,
            "comms_consent": False,
            "function_call": False,
            "hand_off_to_human": False,
            "created_at": iso(now),
            "updated_at": iso(now),
            "ttl": int((now + TTL).timestamp()),
            **_present(record),
        }
        by = SENDER_OF[Channel(item["channel_method"])]
        sparse = {
            "gsi_recipient_tel": item.get("recipient_tel"),
            "gsi_recipient_email": item.get("recipient_email"),
            f"gsi_{by}": (item.get("channel_config") or {}).get(by),
        }
        return item | {name: value for name, value in sparse.items() if value}

    def _appended(self, record: Record, new: Entry) -> Item:
        newest = [*record.item["messages"], new.item()][-NEWEST_ENTRIES:]
        while len(newest) > 1 and sum(map(_bytes, newest)) > NEWEST_BYTES:
            del newest[0]
        return {
            "messages": newest,
            "message_count": record.message_count + 1,
            "updated_at": iso(self._clock.now()),
        }

    def _append_writes(
        self, record: Record, new: Entry, attributes: Mapping[str, Any], gone: Sequence[str]
    ) -> list[Item]:
        """The mark first: it alone tells that the entry is there already."""
        number, digest = record.message_count, _digest(record)
        common = {"primary_channel": record.primary_channel, "ttl": record.item["ttl"]}
        mark = {**common, **_seen_key(record, new.entry_id)}
        page = {**common, "conversation_id": f"page#{digest}#{number:08d}", **new.item()}
        absent = "attribute_not_exists(#conversation_id)"
        return [
            self._table.putting(mark, condition=absent),
            self._table.putting(page, condition=absent),
            self._table.updating(
                record.key,
                set_=attributes,
                remove=gone,
                condition="#message_count = :was AND #conversation_status = :status",
                was=number,
                status=record.status.value,
            ),
        ]

    def _pages(self, record: Record, **how: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own
        return self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :page)",
            values={"p": record.primary_channel, "page": f"page#{_digest(record)}#"},
            ConsistentRead=True,
            **how,
        )

    def _by(self, index: str, **equal: object) -> Iterator[Record]:
        return self._records(
            IndexName=index,
            KeyConditionExpression=" AND ".join(f"{name} = :{name}" for name in equal),
            values=equal,
        )

    def _records(self, **arguments: Any) -> Iterator[Record]:  # noqa: ANN401 - boto3's own
        return map(Record, self._table.query_pages(**arguments))


def _do_not_contact(primary_channel: str, company_id: str) -> Item:
    return {
        "primary_channel": primary_channel,
        "conversation_id": f"do-not-contact#{company_id}",
    }


def _pointer(opaque_id: str) -> Item:
    return {"primary_channel": f"opaque#{opaque_id}", "conversation_id": "pointer"}


def _draft_item(record: Record, entry_id: str, written: Draft) -> Item:
    return {**_draft_key(record, entry_id), "ttl": record.item["ttl"], **written.item()}


def _draft_key(record: Record, entry_id: str) -> Item:
    return {
        "primary_channel": record.primary_channel,
        "conversation_id": f"draft#{_digest(record)}#{entry_id}",
    }


def _seen_key(record: Record, entry_id: str) -> Item:
    return {
        "primary_channel": record.primary_channel,
        "conversation_id": f"seen#{_digest(record)}#{entry_id}",
    }


def digest_of(conversation_id: str) -> str:
    """What stands for a conversation in the keys of the items behind it."""
    return keys.digest(conversation_id)[:32]


def _digest(record: Record) -> str:
    return digest_of(record.conversation_id)


def _bytes(message: Mapping[str, Any]) -> int:
    return sum(len(str(value).encode()) for value in message.values())


def _present(values: Mapping[str, Any]) -> Item:
    return {name: value for name, value in values.items() if value is not None}
