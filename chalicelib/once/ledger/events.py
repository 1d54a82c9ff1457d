"""Events in table A: claim, plan, release, end; every write is conditional.

`layout` lists every attribute of a row, `actions` has the rows of an event's actions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.errors import LeaseLostError
from chalicelib.once.event import (
    LATE_SECONDS,
    RECEIPT_GONE,
    SCHEDULED,
    Busy,
    ClaimResult,
    EventFacts,
    EventStatus,
    Finished,
    Lease,
    StoredEvent,
    StrandedEvent,
)
from chalicelib.once.heartbeat import VISIBILITY_SECONDS
from chalicelib.once.ledger import rows, tries
from chalicelib.once.ledger.actions import ActionLedger
from chalicelib.once.ledger.rows import EVENT, MINE
from chalicelib.once.ports import UNDECIDED, Modes
from chalicelib.once.sharded import NOT_DUE, OLD_ATTRIBUTE, due
from chalicelib.once.store import ConditionFailed, Item, TransactionRefused

QUEUED_SECONDS = 120.0
"""The door has queued what it received by then, or it died."""
_OLD_MARKS = ("received", "parked", "processing", "released", "failed", "watched")
_ALIVE = "#expires_at > :now"
_NOTED = frozenset({"event_id", "last_processed_at"})


class Ledger(ActionLedger):
    """Events and, by inheritance, their actions."""

    def receive(self, event: EventFacts) -> str | None:
        """Write a `received` row at ingress; None when the queue or the worker has it already.

        A row that was never marked queued suppresses nothing: the retry must still enqueue.  Nor
        does one that ended in `RECEIPT_GONE`: this is the sender's repetition.

        Returns:
            The row's ``received_at``: distinguishes this message from one that failed before.
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
            is_due = row["status"] == EventStatus.RECEIVED and "queued_at" not in row
            return str(row["received_at"]) if is_due else None
        return event.received_at

    def received_item(self, event: EventFacts) -> Item:
        """The row of an event at the door, for a caller that writes it together with other rows."""
        return self._event_item(event, UNDECIDED) | {
            "status": EventStatus.RECEIVED.value,
            **due(EVENT, event.event_key, self._epoch() + QUEUED_SECONDS),
        }

    def receiving(self, event: EventFacts) -> Item:
        """The same as one write of a transaction, which fails where the event has a row."""
        return self._table.putting(
            self.received_item(event), condition="attribute_not_exists(#event_id)"
        )

    def scheduling(self, event: EventFacts, due_epoch: float) -> Item:
        """The row of an event that no message brings, as one write of a transaction.

        The sweep queues it when it is due.  Its `received_at` is that time: it is not late before.
        """
        return self._table.putting(
            {
                **self._event_item(event, UNDECIDED),
                "status": EventStatus.RECEIVED.value,
                "last_reason": SCHEDULED,
                "expires_at": self._expiry(due_epoch),
                **due(EVENT, event.event_key, due_epoch),
            }
        )

    def queued(self, event_key: str) -> None:
        """Mark a `received` row as queued, unless a worker has claimed it."""
        try:
            self._table.update(
                {"event_id": event_key},
                set_={"queued_at": self._now()},
                remove=NOT_DUE,
                condition="#status = :received",
                received=EventStatus.RECEIVED.value,
            )
        except ConditionFailed:
            return  # the worker was faster

    def note_return(self, event: EventFacts, *, reason: str, returns_epoch: float) -> None:
        """Note that a message goes back to the queue before its events could be known.

        Without a row, only the queue would know of it.  Nothing is written over: a row that a claim
        or an end has changed says more.

        Args:
            event: of the message itself.
            reason: a fixed code: why it could not be read.
            returns_epoch: when its message is received again.
        """
        item = self._event_item(event, UNDECIDED)
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                {"event_id": event.event_key},
                set_={
                    "last_reason": reason,
                    "last_processed_at": self._now(),
                    **due(EVENT, event.event_key, returns_epoch + LATE_SECONDS),
                },
                keep={
                    **{name: item[name] for name in item if name not in _NOTED},
                    "status": EventStatus.RECEIVED.value,
                    "queued_at": self._now(),
                },
                remove=[OLD_ATTRIBUTE],
                condition="attribute_not_exists(#event_id) OR #status = :received",
                received=EventStatus.RECEIVED.value,
                reading=False,
            )

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
    ) -> ClaimResult:
        """Claim the event, or say until when it is busy or how it ended; one write, no read.

        Args:
            event: stored where there is no row yet.
            modes: the switches, stored with the row.
            lease_seconds: from now.
            takeover: ended states that this delivery may reopen, once.
            last_chance: the message's last receive: the event is due at the end of the lease.
            is_watched: the event is due when its message should have come back and has not.
            by: the message that reopens; a copy of it does not reopen the end that it caused.
        """
        owner, now = self._new_owner(), self._epoch()
        until = int(now + lease_seconds)
        again: Item = {}
        if last_chance:
            again = due(EVENT, event.event_key, until) | {"last_receive": True}
        elif is_watched:
            again = due(EVENT, event.event_key, now + VISIBILITY_SECONDS + LATE_SECONDS)
        gone = {*NOT_DUE, "last_receive", "waits_for", "asked"} - again.keys()
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
        either = "".join(f" OR (#status = :{name}{once})" for name in open_states)
        if once:
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
        """Write the plan before the first effect."""
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

    def release(self, lease: Lease, *, reason: str, due_epoch: float | None) -> None:
        """Release the event, so that the next delivery need not wait for the lease to end.

        Args:
            lease: of the event.
            reason: a fixed code.
            due_epoch: the sweep queues the event at this time if no delivery has claimed it before.
                With a message that returns at a time: `LATE_SECONDS` after it.  Without a message:
                when the event shall run again, and the row alone carries it until then.  None where
                something else brings it back.
        """
        set_: Item = {
            "lease_until": 0,
            "last_reason": reason,
            "released": lease.fence,
            "tries": self._tried(lease, tries.RELEASED, reason),
        }
        if due_epoch is not None:
            key = lease.event.event_key
            set_ |= due(EVENT, key, due_epoch) | {"expires_at": self._expiry(due_epoch)}
        self._own(lease, set_=set_, remove=[name for name in NOT_DUE if name not in set_])

    def bury(self, event_key: str, *, reason: str) -> bool:
        """Mark an event failed whose last worker died, outside a claim; False when it is claimed.

        Its hand-off is pending, and due again if this one does not reach a person.
        """
        try:
            self._table.update(
                {"event_id": event_key},
                set_={
                    "status": EventStatus.FAILED.value,
                    "reason": reason,
                    "last_processed_at": self._now(),
                    **due(EVENT, event_key, self._epoch() + LATE_SECONDS),
                },
                remove=[OLD_ATTRIBUTE],
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
    ) -> None:
        """Write the event's end.

        Args:
            lease: of the event.
            status: how it ended.
            reason: a fixed code.
            facts: further attributes.
            handoff_due: a failed event's hand-off is pending; the sweep repeats it.
            waits_for: keys of the actions of unknown outcome for which it is parked.
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
            set_ |= due(EVENT, lease.event.event_key, self._epoch() + pause)
            set_["waits_for"] = list(waits_for) or None
        gone = [name for name in NOT_DUE if name not in set_]
        if not (reason or status == EventStatus.FAILED):
            gone.append("reason")
        self._own(lease, set_=set_, remove=gone, ended=status)

    def record(self, event: EventFacts, modes: Modes, status: EventStatus, *, reason: str) -> None:
        """Write the end of an event that was never claimed.

        A notification was resolved into others, or a message went to the dead-letter queue.  A row
        that a claim has written, or that ended without failure, is not changed.
        """
        item = self._event_item(event, modes)
        del item["event_id"]
        # A claim knows the conversation, the door perhaps only the sender.
        created = {name: item.pop(name) for name in ("created_at", "conversation_id")}
        # A failed event whose hand-off is pending stays due and keeps its reason.
        pending = "attribute_not_exists(#due_at) AND attribute_not_exists(#unfinished)"
        waits = f" AND {pending}" if status == EventStatus.FAILED else ""
        with contextlib.suppress(ConditionFailed):  # a late copy changes no successful end
            self._table.update(
                {"event_id": event.event_key},
                keep=created,
                set_=item | {"status": status.value, "reason": reason},
                remove=NOT_DUE,
                condition="attribute_not_exists(#event_id) OR #status = :received"
                f" OR #expires_at <= :now OR (#status = :failed{waits})",
                received=EventStatus.RECEIVED.value,
                now=self._epoch(),
                failed=EventStatus.FAILED.value,
            )

    def statuses(self, event_keys: Sequence[str]) -> Mapping[str, EventStatus]:
        """Status of each of these events that has a row which is not expired."""
        found = self._table.get_all(
            [{"event_id": key} for key in dict.fromkeys(event_keys)],
            attributes=["event_id", "status", "expires_at"],
        )
        now = self._epoch()
        return {
            row["event_id"]: EventStatus(row["status"]) for row in found if row["expires_at"] > now
        }

    def stored(self, event_key: str) -> StoredEvent | None:
        """An event's row; None where there is none or it has expired."""
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
        """Unfinished events, of which those due by a time; the longest due first.

        A list is read on with `after`: when its last event is due, and its key.

        Received and not queued; held or released, and not claimed again in time; parked; failed,
        with its hand-off pending.
        """
        found = self._due(EVENT, due_by_epoch, limit, old_marks=_OLD_MARKS, after=after)
        return [rows.stranded(row) for row in found]

    def ask_again(self, event_key: str, *, entry: Sequence[Item]) -> bool:
        """Note that an operator wants an event run again, in one transaction with the journal's entry.

        The operator's message follows.  If it is lost, the sweep sends another one.

        Returns:
            False when the event has no row that is kept, or is not finished: it goes on anyway.
        """
        change = self._table.updating(
            {"event_id": event_key},
            set_={"asked": True, **due(EVENT, event_key, self._epoch() + LATE_SECONDS)},
            condition=f"{_ALIVE} AND #status <> :processing",
            now=self._epoch(),
            processing=EventStatus.PROCESSING.value,
        )
        try:
            self._table.transact([change, *entry])
        except TransactionRefused:
            return False
        return True

    # --- the rows behind ----------------------------------------------------------------------

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
        """Claim as a new event on a row that TTL should have deleted."""
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
        """Change the event's row under its fence."""
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
                raise LeaseLostError("lease_lost") from None

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


def _lease(event: EventFacts, row: Item) -> Lease:
    """The lease; a resume takes the message id, which is part of its action keys, from the row."""
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
