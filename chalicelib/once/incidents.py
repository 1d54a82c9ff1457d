"""Incidents: found in the index of causes, and stored with what persons did about them.

Nothing is counted while events fail: what an incident holds up is what the index lists under its cause.
A row of table A keeps the rest, as an example::

    event_id     inc:richpanel.unavailable.tickets
    number       2                      the second incident of this cause
    status       acknowledged
    received_at  2026-11-20T09:00:00Z   since when
    owner        Operators/jo
    asked_for    41                     events that the mend has put on the queue

A row has a date only so that the index of dates lists it; nothing is due then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, islice
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once import incident
from chalicelib.once.causes import CAUSE, INDEX, NAMES, SHARD, SHARDS, Cause
from chalicelib.once.incident import PREFIX, Incident, State
from chalicelib.once.ports import Clock, Log
from chalicelib.once.recovery.cursor import SweepCursor
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.once.store import ConditionFailed, Item, Store, TransactionRefused
from chalicelib.once.timer import Timer, due_attributes

KIND = "incident"
OPENS_AFTER = timedelta(minutes=10)
"""When a cause has held an event up this long, the sweep stores an incident, and an alarm names it."""
MOST_COUNTED = 1_000
"""The most events of one incident that are counted: to show how many there are, not to mend them."""
MOST_MENDED = 10_000
"""The most events of one incident that one mend puts on the queue; the next mend continues."""
MOST_CAUSES = 500
"""The most causes that are listed."""
_AFTER_ALL = "\uffff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incidents:
    """Finds incidents among the stuck events, and stores what persons did about them.

    Attributes:
        table: table A.
        retention: how long a row is kept after its last change.
    """

    table: Store
    clock: Clock
    retention: timedelta

    # --- reading ------------------------------------------------------------------------------

    def causes(self) -> dict[Cause, list[str]]:
        """Every cause that holds events up, with the receipt times of up to `MOST_COUNTED` of them.

        One query for each shard of the index, and one more for each cause that fills a query.
        """
        found: dict[str, list[str]] = {}
        for shard in range(SHARDS):
            start = ""
            while len(found) < MOST_CAUSES:
                rows = self._held_rows(shard, f"#{CAUSE} > :from", limit=MOST_COUNTED, start=start)
                read = [str(row[CAUSE]).partition("#") for row in islice(rows, MOST_COUNTED)]
                for name, _, since in read:
                    found.setdefault(name, []).append(since)
                if len(read) < MOST_COUNTED:
                    break
                start = f"{read[-1][0]}#{_AFTER_ALL}"  # enough of its last cause were counted
        return {Cause.parsed(name): sorted(found[name])[:MOST_COUNTED] for name in sorted(found)}

    def held_events(self, cause: Cause, *, limit: int) -> list[tuple[str, str]]:
        """At most `limit` events that a cause holds up, oldest first.

        Each is the ISO time of its receipt, and its key.
        """
        found: list[tuple[str, str]] = []
        for shard in range(SHARDS):
            rows = self._held_rows(
                shard, f"begins_with(#{CAUSE}, :from)", limit=min(limit, 1_000), start=f"{cause}#"
            )
            for number, row in enumerate(rows, start=1):
                found.append((str(row[CAUSE]).partition("#")[2], str(row["event_id"])))
                if number == limit:
                    break
        return sorted(found)[:limit]

    def stuck_keys(self, *, limit: int) -> list[str]:
        """The keys of at most `limit` stuck events, whatever their cause."""
        shards = (
            self._held_rows(n, f"#{CAUSE} > :from", limit=1_000, start="") for n in range(SHARDS)
        )
        return [str(row["event_id"]) for row in islice(chain.from_iterable(shards), limit)]

    def get(self, cause: Cause) -> Incident | None:
        """The newest incident of a cause, as it is now; None where the cause never had one."""
        held = [since for since, _ in self.held_events(cause, limit=MOST_COUNTED)]
        return incident.current(cause, self.stored(cause), held)

    def stored(self, cause: Cause) -> Incident | None:
        """The newest incident of a cause, as its row stores it; None where the cause has no row."""
        row = self.table.get({"event_id": f"{PREFIX}{cause}"})
        return None if row is None else incident.of_row(row)

    def all(self) -> list[Incident]:
        """The newest incident of each cause: first those that have not ended, then the others, by time."""
        timer, held = Timer(self.table), self.causes()
        rows = timer.rows(timer.due(None, kind=KIND, limit=MOST_CAUSES))
        stored = {found.cause: found for found in map(incident.of_row, rows)}
        known = stored | {cause: self.stored(cause) for cause in held.keys() - stored.keys()}
        now = (incident.current(cause, row, held.get(cause, ())) for cause, row in known.items())
        present = [found for found in now if found is not None]
        return sorted(present, key=lambda found: (found.state == State.ENDED, found.since))

    # --- writing ------------------------------------------------------------------------------

    def note_changes(self) -> tuple[list[Incident], list[Incident]]:
        """Store the incidents that have begun and those that have ended.

        Returns:
            The list of those begun, and the list of those ended.
        """
        opened, ended = [], []
        for seen in self.all():
            since = parsed(seen.since)
            is_old = since is not None and self.clock.now() - since >= OPENS_AFTER
            if not seen.is_stored and is_old and self.write(seen, state=State.OPEN):
                opened.append(seen)
            stored = self.stored(seen.cause) if seen.state == State.ENDED else None
            is_over = stored is not None and stored.state != State.ENDED
            if is_over and self.write(seen, state=State.ENDED, finished_at=iso(self.clock.now())):
                ended.append(seen)
        return opened, ended

    def write(
        self,
        seen: Incident,
        *,
        state: State,
        entry: Sequence[Item] = (),
        cleared: Sequence[str] = (),
        **changes: object,
    ) -> bool:
        """Store an incident's state, with the journal's entry where a person has set it.

        Args:
            seen: the incident as it was read; another write since then refuses this one.
            state: the next state.
            entry: writes of the journal's entry, one transaction with the state.
            cleared: attributes to remove.
            changes: further attributes.

        Returns:
            False where the incident was written meanwhile; nothing is stored then.
        """
        change: dict[str, Any] = {
            "set_": {
                "status": state.value,
                "number": seen.number,
                "received_at": seen.since,
                "last_processed_at": iso(self.clock.now()),
                "version": seen.version + 1,
                **self._expiry_and_date(seen.key),
                **changes,
            },
            "remove": sorted(
                ({*cleared} if seen.is_stored else _GONE_WITH_THE_LAST) - changes.keys()
            ),
            "condition": "attribute_not_exists(#event_id) OR #version = :seen",
            "seen": seen.version,
        }
        key = {"event_id": seen.key}
        try:
            if entry:
                self.table.transact([self.table.updating(key, **change), *entry])
            else:
                self.table.update(key, **change)
        except (ConditionFailed, TransactionRefused):
            return False
        return True

    def advance(self, seen: Incident, began: str) -> bool:
        """Count one event that a mend puts on the queue; False where the mend was stopped or replaced.

        Args:
            seen: the incident that is mended.
            began: `Mending.at` of this mend; another mend of the incident has another time.
        """
        try:
            self.table.update(
                {"event_id": seen.key},
                set_={"last_processed_at": iso(self.clock.now())},
                add={"asked_for": 1, "version": 1},
                condition="#mended_at = :began AND attribute_not_exists(#is_stopped)",
                began=began,
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    # --- private ------------------------------------------------------------------------------

    def _expiry_and_date(self, key: str) -> Item:
        ends = int((self.clock.now() + self.retention).timestamp())
        return {"expires_at": ends, **due_attributes(KIND, key, ends)}

    def _held_rows(self, shard: int, order: str, *, limit: int, start: str) -> Iterator[Item]:
        return self.table.query_pages(
            IndexName=INDEX,
            KeyConditionExpression=f"#{SHARD} = :shard AND {order}",
            ExpressionAttributeNames={f"#{name}": name for name in NAMES},
            ProjectionExpression=f"event_id, #{CAUSE}",
            Limit=limit,
            values={"shard": f"stuck#{shard}", "from": start or " "},
        )


_GONE_WITH_THE_LAST = frozenset(
    ("owner", "finished_at", "mended_by", "mended_at", "asked_for", "is_stopped", "is_done")
)
"""Attributes of the last incident, which its row loses when the next incident of the cause is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPart:
    """The sweep's part that stores which incidents have begun and ended, and logs them.

    Attributes:
        incidents: makes the `Incidents` when they are needed.
    """

    incidents: Callable[[], Incidents]
    log: Log

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: object) -> SweepCursor:
        """Store and log the incidents that began or ended, none in a dry run; returns the same cursor."""
        del since
        if sweep.dry_run:
            return cursor
        opened, ended = self.incidents().note_changes()
        for begun in opened:
            self.log.event(
                "incident.opened", incident=begun.name, held=begun.held, since=begun.since
            )
            self.log.metric("mw.incidents.opened")
        for over in ended:
            self.log.event("incident.ended", incident=over.name)
        return cursor
