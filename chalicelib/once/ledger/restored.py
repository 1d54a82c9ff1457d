"""Effects that a ledger brought back from a backup has forgotten, remembered by their audit rows.

A backup is older than what was done since.  Table C says what was done, so an action that it shows as
done gets its row back, and no worker repeats it.  Rows of events are not brought back: an event that
comes again is planned again, and its actions have the keys that they had.
"""

from __future__ import annotations

from chalicelib.once import reasons
from chalicelib.once.action import ActionStatus
from chalicelib.once.ledger.rows import LedgerRows
from chalicelib.once.ports import UNDECIDED
from chalicelib.once.store import ConditionFailed
from chalicelib.once.timer import DATE

RESTORED = reasons.RESTORED
"""Stored reason: the row was written from the audit trail."""
SUCCESS = "success"
"""The beginning of the `result` in an audit row of a finished effect."""


class Restored(LedgerRows):
    """Writes the rows of actions that were done after the backup from which table A was restored."""

    def remember(self, key: str, *, conversation_id: str, action_type: str, at: str) -> bool:
        """Write an action's row that says the action is done, from the audit trail.

        Args:
            key: the action's.
            conversation_id: as the audit row has it.
            action_type: likewise.
            at: ISO time at which it ended.

        Returns:
            False where the row says so already, or its person was erased.
        """
        required = self._required(at, conversation_id, UNDECIDED)
        last = {"last_processed_at": required.pop("last_processed_at")}
        kept = required | {"payload_sha256": "", "payload_bytes": 0, "action_type": action_type}
        ended = {
            "status": ActionStatus.DONE.value,
            "reason": RESTORED,
            "finished_at": at,
            "lease_until": 0,
            "started": False,
        }
        try:
            self._table.update(
                {"event_id": key},
                set_=ended | last,
                keep=kept,
                remove=DATE,
                condition="(attribute_not_exists(#status) OR #status <> :done)"
                " AND attribute_not_exists(#erased_at)",
                reading=False,
                done=ActionStatus.DONE.value,
            )
        except ConditionFailed:
            return False
        return True
