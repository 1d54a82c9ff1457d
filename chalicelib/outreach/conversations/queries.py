"""Reads conversations: by key, by opaque id, whole histories, and by each index."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.store import Item
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.recipients import addresses_of
from chalicelib.outreach.conversations.records import Entry, Record, Status, entry

RECENT = 8
"""So many of the newest entries do rules look at, as whether a machine repeats itself."""


class Queries(items.OnTable):
    """Reads conversations and their messages; it writes nothing."""

    def reread(self, record: Record) -> Record:
        """The conversation, read again from the table; the given record where it is gone."""
        found = self.read(record.primary_channel, record.conversation_id)
        return found or record

    def read(self, primary_channel: str, conversation_id: str) -> Record | None:
        """A conversation by its key, read consistently; None where there is none."""
        item = self._table.get(
            {"primary_channel": primary_channel, "conversation_id": conversation_id}
        )
        return Record(item) if item else None

    def find(self, opaque_id: str) -> Record | None:
        """A conversation by its opaque id; None where there is none."""
        item = self._table.get(items.pointer_key(opaque_id))
        return self.read(**item["points_to"]) if item else None

    def find_all(self, opaque_ids: Collection[str]) -> dict[str, Record]:
        """The conversations with the given opaque ids, by opaque id; two reads fetch all.

        An id without a conversation is left out.
        """
        pointers = self._table.get_all([items.pointer_key(id_) for id_ in opaque_ids])
        found = self._table.get_all([pointer["points_to"] for pointer in pointers])
        return {str(item["opaque_id"]): Record(item) for item in found}

    def history(self, record: Record) -> Iterator[Entry]:
        """Every message of a conversation, in order of writing; the conversation is read again first."""
        return (message for _, message in self._from(self.reread(record), 0))

    def page(self, record: Record, first: int, count: int) -> list[tuple[int, Entry]]:
        """Up to `count` messages of a just-read conversation, from a number on, each with its number."""
        return list(islice(self._from(record, first, Limit=count), count))

    def newest_entries(self, record: Record, count: int) -> tuple[Entry, ...]:
        """The newest `count` messages of a conversation, in order of writing.

        The table is read only where the record lacks some of them.
        """
        held = record.messages[-count:]
        if record.message_count == len(record.messages) or _are_newest(held, count, record):
            return held
        paged = islice(self._pages(record, 0, ScanIndexForward=False, Limit=count), count)
        found = {message.number: message for message in (*map(entry, paged), *record.messages)}
        return tuple(message for _, message in sorted(found.items())[-count:])

    def recent_entries(self, record: Record) -> tuple[Entry, ...]:
        """The newest `RECENT` messages of a conversation, in order of writing."""
        return self.newest_entries(record, RECENT)

    def entries_since_ours(self, record: Record) -> list[Entry]:
        """The messages since the company's last one, as far back as the newest `RECENT` messages reach."""
        known: Sequence[Entry] = record.messages
        if not any(message.role == "assistant" for message in known):
            known = self.recent_entries(record)
        last = max(
            (n for n, message in enumerate(known) if message.role == "assistant"), default=-1
        )
        return list(known[last + 1 :])

    def has_entry(self, record: Record, entry_id: str) -> bool:
        """Whether the conversation has a message with this entry id, be it ours or the recipient's."""
        return self._stored_message(record, entry_id) is not None

    def note_of(self, record: Record, entry_id: str) -> str | None:
        """The note code on the message with an entry id; None without a note, and without such a message."""
        return (self._stored_message(record, entry_id) or {}).get("note")

    def time_of(self, record: Record, entry_id: str) -> str | None:
        """The ISO time of the message with an entry id; None where the conversation has no such message."""
        return (self._stored_message(record, entry_id) or {}).get("message_timestamp")

    def _stored_message(self, record: Record, entry_id: str) -> Item | None:
        """What is stored of the message with an entry id: the whole of it while it is in the item.

        Of a message that has left the conversation's item, it is the row with its time and note;
        None for no message.
        """
        return (
            _message(record, entry_id)
            or _message(self.reread(record), entry_id)
            or self._table.get(items.seen_key(record, entry_id))
        )

    def _was_appended(self, record: Record, entry_id: str) -> bool:
        """Whether a message with this entry id is among those that the record counts, in the item or not.

        A message's row is written before the message leaves the item, so the row is looked up after
        the item.
        """
        if _message(record, entry_id) is not None:
            return True
        if record.message_count == len(record.messages):
            return False
        return self._table.get(items.seen_key(record, entry_id)) is not None

    # --- one method per index -----------------------------------------------------------------

    def of_project(self, company_id: str, project_id: str) -> Iterator[Record]:
        """A project's conversations, by `company-id-project-id-index`; for reports."""
        return self._by("company-id-project-id-index", company_id=company_id, project_id=project_id)

    def of_pair(self, channel: Channel, sender: str, recipient: str) -> Iterator[Record]:
        """All conversations between a company's address and a recipient; an incoming message belongs to one.

        Args:
            channel: the channel, whose sparse index is read.
            sender: the company's number or address.
            recipient: the customer's number or address.
        """
        of = channel.traits
        pair = {f"gsi_{of.sender}": sender, f"gsi_{of.address.field}": recipient}
        return self._by(of.index, **pair)

    def created_between(
        self, primary_channel: str, since: datetime, until: datetime
    ) -> Iterator[Record]:
        """A recipient's conversations created within a time, oldest first, by `created-at-index`."""
        return self._records(
            IndexName="created-at-index",
            KeyConditionExpression="primary_channel = :p AND created_at BETWEEN :a AND :b",
            values={"p": primary_channel, "a": iso(since), "b": iso(until)},
        )

    def with_recipient(
        self, primary_channel: str, company_id: str, at_most: int
    ) -> Iterator[Record]:
        """A company's conversations with an address, read consistently.

        Only the first `at_most` rows of the address are read, whatever company they belong to.
        """
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p",
            values={"p": primary_channel},
            ConsistentRead=True,
        )
        for item in islice(found, at_most):
            if item.get("company_id") == company_id and "start_event" in item:
                yield Record(item)

    def by_task(self, primary_channel: str, *, is_complete: bool) -> Iterator[Record]:
        """A recipient's conversations whose first message was sent (`is_complete`), or else was not.

        Read from `task-complete-index`.
        """
        return self._by(
            "task-complete-index", primary_channel=primary_channel, task_complete=int(is_complete)
        )

    def by_status(self, primary_channel: str, status: Status) -> Iterator[Record]:
        """A recipient's conversations in one status, by `conversation-status-index`."""
        return self._by(
            "conversation-status-index",
            primary_channel=primary_channel,
            conversation_status=status.value,
        )

    def by_channel(self, primary_channel: str, channel: Channel) -> Iterator[Record]:
        """A recipient's conversations on one channel, by `channel-method-index`."""
        return self._by(
            "channel-method-index", primary_channel=primary_channel, channel_method=channel.value
        )

    def has_recipient_written(self, record: Record) -> bool:
        """Whether a conversation's recipient has written to the company, from any of their addresses.

        A message in this conversation counts at any time; one in another conversation, only since
        the company asked for this one. Automatic messages do not count.

        Raises:
            TransientError: the conversations could not be read.
        """
        forms = {
            form: None for address in addresses_of(record) for form in numbers.spellings(address)
        }
        for address in forms:
            found = self._table.query_pages(
                KeyConditionExpression="primary_channel = :p",
                values={"p": address},
                ConsistentRead=True,
            )
            for item in found:
                said_at = item.get("last_inbound_at")
                is_own = item["conversation_id"] == record.conversation_id
                is_theirs = item.get("company_id") == record.company_id
                if said_at and is_theirs and (is_own or said_at >= record.asked_at):
                    return True
        return False

    def _from(self, record: Record, first: int, **how: Any) -> Iterator[tuple[int, Entry]]:  # noqa: ANN401 - boto3's own
        """A conversation's messages from a given number on, in order, each with its number.

        They come from the conversation's item and the rows of older messages. The rows are read
        after the item, because a message may move from the item to a row meanwhile.
        """
        held = {message.number: message for message in record.messages if message.number >= first}
        for item in self._pages(record, first, **how):
            message = entry(item)
            for number in sorted(number for number in held if number < message.number):
                yield number, held.pop(number)
            held.pop(message.number, None)
            yield message.number, message
        yield from sorted(held.items())

    def _pages(self, record: Record, first: int, **how: Any) -> Iterator[Item]:  # noqa: ANN401 - boto3's own
        prefix = f"page#{items.digest(record)}#"
        return self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={"p": items.partition(record), "a": f"{prefix}{first:08d}", "b": f"{prefix}~"},
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


def _message(record: Record, entry_id: str) -> Item | None:
    """The stored message with an entry id in a conversation's item; None where it is not there."""
    return next(
        (message for message in record.item["messages"] if message["entry_id"] == entry_id), None
    )


def _are_newest(some: Sequence[Entry], count: int, record: Record) -> bool:
    """Whether the given messages are exactly the newest `count` of the conversation, without a gap."""
    wanted = range(record.message_count - count, record.message_count)
    return [message.number for message in some] == list(wanted)
