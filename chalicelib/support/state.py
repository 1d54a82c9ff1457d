"""Table B: a conversation's state between two of its messages.

Example item::

    conversation_id  1042                       version              7
    updated_at       2026-11-20T09:00:02.000Z   expires_at           1771405202   (90 days)
    last_processed_at, last_processed_message_id, last_message_at, last_fence, first_contact_floor
    last_routed_team route-returns-admin        last_routing_confidence  0.85
    last_intent      refund_request             risk_flags           {"chargeback"}
    pending_flow     {"type": "need_order_number", "requested_at": "...", "attempts": 1}
    last_auto_reply  {"type": "order_status", "sent_at": "...", "source_message_id": "c-77"}
    looked_at        2026-11-20T09:00:01.000Z   (when the last look at the ticket began: `looks`)
    waiting          ["evt:rp:1042:c-77"]   (`once.order`)
    decisions, people                   (in shadow: `shadow_decisions`)
    labels           [{"event": "evt:rp:1042:c-77", "code": "wrong_team", "at": "..."}]
    requests         [{"kind": "cancel", "state": "open", "at": "2026-11-20T09:00:00.000Z",
                       "order": "9f2c..."}]   (what the customer has asked for: `conversation`)

A late message never moves the state backwards: every write is conditional on the message's own
time, and for the same message on the fence of its claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.event import Lease
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.store import ConditionFailed, Item, Store

RETENTION = timedelta(days=90)

_NOT_NEWER = (
    "attribute_not_exists(#last_message_at) OR #last_message_at < :at"
    " OR (#last_message_at = :at AND #last_fence <= :fence)"
)


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The state of a conversation, a row of table B as flows read it."""

    conversation_id: str
    version: int
    last_message_at: str | None = None
    first_contact_floor: str | None = None
    last_routed_team: str | None = None
    last_intent: str | None = None
    risk_flags: frozenset[str] = frozenset()
    pending_flow: Mapping[str, Any] | None = None
    last_auto_reply: Mapping[str, Any] | None = None
    last_processed_at: str | None = None
    looked_at: str | None = None
    waiting: Sequence[str] = ()
    requests: Sequence[Mapping[str, Any]] = ()
    decisions: Sequence[Mapping[str, Any]] = ()
    people: Mapping[str, Any] | None = None
    labels: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class StateChange:
    """The changes that an event makes to a conversation's state; None leaves an attribute unchanged.

    Attributes:
        message_at: time of the event's message; if a newer message has been processed, nothing is
            changed.
        processed_at: the time up to which the ticket is known to hold nothing new; None means now.
        requests: what the customer has asked for in the conversation, including this message.
        decisions: decisions made in shadow (judged, not sent) on the conversation, including this
            one.
        clear: attributes to remove, e.g. ``pending_flow``.
    """

    conversation_id: str
    message_at: str
    message_id: str | None = None
    processed_at: str | None = None
    first_contact_floor: str | None = None
    routed_team: str | None = None
    routing_confidence: float | None = None
    intent: str | None = None
    risk_flags: frozenset[str] = frozenset()
    pending_flow: Mapping[str, Any] | None = None
    last_auto_reply: Mapping[str, Any] | None = None
    requests: Sequence[Mapping[str, Any]] | None = None
    decisions: Sequence[Mapping[str, Any]] | None = None
    clear: frozenset[str] = frozenset()


