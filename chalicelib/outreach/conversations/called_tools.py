"""Stores the calls of a company's tools, each as one item: written as it begins, with its result later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.store import ConditionFailed, Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import CONFIRMATION, Record

CALLED, ACCEPTED = "called", "accepted"
"""``function_call_outcome`` of a call that has begun, and of one that the company has taken."""
DONE, FAILED, NO_RESULT = "done", "failed", "no_result"
"""The same of one that has ended: by its result, or without one in time."""
NOT_ACCEPTED_AFTER = timedelta(days=4)
"""After this a call counts as lost that the company has not taken: its endpoint is tried for three days."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a company's tool, as it is stored in the conversations table.

    Attributes:
        call_id: the call's id, see `keys.call_id`.
        entry_id: id of our message that announces the call to the recipient.
        tool: the tool's name.
        called_at: when the call began.
        due_at: the time limit for a result that the company was given.
        accepted_at: when the company's endpoint accepted the call; None until then.
        result: the first result in time, as JSON text; empty while there is none.
        late_result: the first result that came after the call was closed, as JSON text.
    """

    call_id: str
    entry_id: str
    tool: str
    called_at: datetime
    due_at: datetime
    accepted_at: datetime | None = None
    result: str = field(default="", repr=False)
    late_result: str = field(default="", repr=False)

    @classmethod
    def of(cls, item: Item, call_id: str) -> ToolCall:
        """Parse a `ToolCall` from its stored item."""
        return cls(
            call_id=call_id,
            entry_id=str(item["entry_id"]),
            tool=str(item["tool"]),
            called_at=datetime.fromisoformat(str(item["called_at"])),
            due_at=datetime.fromisoformat(str(item["due_at"])),
            accepted_at=parsed(item.get("accepted_at")),
            result=str(item.get("result", "")),
            late_result=str(item.get("late_result", "")),
        )

    @property
    def given(self) -> Mapping[str, Any]:
        """The call's result as a mapping with ``status``, ``text`` and ``data``.

        An empty mapping where no result came in time.
        """
        found: Mapping[str, Any] = json.loads(self.result or "{}")
        return found

    @property
    def outcome(self) -> str:
        """The ``status`` of the call's result (`DONE` or `FAILED`); `NO_RESULT` where none is stored."""
        return str(self.given.get("status", NO_RESULT))

    def result_until(self, now: datetime) -> datetime:
        """Until when the call's result is accepted: the call's time limit, from when the company accepted it.

        While the company has not accepted the call, the limit counts from `now`, so that a timer
        need not look earlier, but ends at most `NOT_ACCEPTED_AFTER` after the call began.
        """
        within = self.due_at - self.called_at
        if self.accepted_at is not None:
            return self.accepted_at + within
        lost = max(self.due_at, self.called_at + NOT_ACCEPTED_AFTER)
        return min(max(self.due_at, now + within), lost)


