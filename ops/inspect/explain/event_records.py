"""Reads events with their actions, audit rows and receipts: by key and by query, never by a scan.

The number of calls does not grow with the tables.  A report takes one batch of event rows and one
of action rows (100 keys a call), and one query of table C for each conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from chalicelib.once import keys
from chalicelib.once.journal import is_entry
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import KINDS
from chalicelib.outreach.keys import EventKind
from chalicelib.outreach.reasons import DECLINED
from ops.inspect import planned, whereabouts
from ops.inspect.explain import dead_letter_keys, unfinished_keys
from ops.inspect.explain.stored import (
    ENDED,
    NOT_STARTED,
    WILL_NOT_START,
    Row,
    Stored,
    is_desk_act,
)
from ops.session import Session

EVENT_SHOWN = (
    *("event_id", "status", "reason", "last_reason", "attempts", "source", "mode", "safe_mode"),
    *("received_at", "created_at", "last_processed_at", "lease_until", "intent"),
    *("trace_id", "due_at", "until", "waits_for", "tries", "asked"),
    *("delivery", "delivery_reason", "outcome"),
)
"""Attributes of an event that a report shows."""
ACTION_SHOWN = (
    *("event_id", "action_kind", "status", "reason", "ref", "started", "started_epoch"),
    *("finished_at", "created_at", "looks", "event_key", "tries"),
)
"""Attributes of an action that a report shows."""
_FACTS = ("plan", "conversation_id", "payload_sha256", "payload_bytes", "source_message_id")
_READ = tuple(dict.fromkeys((*EVENT_SHOWN, *ACTION_SHOWN, *_FACTS)))


ARRIVING_READ = 1_000
"""The most unfinished messages and receipts, over all conversations, that are compared."""
_ARRIVING = tuple(f"evt:{kind}:" for kind in (EventKind.MESSAGE, EventKind.RECEIPT))
_REPORTED = frozenset(KINDS)
"""Kinds of actions whose delivery a carrier reports."""
_STATUSES = (
    *("sent", "delivered", "read", "canceled", "undelivered", "failed"),
    *("bounced", "complained", "rejected"),
)


def receipt_keys(provider_id: str) -> list[str]:
    """The event keys of every receipt that may exist for a provider's message id."""
    return [outreach_keys.receipt(provider_id, status) for status in _STATUSES]


