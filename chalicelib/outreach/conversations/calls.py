"""Calls of tools: each is one item, written with the moment at which it begins."""

from __future__ import annotations

from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.store import Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import CONFIRMATION, Record

CALLED = "called"
"""``function_call_outcome`` of a call that has begun; ``accepted`` once the company has taken it."""


class Calls(items.OnTable):
    """Stores calls."""

    def call(self, record: Record, entry_id: str) -> Item | None:
        """What was stored of the call that a message acknowledges; None where it has not begun."""
        return self._table.get(items.call_key(record, entry_id))

    def begin_call(self, record: Record, entry_id: str, tool: str, *, is_confirmed: bool) -> bool:
        """Begin a call once, on the conversation as it was read: no message can come between.

        Args:
            record: as last read; no person may have acted since, and its confirmation is used up.
            entry_id: of the message that acknowledges it.
            tool: its name.
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
            **items.call_key(record, entry_id),
            "tool": tool,
            "called_at": iso(now),
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
