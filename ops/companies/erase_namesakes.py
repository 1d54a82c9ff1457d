"""Attributes a name found alone after an erasure to the conversation that holds it.

Two people may share a name.  A conversation that still exists after an erasure is another person's.
So a row of it with the name, and with no address, id or given word, may be about a namesake.
"""

from __future__ import annotations

from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items as layout
from ops.session import Session

_OF_A_CONVERSATION = ("opaque_id", "conversation_id", "story", "conversation")
"""Attributes that may hold the opaque id of the conversation that a row belongs to."""
_PARTITIONS = ("events#", "parcel#", "opaque#")


def conversation_of(session: Session, item: Item) -> str:
    """The opaque id of the existing conversation that an item belongs to; empty if there is none."""
    partition = str(item.get("primary_channel", ""))
    named = [str(item.get(field, "")) for field in _OF_A_CONVERSATION]
    named += [
        partition.removeprefix(prefix) for prefix in _PARTITIONS if partition.startswith(prefix)
    ]
    find = session.services.outreach.conversations.find
    there = (candidate for candidate in named if candidate and find(candidate))
    return next(there, "") or _of_page(session, item)


def _of_page(session: Session, item: Item) -> str:
    """The same for a page, draft or mark, whose key has the recipient's address and a digest."""
    _, is_internal, address = str(item.get("primary_channel", "")).partition("#")
    digests = str(item.get("conversation_id", "")).split("#")
    if not is_internal:
        return ""
    table = session.services.table(session.services.settings.conversations_table)
    records = table.query_pages(
        KeyConditionExpression="primary_channel = :p", values={"p": address}, ConsistentRead=True
    )
    return next(
        (
            str(record["opaque_id"])
            for record in records
            if "start_event" in record
            and layout.digest_of(str(record["conversation_id"])) in digests
        ),
        "",
    )
