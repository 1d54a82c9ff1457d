"""Parcels: the jobs of starts, kept until their conversations are open.

A row of the ledger holds no personal data, so it cannot make the job of a start whose conversation no
table knows yet.  The door writes the job beside the row, in one transaction::

    parcel#{opaque id}    {event key}    opaque_id   as in every item about a conversation
                                         company_id  whose start it is, by which erasing finds it
                                         job         the job as the queue carries it
                                         ttl         30 days, as long as its row

Once the conversation is open, its record takes the parcel's place.
"""

from __future__ import annotations

from datetime import timedelta

from chalicelib.errors import PayloadError
from chalicelib.once.event import EventFacts
from chalicelib.once.job import by_kind, decode, encode
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.jobs import StartConversation

KEPT = timedelta(days=30)
_KINDS = by_kind((StartConversation,))


class Parcels(items.OnTable):
    """Reads and writes parcels: the stored jobs of starts whose conversations are not open yet."""

    def writing(self, job: StartConversation) -> Item:
        """The transaction write that stores the job of a start, until its conversation is open."""
        return self._table.putting(
            {
                **_key(job.conversation_id, job.event_key),
                "opaque_id": job.conversation_id,
                "company_id": job.record["company_id"],
                "job": encode(job),
                "ttl": items.ttl_at(self._clock.now(), KEPT),
            }
        )

    def job(self, event: EventFacts) -> StartConversation | None:
        """The stored job of a start, by the start's event; None where the job is gone or unreadable."""
        item = self._table.get(_key(event.conversation_id, event.event_key))
        if item is None:
            return None
        try:
            found = decode(str(item["job"]), _KINDS)
        except PayloadError:
            return None
        return found if isinstance(found, StartConversation) else None


def _key(opaque_id: str, event_key: str) -> Item:
    return {"primary_channel": f"parcel#{opaque_id}", "conversation_id": event_key}