class CalledTools(items.OnTable):
    """Stores and reads the calls of companies' tools, and the results of these calls."""

    def tool_call(self, record: Record, call_id: str) -> ToolCall | None:
        """A stored tool call by its id, or None where it has not begun."""
        item = self._table.get(items.call_key(record, call_id))
        return None if item is None else ToolCall.of(item, call_id)

    def tool_calls_of(self, record: Record) -> list[ToolCall]:
        """Every tool call of a conversation, oldest first."""
        own = items.call_key(record, "")
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :call)",
            values={"p": own["primary_channel"], "call": own["conversation_id"]},
            ConsistentRead=True,
        )
        calls = [ToolCall.of(row, str(row["conversation_id"]).rpartition("#")[2]) for row in found]
        return sorted(calls, key=lambda call: call.called_at)

    def begin_call(self, record: Record, call: ToolCall, *, is_confirmed: bool) -> bool:
        """Store that a tool call begins, once, if no person has acted on the conversation since it was read.

        Args:
            record: the conversation as last read.
            call: the call; it begins at its `called_at`.
            is_confirmed: the call rests on the recipient's yes: the confirmation in `record` must
                be unchanged, and is removed.

        Returns:
            True where the call is stored, now or before; False where the conversation has changed.

        Raises:
            TransientError: other writers interfered.
        """
        conditions, values = ["attribute_exists(#conversation_id)"], {}
        for name, is_needed in (("person_act", True), (CONFIRMATION, is_confirmed)):
            if not is_needed:
                continue
            if name in record.item:
                conditions.append(f"#{name} = :{name}")
                values[name] = record.item[name]
            else:
                conditions.append(f"attribute_not_exists(#{name})")
        item: dict[str, Any] = {
            **items.call_key(record, call.call_id),
            "entry_id": call.entry_id,
            "tool": call.tool,
            "called_at": iso(call.called_at),
            "due_at": iso(call.due_at),
            "ttl": items.ttl_at(call.called_at, self._kept),
        }
        update = self._table.updating(
            record.key,
            set_={"function_call_outcome": CALLED, "updated_at": iso(call.called_at)},
            remove=[CONFIRMATION] if is_confirmed else [],
            condition=" AND ".join(conditions),
            **values,
        )
        absent = "attribute_not_exists(#conversation_id)"
        try:
            self._table.transact([self._table.putting(item, condition=absent), update])
        except TransactionRefused as refused:
            return refused.found[0] is not None
        except TransactionConflict as conflict:
            raise TransientError("dynamodb", "begin_call", reason=CONTENDED) from conflict
        return True

    def keep_result(self, record: Record, call_id: str, result: str) -> ToolCall:
        """Store a tool call's result, unless a result is stored already or the call is closed.

        Args:
            record: the conversation.
            call_id: the call's id.
            result: the result as JSON text.

        Returns:
            The call as it is stored now.
        """
        return self._once(record, call_id, {"result": result}, unless=("result", "closed_at"))

    def close_call(self, record: Record, call_id: str) -> ToolCall:
        """Close a tool call that has no result, so that none is taken; returns the call as stored now."""
        closed = {"closed_at": iso(self._clock.now())}
        return self._once(record, call_id, closed, unless=("result", "closed_at"))

    def keep_late_result(self, record: Record, call_id: str, result: str) -> ToolCall:
        """Store the first result that comes after a tool call was closed, apart from a result in time.

        Returns the call as stored now.
        """
        return self._once(record, call_id, {"late_result": result}, unless=("late_result",))

    def accept_call(self, record: Record, call_id: str) -> None:
        """Store that the company accepted a tool call now; the time limit for its result counts from then."""
        with suppress(ConditionFailed):  # a repetition, or a call of which nothing is kept
            taken = {"accepted_at": iso(self._clock.now())}
            self._once(record, call_id, taken, unless=("accepted_at",))
        self.note_tool_outcome(record, ACCEPTED)

    def _once(
        self, record: Record, call_id: str, changes: Mapping[str, str], *, unless: Sequence[str]
    ) -> ToolCall:
        absent = " AND ".join(f"attribute_not_exists(#{name})" for name in unless)
        try:
            item = self._table.update(
                items.call_key(record, call_id),
                set_=changes,
                condition=f"attribute_exists(#conversation_id) AND {absent}",
            )
        except ConditionFailed as found:
            if not found.item:
                raise
            item = found.item
        return ToolCall.of(item, call_id)

    def note_tool_outcome(self, record: Record, outcome: str) -> None:
        """Write the outcome of the newest tool call into its conversation (``function_call_outcome``).

        An earlier outcome never replaces a later one: `ACCEPTED` replaces only `CALLED`, and a
        result is never replaced.
        """
        open_ones: dict[str, Any] = {
            "called": CALLED,
            **({} if outcome == ACCEPTED else {"accepted": ACCEPTED}),
        }
        either = " OR ".join(f"#function_call_outcome = :{name}" for name in open_ones)
        with suppress(ConditionFailed):
            self._table.update(
                record.key,
                set_={"function_call_outcome": outcome, "updated_at": iso(self._clock.now())},
                condition=f"attribute_exists(#conversation_id) AND ({either})",
                **open_ones,
            )
