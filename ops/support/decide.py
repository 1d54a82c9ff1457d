"""Decides about a given conversation as the worker would, by the same judge; stores and sends nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from chalicelib.clock import iso
from chalicelib.once.allowances import Allowances
from chalicelib.once.event import EventFacts
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.once.store import Store
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.inquiry import EVERYTHING, Inquiry
from chalicelib.support.judging import Judge, Judgement
from chalicelib.support.orders.cache import LookupCache
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.replies.answering import Replies
from chalicelib.support.replies.guard_rails import Policy, policy_of
from chalicelib.support.routing import moves_ticket, plan_for
from chalicelib.support.tickets import Comment, Ticket
from chalicelib.support_settings import SupportSettings
from ops.support.decide_lines import GivenConversation, GivenMessage
from ops.support.given_shop import ForgetfulTable, GivenShop, StillClock

MACHINE = "machine"
_KEY = OpaqueIds(b"support decide")
_NO_CUSTOMER = {"agent": why.ANSWERED_BY_OPERATOR, "machine": why.ANSWERED}


@dataclass(frozen=True, slots=True)
class TriedSettings:
    """The settings under which given conversations are decided.

    Attributes:
        policy: who may be answered, and with which templates.
    """

    rules: Rules
    policy: Policy

    @classmethod
    def of(cls, settings: SupportSettings, rules: Rules) -> TriedSettings:
        """A stage's settings, with answers enabled for every recipient.

        Raises:
            SettingsError: an enabled template does not exist.
        """
        policy = replace(
            policy_of(settings),
            is_outbound_enabled=True,
            author_id=MACHINE,
            requires_allow_list=False,
            emails=frozenset(),
            domains=frozenset(),
        )
        return cls(rules, policy)

    def decided(self, given: GivenConversation, *, explains: bool = False) -> dict[str, Any]:
        """The decision on a conversation's newest message, as `support decide` prints it."""
        newest = given.messages[-1] if given.messages else None
        if newest is None or newest.by != "customer":
            reason = _NO_CUSTOMER[newest.by] if newest else why.NO_TEXT
            return _printed(given.id, "none", reasons=[reason]) | _sentences((), explains)
        clock = StillClock(given.now)
        ticket, facts = _ticket(given), _facts(given)
        inquiry = Inquiry(
            newest.text,
            newest.at,
            facts.source_message_id,
            rules=self.rules,
            risks_elsewhere=bool(given.customer.open_risks),
        )
        inquiry.locate(ticket)
        judge = Judge(answering=self._replies(given, clock), clock=clock)
        judgement = judge.judge(facts, inquiry, Switches())
        plan = plan_for(
            judgement.decision,
            inquiry,
            ticket.tags,
            judgement.verdict,
            floor=EVERYTHING,
            is_held_by_person=judgement.is_held_by_person,
        )
        sentences = getattr(judgement.reading, "sentences", ())
        return _of(given.id, judgement, plan) | _sentences(sentences, explains)

    def _replies(self, given: GivenConversation, clock: StillClock) -> Replies:
        table = cast("Store", ForgetfulTable())
        shop = GivenShop(given.orders, given.customer.email)
        opaque: Callable[[], OpaqueIds] = lambda: _KEY  # noqa: E731 - a port of one function
        return Replies(
            orders=CustomerOrders(
                linked=shop,
                shop=shop,
                cache=LookupCache(table=table, clock=clock),
                opaque=opaque,
            ),
            allowances=Allowances(table=table, clock=clock),
            opinions=None,
            opaque=opaque,
            policy=self.policy,
            clock=clock,
        )


def _ticket(given: GivenConversation) -> Ticket:
    ticket = given.ticket
    return Ticket(
        id=given.id,
        status="OPEN",
        tags=frozenset(ticket.tags),
        comments=tuple(_comment(number, message) for number, message in enumerate(given.messages)),
        channel=ticket.channel,
        subject=ticket.subject or "",
        customer_email=given.customer.email,
        customer_name=next(
            (message.name for message in given.messages if message.by == "customer"), None
        ),
        assigned_to=frozenset({ticket.assignee} if ticket.assignee else ()),
    )


def _comment(number: int, message: GivenMessage) -> Comment:
    authors = {"agent": message.name or "agent", "machine": MACHINE, "customer": "customer"}
    return Comment(
        id=f"m-{number}",
        is_operator=message.by != "customer",
        text=message.text,
        created_at=message.at,
        author_id=authors[message.by],
    )


def _facts(given: GivenConversation) -> EventFacts:
    newest = f"m-{len(given.messages) - 1}"
    return EventFacts(
        event_key=ticket_keys.ticket_message(given.id, newest),
        conversation_id=given.id,
        received_at=iso(given.now),
        payload_sha256="",
        payload_bytes=0,
        source="given",
        source_message_id=newest,
    )


def _of(line_id: str, judgement: Judgement, plan: Plan) -> dict[str, Any]:
    verdict = judgement.verdict
    decision = "person"
    if verdict.template_id is not None:
        decision = "ask" if verdict.asks else "answer"
    return _printed(
        line_id,
        decision,
        intent=judgement.decision.intent,
        team=judgement.decision.route,
        risks=sorted(judgement.decision.risk_flags),
        reasons=[str(reason) for reason in plan.facts.get("reasons", ())],
        reply=verdict.text,
        proof=[
            {"sentence": proven.sentence, "facts": list(proven.facts)} for proven in verdict.proof
        ],
        closes=any(action.kind == "close" for action in plan.actions),
        moves=moves_ticket(plan),
    )


def _printed(line_id: str, decision: str, **more: object) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "intent": None,
        "team": None,
        "risks": [],
        "reasons": [],
        "reply": None,
        "proof": [],
        "closes": False,
        "moves": False,
    }
    return {"id": line_id, "decision": decision, **nothing, **more}


def _sentences(sentences: Any, explains: bool) -> dict[str, Any]:  # noqa: ANN401, FBT001 - of a reading
    if not explains:
        return {}
    shown = [
        {"text": sentence.text, "kind": str(sentence.kind), "judges": dict(sentence.judges)}
        for sentence in sentences
    ]
    return {"sentences": shown}
