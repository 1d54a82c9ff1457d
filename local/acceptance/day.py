"""The acceptance's steps, in order; each acts on the stage and returns what it observed."""

from __future__ import annotations

from collections import Counter

from local.acceptance import entering
from local.acceptance.beginning import doors, place, setup, vendors
from local.acceptance.breaking import kill, outage, roll_back
from local.acceptance.stage_day import AcceptanceError, StageDay
from local.acceptance.table_restore import restore


def once(day: StageDay) -> str:
    """Repeat every webhook; every effect must still exist exactly once."""
    before, texts = (
        {ticket: day.vendors.changes(ticket) for ticket in day.tickets},
        len(day.texts()),
    )
    entering.start(day.account, day.pastes, "req-1", entering.RECIPIENT)
    for ticket_id in before:
        entering.post(day.account, day.pastes, ticket_id)
    day.customer_writes("1047")
    day.processed("1047")
    after = {ticket_id: day.vendors.changes(ticket_id) for ticket_id in before}
    twice = [
        f"{ticket_id}: {kind} {value[:40]}, {number} times"
        for ticket_id, changes in after.items()
        for (kind, value), number in Counter(changes).items()
        if number > 1
    ]
    again = [ticket_id for ticket_id, changes in after.items() if changes != before[ticket_id]]
    if twice or again or len(day.texts()) != texts:
        raise AcceptanceError(f"twice: {twice}; by a repetition: {again}, {len(day.texts())} texts")
    return f"{sum(map(len, after.values()))} changes at {len(after)} tickets, each once"


STEPS = (place, vendors, setup, doors, kill, outage, roll_back, restore, once)
