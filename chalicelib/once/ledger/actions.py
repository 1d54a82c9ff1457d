"""Actions in table A: start, outcome, and settlement of an unknown outcome; see `layout`."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.errors import BusyError, LeaseLostError
from chalicelib.once import keys, reasons
from chalicelib.once.action import ActionRow, ActionStatus, UnsettledAction
from chalicelib.once.effect import Effect, Settle
from chalicelib.once.event import LANDING_SECONDS, EventStatus, Lease
from chalicelib.once.ledger import rows, tries
from chalicelib.once.ledger.rows import ACTION, EVENT, MINE, LedgerRows
from chalicelib.once.ports import UNDECIDED, Modes
from chalicelib.once.store import ConditionFailed, Item, TransactionRefused
from chalicelib.once.timer import DATE, due_attributes
from chalicelib.redaction.json_values import redact_mapping

REF_TAKEN = reasons.REF_TAKEN
"""Stored reason: the vendor's id that came back belongs to another action."""

_ENCODER = json.JSONEncoder(sort_keys=True)


class ActionLedger(LedgerRows):
    """Starts actions, stores their outcomes and settles unknown ones; the base class of `Ledger`."""

    def begin(
        self,
        lease: Lease,
        actions: Sequence[Effect],
        modes: Modes,
        *,
        operator: bool = False,
        while_held: bool = False,
    ) -> tuple[ActionRow, ...]:
        """Write `pending` rows of actions before their request is sent; where a row is stored, read it.

        Returns the rows in the order of the actions.  With `operator`, skipped and refused actions are
        reopened.  With `while_held`, a row is inserted only while the lease holds the event.

        Raises:
            BusyError: another event's worker has one of the actions.
            LeaseLostError: another claim has taken over an action or, with `while_held`, the event.
        """
        items = [self._action_item(lease, action, modes) for action in actions]
        if while_held:
            inserted = [self._insert_held(lease, item) for item in items]
        else:
            inserted = self._table.insert_all(items)
        return tuple(
            ActionRow(action.key, ActionStatus.PENDING, mine=True)
            if is_new
            else self._existing(lease, action, item, operator=operator)
            for action, item, is_new in zip(actions, items, inserted, strict=True)
        )

    def restart(self, lease: Lease, action: Effect, *, new_start: bool) -> ActionRow:
        """Take over an action's row whose outcome an earlier claim did not store; an ended row is returned.

        With `new_start` the action starts again now, as its request is about to be sent again.  Without it,
        the row is taken over only to find out the outcome, and the stored time of its start stays.

        Raises:
            LeaseLostError: the row is gone, or another claim took it over.
        """
        row = self._table.get({"event_id": action.key})
        if row is None:
            raise LeaseLostError(reasons.ACTION_GONE)
        if row["status"] not in {ActionStatus.PENDING, ActionStatus.UNKNOWN}:
            return rows.action(row)
        return self._take(lease, row, new_start=new_start)

    def rearm(self, lease: Lease, actions: Sequence[Effect]) -> None:
        """Record that started actions were certainly not done; the next attempt is a new start.

        Raises:
            LeaseLostError: another claim took one of them over.
        """
        for action in actions:
            self._own_action(lease, action.key, set_={"started": False, "lease_until": 0})

    def end_action(
        self,
        lease: Lease,
        action: Effect,
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> ActionRow:
        """Write an action's outcome and return its row.

        A vendor's id that belongs to another action is not this one's effect: the action ends as
        unknown, to be settled.

        Raises:
            LeaseLostError: another claim took the action over.
        """
        outcome = self._outcome(action.key, status, reason=reason, ref=ref)
        if ref is not None and action.kind.settle == Settle.QUERY:
            scope = "" if action.kind.is_id_global else action.conversation_id
            bound = self._ref_item(scope, action, ref)
            if self._end_with_ref(lease, action, bound, outcome):
                return rows.action({**outcome, "event_id": action.key})
            if not self._claim_ref(bound):
                status = ActionStatus.UNKNOWN
                outcome = self._outcome(action.key, status, reason=REF_TAKEN, ref=None)
        return rows.action(self._own_action(lease, action.key, ended=status, set_=outcome))

    def end_actions(
        self,
        lease: Lease,
        actions: Sequence[Effect],
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> tuple[ActionRow, ...]:
        """Write the one outcome of actions that share a request, in one call where possible.

        Calling it again after a lost response returns the same outcome.

        Returns:
            The actions' rows, in the same order.

        Raises:
            LeaseLostError: another claim took one of the actions over.
        """
        is_bound = ref is not None and any(action.kind.settle == Settle.QUERY for action in actions)
        if len(actions) == 1 or is_bound or status == ActionStatus.UNKNOWN:
            return tuple(
                self.end_action(lease, action, status, reason=reason, ref=ref) for action in actions
            )
        outcome = self._outcome(actions[0].key, status, reason=reason, ref=ref)
        ended = self._table.update_all(
            [{"event_id": action.key} for action in actions],
            set_=outcome,
            where={
                "owner": lease.owner,
                "fence": lease.fence,
                "status": ActionStatus.PENDING.value,
            },
        )
        # A row that did not change was ended by this call's lost response, or is not ours.
        return tuple(
            rows.action({**outcome, "event_id": action.key})
            if is_ended
            else self.end_action(lease, action, status, reason=reason, ref=ref)
            for action, is_ended in zip(actions, ended, strict=True)
        )

    def skip(self, lease: Lease, action: Effect, modes: Modes, *, reason: str) -> ActionRow:
        """Write an action as skipped, with the reason; a row that was started or has ended is not changed.

        Returns:
            The action's row as it is stored then.
        """
        item = self._action_item(lease, action, modes) | {
            "status": ActionStatus.SKIPPED.value,
            "reason": reason,
            "finished_at": self._now(),
            "started": False,
        }
        try:
            self._table.put(
                item,
                now=self._epoch(),
                pending=ActionStatus.PENDING.value,
                no=False,
                event=lease.event.event_key,
                fence=lease.fence,
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now"
                " OR (#status = :pending AND #started = :no"
                " AND (#event_key <> :event OR #fence <= :fence))",
            )
        except ConditionFailed as found:
            return rows.action(found.item)
        return rows.action(item)

    def action(self, key: str) -> ActionRow | None:
        """The row of an action as stored now; None when there is none, or TTL should have deleted it."""
        row = self._table.get({"event_id": key})
        if row is None or row.get("expires_at", self._epoch() + 1) <= self._epoch():
            return None
        return rows.action(row, started=row.get("started", True))

    # --- settling -----------------------------------------------------------------------------

    def claim_ref(self, action: UnsettledAction, ref: str, *, is_id_global: bool) -> bool:
        """Bind a vendor's id of an effect to one action for good; two effects with equal text have two ids.

        Returns False when the id is bound to another action.  `is_id_global` is that of the action's kind.
        """
        scope = "" if is_id_global else action.conversation_id
        return self._claim_ref(self._ref_item(scope, action, ref))

    def count_empty_answer(self, action: UnsettledAction) -> None:
        """Count that the vendor was asked about an action and showed nothing.

        Only questions after the action's horizon are counted: until then its request may still reach the
        vendor.  Nothing is counted where another claim has taken over the row since it was read.
        """
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                {"event_id": action.key},
                set_={"looked_epoch": int(self._epoch())},
                add={"looks": 1},
                condition="(#status = :unknown OR #status = :pending) AND #owner = :owner",
                unknown=ActionStatus.UNKNOWN.value,
                pending=ActionStatus.PENDING.value,
                owner=action.owner,
            )

    def settle(
        self,
        action: UnsettledAction,
        status: ActionStatus,
        *,
        ref: str | None = None,
        reason: str,
        entry: Sequence[Item] = (),
    ) -> bool:
        """Store the outcome of an action that was unknown: done, abandoned, or pending and not started.

        Args:
            action: as it was read.
            status: the verdict.
            ref: the vendor's id of the effect.
            reason: a fixed code.
            entry: writes of the journal's entry where a person settles; one transaction with it.

        Returns:
            False when it was settled meanwhile.
        """
        ended = status != ActionStatus.PENDING
        now = self._now()
        attempt = {
            "at": int(action.started_epoch),
            "worker": action.owner,
            "end": ActionStatus.UNKNOWN.value,
            "reason": action.reason,
            "looks": action.looks or None,
            "event": action.event_key,
            "settled": reason,
        }
        change: dict[str, Any] = {
            "set_": {
                "tries": tries.added(action.tries, attempt),
                "status": status.value,
                "reason": reason,
                "ref": ref,
                "last_processed_at": now,
                "finished_at": now if ended else None,
                "started": ended,
            },
            "remove": DATE,
            "condition": "#status = :unknown AND #started_epoch = :started_epoch",
            "unknown": ActionStatus.UNKNOWN.value,
            "started_epoch": int(action.started_epoch),
        }
        key = {"event_id": action.key}
        try:
            if entry:
                self._table.transact([self._table.updating(key, **change), *entry])
            else:
                self._table.update(key, **change)
        except (ConditionFailed, TransactionRefused):
            return False
        self._wake(action.event_key)
        return True

    def unsettled(
        self,
        *,
        due_by_epoch: float | None = None,
        after: tuple[float, str] | None = None,
        limit: int,
    ) -> Sequence[UnsettledAction]:
        """Actions of unknown outcome that are due by a time, the longest due first; without a time, all.

        `after` continues a list: the due time and the key of its last action.
        """
        found = self._dated(ACTION, due_by_epoch, limit, after=after)
        return [rows.unsettled(row) for row in found if row.get("status") == ActionStatus.UNKNOWN]

    def reasons_of_unknown(self, keys: Sequence[str]) -> dict[str, str | None]:
        """The stored reasons, by key, of those of these actions whose outcome is still unknown."""
        found = self._table.get_all(
            [{"event_id": key} for key in keys], attributes=["event_id", "status", "reason"]
        )
        return {
            row["event_id"]: row.get("reason")
            for row in found
            if row["status"] == ActionStatus.UNKNOWN
        }

    # --- writing rows -------------------------------------------------------------------------

    def _wake(self, event_key: str) -> None:
        """Make a parked event due for the sweep now, because the outcome of one of its actions is known.

        After a crash before this write, the sweep handles the event at its stored time.
        """
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                {"event_id": event_key},
                set_=due_attributes(EVENT, event_key, self._epoch()),
                condition="#status = :parked",
                parked=EventStatus.PARKED.value,
                reading=False,
            )

    def _end_with_ref(
        self, lease: Lease, action: Effect, bound: Item, outcome: Mapping[str, Any]
    ) -> bool:
        """Bind the vendor's id to the action and end the action in one transaction.

        Returns:
            False when the id is bound already, or another claim has the action.
        """
        try:
            self._table.transact(
                [
                    self._table.putting(bound, condition="attribute_not_exists(#event_id)"),
                    self._table.updating(
                        {"event_id": action.key},
                        set_=outcome,
                        condition=f"{MINE} AND #status = :pending",
                        owner=lease.owner,
                        fence=lease.fence,
                        pending=ActionStatus.PENDING.value,
                    ),
                ]
            )
        except TransactionRefused:
            return False
        return True

    def _ref_item(self, scope: str, action: Effect | UnsettledAction, ref: str) -> Item:
        kind = action.kind if isinstance(action, UnsettledAction) else action.kind.name
        return {
            "event_id": keys.bound_ref(kind, scope, ref),
            **self._required(self._now(), action.conversation_id, UNDECIDED),
            "status": ActionStatus.DONE.value,
            "payload_sha256": hashlib.sha256(ref.encode()).hexdigest(),
            "payload_bytes": len(ref),
            "action_key": action.key,
        }

    def _claim_ref(self, bound: Item) -> bool:
        try:
            self._table.put(bound, condition="attribute_not_exists(#event_id)")
        except ConditionFailed as found:
            return bool(found.item.get("action_key") == bound["action_key"])
        return True

    def _insert_held(self, lease: Lease, item: Item) -> bool:
        """Insert an action's row while the lease holds the event; False where a row is stored already.

        Raises:
            LeaseLostError: another claim holds the event, or it has ended.
        """
        inserting = self._table.putting(item, condition="attribute_not_exists(#event_id)")
        try:
            self._write_held(lease, inserting)
        except ConditionFailed:
            return False
        return True

    def _write_held(self, lease: Lease, write: Item) -> None:
        """Write a row in one transaction with a check that the lease holds the event.

        Raises:
            LeaseLostError: another claim holds the event, or it has ended.
            ConditionFailed: the write's own condition did not hold.
        """
        held = self._table.checking(
            {"event_id": lease.event.event_key},
            condition=f"{MINE} AND #status = :processing",
            owner=lease.owner,
            fence=lease.fence,
            processing=EventStatus.PROCESSING.value,
        )
        try:
            self._table.transact([held, write])
        except TransactionRefused as refused:
            not_held, there = refused.found
            if not_held is not None:
                raise LeaseLostError(reasons.LEASE_LOST) from None
            raise ConditionFailed(there or {}) from None

    def _existing(self, lease: Lease, action: Effect, item: Item, *, operator: bool) -> ActionRow:
        row = self._table.get({"event_id": action.key})
        if row is None or row["expires_at"] <= self._epoch():
            return self._replace(item)
        status = ActionStatus(row["status"])
        reopened = operator and status in (ActionStatus.SKIPPED, ActionStatus.REFUSED)
        # Only actions that may start get here: a dependency that was not met is met now, for example
        # because a reply of unknown outcome was found.
        reopened |= status == ActionStatus.SKIPPED and row.get("reason") == "dependency"
        if reopened or (status == ActionStatus.PENDING and not row.get("started", True)):
            return self._take(lease, row, new_start=True)
        if status == ActionStatus.PENDING and (row["owner"], row["fence"]) == (
            lease.owner,
            lease.fence,
        ):
            return rows.action(row, mine=True)
        foreign = row["event_key"] != lease.event.event_key
        if status == ActionStatus.PENDING and foreign and row["lease_until"] > self._epoch():
            raise BusyError(reasons.ACTION_BUSY, delay_seconds=row["lease_until"] - self._epoch())
        return rows.action(row, started=status == ActionStatus.PENDING)

    def _replace(self, item: Item) -> ActionRow:
        """Insert an action's row where there is none, or one that TTL should have deleted.

        Raises:
            LeaseLostError: another claim inserted it first.
        """
        try:
            self._table.put(
                item,
                now=self._epoch(),
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now",
            )
        except ConditionFailed as found:
            if (found.item["owner"], found.item["fence"]) != (item["owner"], item["fence"]):
                raise LeaseLostError(reasons.ACTION_TAKEN) from None
        return rows.action(item, mine=True)

    def _take(self, lease: Lease, row: Item, *, new_start: bool) -> ActionRow:
        """Take over an action's row that no worker is working on; of several claimants one succeeds.

        A worker whose event was taken over meanwhile has a lower fence than the row and fails here.  A row
        that has ended is taken over only while this lease holds the event, because the event's new holder
        may have skipped the row and ended the event.

        Raises:
            LeaseLostError: another claim has the row or the event.
        """
        if row["event_key"] == lease.event.event_key and row["fence"] > lease.fence:
            raise LeaseLostError(reasons.ACTION_TAKEN)
        holding = self._holding(lease)
        if not new_start:  # taken over to be settled: its request may have left the machine before
            for name in ("started_epoch", "horizon", "started"):
                del holding[name]
        key = {"event_id": row["event_id"]}
        gone = ["reason", "finished_at", *DATE]
        if new_start:  # earlier queries were about the old start
            gone += ["looks", "looked_epoch"]
            holding["tries"] = tries.of_row(row)
        changed = {
            **holding,
            "status": ActionStatus.PENDING.value,
            "event_key": lease.event.event_key,
            "last_processed_at": self._now(),
        }
        change: dict[str, Any] = {
            "set_": changed,
            "remove": gone,
            "condition": "#owner = :was_owner AND #fence = :was_fence AND #status = :was_status",
            "was_owner": row["owner"],
            "was_fence": row["fence"],
            "was_status": row["status"],
        }
        try:
            if row["status"] == ActionStatus.PENDING:
                taken = self._table.update(key, **change)
            else:
                self._write_held(lease, self._table.updating(key, **change))
                taken = {name: row[name] for name in row.keys() - set(gone)} | changed
        except ConditionFailed as found:
            taken = found.item
            if (taken.get("owner"), taken.get("fence")) != (lease.owner, lease.fence):
                raise LeaseLostError(reasons.ACTION_TAKEN) from None
        return rows.action(taken, mine=True)

    def _own_action(
        self, lease: Lease, key: str, *, set_: Mapping[str, Any], ended: ActionStatus | None = None
    ) -> Item:
        """Change an action's row if the lease still holds the action, and return the row.

        Raises:
            LeaseLostError: another claim took the action over.
        """
        try:
            return self._table.update(
                {"event_id": key},
                set_=set_,
                condition=f"{MINE} AND #status = :pending",
                owner=lease.owner,
                fence=lease.fence,
                pending=ActionStatus.PENDING.value,
            )
        except ConditionFailed as found:
            same = (found.item.get("owner"), found.item.get("fence")) == (lease.owner, lease.fence)
            if same and ended is not None and found.item.get("status") == ended:
                return found.item
            raise LeaseLostError(reasons.ACTION_LOST) from None

    def _outcome(
        self, key: str, status: ActionStatus, *, reason: str | None, ref: str | None
    ) -> Item:
        now = self._now()
        return {
            "status": status.value,
            "reason": reason,
            "ref": ref,
            "finished_at": now,
            "last_processed_at": now,
            **(
                due_attributes(ACTION, key, self._epoch()) if status == ActionStatus.UNKNOWN else {}
            ),
        }

    def _action_item(self, lease: Lease, action: Effect, modes: Modes) -> Item:
        payload = _ENCODER.encode(redact_mapping(dict(action.payload))).encode()
        return {
            "event_id": action.key,
            **self._required(lease.event.received_at, action.conversation_id, modes),
            "payload_sha256": hashlib.sha256(payload).hexdigest(),
            "payload_bytes": len(payload),
            "status": ActionStatus.PENDING.value,
            "action_type": action.audit_type,
            "action_kind": action.kind.name,
            "event_key": lease.event.event_key,
            "probe": dict(action.probe) or None,
            **self._holding(lease),
        }

    def _holding(self, lease: Lease) -> Item:
        """The attributes that an action's row has while this lease may send the action's request."""
        until = int(lease.until_epoch)
        return {
            "owner": lease.owner,
            "fence": lease.fence,
            "lease_until": until,
            "started": True,
            "started_epoch": int(self._epoch()),
            "horizon": until + int(LANDING_SECONDS),
        }
