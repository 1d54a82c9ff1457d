"""Pairs of a sender and a recipient that had a conversation: a late reply is not a stranger's.

A conversation ends with its newest message.  What is kept beyond is one item under the keyed hash of
sender and recipient, without an address of the recipient or a word of what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from chalicelib.once import keys
from chalicelib.once.store import Item
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations import items

PAIR_TTL = timedelta(days=5 * 365)
"""From the newest opening: as long as a mark not to contact somebody."""
_KEPT = (
    "company_id",
    "project_id",
    "company_name",
    "project_name",
    "channel_method",
    "channel_config",
)
"""What ``of`` holds of the newest conversation, to open one for a late reply; in no index.

Beside it ``newest`` is its opaque id.
"""


def pair_ids(
    opaque: keys.OpaqueIds, channel: Channel, sender: str, recipient: str
) -> tuple[str, ...]:
    """The opaque ids (keyed hashes) of a channel's pair of sender and recipient.

    One for each form of the recipient's number.
    """
    return tuple(opaque.of("pair", channel, sender, form) for form in numbers.spellings(recipient))


class FormerPairs(items.OnTable):
    """Reads the rows that outlive conversations, by the hash of sender and recipient.

    `store.Conversations.open` writes them.
    """

    def former_pair(self, pairs: Sequence[str]) -> Item | None:
        """The row kept of a former conversation of a sender and a recipient; None where they had none.

        `pairs` are their ids, see `pair_ids`; the first one that has a row counts.
        """
        found = (self._table.get(_key(pair)) for pair in pairs)
        return next((item for item in found if item is not None), None)


def pair_item(pair: str, item: Mapping[str, Any], now: datetime) -> Item:
    """The row that outlives a conversation, under the hash of its sender and recipient.

    It has the conversation's opaque id, company, project and channel, but no address of the
    recipient.
    """
    kept = {name: item[name] for name in _KEPT if name in item}
    newest = item["opaque_id"]
    return {**_key(pair), "of": kept, "newest": newest, "ttl": int((now + PAIR_TTL).timestamp())}


def _key(pair: str) -> Item:
    return {"primary_channel": f"opaque#{pair}", "conversation_id": "pair"}
