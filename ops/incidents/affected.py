"""Lists the events that an incident holds up, and predicts a mend's effects from stored rows.

A mend does what is listed here and nothing else, so its dry run is this list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from chalicelib.once.incident import Incident
from chalicelib.once.incidents import MOST_MENDED
from ops.inspect import ledger_rows, planned
from ops.repair import dead_letters, preview, settle
from ops.repair.preview import Foreseen
from ops.session import Session

CANNOT_RUN = "its row does not hold enough to run it again"
AT_A_WORKER = "a worker has it now"
SIDE_BY_SIDE = 8
"""The number of conversations read in parallel."""


@dataclass(frozen=True, slots=True)
class Affected:
    """One event that an incident holds up.

    Attributes:
        since: when it was received, ISO time.
        row: the event's row, as read.
        left: why a mend leaves the event out; empty if it queues the event.
        effects: the prediction for each of the event's effects.
    """

    event: str
    since: str
    row: Mapping[str, Any]
    left: str
    effects: Sequence[Foreseen]

    @property
    def customer(self) -> str:
        """The id of the event's conversation or ticket."""
        return str(self.row.get("conversation_id", ""))

    @property
    def is_of_a_ticket(self) -> bool:
        """Whether the event belongs to a ticket."""
        return self.event.startswith("evt:rp:")

    @property
    def status(self) -> str:
        """The status in its row."""
        return str(self.row.get("status", ""))

    @property
    def reason(self) -> str:
        """The code for why the event is held up."""
        return str(self.row.get("last_reason") or self.row.get("reason") or "")


def read(session: Session, found: Incident, *, limit: int = MOST_MENDED) -> list[Affected]:
    """Read the events that an incident holds up, in order of receipt."""
    held = session.services.incidents.held_events(found.cause, limit=limit)
    rows = {
        str(row["event_id"]): row
        for row in session.ledger_table.get_all([{"event_id": key} for _, key in held])
    }
    alone = {key for key, row in rows.items() if not ledger_rows.can_run(session, row)}
    stuck = alone - _with_letters(session, alone) if alone else set()
    would = planned.would_do_each(session, [row for key, row in rows.items() if key not in stuck])
    now = session.services.clock.now().timestamp()
    affected: list[Affected] = []
    for since, key in held:
        if key in stuck:
            effects: Sequence[Foreseen] = [Foreseen(key, preview.STAYS, CANNOT_RUN)]
            affected.append(Affected(key, since, rows[key], CANNOT_RUN, effects))
        elif key in rows:
            why = AT_A_WORKER if preview.is_at_a_worker(rows[key], now) else ""
            affected.append(Affected(key, since, rows[key], why, would[key]))
    return affected


def touches(session: Session, affected: Iterable[Affected], *, limit: int) -> list[str]:
    """The masked recipients or tickets of the first `limit` conversations."""
    first = {event.customer: event.is_of_a_ticket for event in affected}

    def masked(customer: str) -> str:
        return f"ticket {customer}" if first[customer] else settle.recipient(session, customer)

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return list(pool.map(masked, islice(first, limit)))


def left(affected: Iterable[Affected]) -> list[dict[str, str]]:
    """The events that a mend leaves out, each with the reason."""
    return [{"event": event.event, "why": event.left} for event in affected if event.left]


def _with_letters(session: Session, keys: set[str]) -> set[str]:
    """The events among `keys` that have a dead letter, from which they can run."""
    if not any(dead_letters.totals(session).values()):
        return set()
    letters = dead_letters.peek(session, limit=MOST_MENDED)
    return {
        letter.job.event_key for letter in letters if letter.job and letter.job.event_key in keys
    }


def effects_of(affected: Iterable[Affected]) -> list[Foreseen]:
    """Every predicted effect, each action key once."""
    found: dict[str, Foreseen] = {}
    for event in affected:
        for effect in event.effects:
            found.setdefault(effect.key, effect)
    return list(found.values())
