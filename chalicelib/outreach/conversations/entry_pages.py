"""Moves older messages out of a conversation's item: a page for each, by number, and a mark, by entry id."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.clock import parsed
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Entry, Record


class Paging(items.OnTable):
    """Writes the rows of messages that leave a conversation's item; `queries` reads them."""

    def _write_pages(self, record: Record, leaving: Sequence[Entry]) -> None:
        """Write messages that are to leave a conversation's item into rows of their own.

        Until they leave, they are in the item too, so no reader sees a change, however often this
        is done.
        """
        if leaving:
            self._table.put_all([row for entry in leaving for row in self._rows(record, entry)])

    def _blank_pages(self, record: Record, leaving: Sequence[Entry]) -> None:
        """Empty the rows of messages just written, since their conversation was erased meanwhile.

        The emptied rows expire at once.
        """
        ends = int(self._clock.now().timestamp())
        rows = [row for entry in leaving for row in self._rows(record, entry)]
        kept = ("primary_channel", "conversation_id")
        self._table.put_all([{name: row[name] for name in kept} | {"ttl": ends} for row in rows])

    def _rows(self, record: Record, entry: Entry) -> list[Item]:
        written_at = parsed(entry.message_timestamp) or self._clock.now()
        common = {
            "primary_channel": items.partition(record),
            "ttl": items.ttl_at(written_at, self._kept),
        }
        noted = {"note": entry.note} if entry.note else {}
        timed = {"message_timestamp": entry.message_timestamp}
        page = {"conversation_id": items.page_id(record, entry), **entry.item()}
        mark = {**items.seen_key(record, entry.entry_id), **timed, **noted}
        return [{**common, **page}, {**common, **mark}]
