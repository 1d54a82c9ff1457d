"""The entries of every conversation: those of its item, and the pages of those that have left it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record, entry


def pages(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Each entry once, as the row of its page, whether or not it has one yet.

    Args:
        rows: of the table ``conversations``.
    """
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if "start_event" in row:
            record = Record(row)
            place = items.partition(record)
            for message in row["messages"]:
                page = items.page_id(record, entry(message))
                key = {"primary_channel": place, "conversation_id": page}
                found[place, page] = {**key, **message}
        elif row["conversation_id"].startswith("page#"):
            found[row["primary_channel"], row["conversation_id"]] = row
    return list(found.values())
