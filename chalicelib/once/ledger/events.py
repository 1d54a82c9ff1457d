"""Events in table A: claim, plan, release, end; every write is conditional.

`layout` lists every attribute of a row, `actions` has the rows of an event's actions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.errors import LeaseLostError
from chalicelib.once import causes
from chalicelib.once.event import (
    LATE_SECONDS,
    QUEUED_SECONDS,
    RECEIPT_GONE,
    SCHEDULED,
    Busy,
    ClaimResult,
    EventFacts,
    EventStatus,
    Finished,
    Lease,
    Receipt,
    StoredEvent,
    StrandedEvent,
    Unended,
)
from chalicelib.once.heartbeat import VISIBILITY_SECONDS
from chalicelib.once.ledger import rows, tries
from chalicelib.once.ledger.actions import ActionLedger
from chalicelib.once.ledger.rows import EVENT, MINE
from chalicelib.once.ports import UNDECIDED, Modes
from chalicelib.once.reasons import LEASE_LOST
from chalicelib.once.store import ConditionFailed, Item, TransactionRefused
from chalicelib.once.timer import DATE, DUE, due_attributes

_UNENDED = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})
_ALIVE = "#expires_at > :now"


class Ledger(ActionLedger):
    """The ledger in table A: rows of events and, by inheritance, of their actions."""

    def receive(self, event: EventFacts) -> Receipt | None:
        """Write the row of an event when its request arrives.

        A repeated event needs a queue message again while no worker has claimed its row and the row does
        not wait for a time: the first message may not have reached the queue.  After an end in
        `RECEIPT_GONE` the row is written as new.

        Returns:
            The `Receipt`, from the row; None where the event needs no queue message.
        """
        try:
            self._table.put(
                self.received_item(event),
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now"
                " OR (#status = :failed AND #reason = :gone)",
                now=self._epoch(),
                failed=EventStatus.FAILED.value,
                gone=RECEIPT_GONE,
            )
        except ConditionFailed as found:
            row = found.item
            needs_message = row["status"] == EventStatus.RECEIVED and "until" not in row
            if not needs_message:
                return None
            return Receipt(str(row["received_at"]), is_new=False, reason=row.get("last_reason"))
        return Receipt(event.received_at, is_new=True)

    def received_item(self, event: EventFacts) -> Item:
        """The row of an event that has arrived, for a caller that writes it together with other rows."""
        return self._event_item(event, UNDECIDED) | {
            "status": EventStatus.RECEIVED.value,
            **due_attributes(EVENT, event.event_key, self._epoch() + QUEUED_SECONDS),
        }

    def receiving(self, event: EventFacts) -> Item:
        """The row of an event that has arrived, as one write of a transaction.

        The write fails where the event has a row.
        """
        return self._table.putting(
            self.received_item(event), condition="attribute_not_exists(#event_id)"
        )

    def scheduled_item(self, event: EventFacts, due_epoch: float) -> Item:
        """The row of an event that the sweep queues when it is due; no message brings it."""
        return {
            **self._event_item(event, UNDECIDED),
            "status": EventStatus.RECEIVED.value,
            "last_reason": SCHEDULED,
            "until": int(due_epoch),
            "expires_at": self._expiry(due_epoch),
            **due_attributes(EVENT, event.event_key, due_epoch),
        }

    def scheduling(self, event: EventFacts, due_epoch: float) -> Item:
        """The row of an event that the sweep queues when it is due, as one write of a transaction.

        The write replaces a row that the event has.
        """
        return self._table.putting(self.scheduled_item(event, due_epoch))

    def schedule(self, event: EventFacts, due_epoch: float) -> None:
        """Store an event that the sweep queues at a time; a row that the event has stays unchanged."""
        with contextlib.suppress(ConditionFailed):
            self._table.put(
                self.scheduled_item(event, due_epoch),
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now",
                now=self._epoch(),
            )

    def set_aside(
        self,
        event: EventFacts,
        *,
        reason: str,
        due_epoch: float,
        until_epoch: float | None = None,
        turns: int = 0,
    ) -> bool:
        """Store when the sweep queues an event that no worker has claimed; a missing row is written.

        Args:
            event: the event of the queue message.
            reason: a fixed code: why it waits.
            due_epoch: when the sweep queues it.
            until_epoch: when it wants to run; None where its message goes back to the queue.
            turns: how often it was set aside until a time at which it may call a vendor.

        Returns:
            False where a worker has claimed the row, or the event is parked or has ended without failure.
        """
        item = self._event_item(event, UNDECIDED)
        expires_at = self._expiry(due_epoch)
        change = {
            "status": EventStatus.RECEIVED.value,
            "last_reason": reason,
            "until": None if until_epoch is None else int(until_epoch),
            "turns": turns or None,
            "last_processed_at": self._now(),
            "expires_at": expires_at,
            **due_attributes(EVENT, event.event_key, due_epoch),
        }
        caused, freed = self._caused(event, EventStatus.RECEIVED, reason)
        change |= caused
        try:
            self._table.update(
                {"event_id": event.event_key},
                set_=change,
                keep={k: v for k, v in item.items() if k not in change and k != "event_id"},
                remove=["reason", *(["until"] if until_epoch is None else []), *freed],
                condition="attribute_not_exists(#event_id)"
                " OR (#expires_at > :now AND (#status = :received OR #status = :failed))",
                now=self._epoch(),
                received=EventStatus.RECEIVED.value,
                failed=EventStatus.FAILED.value,
                reading=False,
            )
        except ConditionFailed as found:
            if found.item["expires_at"] > self._epoch():
                return False
            fresh = {name: value for name, value in (item | change).items() if value is not None}
            self._table.put(fresh, condition="#expires_at = :old", old=found.item["expires_at"])
        return True

    def claim(
        self,
        event: EventFacts,
        modes: Modes,
        *,
        lease_seconds: float,
        takeover: frozenset[EventStatus],
        last_chance: bool = False,
        is_watched: bool = False,
        by: str | None = None,
        unless_asked: bool = False,
    ) -> ClaimResult:
        """Take the lease of an event, or say until when another has it, or how the event ended.

        One write and no read.

        Args:
            event: stored where there is no row yet.
            modes: the switches, stored with the row.
            lease_seconds: from now.
            takeover: ended states that this delivery may reopen, once.
            last_chance: the message's last receive: the event is due at the end of the lease.
            is_watched: the event is due when its message should have come back and has not.
            by: id of the queue message that reopens an ended event; a copy of it does not reopen it again.
            unless_asked: do not reopen an event that an operator has asked to run again: that run
                follows.
        """
        owner, now = self._new_owner(), self._epoch()
        until = int(now + lease_seconds)
        again: Item = {}
        if last_chance:
            again = due_attributes(EVENT, event.event_key, until) | {"last_receive": True}
        elif is_watched:
            again = due_attributes(EVENT, event.event_key, now + VISIBILITY_SECONDS + LATE_SECONDS)
        gone = {*DATE, "until", "last_receive", "waits_for", "asked"} - again.keys()
        holding = {
            "status": EventStatus.PROCESSING.value,
            # The door may know only a message's sender; the worker knows the conversation, and a
            # resume finds the event under this id.
            "conversation_id": event.conversation_id,
            "owner": owner,
            "lease_until": until,
            "last_processed_at": self._now(),
            "expires_at": self._expiry(),
            "taken_by": by,
            **again,
        }
        item = self._event_item(event, modes)
        open_states: dict[str, Any] = {
            f"t{n}": status.value for n, status in enumerate(sorted(takeover))
        }
        once = " AND #taken_by <> :by" if by and open_states else ""
        once += " AND attribute_not_exists(#asked)" if unless_asked and open_states else ""
        either = "".join(f" OR (#status = :{name}{once})" for name in open_states)
        if by and open_states:
            open_states["by"] = by
        try:
            row = self._table.update(
                {"event_id": event.event_key},
                set_=holding,
                keep={k: v for k, v in item.items() if k not in holding and k != "event_id"},
                add={"fence": 1, "attempts": 1},
                remove=sorted(gone),
                condition=(
                    f"attribute_not_exists(#event_id) OR ({_ALIVE} AND (#status = :received"
                    f" OR (#status = :processing AND #lease_until < :now){either}))"
                ),
                now=now,
                received=EventStatus.RECEIVED.value,
                processing=EventStatus.PROCESSING.value,
                **open_states,
            )
        except ConditionFailed as found:
            return self._refused_claim(event, item | holding, found.item)
        return _lease(event, row)

    def store_plan(self, lease: Lease, plan: str, *, intent: str | None, modes: Modes) -> None:
        """Write an event's plan into its row before the first effect.

        Raises:
            LeaseLostError: another claim has the event.
        """
        self._own(
            lease,
            set_={
                "plan": plan,
                "intent": intent,
                "mode": modes.mode,
                "safe_mode": modes.safe_mode,
                "automation_enabled": modes.automation_enabled,
            },
        )

    def release(
        self,
        lease: Lease,
        *,
        reason: str,
        due_epoch: float | None,
        until_epoch: float | None = None,
        turns: int = 0,
    ) -> None:
        """Give up the lease of an event, so that the next delivery need not wait for the lease to end.

        Args:
            lease: of the event.
            reason: a fixed code.
            due_epoch: the sweep queues the event at this time if no delivery has claimed it before.
                Where its message returns at a time, `LATE_SECONDS` after that.  None where
                something else brings it back.
            until_epoch: when it wants to run, where no message brings it back, only the row.
            turns: how often it was set aside until a time at which it may call a vendor.

        Raises:
            LeaseLostError: another claim has the event.
        """
        set_: Item = {
            "lease_until": 0,
            "last_reason": reason,
            "released": lease.fence,
            "tries": self._tried(lease, tries.RELEASED, reason),
            "until": None if until_epoch is None else int(until_epoch),
            "turns": turns or None,
        }
        if due_epoch is not None:
            key = lease.event.event_key
            set_ |= due_attributes(EVENT, key, due_epoch) | {"expires_at": self._expiry(due_epoch)}
        caused, freed = self._caused(lease.event, EventStatus.PROCESSING, reason)
        gone = () if due_epoch is not None else DATE
        self._own(lease, set_=set_ | caused, remove=(*gone, *freed))

    def mark_failed(self, event_key: str, *, reason: str) -> bool:
        """Mark an event failed whose last worker died, without a claim; False when a worker holds it.

        The notification of a person is pending, and due again if this one does not reach a person.
        """
        try:
            self._table.update(
                {"event_id": event_key},
                set_={
                    "status": EventStatus.FAILED.value,
                    "reason": reason,
                    "last_processed_at": self._now(),
                    **due_attributes(EVENT, event_key, self._epoch() + LATE_SECONDS),
                    **_failed_item(event_key, reason, self._now()),
                },
                condition="#status = :processing AND #lease_until < :now",
                processing=EventStatus.PROCESSING.value,
                now=self._epoch(),
            )
        except ConditionFailed:
            return False
        return True

    def finish(
        self,
        lease: Lease,
        status: EventStatus,
        *,
        reason: str | None = None,
        facts: Mapping[str, str] | None = None,
        handoff_due: bool = False,
        waits_for: Sequence[str] = (),
        at_vendor: str = "",
    ) -> None:
        """Write how an event ended, and give up its lease.

        Args:
            lease: of the event.
            status: how it ended.
            reason: a fixed code.
            facts: further attributes.
            handoff_due: a failed event's notification of a person is pending; the sweep repeats it.
            waits_for: keys of the actions of unknown outcome for which it is parked.
            at_vendor: the vendor of those actions.

        Raises:
            LeaseLostError: another claim has the event.
        """
        set_: Item = {
            "status": status.value,
            "reason": reason,
            "last_processed_at": self._now(),
            **(facts or {}),
        }
        if lease.tries or status != EventStatus.PROCESSED:
            set_["tries"] = self._tried(lease, status.value, reason)
        if status == EventStatus.PARKED or handoff_due:
            pause = LATE_SECONDS if handoff_due else 0.0
            set_ |= due_attributes(EVENT, lease.event.event_key, self._epoch() + pause)
            set_["waits_for"] = list(waits_for) or None
        gone = [name for name in DATE if name not in set_]
        if not (reason or status == EventStatus.FAILED):
            gone.append("reason")
        if (
            reason or status != EventStatus.FAILED
        ):  # a repeated hand-off leaves the reason as it was
            caused, freed = self._caused(lease.event, status, reason, vendor=at_vendor)
            set_ |= caused
            gone += freed
        self._own(lease, set_=set_, remove=gone, ended=status)

    def record_end(
        self, event: EventFacts, modes: Modes, status: EventStatus, *, reason: str
    ) -> None:
        """Write the end of an event that was never claimed.

        Used where a notification became other events, or a message went to the dead-letter queue.  A row
        that a claim has written, or that ended without failure, is not changed.
        """
        item = self._event_item(event, modes)
        del item["event_id"]
        # A claim knows the conversation, the door perhaps only the sender.
        created = {name: item.pop(name) for name in ("created_at", "conversation_id")}
        # A failed event whose hand-off is pending stays due and keeps its reason.
        waits = f" AND attribute_not_exists(#{DUE})" if status == EventStatus.FAILED else ""
        caused, freed = self._caused(event, status, reason)
        with contextlib.suppress(ConditionFailed):  # a late copy changes no successful end
            self._table.update(
                {"event_id": event.event_key},
                keep=created,
                set_=item | {"status": status.value, "reason": reason} | caused,
                remove=[*DATE, "until", *freed],
                condition="attribute_not_exists(#event_id) OR #status = :received"
                f" OR #expires_at <= :now OR (#status = :failed{waits})",
                received=EventStatus.RECEIVED.value,
                now=self._epoch(),
                failed=EventStatus.FAILED.value,
            )

    def statuses(self, event_keys: Sequence[str]) -> Mapping[str, EventStatus]:
        """The status of each of these events that has a row which is not expired."""
        found = self._table.get_all(
            [{"event_id": key} for key in dict.fromkeys(event_keys)],
            attributes=["event_id", "status", "expires_at"],
        )
        now = self._epoch()
        return {
            row["event_id"]: EventStatus(row["status"]) for row in found if row["expires_at"] > now
        }

    def unended(self, event_keys: Sequence[str]) -> Mapping[str, Unended]:
        """Those of these events that are received or processing, each with the time and reason of its wait.

        Ended and parked events, and events without a row, are left out.
        """
        found = self._table.get_all(
            [{"event_id": key} for key in dict.fromkeys(event_keys)],
            attributes=["event_id", "status", "expires_at", "until", "last_reason"],
        )
        now = self._epoch()
        return {
            row["event_id"]: Unended(row.get("until"), row.get("last_reason"))
            for row in found
            if row["expires_at"] > now and row["status"] in _UNENDED
        }

    def stored(self, event_key: str) -> StoredEvent | None:
        """An event as its row stores it; None where there is no row or it has expired."""
        row = self._table.get({"event_id": event_key})
        if row is None or row["expires_at"] <= self._epoch():
            return None
        return StoredEvent(rows.event(row), EventStatus(row["status"]), row.get("plan"))

    def stranded(
        self,
        *,
        due_by_epoch: float | None = None,
        after: tuple[float, str] | None = None,
        limit: int,
    ) -> Sequence[StrandedEvent]:
        """Unfinished events that are due by a time, the longest due first.

        Without a time, all that have a due time.  An event has one while it waits; if it was received, held
        or released, and not claimed in time; while it is parked; or if it failed and the notification of a
        person is pending.  `after` continues a list: the due time and the key of its last event.
        """
        found = self._dated(EVENT, due_by_epoch, limit, after=after)
        return [rows.stranded(row) for row in found]

    def at_workers(self, event_keys: Sequence[str]) -> Sequence[StrandedEvent]:
        """Those of these events that a worker has claimed and that have no due time.

        A claim removes the due time, so no list of due events shows them.
        """
        found = self._table.get_all([{"event_id": key} for key in dict.fromkeys(event_keys)])
        return [
            rows.stranded(row)
            for row in found
            if row["status"] == EventStatus.PROCESSING and DUE not in row
        ]

    def due_events(self, epoch: float) -> Iterator[StrandedEvent]:
        """Unfinished events that are due by a time, the longest due first; read page by page."""
        return map(rows.stranded, self._timer.due_rows(epoch, kind=EVENT))

    def count_due(self, epoch: float | None, *, at_most: int) -> int:
        """How many events are due by a time, `at_most` at most; None counts every event with a due time.

        The index that is counted may lag behind the table.
        """
        return self._timer.count(epoch, kind=EVENT, at_most=at_most)

    def ask_again(self, event_key: str, *, entry: Sequence[Item]) -> bool:
        """Note that an operator wants an event run again, in one transaction with the journal's entry.

        The operator's message follows.  If it is lost, the sweep sends another one.

        Returns:
            False when the event has no row any more, or a worker holds it and goes on with
                it anyway.
        """
        change = self._table.updating(
            {"event_id": event_key},
            set_={"asked": True, **due_attributes(EVENT, event_key, self._epoch() + LATE_SECONDS)},
            condition=f"{_ALIVE} AND #status <> :processing",
            now=self._epoch(),
            processing=EventStatus.PROCESSING.value,
        )
        try:
            self._table.transact([change, *entry])
        except TransactionRefused:
            return False
        return True

    # --- writing rows -------------------------------------------------------------------------

    def _caused(
        self, event: EventFacts, status: EventStatus, reason: str | None, *, vendor: str = ""
    ) -> tuple[Item, Sequence[str]]:
        """The attributes that name the cause for which an event is stuck, and the attributes to remove.

        Without a cause, none is set and those of an earlier cause are removed.
        """
        if status in (EventStatus.PROCESSED, EventStatus.SKIPPED):
            return {}, causes.NAMES
        cause = causes.of(event.event_key, status, reason, vendor=vendor)
        if cause is None:
            return {}, causes.NAMES
        return causes.attributes(cause, event.event_key, event.received_at or self._now()), ()

    def _tried(self, lease: Lease, end: str, reason: str | None) -> list[dict[str, Any]]:
        attempt = {
            "n": lease.attempts,
            "at": self._now(),
            "worker": lease.owner,
            "end": end,
            "reason": reason,
        }
        return tries.added(lease.tries, attempt)

    def _refused_claim(self, event: EventFacts, item: Item, found: Item) -> ClaimResult:
        if found.get("owner") == item["owner"]:
            return _lease(event, found)  # the SDK repeated a write of ours that had succeeded
        if found["expires_at"] <= self._epoch():
            return self._claim_expired(event, item, found)
        status = EventStatus(found["status"])
        if status == EventStatus.PROCESSING:
            return Busy(until_epoch=found["lease_until"])
        return Finished(status, found.get("reason"))

    def _claim_expired(self, event: EventFacts, item: Item, found: Item) -> ClaimResult:
        """Claim an event whose row TTL should have deleted, as if the event were new.

        Returns the lease, or `Busy` where another worker was faster.
        """
        fresh = item | {"fence": int(found.get("fence", 0)) + 1, "attempts": 1}
        try:
            self._table.put(
                fresh,
                condition="#expires_at = :stale",
                stale=found["expires_at"],
            )
        except ConditionFailed as other:
            if other.item.get("owner") != item["owner"]:
                return Busy(until_epoch=other.item.get("lease_until", self._epoch()))
        return _lease(event, fresh)

    def _own(
        self,
        lease: Lease,
        *,
        set_: Mapping[str, Any],
        remove: Sequence[str] = (),
        ended: EventStatus | None = None,
    ) -> None:
        """Change an event's row if the lease still holds the event.

        Raises:
            LeaseLostError: another claim took the event over.
        """
        try:
            self._table.update(
                {"event_id": lease.event.event_key},
                set_=set_,
                remove=remove,
                condition=f"{MINE} AND #status = :processing",
                owner=lease.owner,
                fence=lease.fence,
                processing=EventStatus.PROCESSING.value,
                reading=False,
            )
        except ConditionFailed as found:
            same = (found.item.get("owner"), found.item.get("fence")) == (lease.owner, lease.fence)
            if not (same and ended is not None and found.item.get("status") == ended):
                raise LeaseLostError(LEASE_LOST) from None

    def _event_item(self, event: EventFacts, modes: Modes) -> Item:
        return {
            "event_id": event.event_key,
            **self._required(event.received_at, event.conversation_id, modes),
            "source_message_id": event.source_message_id,
            "payload_sha256": event.payload_sha256,
            "payload_bytes": event.payload_bytes,
            "source": event.source,
            "trace_id": event.trace_id,
        }


def _failed_item(event_key: str, reason: str, now: str) -> Item:
    cause = causes.of(event_key, EventStatus.FAILED, reason)
    return {} if cause is None else causes.attributes(cause, event_key, now)


def _lease(event: EventFacts, row: Item) -> Lease:
    """The lease of a claimed event, from its row.

    The job of a resumed event names no message, but its action keys contain the message's id, so
    the id is taken from the row.
    """
    message_id = event.source_message_id or row.get("source_message_id")
    if message_id != event.source_message_id:
        event = replace(event, source_message_id=message_id)
    return Lease(
        event=event,
        owner=row["owner"],
        fence=row["fence"],
        until_epoch=row["lease_until"],
        attempts=row["attempts"],
        plan=row.get("plan"),
        tries=row.get("tries", ()),
        was_taken_over=row["attempts"] > 1 and row.get("released") != row["fence"] - 1,
    )
