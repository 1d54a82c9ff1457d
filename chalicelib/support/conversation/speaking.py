"""Why a machine says nothing in a conversation, and whether a person has its ticket; pure.

A machine speaks only where nothing else is open and no person is in the conversation.  It moves no
ticket that a person holds or has answered.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from chalicelib.support import reasons as why
from chalicelib.support.conversation.conversation_words import RequestKind
from chalicelib.support.conversation.dialogue import Dialogue
from chalicelib.support.intents.departments import RISK_TAG
from chalicelib.support.tickets import TEAM


@dataclass(frozen=True, slots=True)
class TicketContext:
    """What is known of a ticket beside its messages, to decide whether a machine may answer.

    Attributes:
        tags: the ticket's tags.
        holder: id of the person who has the ticket; None where no one, a queue or a bot has it.
        stop_tags: tags by which people stop automatic answers, in lower case.
        risks_elsewhere: another ticket of the customer is about a grave matter.
    """

    tags: AbstractSet[str] = frozenset()
    holder: str | None = None
    stop_tags: AbstractSet[str] = frozenset()
    risks_elsewhere: bool = False


_WAS_GRAVE = RISK_TAG.format("")
"""Prefix of tags on tickets that were once tier 0; a ticket keeps them when its state is lost."""
_ORDER_QUESTION = frozenset({RequestKind.ORDER_STATUS})


def holder_of(assigned_to: AbstractSet[str], queues: AbstractSet[str]) -> str | None:
    """The id of the person to whom a ticket is assigned; None where it is a queue, a bot, a team or no one.

    Args:
        assigned_to: ids of the user and the team to whom the ticket is assigned.
        queues: ids of users that are not persons: queues, bots, departments' assignees.
    """
    persons = sorted(
        assignee
        for assignee in assigned_to
        if assignee not in queues and not assignee.startswith(TEAM)
    )
    return persons[0] if persons else None


def is_held_by_person(dialogue: Dialogue, around: TicketContext) -> bool:
    """Whether a person has the ticket or has surely written in it.

    Such a ticket is not moved to another team.
    """
    return around.holder is not None or dialogue.has_person


def reason_for_silence(
    dialogue: Dialogue,
    around: TicketContext,
    *,
    about: AbstractSet[RequestKind] = _ORDER_QUESTION,
    beside: AbstractSet[RequestKind] = frozenset(),
    named: AbstractSet[str] = frozenset(),
    answered: AbstractSet[str] = frozenset(),
    is_awaited: bool = False,
) -> str | None:
    """Why a customer's message gets no automatic answer but is left to a person.

    Returns None where the message may be answered.

    Args:
        dialogue: the conversation before the message.
        around: what else is known of the ticket.
        about: kinds of requests that the answer would be about; open requests of these kinds do not
            prevent it.
        beside: kinds of the requests in the message itself.
        named: keyed ids (keyed hashes) of the orders that the message and its subject name.
        answered: keyed ids of the orders that the answer would be about.
        is_awaited: the message answers our question for the order number.
    """
    if {_tag(tag) for tag in around.tags} & {_tag(tag) for tag in around.stop_tags}:
        return why.STOP_TAG
    if dialogue.risks or any(_tag(tag).startswith(_WAS_GRAVE) for tag in around.tags):
        return why.RISK_FLAG
    if around.risks_elsewhere:
        return why.CUSTOMER_AT_RISK
    if around.holder is not None:
        return why.HELD_BY_A_PERSON
    if dialogue.has_agent:
        return why.PERSON_IN_IT
    unsettled = dialogue.open_requests(around.tags)
    kinds = {request.kind for request in unsettled} | beside
    for kind in RequestKind:
        if kind in kinds - about:
            return f"{why.OPEN_REQUEST}{kind.value}"
    if ({request.order for request in unsettled if request.order} | named) - answered:
        return why.OTHER_ORDER_OPEN
    if dialogue.answers and not is_awaited:
        return why.ANSWERED
    return None


def _tag(tag: str) -> str:
    return "-".join(tag.strip().lower().replace("_", " ").replace("-", " ").split())
