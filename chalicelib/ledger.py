"""Table A: who may work on an event, how far each action is; every write is conditional.

Row of an event (times are ISO-8601 UTC, ``expires_at`` and ``lease_until`` epoch seconds)::

    event_id       evt:rp:1042:c-77            status        processing
    created_at     2026-11-20T09:00:01.120Z    owner         5f0c9a...   unique per claim
    received_at    2026-11-20T09:00:00.000Z    fence         2           grows with every claim
    last_processed_at, expires_at, mode,       lease_until   1763629452
    conversation_id, safe_mode,                attempts      2
    automation_enabled, source,                plan          {"flow": "support", ...}
    source_message_id, intent,                 reason        dead_letter
    payload_sha256, payload_bytes              unfinished    parked#3    sparse index key

Row of an action: the same required attributes, and ``event_key``, ``action_type``, ``ref`` (the
vendor's id of the effect), ``finished_at``, ``started`` (an effect may have left the machine).

Expiry is compared here and not left to DynamoDB's TTL, which deletes up to days late.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from chalicelib import keys, rows
from chalicelib.actions import Action, Settle
from chalicelib.clock import iso
from chalicelib.dynamo import ConditionFailed, Item, Table, TransactionRefused
from chalicelib.errors import BusyError, LeaseLostError
from chalicelib.ports import (
    UNDECIDED,
    ActionRow,
    ActionStatus,
    Busy,
    ClaimResult,
    Clock,
    EventFacts,
    EventStatus,
    Finished,
    Lease,
    Modes,
    StoredEvent,
    StrandedEvent,
    UnsettledAction,
)
from chalicelib.redaction import redact_mapping
from chalicelib.settlement import LANDING_SECONDS

RETENTION = timedelta(days=30)
SHARDS = 4
"""Partitions of the sparse index per status; unfinished rows are few, a burst must not be hot."""

WATCHED = "watched"
"""In the sparse index: somebody works on it, and nobody but the queue would know if they did not."""
_ENCODER = json.JSONEncoder(sort_keys=True)
_ALIVE = "#expires_at > :now"
_MINE = "#owner = :owner AND #fence = :fence"


class Ledger:
    """`ports.LedgerPort` on DynamoDB.

    Args:
        retention: how long a row stands, and with it the promise that its key acts once.
    """

    def __init__(
        self,
        table: Table,
        clock: Clock,
        new_owner: rows.NewOwner,
        *,
        retention: timedelta = RETENTION,
    ) -> None:
        self._table = table
        self._clock = clock
        self._new_owner = new_owner
        self._retention = retention

    # --- events -------------------------------------------------------------------------------

    def receive(self, event: EventFacts) -> bool:
        """See `ports.LedgerPort.receive`."""
        try:
            self._table.put(
                self.received_item(event),
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now",
                now=self._epoch(),
            )
        except ConditionFailed as found:
            return found.item["status"] == EventStatus.RECEIVED and "queued_at" not in found.item
        return True

    def received_item(self, event: EventFacts) -> Item:
        """The row of an event at the door, for whoever writes it together with other rows."""
        return self._event_item(event, UNDECIDED) | {
            "status": EventStatus.RECEIVED.value,
            "unfinished": _shard(EventStatus.RECEIVED, event.event_key),
        }

    def queued(self, event_key: str) -> None:
        """See `ports.LedgerPort.queued`."""
        try:
            self._table.update(
                {"event_id": event_key},
                set_={"queued_at": self._now()},
                remove=["unfinished"],
                condition="#status = :received",
                received=EventStatus.RECEIVED.value,
            )
        except ConditionFailed:
            return  # the worker was faster

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
        """See `ports.LedgerPort.claim`."""
        owner, now = self._new_owner(), self._epoch()
        until = int(now + lease_seconds)
        mark = EventStatus.PROCESSING.value if last_chance else WATCHED if is_watched else None
        holding = {
            "status": EventStatus.PROCESSING.value,
            # The door may know only whom a message is from; the worker knows the conversation,
            # and whoever resumes the event looks for it under this id.
            "conversation_id": event.conversation_id,
            "owner": owner,
            "lease_until": until,
            "last_processed_at": self._now(),
            "expires_at": self._expiry(),
            "unfinished": _sharded(mark, event.event_key) if mark else None,
            "taken_by": by,
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
                remove=() if mark else ("unfinished",),
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
        """See `ports.LedgerPort.store_plan`."""
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

    def release(self, lease: Lease, *, reason: str) -> None:
        """See `ports.LedgerPort.release`."""
        mark = _shard(EventStatus.PROCESSING, lease.event.event_key)
        given_back = {"lease_until": 0, "last_reason": reason, "released": lease.fence}
        self._own(lease, set_={**given_back, "unfinished": mark})

    def bury(self, event_key: str, *, reason: str) -> bool:
        """See `ports.LedgerPort.bury`."""
        try:
            self._table.update(
                {"event_id": event_key},
                set_={
                    "status": EventStatus.FAILED.value,
                    "reason": reason,
                    "last_processed_at": self._now(),
                    "unfinished": _shard(EventStatus.FAILED, event_key),
                },
                condition="#status = :processing AND #lease_until < :now",
                processing=EventStatus.PROCESSING.value,
                now=self._epoch(),
            )
        except ConditionFailed:
            return False
        return True

    def keep(self, key: str) -> bool:
        """See `ports.LedgerPort.keep`."""
        try:
            self._table.update(
                {"event_id": key},
                set_={"expires_at": self._expiry(), "last_processed_at": self._now()},
                condition="attribute_exists(#unfinished)",
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
    ) -> None:
        """See `ports.LedgerPort.finish`."""
        parked = status == EventStatus.PARKED or handoff_due
        self._own(
            lease,
            set_={
                "status": status.value,
                "reason": reason,
                "last_processed_at": self._now(),
                "unfinished": _shard(status, lease.event.event_key) if parked else None,
                **(facts or {}),
            },
            remove=[
                *(() if parked else ("unfinished",)),
                *(() if reason or status == EventStatus.FAILED else ("reason",)),
            ],
            ended=status,
        )

    def record(self, event: EventFacts, modes: Modes, status: EventStatus, *, reason: str) -> None:
        """See `ports.LedgerPort.record`."""
        item = self._event_item(event, modes)
        del item["event_id"]
        created = {"created_at": item.pop("created_at")}
        # An event that has failed and still waits for its hand-off keeps that, and its reason.
        waits = " AND attribute_not_exists(#unfinished)" if status == EventStatus.FAILED else ""
        with contextlib.suppress(ConditionFailed):  # a copy that came too late changes no good end
            self._table.update(
                {"event_id": event.event_key},
                keep=created,
                set_=item | {"status": status.value, "reason": reason},
                remove=["unfinished"],
                condition="attribute_not_exists(#event_id) OR #status = :received"
                f" OR #expires_at <= :now OR (#status = :failed{waits})",
                received=EventStatus.RECEIVED.value,
                now=self._epoch(),
                failed=EventStatus.FAILED.value,
            )

    def statuses(self, event_keys: Sequence[str]) -> Mapping[str, EventStatus]:
        """See `ports.LedgerPort.statuses`."""
        found = self._table.get_all(
            [{"event_id": key} for key in dict.fromkeys(event_keys)],
            attributes=["event_id", "status", "expires_at"],
        )
        now = self._epoch()
        return {
            row["event_id"]: EventStatus(row["status"]) for row in found if row["expires_at"] > now
        }

    def stored(self, event_key: str) -> StoredEvent | None:
        """See `ports.LedgerPort.stored`."""
        row = self._table.get({"event_id": event_key})
        if row is None or row["expires_at"] <= self._epoch():
            return None
        return StoredEvent(rows.event(row), EventStatus(row["status"]), row.get("plan"))

    def stranded(self, *, older_than_epoch: float, limit: int) -> Sequence[StrandedEvent]:
        """See `ports.LedgerPort.stranded`."""
        statuses = (
            EventStatus.RECEIVED,
            EventStatus.PARKED,
            EventStatus.PROCESSING,
            EventStatus.FAILED,
        )
        found = self._unfinished(statuses, older_than_epoch, limit)
        return [rows.stranded(row) for row in found]

    def left(self, *, older_than_epoch: float, limit: int) -> Sequence[StrandedEvent]:
        """See `ports.LedgerPort.left`."""
        before = rows.iso_of_epoch(older_than_epoch)
        return [rows.stranded(row) for row in self._marked(WATCHED, before, limit)]

    def _unfinished(
        self, statuses: Sequence[EventStatus | ActionStatus], before_epoch: float, limit: int
    ) -> list[Item]:
        """Rows of the sparse index, oldest first, at most so many of each status."""
        before = rows.iso_of_epoch(before_epoch)
        found: list[Item] = []
        for status in statuses:
            found += self._marked(status.value, before, limit)
        return found

    def _marked(self, mark: str, before: str, limit: int) -> list[Item]:
        found: list[Item] = []
        for shard in range(SHARDS):
            found += self._table.query(
                IndexName="unfinished-index",
                KeyConditionExpression="#unfinished = :u AND #last_processed_at < :before",
                ExpressionAttributeNames={
                    "#unfinished": "unfinished",
                    "#last_processed_at": "last_processed_at",
                },
                values={"u": f"{mark}#{shard}", "before": before},
                Limit=limit,
            )
        found.sort(key=lambda row: str(row["last_processed_at"]))
        return found[:limit]

    # --- actions ------------------------------------------------------------------------------

    def begin(
        self, lease: Lease, actions: Sequence[Action], modes: Modes, *, operator: bool = False
    ) -> tuple[ActionRow, ...]:
        """See `ports.LedgerPort.begin`."""
        items = [self._action_item(lease, action, modes) for action in actions]
        inserted = self._table.insert_all(items)
        return tuple(
            ActionRow(action.key, ActionStatus.PENDING, mine=True)
            if is_new
            else self._existing(lease, action, item, operator=operator)
            for action, item, is_new in zip(actions, items, inserted, strict=True)
        )

    def restart(self, lease: Lease, action: Action, *, anew: bool) -> ActionRow:
        """See `ports.LedgerPort.restart`."""
        row = self._table.get({"event_id": action.key})
        if row is None:
            raise LeaseLostError("action_gone")
        if row["status"] not in {ActionStatus.PENDING, ActionStatus.UNKNOWN}:
            return rows.action(row)
        return self._take(lease, row, anew=anew)

    def rearm(self, lease: Lease, actions: Sequence[Action]) -> None:
        """See `ports.LedgerPort.rearm`."""
        for action in actions:
            self._own_action(lease, action.key, set_={"started": False, "lease_until": 0})

    def end_action(
        self,
        lease: Lease,
        action: Action,
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> ActionRow:
        """See `ports.LedgerPort.end_action`."""
        outcome = self._outcome(action.key, status, reason=reason, ref=ref)
        if ref is not None and action.settle == Settle.QUERY:
            if self._end_with_ref(lease, action, ref, outcome):
                return rows.action({**outcome, "event_id": action.key})
            self._claim_ref(action.conversation_id, action.kind, action.key, ref)
        return rows.action(self._own_action(lease, action.key, ended=status, set_=outcome))

    def end_actions(
        self,
        lease: Lease,
        actions: Sequence[Action],
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> tuple[ActionRow, ...]:
        """See `ports.LedgerPort.end_actions`."""
        is_bound = ref is not None and any(one.settle == Settle.QUERY for one in actions)
        if len(actions) == 1 or is_bound or status == ActionStatus.UNKNOWN:
            return tuple(
                self.end_action(lease, one, status, reason=reason, ref=ref) for one in actions
            )
        outcome = self._outcome(actions[0].key, status, reason=reason, ref=ref)
        ended = self._table.update_all(
            [{"event_id": one.key} for one in actions],
            set_=outcome,
            where={
                "owner": lease.owner,
                "fence": lease.fence,
                "status": ActionStatus.PENDING.value,
            },
        )
        # A row that did not change was ended by a lost answer of this very call, or is not ours.
        return tuple(
            rows.action({**outcome, "event_id": one.key})
            if is_ended
            else self.end_action(lease, one, status, reason=reason, ref=ref)
            for one, is_ended in zip(actions, ended, strict=True)
        )

    def skip(self, lease: Lease, action: Action, modes: Modes, *, reason: str) -> ActionRow:
        """See `ports.LedgerPort.skip`."""
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

    # --- settling -----------------------------------------------------------------------------

    def claim_ref(self, action: UnsettledAction, ref: str) -> bool:
        """See `ports.LedgerPort.claim_ref`."""
        return self._claim_ref(action.conversation_id, action.kind, action.key, ref)

    def note_look(self, action: UnsettledAction) -> None:
        """See `ports.LedgerPort.note_look`."""
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                {"event_id": action.key},
                set_={"looked_epoch": int(self._epoch())},
                add={"looks": 1},
                condition="#status = :unknown OR #status = :pending",
                unknown=ActionStatus.UNKNOWN.value,
                pending=ActionStatus.PENDING.value,
            )

    def settle(
        self,
        action: UnsettledAction,
        status: ActionStatus,
        *,
        ref: str | None = None,
        reason: str,
    ) -> bool:
        """See `ports.LedgerPort.settle`."""
        ended = status != ActionStatus.PENDING
        try:
            self._table.update(
                {"event_id": action.key},
                set_={
                    "status": status.value,
                    "reason": reason,
                    "ref": ref,
                    "last_processed_at": self._now(),
                    "finished_at": self._now() if ended else None,
                    "started": ended,
                },
                remove=["unfinished"],
                condition="#status = :unknown AND #started_epoch = :started_epoch",
                unknown=ActionStatus.UNKNOWN.value,
                started_epoch=int(action.started_epoch),
            )
        except ConditionFailed:
            return False
        return True

    def unsettled(self, *, limit: int) -> Sequence[UnsettledAction]:
        """See `ports.LedgerPort.unsettled`."""
        found = self._unfinished((ActionStatus.UNKNOWN,), self._epoch() + 1, limit)
        return [rows.unsettled(row) for row in found]

    def action(self, key: str) -> ActionRow | None:
        """An action by its key, as it is now; None when there is none."""
        row = self._table.get({"event_id": key})
        return rows.action(row) if row else None

    # --- the rows behind ----------------------------------------------------------------------

    def _end_with_ref(
        self, lease: Lease, action: Action, ref: str, outcome: Mapping[str, Any]
    ) -> bool:
        """Bind the provider's id and end the action in one call; False when either was not ours."""
        bound = self._ref_item(action.conversation_id, action.kind, action.key, ref)
        try:
            self._table.transact(
                [
                    self._table.putting(bound, condition="attribute_not_exists(#event_id)"),
                    self._table.updating(
                        {"event_id": action.key},
                        set_=outcome,
                        condition=f"{_MINE} AND #status = :pending",
                        owner=lease.owner,
                        fence=lease.fence,
                        pending=ActionStatus.PENDING.value,
                    ),
                ]
            )
        except TransactionRefused:
            return False
        return True

    def _ref_item(self, conversation_id: str, kind: str, key: str, ref: str) -> Item:
        return {
            "event_id": keys.joined("ref", kind, keys.digest(conversation_id, ref)),
            **self._required(self._now(), conversation_id, UNDECIDED),
            "status": ActionStatus.DONE.value,
            "payload_sha256": hashlib.sha256(ref.encode()).hexdigest(),
            "payload_bytes": len(ref),
            "action_key": key,
        }

    def _claim_ref(self, conversation_id: str, kind: str, key: str, ref: str) -> bool:
        """Bind a provider's id to one action for good, so that twin texts are told apart."""
        item = self._ref_item(conversation_id, kind, key, ref)
        try:
            self._table.put(item, condition="attribute_not_exists(#event_id)")
        except ConditionFailed as found:
            return bool(found.item.get("action_key") == key)
        return True

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
        """Start over on a row that TTL should have deleted."""
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

    def _existing(self, lease: Lease, action: Action, item: Item, *, operator: bool) -> ActionRow:
        row = self._table.get({"event_id": action.key})
        if row is None or row["expires_at"] <= self._epoch():
            return self._replace(item)
        status = ActionStatus(row["status"])
        reopened = operator and status in (ActionStatus.SKIPPED, ActionStatus.REFUSED)
        # Only what may start gets here: a dependency that was not met is met now, as when a reply
        # of unknown outcome was found.
        reopened |= status == ActionStatus.SKIPPED and row.get("reason") == "dependency"
        if reopened or (status == ActionStatus.PENDING and not row.get("started", True)):
            return self._take(lease, row, anew=True)
        if status == ActionStatus.PENDING and (row["owner"], row["fence"]) == (
            lease.owner,
            lease.fence,
        ):
            return rows.action(row, mine=True)
        foreign = row["event_key"] != lease.event.event_key
        if status == ActionStatus.PENDING and foreign and row["lease_until"] > self._epoch():
            raise BusyError("action_busy", delay_seconds=row["lease_until"] - self._epoch())
        return rows.action(row, started=status == ActionStatus.PENDING)

    def _replace(self, item: Item) -> ActionRow:
        """Start over where there was no row, or one that TTL should have deleted."""
        try:
            self._table.put(
                item,
                now=self._epoch(),
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now",
            )
        except ConditionFailed as found:
            if (found.item["owner"], found.item["fence"]) != (item["owner"], item["fence"]):
                raise LeaseLostError("action_taken") from None
        return rows.action(item, mine=True)

    def _take(self, lease: Lease, row: Item, *, anew: bool) -> ActionRow:
        """Make a row that nobody works on ours; whoever else tried at the same time has lost.

        A worker whose event was taken over meanwhile has a lower fence than the row, and takes
        nothing.
        """
        if row["event_key"] == lease.event.event_key and row["fence"] > lease.fence:
            raise LeaseLostError("action_taken")
        holding = self._holding(lease)
        if not anew:  # taken over to be judged: what may have left the machine left it before
            for name in ("started_epoch", "horizon", "started"):
                del holding[name]
        try:
            taken = self._table.update(
                {"event_id": row["event_id"]},
                set_={
                    **holding,
                    "status": ActionStatus.PENDING.value,
                    "event_key": lease.event.event_key,
                    "last_processed_at": self._now(),
                },
                remove=[
                    *("reason", "finished_at", "unfinished"),
                    *(
                        ("looks", "looked_epoch") if anew else ()
                    ),  # what was seen was of the old start
                ],
                condition="#owner = :was_owner AND #fence = :was_fence AND #status = :was_status",
                was_owner=row["owner"],
                was_fence=row["fence"],
                was_status=row["status"],
            )
        except ConditionFailed as found:
            taken = found.item
            if (taken.get("owner"), taken.get("fence")) != (lease.owner, lease.fence):
                raise LeaseLostError("action_taken") from None
        return rows.action(taken, mine=True)

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
                condition=f"{_MINE} AND #status = :processing",
                owner=lease.owner,
                fence=lease.fence,
                processing=EventStatus.PROCESSING.value,
                reading=False,
            )
        except ConditionFailed as found:
            same = (found.item.get("owner"), found.item.get("fence")) == (lease.owner, lease.fence)
            if not (same and ended is not None and found.item.get("status") == ended):
                raise LeaseLostError("lease_lost") from None

    def _own_action(
        self, lease: Lease, key: str, *, set_: Mapping[str, Any], ended: ActionStatus | None = None
    ) -> Item:
        """Change an action's row under its fence."""
        try:
            return self._table.update(
                {"event_id": key},
                set_=set_,
                condition=f"{_MINE} AND #status = :pending",
                owner=lease.owner,
                fence=lease.fence,
                pending=ActionStatus.PENDING.value,
            )
        except ConditionFailed as found:
            same = (found.item.get("owner"), found.item.get("fence")) == (lease.owner, lease.fence)
            if same and ended is not None and found.item.get("status") == ended:
                return found.item
            raise LeaseLostError("action_lost") from None

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
            "unfinished": _shard(status, key) if status == ActionStatus.UNKNOWN else None,
        }

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

    def _action_item(self, lease: Lease, action: Action, modes: Modes) -> Item:
        payload = _ENCODER.encode(redact_mapping(dict(action.payload()))).encode()
        return {
            "event_id": action.key,
            **self._required(lease.event.received_at, action.conversation_id, modes),
            "payload_sha256": hashlib.sha256(payload).hexdigest(),
            "payload_bytes": len(payload),
            "status": ActionStatus.PENDING.value,
            "action_type": action.audit_type,
            "action_kind": action.kind,
            "event_key": lease.event.event_key,
            "probe": dict(action.probe()) or None,
            **self._holding(lease),
        }

    def _holding(self, lease: Lease) -> Item:
        """An action's effect may leave the machine from now on, under this lease."""
        until = int(lease.until_epoch)
        return {
            "owner": lease.owner,
            "fence": lease.fence,
            "lease_until": until,
            "started": True,
            "started_epoch": int(self._epoch()),
            "horizon": until + int(LANDING_SECONDS),
        }

    def _required(self, received_at: str, conversation_id: str, modes: Modes) -> Item:
        now = self._now()
        return {
            "created_at": now,
            "last_processed_at": now,
            "received_at": received_at,
            "expires_at": self._expiry(),
            "mode": modes.mode,
            "conversation_id": conversation_id,
            "safe_mode": modes.safe_mode,
            "automation_enabled": modes.automation_enabled,
        }

    def _now(self) -> str:
        return iso(self._clock.now())

    def _epoch(self) -> float:
        return self._clock.now().timestamp()

    def _expiry(self) -> int:
        return int((self._clock.now() + self._retention).timestamp())


def _lease(event: EventFacts, row: Item) -> Lease:
    """The row knows the message that its actions are named after, also where a resume does not."""
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
        was_left=row["attempts"] > 1 and row.get("released") != row["fence"] - 1,
    )


def _shard(status: EventStatus | ActionStatus, key: str) -> str:
    return _sharded(status.value, key)


def _sharded(mark: str, key: str) -> str:
    return f"{mark}#{int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % SHARDS}"
