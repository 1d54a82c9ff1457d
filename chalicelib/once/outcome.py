"""What came of an event's actions: how the event ends, and what the audit keeps of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chalicelib.once.action import Action, ActionRow, ActionStatus
from chalicelib.once.audit import AuditRow
from chalicelib.once.event import EventStatus


def event_end(rows: Mapping[str, ActionRow]) -> tuple[EventStatus, str | None]:
    """How an event ends, from how its actions did, and why."""
    for row in rows.values():
        if row.status == ActionStatus.UNKNOWN:
            return EventStatus.PARKED, f"unknown:{row.reason}"
    for row in rows.values():
        if row.status == ActionStatus.REFUSED:
            return EventStatus.FAILED, f"refused:{row.reason}"
    held = [r.reason for r in rows.values() if r.status == ActionStatus.SKIPPED]
    withheld = next((reason for reason in held if reason not in ("already", None)), None)
    return EventStatus.PROCESSED, f"withheld:{withheld}" if withheld else None


def audit_rows(built: Sequence[Action], rows: Mapping[str, ActionRow]) -> list[AuditRow]:
    """A row for each action, at the time it ended."""
    return [
        AuditRow(
            conversation_id=action.conversation_id,
            at=rows[action.key].finished_at or "",
            action_id=action.key,
            action_type=action.audit_type,
            payload=action.payload(),
            idempotency_key=action.key,
            result=_result(rows[action.key]),
        )
        for action in built
    ]


def _result(row: ActionRow) -> str:
    word = {ActionStatus.DONE: "success", ActionStatus.REFUSED: "fail"}.get(row.status, row.status)
    return f"{word}:{row.reason}" if row.reason else str(word)
