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

MOST_STORED = 40
"""Most requests of one conversation that are stored; settled ones are left out first."""
_OF_DELIVERY = frozenset({RequestKind.ORDER_STATUS, RequestKind.NOT_RECEIVED})


class Speaker(StrEnum):
    """Who wrote a message."""

    CUSTOMER = "customer"
    AGENT = "agent"
    MACHINE = "machine"


class RequestState(StrEnum):
    """What has become of a request; a person's answer alone settles nothing."""

    OPEN = "open"
    ANSWERED = "answered"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """One thing that a customer has asked for.

    Attributes:
        order: keyed id of the order that was named with it.
        at: ISO time of the message.
    """

    kind: RequestKind
    at: str
    order: str | None = None
    state: RequestState = RequestState.OPEN

    @property
    def identity(self) -> tuple[RequestKind, str, str | None]:
        """What identifies the request, whatever has become of it."""
        return self.kind, self.at, self.order


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a conversation, as it was read.

    Attributes:
        asked: what a customer's message asks for.
        asks_number: a machine's message that asks for the order number; any other is an answer.
        may_be_automatic: an agent's message that came so soon that another machine may have sent it.
    """

    by: Speaker
    at: str
    asked: AskedFor = field(default_factory=AskedFor)
    asks_number: bool = False
    may_be_automatic: bool = False


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation so far.

    Attributes:
        requests: oldest first.
        risks: flags of all grave matters that were ever in it.
        last: who has spoken last.
        has_agent: the shop's side has written in it.
        has_person: a person of the shop has surely written in it.
        answers: number of automatic answers in it.
        asks: how often the machine has asked for the order number since its last answer.
        asked_at: ISO time of the last of these.
    """

    requests: tuple[OpenRequest, ...] = ()
    risks: frozenset[str] = frozenset()
    last: Speaker | None = None
    has_agent: bool = False
    has_person: bool = False
    answers: int = 0
    asks: int = 0
    asked_at: str | None = None

    def unsettled(self, tags: AbstractSet[str] = frozenset()) -> tuple[OpenRequest, ...]:
        """The requests that are not settled: by the customer's word, or by an answer and a done tag."""
        is_done = bool({tag.strip().lower() for tag in tags} & set(table().done_tags))
        settled = {RequestState.DONE, RequestState.ANSWERED} if is_done else {RequestState.DONE}
        return tuple(request for request in self.requests if request.state not in settled)


NOTHING_SAID = Dialogue()


def fold(
    dialogue: Dialogue, said: Iterable[Utterance], keyed: Callable[[str], str | None]
) -> Dialogue:
    """The conversation after further messages.

    Args:
        dialogue: the conversation before them.
        said: the messages, in their order.
        keyed: makes an order number a keyed id; None where it has no key.
    """
    for one in said:
        dialogue = _step(dialogue, one, keyed)
    return dialogue


def stored(dialogue: Dialogue) -> list[dict[str, str]]:
    """The requests as table B keeps them, without text."""
    settled = [n for n, one in enumerate(dialogue.requests) if one.state == RequestState.DONE]
    left_out = set(settled[: max(len(dialogue.requests) - MOST_STORED, 0)])
    kept = [one for n, one in enumerate(dialogue.requests) if n not in left_out][-MOST_STORED:]
    return [
        {
            "kind": one.kind.value,
            "state": one.state.value,
            "at": one.at,
            **({"order": one.order} if one.order else {}),
        }
        for one in kept
    ]


def with_stored(dialogue: Dialogue, rows: Sequence[Mapping[str, Any]]) -> Dialogue:
    """A conversation as its ticket shows it, with the stored requests that the ticket no longer shows.

    Rows of unknown kinds count as other, rows of unknown states as open.
    """
    shown = {request.identity for request in dialogue.requests}
    hidden = [one for one in map(_request, rows) if one.identity not in shown]
    requests = sorted((*hidden, *dialogue.requests), key=lambda one: one.at)
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
    """The requests of these kinds in a later state; a request never goes back."""
    order = list(RequestState)
    return tuple(
        replace(request, state=to)
        if request.kind in kinds and order.index(request.state) < order.index(to)
        else request
        for request in requests
    )
