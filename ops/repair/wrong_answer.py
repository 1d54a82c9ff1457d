"""Records a person's verdict that an answer was wrong, as a code without a text.

For a ticket's message the code becomes a label of its decision, which the shadow report counts.
For a conversation's message the project counts it, beside the drafts that its checks stopped.
"""

from __future__ import annotations

from collections.abc import Mapping

from ops import journal
from ops.session import EXIT_UNUSABLE, OpsError, OvertakenError, Session
from ops.support import labels

OF_TICKETS = labels.WRONG
OF_CONVERSATIONS: Mapping[str, str] = {
    "wrong_answer": "the answer is not true, or not what was asked",
    "missed_wish": "a wish to stop, or for a person, was not seen",
    "wrong_tone": "it is not how the company writes",
    "wrong_language": "it is not in the recipient's language",
    "should_have_answered": "a person was not needed",
}
_BY_KIND = {
    "evt:rp": OF_TICKETS,
    **dict.fromkeys(("evt:reply", "evt:start", "evt:follow"), OF_CONVERSATIONS),
}


def codes_of(event_key: str) -> Mapping[str, str]:
    """The codes, with meanings, for a wrong answer to an event; empty if no machine answers it."""
    is_notice = event_key.startswith("evt:rp:") and ":n:" in event_key
    return {} if is_notice else _BY_KIND.get(":".join(event_key.split(":")[:2]), {})


def store_mistake(
    session: Session, event_key: str, code: str, *, because: str = "", once: str = ""
) -> str:
    """Store what was wrong with an answer; once for each answer.

    Returns:
        The command that counts it: ``shadow-report`` or ``writer wrong``; ``journal`` if the
        decision or conversation is gone.

    Raises:
        OpsError: the event does not exist, or the code does not apply to it.
        OvertakenError: the answer already has a verdict.
    """
    row, known = session.row(event_key), codes_of(event_key)
    if not known:
        raise OpsError("no machine answers such an event", code=EXIT_UNUSABLE)
    if code not in known:
        raise OpsError(f"code: one of {', '.join(known)}", code=EXIT_UNUSABLE)
    story = str(row["conversation_id"])
    if any(_is_said(entry, event_key) for entry in session.services.journal.story(story)):
        raise OvertakenError("this answer was marked as wrong before")
    journal.enter(
        session, "wrong-answer", event_key, result=code, row=row, reason=because, once=once
    )
    count = _label if event_key.startswith("evt:rp:") else _count
    return count(session, story, event_key, code)


def _is_said(entry: Mapping[str, object], event_key: str) -> bool:
    return entry["action_type"] == "wrong-answer" and entry["idempotency_key"] == event_key


def _label(session: Session, ticket_id: str, event_key: str, code: str) -> str:
    state = session.services.support.state.read(ticket_id)
    if state is None or event_key not in {decision["event"] for decision in state.decisions}:
        return "journal"
    labels.put(session, state, event_key, code)
    return "shadow-report"


def _count(session: Session, opaque_id: str, _event_key: str, code: str) -> str:
    conversations = session.services.outreach.conversations
    record = conversations.find(opaque_id)
    if record is None:
        return "journal"
    conversations.count_wrong(record, code)
    return "writer wrong"
