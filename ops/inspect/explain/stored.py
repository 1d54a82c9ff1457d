"""One stored event with its actions, audit rows, people's acts and receipts.

The values are plain rows, so that `timeline` and `story` can be pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.once.plan import Plan

Row = Mapping[str, Any]
NOT_STARTED = "not started"
WILL_NOT_START = "not started, will not be"
ENDED = frozenset({"processed", "failed", "skipped"})


@dataclass(frozen=True, slots=True)
class Stored:
    """One event with everything stored about it.

    Attributes:
        row: the event's row of table A.
        actions: rows of its actions in the plan's order; for an action without a row, key and
            status.
        audit: rows of table C about these actions, oldest first.  Each end has a row, so an outcome
            that was unknown at first has two.
        acts: people's acts on the event or its actions, from table C, oldest first.
        receipts: rows of table A with carriers' reports on its messages, oldest first.
        is_dead_letter: the event's message is a dead letter, although its row says queued.
    """

    row: Row
    actions: Sequence[Row] = ()
    audit: Sequence[Row] = ()
    acts: Sequence[Row] = ()
    receipts: Sequence[Row] = ()
    is_dead_letter: bool = False

    @property
    def key(self) -> str:
        """The event's key."""
        return str(self.row["event_id"])

    @property
    def status(self) -> str:
        """The event's status."""
        return str(self.row["status"])

    @property
    def plan(self) -> Plan | None:
        """The stored plan; None if there is none or this version cannot read it."""
        try:
            return Plan.decode(self.row["plan"])
        except (KeyError, ValueError, TypeError):
            return None

    def ends_of(self, action: Row) -> list[Row]:
        """The audit rows of an action, oldest first."""
        return [entry for entry in self.audit if entry["idempotency_key"] == action["event_id"]]


def receipt_of(row: Row) -> tuple[str, str]:
    """The provider's message id and the status in a receipt's key."""
    _, _, provider_id, status, *_ = str(row["event_id"]).split(":")
    return provider_id, status


def is_desk_act(event_key: str, entry: Row) -> bool:
    """Whether a person's entry in table C is the act that a desk event carries out."""
    kind, _, act_id = event_key.rpartition(":")
    return kind.startswith("evt:desk:") and str(entry["ts_action_id"]).endswith(f":{act_id}")
