"""The outcome of a start, in the Channel Router's fields."""

from __future__ import annotations

from typing import Any

from chalicelib.once.event import EventStatus
from chalicelib.once.reasons import WITHHELD
from chalicelib.outreach import reasons
from chalicelib.outreach.project.admission import START_FAILED, StartOutcome

_DELIVERED = frozenset({"delivered", "read"})
_NOT_DELIVERED = frozenset({"undelivered", "failed", "bounced", "rejected"})


def outcome_fields(found: StartOutcome) -> dict[str, Any]:
    """What became of a start, as the fields of the Router's answer; fields without a value are left out."""
    known = {
        "state": _state(found),
        "reason": found.delivery_reason
        or _withheld_reason(found)
        or _declined_reason(found)
        or _failed_reason(found)
        or found.reason,
        "delivery": found.delivery,
        "received_at": found.received_at,
        "updated_at": found.updated_at,
    }
    return {name: value for name, value in known.items() if value is not None}


def _state(found: StartOutcome) -> str:
    match found.status:
        case EventStatus.RECEIVED:
            return "queued"
        case EventStatus.PROCESSED if found.outcome == "handed_off":
            return "handed_off"
        case EventStatus.PROCESSED if _declined_reason(found) or _failed_reason(found):
            return "failed"
        case EventStatus.PROCESSED if _withheld_reason(found):
            return "withheld"
        case EventStatus.PROCESSED if found.delivery in _DELIVERED:
            return "delivered"
        case EventStatus.PROCESSED if found.delivery in _NOT_DELIVERED:
            return "failed"
        case EventStatus.PROCESSED:
            return "sent"
        case _:
            return str(found.status.value)


def _declined_reason(found: StartOutcome) -> str | None:
    """``declined`` where a person declined a start's first message, which is then never sent; else None."""
    return reasons.DECLINED if found.outcome == reasons.DECLINED else None


def _failed_reason(found: StartOutcome) -> str | None:
    """The reason why a start's first message, though a person had approved it, was not sent; else None."""
    known = found.outcome or ""
    return known.removeprefix(START_FAILED) if known.startswith(START_FAILED) else None


def _withheld_reason(found: StartOutcome) -> str | None:
    """``withheld:{switch}`` where a switch stopped a start's message or its release; else None."""
    known = found.outcome or found.reason or ""
    return known if known.startswith(WITHHELD) else None
