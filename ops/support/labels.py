"""People's labels on shadow decisions: right, or wrong with a code; only reports use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.clock import iso
from chalicelib.support.keys import ticket_message
from chalicelib.support.shadow_decisions import decision_to_follow
from chalicelib.support.state import ConversationState
from ops.session import EXIT_UNUSABLE, OpsError, Session

RIGHT = "right"
WRONG: Mapping[str, str] = {
    "wrong_intent": "the message is about something else",
    "wrong_team": "another department should have it",
    "missed_risk": "it is a matter for a person that was not seen",
    "false_risk": "it was taken for such a matter and is none",
    "wrong_order": "the answer is about another order",
    "wrong_answer": "the answer is not true, or not what was asked",
    "should_have_answered": "a person was not needed",
}
"""The meaning of each code for a wrong decision."""
CAUTIOUS = frozenset({"false_risk", "should_have_answered"})
"""Mistakes that cost a person's time and harm no customer."""


def state_with_decision(session: Session, ticket: str) -> ConversationState:
    """A ticket's state in table B; raises `OpsError` if it has no shadow decision."""
    found = session.services.support.state.read(ticket)
    if found is None or not found.decisions:
        raise OpsError(f"no decision made in shadow is stored for ticket {ticket}")
    return found


def decision_of(state: ConversationState, message: str = "") -> Mapping[str, Any]:
    """The decision on a message; by default the one that agents' acts are compared with."""
    if not message:
        return decision_to_follow(state.decisions) or {}
    event = ticket_message(state.conversation_id, message)
    found = next((decision for decision in state.decisions if decision["event"] == event), None)
    if found is None:
        raise OpsError(f"no decision on message {message} is stored")
    return found


def code(*, right: bool, wrong: str) -> str:
    """The label for the options ``--right`` and ``--wrong``; exactly one must be given."""
    if right == bool(wrong):
        raise OpsError("give --right or --wrong CODE", code=EXIT_UNUSABLE)
    if wrong and wrong not in WRONG:
        raise OpsError(f"--wrong: one of {', '.join(WRONG)}", code=EXIT_UNUSABLE)
    return wrong or RIGHT


def put(session: Session, state: ConversationState, event: str, label: str) -> None:
    """Store a label, replacing the decision's earlier one; the caller must enter it in the journal."""
    others = [earlier for earlier in state.labels if earlier["event"] != event]
    kept = {decision["event"] for decision in state.decisions}
    new = {"event": event, "code": label, "at": iso(session.services.clock.now())}
    labels = [*(other for other in others if other["event"] in kept), new]
    if not session.services.support.state.label(state.conversation_id, labels):
        raise OpsError("the decision has expired meanwhile")


def of_event(labels: Sequence[Mapping[str, Any]], event: str) -> str | None:
    """The label of a decision, by its event; None without one."""
    return next((str(label["code"]) for label in labels if label["event"] == event), None)
