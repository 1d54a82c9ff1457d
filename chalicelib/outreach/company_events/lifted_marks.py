"""The event that reports to a company that a recipient's marks were lifted otherwise than by a message."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations.queries import Queries
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import TECHNICAL_REASONS
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.resume import own_event

SOURCE = "lifted"
MOST_CONVERSATIONS = 200
"""Maximum number of conversations of one address among which the newest is searched."""


def newest_reported_conversation(
    conversations: Queries, company_id: str, address: str
) -> Record | None:
    """A company's newest conversation with an address, of those whose events the company gets; else None."""
    found = [
        record
        for form in numbers.spellings(address)
        for record in conversations.with_recipient(form, company_id, MOST_CONVERSATIONS)
        if record.item.get(TELLS)
    ]
    return max(found, key=lambda record: record.created_at, default=None)


def telling_lifted(
    ledger: Ledger, record: Record | None, by: str, now: datetime
) -> Callable[[Subject], list[Item]]:
    """A function that returns the ledger row of the event "marks lifted", for the lifting transaction.

    The function takes the person's record as it was. It returns no row where only technical marks
    are lifted, or the company gets no events of the conversation.

    Args:
        ledger: writes the row.
        record: the conversation under which the company gets the event; None for no event.
        by: who lifted the marks: ``recipient``, ``operator`` or ``company``.
        now: the time.
    """

    def writes(before: Subject) -> list[Item]:
        kept = (entry for entry in before.entries(now) if entry.member == before.own)
        is_wish = any(
            entry.reason not in TECHNICAL_REASONS and "lifted_at" not in entry.item
            for entry in kept
        )
        if record is None or not record.item.get(TELLS) or not is_wish:
            return []
        event_key = outreach_keys.lifted(record.opaque_id, by, before.root, before.version + 1)
        facts = own_event(event_key, record.opaque_id, iso(now), SOURCE)
        return [ledger.scheduling(facts, now.timestamp())]

    return writes
