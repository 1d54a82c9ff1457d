"""Describes the state of a conversation or ticket in words, a line for each attribute; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ops.inspect.explain import plain_words

_NAMES = {
    "conversation_status": "status",
    "delivery_status": "delivery",
    "withheld_reason": "withheld",
    "handoff": "hand-off",
    "reply_failure": "a person's reply was not sent",
    "last_intent": "last read as",
    "last_routed_team": "last routed to",
}
_FAILURE = ("failure_stage", "failure_reason")
"""Attributes shown together with the status that they explain."""


def in_words(state: Mapping[str, Any]) -> dict[str, str]:
    """A report's ``state`` as {name for people: text}."""
    return {
        _NAMES.get(name, name.replace("_", " ")): _said(name, value, state)
        for name, value in state.items()
        if name not in _FAILURE and value is not None
    }


def _said(name: str, value: Any, state: Mapping[str, Any]) -> str:  # noqa: ANN401 - as stored
    match name:
        case "conversation_status":
            code = ":".join(str(state[field]) for field in _FAILURE if field in state)
            because = f": {plain_words.reason(code)}" if code else ""
            return f"{plain_words.subject(str(value))}{because}"
        case "delivery_status" | "last_intent":
            return plain_words.subject(str(value))
        case "last_routed_team":
            return plain_words.team(str(value))
        case "withheld_reason":
            return plain_words.reason(str(value))
        case "reply_failure":
            at = plain_words.moment(value.get("at"))
            return f"{plain_words.reason(str(value.get('reason')))}, on {at}"
        case "handoff":
            return ", ".join(_of_handoff(value))
    if name.endswith("_at"):
        return plain_words.moment(value)
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


def _of_handoff(handoff: Mapping[str, Any]) -> Iterator[str]:
    yield f"since {plain_words.moment(handoff.get('since'))}"
    if "reason" in handoff:
        yield plain_words.reason(str(handoff["reason"]))
    if "taken_by" in handoff:
        yield f"{handoff['taken_by']} has it"
    if "answered_at" in handoff:
        yield f"answered on {plain_words.moment(handoff['answered_at'])}"
    if "releasing" in handoff:
        yield "on its way back to automation"
    yield f"id {handoff.get('id')}"
