"""What one incident holds up, and what a mend would do about it: effect by effect, from stored rows.

A mend does what is listed here and nothing else, so its dry run is this list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from chalicelib.once.incident import Incident
from chalicelib.once.incidents import MENDED
from ops.inspect import ledger_rows, planned
from ops.repair import dead_letters, preview, settle
from ops.repair.preview import Foreseen
from ops.session import Session

CANNOT_RUN = "its row does not hold enough to run it again"
AT_A_WORKER = "a worker has it now"
SIDE_BY_SIDE = 8
"""Conversations that are read at once."""


@dataclass(frozen=True, slots=True)
class Affected:
    """One event that is held up.

    Attributes:
        since: when it was received, ISO time.
        row: as it was read.
        left: why a mend leaves it; empty where it puts it on the queue.
        effects: what would become of each of its effects.
    """

    event: str
    since: str
    row: Mapping[str, Any]
    left: str
    effects: Sequence[Foreseen]

    @property
    def customer(self) -> str:
        """The conversation that it belongs to."""
        return str(self.row.get("conversation_id", ""))

    @property
    def is_of_a_ticket(self) -> bool:
        """Its conversation is a ticket."""
        return self.event.startswith("evt:rp:")

    @property
    def status(self) -> str:
        """Of its row."""
        return str(self.row.get("status", ""))

    @property
    def reason(self) -> str:
        """Why it is held up, a fixed code."""
        return str(self.row.get("last_reason") or self.row.get("reason") or "")


def read(session: Session, found: Incident, *, limit: int = MENDED) -> list[Affected]:
    """Everything that an incident holds up, the first received first."""
    held = session.services.incidents.held(found.cause, limit=limit)
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
    """Whom the first of them concern, masked: recipients and tickets."""
    first = {one.customer: one.is_of_a_ticket for one in affected}

    def masked(customer: str) -> str:
        return f"ticket {customer}" if first[customer] else settle.recipient(session, customer)

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return list(pool.map(masked, islice(first, limit)))


def left(affected: Iterable[Affected]) -> list[dict[str, str]]:
    """Those that a mend leaves, each with why."""
    return [{"event": one.event, "why": one.left} for one in affected if one.left]


def _with_letters(session: Session, keys: set[str]) -> set[str]:
    """Those of the events that have a dead letter, which can run them without their row."""
    if not any(dead_letters.totals(session).values()):
        return set()
    letters = dead_letters.peek(session, limit=MENDED)
    return {one.job.event_key for one in letters if one.job and one.job.event_key in keys}


def effects_of(affected: Iterable[Affected]) -> list[Foreseen]:
    """Every effect of the list, each key once."""
    found: dict[str, Foreseen] = {}
    for one in affected:
        for effect in one.effects:
            found.setdefault(effect.key, effect)
    return list(found.values())
