"""The result of an act on each of several conversations, for the person who asked for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import abort

from chalicelib.errors import ConflictError, PayloadError, TransientError, UnavailableError
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.inbox import NoConversationError
from console import backend
from console.pages import desk_acting
from console.rights import person

MOST = 50
"""Conversations of one form at most."""
GONE = "There is no such conversation, or it is not yours to see."
_UNSURE = "The stage gave no answer: the act may be done. Look at the conversation."


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """The result of an act on one conversation.

    Attributes:
        name: the recipient's; empty for a conversation that the person may not see.
        act_id: of the act that was done; empty where nothing was.
        why: why nothing was done, in a sentence.
    """

    opaque_id: str
    name: str = ""
    act_id: str = ""
    why: str = ""

    @property
    def is_done(self) -> bool:
        """Whether the act was done, now or by an earlier post of the same form."""
        return bool(self.act_id)


def picked(given: Sequence[str], field: str) -> list[tuple[str, str]]:
    """The conversations that a form picks, each with its version or act id; each conversation once.

    Args:
        given: ``{opaque id}~{version or act id}``, as our pages write them.
        field: the form's field.

    Raises:
        HTTPException: 400 for none or another form, 422 for too many.
    """
    if not given:
        abort(400, f"{field}: tick a conversation")
    if len(given) > MOST:
        abort(422, f"{field}: at most {MOST} at once")
    pairs = [tick.partition("~") for tick in given]
    if not all(opaque_id and rest for opaque_id, _, rest in pairs):
        abort(400, f"{field}: the form is not one of ours")
    return list({opaque_id: (opaque_id, rest) for opaque_id, _, rest in pairs}.values())


def acted(opaque_id: str, asked_of: Callable[[Record], AskedAct]) -> ActOutcome:
    """Do an act on one conversation; a refusal is a result, so the other conversations go on."""
    inbox = backend.acting().services.outreach.inbox
    try:
        record = inbox.record(opaque_id)
    except NoConversationError:
        return ActOutcome(opaque_id, why=GONE)
    if not person().sees(record.company_id):
        return ActOutcome(opaque_id, why=GONE)
    name = str(record.item.get("recipient_first_name") or "")
    try:
        asked = asked_of(record)
        inbox.act(asked)
    except PayloadError as error:
        return ActOutcome(opaque_id, name, why=f"Nothing was done: {error.message}.")
    except ConflictError as error:
        return ActOutcome(opaque_id, name, why=desk_acting.why_not(asked, error).said)
    except (TransientError, UnavailableError):
        return ActOutcome(opaque_id, name, why=_UNSURE)
    return ActOutcome(opaque_id, name, act_id=asked.act_id)
