"""The state of a conversation, folded message by message; pure.

The same messages give the same state however they are divided: a `fold` of some, continued with the
rest, equals a `fold` of all.  The stored form has no text and no order number::

    requests  [{"kind": "cancel", "state": "open", "at": "2026-11-20T09:00:00.000Z", "order": "9f2c"}]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from chalicelib.support.conversation.clauses import AskedFor
from chalicelib.support.conversation.conversation_words import (
    DELIVERY,
    EVERYTHING,
    RequestKind,
    table,
)

MAX_STORED_REQUESTS = 40
"""Most requests of one conversation that are stored; settled ones are left out first."""
_OF_DELIVERY = frozenset({RequestKind.ORDER_STATUS, RequestKind.NOT_RECEIVED})


class Speaker(StrEnum):
    """Who wrote a message of a conversation: customer, agent or machine."""

    CUSTOMER = "customer"
    AGENT = "agent"
    MACHINE = "machine"


class RequestState(StrEnum):
    """What has become of a customer's request.

    `answered`, by a person, is not yet `done`: see `Dialogue.open_requests`.
    """

    OPEN = "open"
    ANSWERED = "answered"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """One request that a customer has made in a conversation, with its present state.

    Attributes:
        order: keyed id (a keyed hash) of the order that was named with the request; None for none.
        at: ISO time of the message with the request.
    """

    kind: RequestKind
    at: str
    order: str | None = None
    state: RequestState = RequestState.OPEN

    @property
    def identity(self) -> tuple[RequestKind, str, str | None]:
        """What makes the request differ from all others: its kind, time and order, but not its state."""
        return self.kind, self.at, self.order


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a conversation, reduced to what it asks for or does.

    Attributes:
        asked: what the message asks for, if a customer wrote it.
        asks_number: our machine wrote the message, and it asks for the order number; any other
            message of our machine is an answer.
        may_be_automatic: an agent's account wrote the message, but so soon after the customer's
            that another machine may have sent it.
    """

    by: Speaker
    at: str
    asked: AskedFor = field(default_factory=AskedFor)
    asks_number: bool = False
    may_be_automatic: bool = False


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The state of a conversation after its messages so far.

    Attributes:
        requests: the customer's requests, oldest first.
        risks: flags of all grave matters that any message was about.
        last: who wrote the last message.
        has_agent: an agent of the shop, who may be a machine, has written.
        has_person: a person of the shop has surely written.
        answers: number of our automatic answers to requests.
        asks: how often our automatic texts have asked for the order number since our last answer.
        asked_at: ISO time of our last such question.
    """

    requests: tuple[OpenRequest, ...] = ()
    risks: frozenset[str] = frozenset()
    last: Speaker | None = None
    has_agent: bool = False
    has_person: bool = False
    answers: int = 0
    asks: int = 0
    asked_at: str | None = None

    def open_requests(self, tags: AbstractSet[str] = frozenset()) -> tuple[OpenRequest, ...]:
        """The customer's requests that are still open.

        A request that a person has answered counts as open, too, unless the ticket has a "done"
        tag.
        """
        is_done = bool({tag.strip().lower() for tag in tags} & set(table().done_tags))
        settled = {RequestState.DONE, RequestState.ANSWERED} if is_done else {RequestState.DONE}
        return tuple(request for request in self.requests if request.state not in settled)


EMPTY_DIALOGUE = Dialogue()


def fold(
    dialogue: Dialogue, said: Iterable[Utterance], keyed: Callable[[str], str | None]
) -> Dialogue:
    """The state of a conversation after further messages were added to a former state.

    Args:
        dialogue: the conversation's state before these messages.
        said: the messages, in their order.
        keyed: gives the keyed id (a keyed hash) of an order number; None where no key is
            configured.
    """
    for utterance in said:
        dialogue = _step(dialogue, utterance, keyed)
    return dialogue


def stored_requests(dialogue: Dialogue) -> list[dict[str, str]]:
    """A conversation's requests as table B stores them, without text.

    If there are more than `MAX_STORED_REQUESTS`, settled ones are left out first, then the oldest.
    """
    settled = [
        n for n, request in enumerate(dialogue.requests) if request.state == RequestState.DONE
    ]
    left_out = set(settled[: max(len(dialogue.requests) - MAX_STORED_REQUESTS, 0)])
    kept = [request for n, request in enumerate(dialogue.requests) if n not in left_out][
        -MAX_STORED_REQUESTS:
    ]
    return [
        {
            "kind": request.kind.value,
            "state": request.state.value,
            "at": request.at,
            **({"order": request.order} if request.order else {}),
        }
        for request in kept
    ]


def with_stored_requests(dialogue: Dialogue, rows: Sequence[Mapping[str, Any]]) -> Dialogue:
    """The state of a conversation, with those stored requests added that its ticket no longer shows.

    A stored request of an unknown kind counts as `OTHER`, one in an unknown state as open.
    """
    shown = {request.identity for request in dialogue.requests}
    hidden = [request for request in map(_request, rows) if request.identity not in shown]
    requests = sorted((*hidden, *dialogue.requests), key=lambda request: request.at)
    return replace(dialogue, requests=tuple(requests)) if hidden else dialogue


def _request(row: Mapping[str, Any]) -> OpenRequest:
    kind, state = str(row.get("kind")), str(row.get("state"))
    return OpenRequest(
        kind=RequestKind(kind) if kind in set(RequestKind) else RequestKind.OTHER,
        at=str(row.get("at", "")),
        order=row.get("order"),
        state=RequestState(state) if state in set(RequestState) else RequestState.OPEN,
    )


def _step(before: Dialogue, said: Utterance, keyed: Callable[[str], str | None]) -> Dialogue:
    after = replace(before, last=said.by)
    match said.by:
        case Speaker.AGENT:
            return replace(
                after,
                has_agent=True,
                has_person=after.has_person or not said.may_be_automatic,
                requests=_moved(after.requests, RequestState.ANSWERED, frozenset(RequestKind)),
            )
        case Speaker.MACHINE if said.asks_number:
            return replace(after, asks=after.asks + 1, asked_at=said.at)
        case Speaker.MACHINE:
            if not after.requests:
                return after  # a greeting: nothing was asked
            settled = _moved(after.requests, RequestState.DONE, {RequestKind.ORDER_STATUS})
            return replace(
                after, requests=settled, answers=after.answers + 1, asks=0, asked_at=None
            )
    asked = said.asked
    orders = [keyed(number) for number in asked.numbers] or [None]
    new = tuple(
        OpenRequest(kind, said.at, order) for kind in sorted(asked.kinds) for order in orders
    )
    return replace(
        after,
        requests=(*_taken_back(after.requests, asked.takes_back), *new),
        risks=after.risks | asked.risks,
    )


def _taken_back(requests: tuple[OpenRequest, ...], what: str | None) -> tuple[OpenRequest, ...]:
    if what == EVERYTHING:
        return _moved(requests, RequestState.DONE, frozenset(RequestKind) - {RequestKind.GRAVE})
    if what == DELIVERY:
        return _moved(requests, RequestState.DONE, _OF_DELIVERY)
    return requests


def _moved(
    requests: tuple[OpenRequest, ...], to: RequestState, kinds: AbstractSet[RequestKind]
) -> tuple[OpenRequest, ...]:
    """The requests, with those of the given kinds moved to the state `to`.

    A request that is in this state or a later one already stays unchanged.
    """
    order = list(RequestState)
    return tuple(
        replace(request, state=to)
        if request.kind in kinds and order.index(request.state) < order.index(to)
        else request
        for request in requests
    )
