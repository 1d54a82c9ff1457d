"""What one incident holds up, and what a mend would do about it: effect by effect, from stored rows.

A mend does what is listed here and nothing else, so its dry run is this list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.once.incident import Incident
from chalicelib.once.incidents import COUNTED
from ops.inspect import ledger_rows, planned
from ops.repair import dead_letters, preview
from ops.repair.preview import Foreseen
from ops.session import Session

CANNOT_RUN = "its row does not hold enough to run it again"
AT_A_WORKER = "a worker has it now"


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
    def status(self) -> str:
        """Of its row."""
        return str(self.row.get("status", ""))

    @property
    def reason(self) -> str:
        """Why it is held up, a fixed code."""
        return str(self.row.get("last_reason") or self.row.get("reason") or "")


def read(session: Session, found: Incident, *, limit: int = COUNTED) -> list[Affected]:
    """Everything that an incident holds up, the first received first."""
    held = session.services.incidents.held(found.cause, limit=limit)
    rows = {
        str(row["event_id"]): row
        for row in session.ledger_table.get_all([{"event_id": key} for _, key in held])
    }
    alone = {key for key, row in rows.items() if not ledger_rows.can_run(session, row)}
    lettered = _with_letters(session, alone) if alone else set()
    return [
        _affected(session, since, rows[key], can_run=key not in alone or key in lettered)
        for since, key in held
        if key in rows
    ]


def left(affected: Iterable[Affected]) -> list[dict[str, str]]:
    """Those that a mend leaves, each with why."""
    return [{"event": one.event, "why": one.left} for one in affected if one.left]


def _with_letters(session: Session, keys: set[str]) -> set[str]:
    """Those of the events that have a dead letter, which can run them without their row."""
    if not any(dead_letters.totals(session).values()):
        return set()
    letters = dead_letters.peek(session, limit=COUNTED)
    return {one.job.event_key for one in letters if one.job and one.job.event_key in keys}


def effects_of(affected: Iterable[Affected]) -> list[Foreseen]:
    """Every effect of the list, each key once."""
    found: dict[str, Foreseen] = {}
    for one in affected:
        for effect in one.effects:
            found.setdefault(effect.key, effect)
    return list(found.values())


def _affected(session: Session, since: str, row: Mapping[str, Any], *, can_run: bool) -> Affected:
    key = str(row["event_id"])
    if not can_run:
        why, effects = CANNOT_RUN, [Foreseen(key, preview.STAYS, CANNOT_RUN)]
    else:
        is_busy = preview.is_at_a_worker(row, session.services.clock.now().timestamp())
        why, effects = AT_A_WORKER if is_busy else "", planned.would_do(session, row)
    return Affected(key, since, row, why, effects)
