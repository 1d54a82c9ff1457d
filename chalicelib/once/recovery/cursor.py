"""The sweep's own rows in table A: its lease, its position, and a summary per run.

::

    event_id   sweep:cursor    owner, fence, lease_until   one run at a time, across containers
                               page      7                 next page of the listing
                               number    10412             highest ticket number seen
                               last_run  sweep:run:2026-11-20T09:05:00.000Z
    event_id   sweep:run:2026-11-20T09:05:00.000Z          its counts under `summary`, for 30 days
    event_id   sweep:position:{list}                       of a provider's list: what was handled
                               seen_until                  time of the newest entry handled

After a crashed run the next one starts when the lease expires, at the page saved last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import LeaseLostError
from chalicelib.once.event import EventStatus
from chalicelib.once.ledger.rows import MINE, LedgerRows
from chalicelib.once.ports import UNDECIDED
from chalicelib.once.reasons import SWEEP_TAKEN
from chalicelib.once.store import ConditionFailed, Item

CURSOR_KEY = "sweep:cursor"
RUN_PREFIX = "sweep:run:"
POSITION_PREFIX = "sweep:position:"


@dataclass(frozen=True, slots=True)
class SweepCursor:
    """The position of the sweep, kept between runs, and the lease of the present run.

    Attributes:
        owner: id of the run that holds the lease.
        fence: grows with every run; a lower one writes nothing.
        page: the next page of the listing of tickets.
        number: the highest ticket number seen, None before the first.
    """

    owner: str
    fence: int
    page: int = 1
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """How far the sweep has handled one list of a provider.

    Attributes:
        looked_at: ISO time at which the list was last read; empty before the first time.
        seen_until: time of the newest entry handled, by the provider's clock; None before the
            first.
    """

    looked_at: str = ""
    seen_until: datetime | None = None


class Sweeps(LedgerRows):
    """Lets one run of the sweep work at a time, and keeps the sweep's position between runs."""

    def take(self, *, lease_seconds: float) -> SweepCursor | None:
        """Start a run of the sweep where the last one stopped; None while another run is working."""
        owner, now = self._new_owner(), self._epoch()
        required = self._row(EventStatus.PROCESSING)
        created = {"created_at": required.pop("created_at")}
        try:
            row = self._table.update(
                {"event_id": CURSOR_KEY},
                set_=required | {"owner": owner, "lease_until": int(now + lease_seconds)},
                keep=created,
                add={"fence": 1},
                condition="attribute_not_exists(#event_id) OR #lease_until < :now",
                now=now,
            )
        except ConditionFailed as found:
            if found.item.get("owner") != owner:
                return None
            row = found.item  # the SDK retried a write of ours that had succeeded
        return SweepCursor(owner, row["fence"], row.get("page", 1), row.get("number"))

    def save(self, cursor: SweepCursor) -> None:
        """Save the sweep's position; raises `LeaseLostError` when another run has started."""
        self._write(cursor, {})

    def end(self, cursor: SweepCursor, summary: Mapping[str, Any]) -> None:
        """Store the summary of a run of the sweep and release its lease.

        Raises:
            LeaseLostError: another run has started.
        """
        run = f"{RUN_PREFIX}{self._now()}"
        item = self._row(EventStatus.PROCESSED)
        self._table.put(item | {"event_id": run, "summary": dict(summary)})
        self._write(
            cursor, {"lease_until": 0, "last_run": run, "status": EventStatus.PROCESSED.value}
        )

    def last(self) -> Mapping[str, Any] | None:
        """The row of the sweep's last finished run, with its summary; None before the first."""
        cursor = self._table.get({"event_id": CURSOR_KEY})
        if cursor is None or "last_run" not in cursor:
            return None
        return self._table.get({"event_id": cursor["last_run"]})

    def begin_after(self, number: int) -> None:
        """Let the sweep's next run read ticket numbers after this one; for operators."""
        now = self._epoch()
        self._table.update(
            {"event_id": CURSOR_KEY},
            set_={"number": number},
            keep=self._row(EventStatus.PROCESSED) | {"lease_until": int(now) - 1},
        )

    def positions(self, lists: Sequence[str]) -> Mapping[str, Position]:
        """How far each of these lists of a provider was handled; a list never read has an empty position."""
        keys = {f"{POSITION_PREFIX}{name}": name for name in lists}
        found = self._table.get_all(
            [{"event_id": key} for key in keys],
            attributes=["event_id", "last_processed_at", "seen_until", "expires_at"],
        )
        now = self._epoch()
        known = {
            keys[row["event_id"]]: Position(row["last_processed_at"], parsed(row.get("seen_until")))
            for row in found
            if row["expires_at"] > now
        }
        return {name: known.get(name, Position()) for name in lists}

    def save_position(self, name: str, seen_until: datetime | None) -> None:
        """Save up to which time a provider's list was handled.

        It needs no fence: whatever run writes it, everything up to that time was handled.
        """
        item = self._row(EventStatus.PROCESSED) | {"event_id": f"{POSITION_PREFIX}{name}"}
        seen = {"seen_until": iso(seen_until)} if seen_until else {}
        self._table.put(item | seen)

    def _write(self, cursor: SweepCursor, more: Mapping[str, Any]) -> None:
        try:
            self._table.update(
                {"event_id": CURSOR_KEY},
                set_={"page": cursor.page, "number": cursor.number, **more},
                condition=MINE,
                owner=cursor.owner,
                fence=cursor.fence,
            )
        except ConditionFailed:
            raise LeaseLostError(SWEEP_TAKEN) from None

    def _row(self, status: EventStatus) -> Item:
        return {
            **self._required(self._now(), "sweep", UNDECIDED),
            "status": status.value,
            "payload_sha256": "",
            "payload_bytes": 0,
            "source": "reconcile",
        }
