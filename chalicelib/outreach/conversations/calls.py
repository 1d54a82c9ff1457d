"""Calls of tools: each is one item, written with the moment at which it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
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


def result_due(call: Item, now: datetime) -> datetime:
    """Until when a call's result is taken: its time begins when the company has taken the call.

    Until then it ends no sooner than that whole time from now, so that a timer need not look earlier.
    """
    called, due = parsed(str(call["called_at"])) or now, parsed(str(call["due_at"])) or now
    accepted, within = parsed(call.get("accepted_at")), due - called
    if accepted is not None:
        return accepted + within
    return min(max(due, now + within), max(due, called + NOT_ACCEPTED_AFTER))


class Calls(items.OnTable):
    """Stores calls, and their results."""

    def call(self, record: Record, call_id: str) -> Item | None:
        """What was stored of a call; None where it has not begun."""
        return self._table.get(items.call_key(record, call_id))

    def begin_call(
        self,
        record: Record,
        call_id: str,
        *,
        entry_id: str,
        tool: str,
        due_at: str,
        is_confirmed: bool,
    ) -> bool:
        """Begin a call once, on the conversation as it was read: no message can come between.

        Args:
            record: as last read; no person may have acted since, and its confirmation is used up.
            call_id: of `keys.call_id`.
            entry_id: of the message that acknowledges it.
            tool: its name.
            due_at: ISO time until which a result is taken.
            is_confirmed: it needs the confirmation that the record holds.

        Returns:
            False where the conversation has changed since it was read.

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
        now = self._clock.now()
        item: dict[str, Any] = {
            **items.call_key(record, call_id),
            "entry_id": entry_id,
            "tool": tool,
            "called_at": iso(now),
            "due_at": due_at,
            "ttl": items.end(now, self._kept),
        }
        update = self._table.updating(
            record.key,
            set_={"function_call_outcome": CALLED, "updated_at": iso(now)},
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

    def keep_result(self, record: Record, call_id: str, result: str) -> Item:
        """Store a call's result, the first one for good, unless the call was closed without one.

        Args:
            record: the conversation.
            call_id: of the call.
            result: as JSON text, equal for a repetition.

        Returns:
            The call as it is stored now.
        """
        return self._once(record, call_id, {"result": result}, unless=("result", "closed_at"))

    def close_call(self, record: Record, call_id: str) -> Item:
        """End the time for a result that has not come; returns the call as it is stored now."""
        closed = {"closed_at": iso(self._clock.now())}
        return self._once(record, call_id, closed, unless=("result", "closed_at"))

    def keep_late_result(self, record: Record, call_id: str, result: str) -> Item:
        """Store a result beside a call that was closed; see `keep_result`."""
        return self._once(record, call_id, {"late_result": result}, unless=("late_result",))

    def call_accepted(self, record: Record, call_id: str) -> None:
        """The company has taken a call: the time for its result begins."""
        with suppress(ConditionFailed):  # a repetition, or a call of which nothing is kept
            taken = {"accepted_at": iso(self._clock.now())}
            self._once(record, call_id, taken, unless=("accepted_at",))
        self.note_outcome(record, ACCEPTED)

    def _once(
        self, record: Record, call_id: str, changes: Mapping[str, str], *, unless: Sequence[str]
    ) -> Item:
        absent = " AND ".join(f"attribute_not_exists(#{name})" for name in unless)
        try:
            return self._table.update(
                items.call_key(record, call_id),
                set_=changes,
                condition=f"attribute_exists(#conversation_id) AND {absent}",
            )
        except ConditionFailed as found:
            if found.item is None:
                raise
            return found.item

    def note_outcome(self, record: Record, outcome: str) -> None:
        """Note what became of a conversation's newest call; a result may come before `ACCEPTED`."""
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