class States:
    """Table B, the store of all conversations' states."""

    def __init__(self, *, table: Store, clock: Clock, retention: timedelta = RETENTION) -> None:
        self._table = table
        self._clock = clock
        self._retention = retention

    def read(self, conversation_id: str) -> ConversationState | None:
        """Read a conversation's state; None where none is stored or it has expired."""
        row = self._table.get({"conversation_id": conversation_id})
        if row is None or row["expires_at"] <= self._clock.now().timestamp():
            return None
        return _state(row)

    def read_all(self, conversation_ids: Sequence[str]) -> Mapping[str, ConversationState]:
        """Read the states of several conversations; those without a state are left out.

        Only the attributes that a sweep needs are filled in.
        """
        found = self._table.get_all(
            [{"conversation_id": fromkey} for fromkey in dict.fromkeys(conversation_ids)],
            attributes=[
                "conversation_id",
                "version",
                "expires_at",
                "last_message_at",
                "last_processed_at",
            ],
        )
        now = self._clock.now().timestamp()
        return {row["conversation_id"]: _state(row) for row in found if row["expires_at"] > now}

    def sample_ids(self, *, limit: int) -> Sequence[str]:
        """The ids of a few arbitrary conversations in table B, for a sweep that has no cursor yet."""
        return [row["conversation_id"] for row in self._table.scan_page(limit=limit)[0]]

    def page(
        self, start: Item | None, *, limit: int
    ) -> tuple[Sequence[ConversationState], Item | None]:
        """One page of all conversations' states, and the key where the next page starts.

        The key is None after the last page.  Expired states are left out.
        """
        rows, more = self._table.scan_page(limit=limit, start=start)
        now = self._clock.now().timestamp()
        return [_state(row) for row in rows if row["expires_at"] > now], more

    def note_people(self, conversation_id: str, people: Mapping[str, Any]) -> None:
        """Store what people have done with a ticket since a decision in shadow (judged, not sent).

        Does nothing where the conversation's state is missing or has expired.
        """
        self._annotate(conversation_id, people=dict(people))

    def label(self, conversation_id: str, labels: Sequence[Mapping[str, Any]]) -> bool:
        """Replace the labels that people gave to a conversation's decisions.

        Returns False where the conversation's state is missing or has expired.
        """
        return self._annotate(conversation_id, labels=[dict(row) for row in labels])

    def _annotate(self, conversation_id: str, **values: object) -> bool:
        """Set attributes of a conversation's state that are written outside the run of an event.

        Examples are people's acts and labels.  Returns False where the state is missing or has
        expired.
        """
        try:
            self._table.update(
                {"conversation_id": conversation_id},
                set_=values,
                add={"version": 1},
                reading=False,
                condition="#expires_at > :now",
                now=self._clock.now().timestamp(),
            )
        except ConditionFailed:
            return False
        return True

    def apply(self, lease: Lease, change: StateChange) -> bool:
        """Write an event's changes into a conversation's state.

        Returns False, and writes nothing, if a newer message has been written there, or the same
        message by a later holder of its lease.
        """
        now = self._clock.now()
        values = self._values(lease, change)
        keep = {"first_contact_floor": change.first_contact_floor}
        at, fence = change.message_at, lease.fence
        try:
            self._table.update(
                {"conversation_id": change.conversation_id},
                set_=values,
                keep=keep,
                add={"version": 1},
                remove=sorted(change.clear),
                reading=False,
                condition=f"({_NOT_NEWER}) AND (attribute_not_exists(#expires_at)"
                " OR #expires_at > :now)",
                at=at,
                fence=fence,
                now=now.timestamp(),
            )
        except ConditionFailed as found:
            stale = found.item.get("expires_at", 0)
            if stale > now.timestamp():
                return False
            if not self._replace_expired(change.conversation_id, values | keep, stale):
                # Another writer or TTL was faster: decide again from the row as it is now.
                return self.apply(lease, change)
        return True

    def store_look_time(self, conversation_id: str, began: datetime) -> None:
        """Store when a finished read of the ticket began.

        Nothing is changed if the stored read began at the same time or later.
        """
        now = self._clock.now()
        try:
            self._table.update(
                {"conversation_id": conversation_id},
                set_={
                    "looked_at": iso(began),
                    "updated_at": iso(now),
                    "expires_at": int((now + self._retention).timestamp()),
                },
                add={"version": 1},
                reading=False,
                condition="(attribute_not_exists(#looked_at) OR #looked_at < :began)"
                " AND (attribute_not_exists(#expires_at) OR #expires_at > :now)",
                began=iso(began),
                now=now.timestamp(),
            )
        except ConditionFailed:
            return  # a later time is stored, or the row has expired and the next notification looks again

    def set_waiting(
        self,
        conversation_id: str,
        known: Sequence[str],
        waiting: Sequence[str],
    ) -> None:
        """Replace a conversation's list of waiting events; an expired state counts as a missing one.

        Args:
            conversation_id: the ticket.
            known: the list as it was read.
            waiting: the new list.

        Raises:
            TransientError: another writer has changed the list since it was read.
        """
        now = self._clock.now()
        values = {
            "waiting": list(waiting) or None,
            "updated_at": iso(now),
            "expires_at": int((now + self._retention).timestamp()),
        }
        seen: dict[str, Any] = {"known": list(known)} if known else {}
        is_as_known = "#waiting = :known" if known else "attribute_not_exists(#waiting)"
        try:
            self._table.update(
                {"conversation_id": conversation_id},
                set_=values,
                add={"version": 1},
                remove=() if waiting else ("waiting",),
                condition=f"{is_as_known}"
                " AND (attribute_not_exists(#expires_at) OR #expires_at > :now)",
                reading=False,
                now=now.timestamp(),
                **seen,
            )
        except ConditionFailed as found:
            stale = found.item.get("expires_at", 0)
            has_expired = 0 < stale <= now.timestamp()
            if has_expired and not waiting:
                return  # the list has expired with its row
            if not has_expired or not self._replace_expired(conversation_id, values, stale):
                raise TransientError("dynamodb", "set_waiting", reason=CONTENDED) from None

    def _replace_expired(self, conversation_id: str, values: Item, stale: float) -> bool:
        """Replace an expired state that DynamoDB has not deleted yet.

        Returns False where another writer or DynamoDB has changed it meanwhile.
        """
        item = {"conversation_id": conversation_id, "version": 1, **values}
        try:
            self._table.put(item, condition="#expires_at = :stale", stale=stale)
        except ConditionFailed:
            return False
        return True

    def _values(self, lease: Lease, change: StateChange) -> Item:
        now = self._clock.now()
        return {
            "updated_at": iso(now),
            "last_processed_at": change.processed_at or iso(now),
            "expires_at": int((now + self._retention).timestamp()),
            "last_message_at": change.message_at,
            "last_fence": lease.fence,
            "last_processed_message_id": change.message_id,
            "last_routed_team": change.routed_team,
            "last_routing_confidence": change.routing_confidence,
            "last_intent": change.intent,
            "risk_flags": set(change.risk_flags) or None,
            "decisions": change.decisions and [dict(decision) for decision in change.decisions],
            "requests": None
            if change.requests is None
            else [dict(request) for request in change.requests],
            "pending_flow": None if change.pending_flow is None else dict(change.pending_flow),
            "last_auto_reply": (
                None if change.last_auto_reply is None else dict(change.last_auto_reply)
            ),
        }


def _state(row: Item) -> ConversationState:
    return ConversationState(
        conversation_id=row["conversation_id"],
        version=row["version"],
        last_message_at=row.get("last_message_at"),
        first_contact_floor=row.get("first_contact_floor"),
        last_routed_team=row.get("last_routed_team"),
        last_intent=row.get("last_intent"),
        risk_flags=frozenset(row.get("risk_flags", ())),
        pending_flow=row.get("pending_flow"),
        last_auto_reply=row.get("last_auto_reply"),
        last_processed_at=row.get("last_processed_at"),
        looked_at=row.get("looked_at"),
        waiting=tuple(row.get("waiting") or ()),
        requests=tuple(row.get("requests") or ()),
        decisions=tuple(row.get("decisions") or ()),
        people=row.get("people"),
        labels=tuple(row.get("labels") or ()),
    )
