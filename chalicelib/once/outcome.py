"""Final status of an event, derived from its actions, and the audit row of each action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.audit import AuditRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.reasons import ALREADY, REFUSED, UNKNOWN, WITHHELD


def event_end(rows: Mapping[str, ActionRow]) -> tuple[EventStatus, str | None]:
    """The status with which an event ends or is parked, and its reason or None, from its actions' rows."""
    for row in rows.values():
        if row.status == ActionStatus.UNKNOWN:
            return EventStatus.PARKED, f"{UNKNOWN}{row.reason}"
    for row in rows.values():
        if row.status == ActionStatus.REFUSED:
            return EventStatus.FAILED, f"{REFUSED}{row.reason}"
    held = [r.reason for r in rows.values() if r.status == ActionStatus.SKIPPED]
    withheld = next((reason for reason in held if reason not in (ALREADY, None)), None)
    return EventStatus.PROCESSED, f"{WITHHELD}{withheld}" if withheld else None


def unknown_keys(rows: Mapping[str, ActionRow]) -> list[str]:
    """The keys of those actions whose outcome is unknown."""
    return [row.key for row in rows.values() if row.status == ActionStatus.UNKNOWN]


def audit_rows(built: Sequence[Effect], rows: Mapping[str, ActionRow]) -> list[AuditRow]:
    """The audit rows of these actions, from their rows in the ledger; each has the time its action ended."""
    return [
        AuditRow(
            conversation_id=action.conversation_id,
            at=rows[action.key].finished_at or "",
            action_id=action.key,
            action_type=action.audit_type,
            payload=action.payload,
            idempotency_key=action.key,
            result=_result(rows[action.key]),
        )
        for action in built
    ]


def _result(row: ActionRow) -> str:
    result = {ActionStatus.DONE: "success", ActionStatus.REFUSED: "fail"}.get(
        row.status, row.status
    )
    return f"{result}:{row.reason}" if row.reason else str(result)