class Reader:
    """Reads the rows for one report; reads each conversation's trail and the indexes once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._trails: dict[str, list[Item]] = {}

    def rows(self, event_ids: Sequence[str]) -> list[Item]:
        """The rows of table A that exist, in the order of their keys."""
        wanted = list(dict.fromkeys(event_ids))
        if not wanted:
            return []
        found = self._session.ledger_table.get_all(
            [{"event_id": key} for key in wanted], attributes=_READ
        )
        order = {key: number for number, key in enumerate(wanted)}
        return sorted(found, key=lambda row: order[row["event_id"]])

    def trail(self, conversation_id: str) -> list[Item]:
        """A conversation's rows of table C, oldest first: ended actions and people's acts."""
        if conversation_id not in self._trails:
            pages = self._session.audit_table.query_pages(
                KeyConditionExpression="conversation_id = :c", values={"c": conversation_id}
            )
            self._trails[conversation_id] = list(pages)
        return self._trails[conversation_id]

    @cached_property
    def unfinished(self) -> unfinished_keys.Unfinished:
        """The keys of unfinished events; read once."""
        return unfinished_keys.read(self._session)

    @cached_property
    def dead_letters(self) -> dead_letter_keys.FirstLetters:
        """The first dead letters; read once."""
        return dead_letter_keys.read(self._session)

    @cached_property
    def arriving(self) -> list[Item]:
        """Unfinished messages and receipts, whose keys do not name their conversation; read once."""
        keys_of_them = [key for key in self.unfinished.keys if key.startswith(_ARRIVING)]
        return self._session.ledger_table.get_all(
            [{"event_id": key} for key in keys_of_them[:ARRIVING_READ]],
            attributes=("event_id", "conversation_id"),
        )

    def unfinished_of(self, opaque_id: str) -> set[str]:
        """Keys of a conversation's unfinished events, as far as `arriving` reads."""
        named = {key for key in self.unfinished.keys if opaque_id in key}
        arriving = (row for row in self.arriving if row.get("conversation_id") == opaque_id)
        return named | {str(row["event_id"]) for row in arriving}

    def events_of(self, conversation_id: str) -> set[str]:
        """Keys of the events that the conversation's trail names, directly or by their actions."""
        named = [str(entry["idempotency_key"]) for entry in self.trail(conversation_id)]
        events = {key for key in named if key.startswith("evt:")}
        actions = self.rows([key for key in named if not key.startswith("evt:")])
        return events | {row["event_key"] for row in actions if "event_key" in row}

    def events(self, event_keys: Iterable[str]) -> list[Stored]:
        """The existing events among these keys, in order of receipt."""
        rows = self.rows(sorted(set(event_keys)))
        rows.sort(key=lambda row: str(row.get("received_at")))
        wanted = {row["event_id"]: self._actions_of(row) for row in rows}
        flat = [key for keys_of_event in wanted.values() for key in keys_of_event]
        actions = {action["event_id"]: action for action in self.rows(flat)}
        sent = [action for action in actions.values() if action.get("action_kind") in _REPORTED]
        receipts = self.rows([key for ref in sorted(_refs(sent)) for key in receipt_keys(ref)])
        return [self._joined(row, wanted[row["event_id"]], actions, receipts) for row in rows]

    def _joined(
        self,
        row: Item,
        wanted: Sequence[str],
        actions: Mapping[str, Row],
        receipts: Sequence[Row],
    ) -> Stored:
        shown = [_shown(actions.get(key), key, row["status"]) for key in wanted]
        about = {row["event_id"], *wanted}
        trail = self.trail(row["conversation_id"])
        if row.get("outcome") == DECLINED:  # a declined event: its act names the conversation
            about.add(str(row["conversation_id"]))
        ours = [
            entry
            for entry in trail
            if entry["idempotency_key"] in about or is_desk_act(row["event_id"], entry)
        ]
        refs = _refs(shown)
        return Stored(
            row=row,
            actions=shown,
            audit=[entry for entry in ours if not is_entry(entry)],
            acts=[entry for entry in ours if is_entry(entry)],
            receipts=[
                receipt for receipt in receipts if refs & set(str(receipt["event_id"]).split(":"))
            ],
            is_dead_letter=self.may_be_dead_letter(row) and self.dead_letters.has(row["event_id"]),
        )

    def may_be_dead_letter(self, row: Row) -> bool:
        """Whether an event's message may be a dead letter: its row says only that it is queued."""
        now = self._session.services.clock.now().timestamp()
        return whereabouts.of_row(row, now_epoch=now).place in whereabouts.QUEUED

    def _actions_of(self, row: Item) -> list[str]:
        """Keys of an event's actions: those of its plan, then others in its trail."""
        ending = f":{keys.joined(self._suffix(row))}"
        trail = self.trail(row["conversation_id"])
        audited = (str(entry["idempotency_key"]) for entry in trail)
        others = (key for key in audited if key.startswith("act:") and key.endswith(ending))
        planned_keys = (action.key for action in planned.actions(self._session, row))
        return list(dict.fromkeys([*planned_keys, *others]))

    def _suffix(self, row: Row) -> keys.Suffix:
        """The suffix of an event's action keys; a resend's suffix extends that of its source."""
        source, again, nonce = str(row["event_id"]).rpartition(keys.RESEND)
        if not again:
            return keys.suffix_of(row["event_id"], row.get("source_message_id"))
        first = self._session.ledger_table.get({"event_id": source}) or {}
        return keys.suffix_of(source, first.get("source_message_id"), nonce)


def _shown(row: Row | None, key: str, status: str) -> dict[str, Any]:
    """An action as a report shows it; an unstarted action of an ended event is marked so."""
    if row is None:
        shown: dict[str, Any] = {"event_id": key, "status": NOT_STARTED}
    else:
        shown = {name: row[name] for name in ACTION_SHOWN if name in row}
    is_waiting = shown["status"] == "pending" and not shown.get("started", True)
    if status in ENDED and (is_waiting or row is None):
        shown["status"] = WILL_NOT_START
    return shown


def _refs(actions: Sequence[Row]) -> set[str]:
    """The vendors' ids of the actions' effects, from every attempt."""
    tries = (attempt for action in actions for attempt in action.get("tries", ()))
    return {str(row["ref"]) for row in (*actions, *tries) if row.get("ref")}
