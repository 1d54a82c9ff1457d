"""Renders the reply of a shadow decision again, from the present ticket and shop.

The same judge decides again, with the decision's time and settings, so that only facts can differ.
It stores and sends nothing, and calls no model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from chalicelib.clock import parsed
from chalicelib.once.allowances import Allowances
from chalicelib.once.event import EventFacts
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.ports import Switches
from chalicelib.once.store import Store
from chalicelib.support.content_versions import content_versions
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.judging import Judge
from chalicelib.support.orders.cache import LookupCache
from chalicelib.support.replies.answering import Replies
from chalicelib.support.tickets import Ticket
from ops.session import OpsError, Session
from ops.support.given_shop import ForgetfulTable, StillClock

SAME, CHANGED = "same", "changed"


@dataclass(frozen=True, slots=True)
class ReplyAgain:
    """The reply that would be sent now.

    Attributes:
        facts: ``same``, or ``changed`` if the facts behind the reply differ from then.
        text: None if no reply would be sent now.
        because: why no reply would be sent.
        sentences: each sentence about an order, the paths of its facts, and whether they changed.
        other_release: parts of the release that have changed since the decision.
    """

    facts: str
    text: str | None = field(default=None, repr=False)
    because: str | None = None
    sentences: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    other_release: tuple[str, ...] = ()


def rendered_again(session: Session, ticket_id: str, decided: Mapping[str, Any]) -> ReplyAgain:
    """Render the reply of a decision again.

    Raises:
        OpsError: the ticket no longer shows the message.
        ProviderError: the ticket or shop cannot be read now.
    """
    services = session.services
    message = str(decided["event"]).rpartition(":")[2]
    ticket = _as_it_was(services.support.richpanel.read_ticket(ticket_id), message)
    made = parsed(decided["made"]) or services.clock.now()
    clock = StillClock(made)
    inquiry = Inquiry(None, parsed(decided["at"]) or made, message)
    inquiry.rules = services.support.rules.of_version(int(decided.get("settings", 0)))
    try:
        inquiry.locate(ticket)
        judge = Judge(answering=_reading(services.support_work.answering, clock), clock=clock)
        facts = EventFacts(
            str(decided["event"]), ticket_id, decided["made"], "", 0, "again", message
        )
        verdict = judge.judge(facts, inquiry, Switches(shadow_mode=True)).verdict
    except NotAnEvent as error:
        raise OpsError(f"the message is not judged any more: {error.reason}") from None
    would = verdict.would or verdict
    then = list(decided.get("digests", ()))
    is_same = would.template_id == decided.get("template") and list(would.digests) == then
    sentences = tuple(
        {
            "sentence": proven.sentence,
            "facts": list(proven.facts),
            "changed": digest not in then,
        }
        for proven, digest in zip(would.proof, would.digests, strict=True)
    )
    now = content_versions()
    return ReplyAgain(
        facts=SAME if is_same else CHANGED,
        text=would.text,
        because=None if would.text else (would.reasons or verdict.reasons)[-1],
        sentences=sentences,
        other_release=tuple(name for name, version in now.items() if decided.get(name) != version),
    )


def _reading(replies: Replies, clock: StillClock) -> Replies:
    """The stage's reply maker, without counting, caching or models."""
    table = cast("Store", ForgetfulTable())
    return replace(
        replies,
        orders=replace(replies.orders, cache=LookupCache(table=table, clock=clock)),
        allowances=Allowances(table=table, clock=clock),
        opinions=None,
        clock=clock,
    )


def _as_it_was(ticket: Ticket, message: str) -> Ticket:
    """The ticket up to the message, without tags and assignment."""
    shown = [comment.id for comment in ticket.comments]
    if message not in shown:
        raise OpsError("the ticket does not show the message any more")
    return replace(
        ticket,
        status="OPEN",
        tags=frozenset(),
        assigned_to=frozenset(),
        comments=ticket.comments[: shown.index(message) + 1],
    )
