"""QuillIdempotencyLedger: every fact once, with its status, under Quill's attribute names.

Row of a fact (``seenAt`` by our clock; ``expiresAt`` epoch seconds, compared here because DynamoDB's
TTL deletes up to days late)::

    pk          ALOWARE:719285063         status      pending
    seenAt      2025-11-05T17:30:00.000Z  agent       101
    expiresAt   1763573400                date        2025-11-05
    source      ALOWARE                   metric      CALLS
    notes       event=OutboundPhoneCall-DispositionCompleted;tz=America/Denver
    at          2025-11-05T17:29:00.000Z  timezone    America/Denver
    seconds     70                        channel     call
    outcome     completed                 marks       ["time_in_other_form"]
    due_shard   fact#2                    sparse index, gone once the fact is in the dataset
    due_at      1762363800                epoch seconds: it may be posted since then
    batch       1763629452123             number of the POST that took it
    corrections [{"at": ..., "by": ..., "agent": "101", ...}]    former values, oldest first
    stale       powerbi:<dataset>         has the former values until it is rebuilt
    stale_date  2026-11-20                the fact's day there

A fact costs two writes: one when it is kept, one when the dataset has it.  The writer's lease, its
open batch and each POST are rows of `Ledger` (`once.ledger.layout`) in the same table.  The keys that
a dataset has of a dimension are in a row that does not expire: ``DIM:DimAgent:powerbi:<dataset>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import LeaseLostError
from chalicelib.facts import reasons as why
from chalicelib.facts.drift import Drift, marks_of
from chalicelib.facts.model import (
    NOT_TERMINAL,
    Dimension,
    Fact,
    FactStatus,
    Happening,
    KeptCounts,
    Metric,
    Survey,
)
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Item, Store
from chalicelib.once.timer import DATE, Date, Timer, due_attributes

ATTRIBUTES: Mapping[str, str] = {
    "event_id": "pk",
    "created_at": "seenAt",
    "expires_at": "expiresAt",
}
"""This table's names of the ledger's attributes."""

_INSERTED_AT_ONCE = 25
"""`BatchExecuteStatement` takes no more."""
PROLONGED_AT_ONCE = 1_000
"""Writes of one run; the next comes in a minute, and facts that are due have half their life left."""
_READ_AT_MOST = 100_000
_COLUMNS = (
    "event_id",
    "created_at",
    "expires_at",
    "status",
    "source",
    "agent",
    "date",
    "metric",
    "notes",
    "at",
    "timezone",
    "seconds",
    "channel",
    "outcome",
    "marks",
    "reason",
    "corrections",
    "stale",
    "stale_date",
)
_CORRECTIONS_KEPT = 20
_KIND = "fact"
"""Kind of date in the index of what is due."""
_NEW_OR_EXPIRED = "attribute_not_exists(#event_id) OR #expires_at <= :now"


class FactLedger:
    """The store of facts in table QuillIdempotencyLedger; it also keeps which dimension keys a sink has."""

    def __init__(self, *, table: Store, clock: Clock, retention: timedelta) -> None:
        self._table = table
        self._timer = Timer(table)
        self._clock = clock
        self._retention = retention

    # --- facts --------------------------------------------------------------------------------

    def keep(self, facts: Sequence[Fact]) -> KeptCounts:
        """Store facts that are not stored yet, and return how many were new, duplicate or skipped.

        A repetition of the call stores nothing twice.  A fact that counts replaces a stored one
        that was skipped.  Stored rows are read first, so that a repetition costs no write.  If two
        workers store one fact, the condition of the write decides which one does.
        """
        there = self._rows([fact.key for fact in facts])
        absent = [fact for fact in facts if fact.key not in there]
        yielding = [fact for fact in facts if fact.key in there and self._may_replace(there, fact)]
        taken: list[Fact] = []
        raced: list[Fact] = []
        for start in range(0, len(absent), _INSERTED_AT_ONCE):
            part = absent[start : start + _INSERTED_AT_ONCE]
            inserted = self._table.insert_all([self._item(fact) for fact in part])
            taken += [fact for fact, is_new in zip(part, inserted, strict=True) if is_new]
            raced += [fact for fact, is_new in zip(part, inserted, strict=True) if not is_new]
        if raced:
            there = self._rows([fact.key for fact in raced])
            yielding += [f for f in raced if f.key not in there or self._may_replace(there, f)]
        taken += [fact for fact in yielding if self._put(fact)]
        skipped = sum(fact.skip is not None for fact in taken)
        return KeptCounts(
            new=len(taken) - skipped, duplicate=len(facts) - len(taken), skipped=skipped
        )

    def pending_keys(self, *, at_most: int) -> list[str]:
        """The keys of facts that wait to be posted, oldest first.

        Some of these facts may be posted already, as the index that is read lags behind the rows.
        """
        return self._waiting(limit=at_most)

    def pending_after(self, epoch: float, key: str, *, at_most: int) -> list[Date]:
        """A page of the facts that wait to be posted: for each, since when it has waited, and its key.

        The page begins after the last fact of the page before.  Some of these facts may be posted
        already, as the index that is read lags behind the rows.

        Args:
            epoch: since when that last fact has waited, in epoch seconds; 0 for the first page.
            key: key of that last fact.
            at_most: how many facts a page holds.
        """
        return self._timer.after(epoch, key, kind=_KIND, limit=at_most)

    def pending(self, keys: Sequence[str]) -> list[Fact]:
        """Read the facts with these keys, and return those that are still pending, in the keys' order."""
        rows = self._rows(keys)
        return [
            fact_of(rows[key])
            for key in dict.fromkeys(keys)
            if key in rows and rows[key]["status"] == FactStatus.PENDING
        ]

    def settle(
        self, facts: Sequence[Fact], status: FactStatus, *, batch: int, reason: str | None = None
    ) -> None:
        """Write the final status of facts, posted or failed; facts that are no longer pending stay unchanged.

        Whole rows are written, 25 in a call, without the attributes of the index, as only the
        writer changes a pending fact.  The status `failed` is written only if the row is still
        pending: a writer that was paused after its read must not mark as failed a fact that the
        next writer has posted.
        """
        rows = self._rows([fact.key for fact in facts])
        ended = {"status": status.value, "batch": batch, "reason": reason}
        pending = [
            {**rows[fact.key], **ended, "expires_at": self._expiry()}
            for fact in facts
            if fact.key in rows and rows[fact.key]["status"] == FactStatus.PENDING
        ]
        if status == FactStatus.FAILED:
            for row in pending:
                self._fail(row)
        else:
            self._table.put_all(pending)

    def _fail(self, row: Item) -> None:
        with suppress(ConditionFailed):
            self._table.put(row, condition="#status = :pending", pending=FactStatus.PENDING.value)

    def prolong(self) -> int:
        """Extend the expiry of pending facts that have waited for half their life or longer.

        So no fact is lost while a sink is down.  Returns how many were extended.
        """
        half = self._clock.now() - self._retention / 2
        soon = int((half + self._retention).timestamp())
        rows = self._rows(self._waiting(limit=_READ_AT_MOST, since=half))
        due = [
            row
            for row in rows.values()
            if row["status"] == FactStatus.PENDING and row["expires_at"] < soon
        ]
        return sum(self._prolonged(str(row["event_id"])) for row in due[:PROLONGED_AT_ONCE])

    def oldest_pending_seconds(self) -> int | None:
        """The age in seconds of the oldest fact that waits to be posted; None where none waits."""
        rows = self._rows(self._waiting(limit=1)).values()
        times = [
            parsed(str(row["created_at"])) for row in rows if row["status"] == FactStatus.PENDING
        ]
        ages = [int((self._clock.now() - at).total_seconds()) for at in times if at is not None]
        return max(ages, default=None)

    def survey(self) -> Survey:
        """Scan the table once: posted facts, stale ones among them, and each source's newest age and drift.

        A fact is stale if a dataset still has its former values, from before a correction.
        """
        now = self._clock.now()
        yesterday = iso(now - timedelta(days=1))
        posted: list[Item] = []
        newest: dict[str, str] = {}
        drift: dict[str, Drift] = {}
        for row in self._table.scan_all(columns=_COLUMNS):
            if "agent" in row and row["created_at"] > yesterday:
                drift.setdefault(row["source"], Drift()).add(marks_of(row.get("marks", ())))
            if "metric" not in row or row.get("status") == FactStatus.SKIPPED:
                continue
            newest[row["source"]] = max(newest.get(row["source"], ""), row["created_at"])
            if row["status"] == FactStatus.POSTED and row.get("expires_at", 0) > now.timestamp():
                posted.append(row)
        posted.sort(key=lambda row: str(row["created_at"]))
        stale: dict[str, dict[str, str]] = {}
        for row in posted:
            if "stale" in row:
                there = str(row.get("stale_date", row["date"]))
                stale.setdefault(row["stale"], {})[str(row["event_id"])] = there
        times = {source: parsed(text) for source, text in newest.items()}
        ages = {source: int((now - at).total_seconds()) for source, at in times.items() if at}
        return Survey([fact_of(row) for row in posted], stale, ages, drift)

    def posted_facts(self) -> list[Fact]:
        """Every posted fact that has not expired, by a scan of the table.

        A rebuild of a dataset starts from these.
        """
        return list(self.survey().posted)

    def failed_facts(self) -> dict[str, str]:
        """The facts that a dataset refused and that have not expired, by a scan: the reason by fact key."""
        now = self._clock.now().timestamp()
        failed = [
            row
            for row in self._table.scan_all(columns=_COLUMNS)
            if row.get("status") == FactStatus.FAILED
            and "metric" in row
            and row.get("expires_at", 0) > now
        ]
        failed.sort(key=lambda row: str(row["created_at"]))
        return {row["event_id"]: row.get("reason", "") for row in failed}

    def reopen(self, key: str) -> bool:
        """Make a failed fact pending again, so that it will be posted; False where its status is not failed.

        This counts no fact twice, as a refused POST has added no row to any dataset.
        """
        try:
            self._table.update(
                {"event_id": key},
                set_={
                    "status": FactStatus.PENDING.value,
                    **due_attributes(_KIND, key, self._clock.now().timestamp()),
                    "expires_at": self._expiry(),
                },
                remove=("reason",),
                condition="#status = :failed",
                failed=FactStatus.FAILED.value,
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def correct(self, fact: Fact, *, by: str, stale: str | None) -> None:
        """Change a stored fact's agent, date and metric; its row keeps the former values.

        The caller must hold the fact writer's lease.

        Args:
            fact: the fact with its new values.
            by: the person who corrects the fact.
            stale: the dataset that still shows the former values until it is rebuilt, as
                `powerbi:<dataset>`; None where none does.
        """
        row = self._rows([fact.key])[fact.key]
        entry = {"at": iso(self._clock.now()), "by": by} | {
            name: row[name] for name in ("agent", "date", "metric")
        }
        self._table.update(
            {"event_id": fact.key},
            set_={
                "agent": fact.agent_id,
                "date": fact.date,
                "metric": fact.metric.value if fact.metric else None,
                "corrections": [*row.get("corrections", ()), entry][-_CORRECTIONS_KEPT:],
                "expires_at": self._expiry(),
                **(_stale(row, stale) if stale else {}),
            },
            condition="#status = :status",
            status=row["status"],
            reading=False,
        )

    def remove(self, key: str, *, by: str) -> None:
        """Set a fact's status to removed; does nothing where the fact is not stored.

        The caller must hold the fact writer's lease.
        """
        with suppress(ConditionFailed):
            self._table.update(
                {"event_id": key},
                set_={
                    "status": FactStatus.REMOVED.value,
                    "removed": {"at": iso(self._clock.now()), "by": by},
                    "expires_at": self._expiry(),
                },
                remove=DATE,
                condition="attribute_exists(#status)",
                reading=False,
            )

    def clear_stale_notes(self, keys: Iterable[str]) -> None:
        """Delete from these facts' rows the note that a dataset still has the facts' former values.

        It is called when that dataset was rebuilt.
        """
        for key in keys:
            self._table.update(
                {"event_id": key}, set_={}, remove=("stale", "stale_date"), reading=False
            )

    def row(self, key: str) -> Item | None:
        """The whole stored row of a fact, for a person to read; None where it is not stored."""
        return self._table.get({"event_id": key})

    # --- dimensions ---------------------------------------------------------------------------

    def dimension(self, table: str) -> Dimension:
        """The stored record of which keys a sink's dimension table has; an empty record where none is stored.

        `table` is e.g. ``DimAgent:powerbi:<dataset>``.
        """
        row = self._table.get({"event_id": f"DIM:{table}"})
        if row is None:
            return Dimension()
        return Dimension(
            known=frozenset(row.get("known", ())),
            posting=tuple(row.get("posting", ())),
            number=row.get("number", 0),
            again_at=row.get("again_at", 0),
            version=row.get("version", 0),
            content=row.get("content"),
        )

    def note_dimension(
        self, table: str, dimension: Dimension, was: Dimension | None = None
    ) -> Dimension:
        """Replace the stored record of a sink's dimension table by a new one; returns the record as stored.

        Args:
            table: e.g. ``DimAgent:powerbi:<dataset>``.
            dimension: the new record.
            was: the record that was read; by default it is read here.

        Raises:
            LeaseLostError: another writer has stored a record since.
        """
        read = (was or self.dimension(table)).version
        item = {
            "event_id": f"DIM:{table}",
            "created_at": iso(self._clock.now()),
            "source": "WRITER",
            "known": sorted(dimension.known),
            "posting": list(dimension.posting),
            "number": dimension.number,
            "again_at": dimension.again_at,
            "version": read + 1,
            **({} if dimension.content is None else {"content": dimension.content}),
        }
        condition = "#version = :read" if read else "attribute_not_exists(#version)"
        try:
            self._table.put(item, condition=condition, **({"read": read} if read else {}))
        except ConditionFailed as found:
            if found.item != item:  # else the SDK repeated a write that had succeeded
                raise LeaseLostError(why.DIMENSION_TAKEN) from None
        return replace(dimension, version=read + 1)

    # --- rows ---------------------------------------------------------------------------------

    def _waiting(self, *, limit: int, since: datetime | None = None) -> list[str]:
        """The keys of at most `limit` facts that wait to be posted, oldest first.

        With `since`, only facts that have waited since that time or longer.
        """
        epoch = since.timestamp() if since else None
        return [key for _, key in self._timer.due(epoch, kind=_KIND, limit=limit)]

    def _rows(self, keys: Sequence[str]) -> dict[str, Item]:
        found = self._table.get_all(
            [{"event_id": key} for key in dict.fromkeys(keys)], attributes=_COLUMNS
        )
        return {str(row["event_id"]): row for row in found}

    def _prolonged(self, key: str) -> bool:
        """Extend one pending fact's expiry; False if it is no longer pending."""
        try:
            self._table.update(
                {"event_id": key},
                set_={"expires_at": self._expiry()},
                condition="#status = :pending",
                pending=FactStatus.PENDING.value,
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def _may_replace(self, there: Mapping[str, Item], fact: Fact) -> bool:
        """Whether a fact may replace the stored row of its key.

        It may if the row has expired.  A fact that counts may replace one that was skipped.  The
        fact of an ended call may replace one of the same call before its end.
        """
        row = there[fact.key]
        if row["expires_at"] <= self._clock.now().timestamp():
            return True
        if row["status"] != FactStatus.SKIPPED:
            return False
        return fact.skip is None or NOT_TERMINAL == row.get("reason") != fact.skip

    def _put(self, fact: Fact) -> bool:
        values: dict[str, Any] = {"now": self._clock.now().timestamp()}
        condition = _NEW_OR_EXPIRED
        if fact.skip != NOT_TERMINAL:
            condition += " OR (#status = :skipped"
            values["skipped"] = FactStatus.SKIPPED.value
            if fact.skip is not None:
                condition += " AND #reason = :not_terminal"
                values["not_terminal"] = NOT_TERMINAL
            condition += ")"
        try:
            self._table.put(self._item(fact), condition=condition, **values)
        except ConditionFailed:
            return False
        return True

    def _item(self, fact: Fact) -> Item:
        is_pending = fact.skip is None
        return {
            "event_id": fact.key,
            "created_at": iso(self._clock.now()),
            "expires_at": self._expiry(),
            "source": fact.source,
            "notes": fact.notes,
            "status": (FactStatus.PENDING if is_pending else FactStatus.SKIPPED).value,
            "reason": fact.skip,
            "agent": fact.agent_id,
            "date": fact.date,
            "metric": fact.metric.value if fact.metric else None,
            **_happening_item(fact.happening),
            **(
                due_attributes(_KIND, fact.key, self._clock.now().timestamp()) if is_pending else {}
            ),
        }

    def _expiry(self) -> int:
        return int((self._clock.now() + self._retention).timestamp())


def fact_of(row: Item) -> Fact:
    """The fact that a stored row holds; the row must have a metric."""
    return Fact(
        key=row["event_id"],
        source=row["source"],
        agent_id=row["agent"],
        date=row["date"],
        metric=Metric(row["metric"]),
        notes=row.get("notes", ""),
        happening=Happening(
            at=parsed(row.get("at")),
            timezone=row.get("timezone", ""),
            seconds=row.get("seconds"),
            channel=row.get("channel", ""),
            outcome=row.get("outcome", ""),
            marks=marks_of(row.get("marks", ())),
        ),
    )


def _happening_item(happening: Happening) -> Item:
    """The attributes of a fact's row that say how its event went; unknown ones are left out."""
    item = {
        "at": iso(happening.at) if happening.at else None,
        "timezone": happening.timezone,
        "channel": happening.channel,
        "outcome": happening.outcome,
        "marks": [mark.value for mark in happening.marks],
    }
    known = {name: value for name, value in item.items() if value}
    return known if happening.seconds is None else known | {"seconds": happening.seconds}


def _stale(row: Item, dataset: str) -> Item:
    """The attributes of a fact's row that name a dataset which has its former values, and its day there."""
    there = row.get("stale_date") if row.get("stale") == dataset else None
    return {"stale": dataset, "stale_date": there or row["date"]}
