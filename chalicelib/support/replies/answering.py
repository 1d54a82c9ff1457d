"""Whether an automatic reply may go out, and with what.

The order of questions: switches, message, ticket, deployment, then the order itself, the model's
verifier, and last the counted limits, so that nobody is called and nothing is counted for a reply
that something cheaper forbids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from chalicelib.errors import PermanentError, ProviderError
from chalicelib.once import keys
from chalicelib.once.event import EventFacts
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock, Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support.actions import reference
from chalicelib.support.decision import MAX_ASKS, Decision
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.message import order_number
from chalicelib.support.limits import Allowances
from chalicelib.support.opinion import Opinions
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.order import Order
from chalicelib.support.orders.status import NotTold, Told, tell
from chalicelib.support.replies import guard_rails
from chalicelib.support.replies.guard_rails import Policy, Refusal
from chalicelib.support.replies.templates import CATALOGUE, TemplateError, render
from chalicelib.support.tickets import Ticket

ASK_TEMPLATE = "t_order_status_ask_order_number"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is sent, or why nothing is.

    Attributes:
        tags: what a refusal leaves on the ticket.
        asks: the reply asks for the order number; the conversation waits for the answer.
        ends_pending: nothing is waited for any more, also when nothing is sent.
        keeps_pending: the question stands although nothing is sent now.
    """

    template_id: str | None = None
    text: str | None = field(default=None, repr=False)
    tags: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    asks: bool = False
    closes: bool = False
    ends_pending: bool = False
    keeps_pending: bool = False


@dataclass(frozen=True, slots=True)
class Answering:
    """The parts an answer is made of.

    Attributes:
        opinions: None where no model is asked.
    """

    orders: CustomerOrders
    allowances: Allowances
    opinions: Opinions | None
    opaque: Callable[[], OpaqueIds]
    policy: Policy
    clock: Clock

    def consider(
        self, facts: EventFacts, inquiry: Inquiry, decision: Decision, switches: Switches
    ) -> Verdict:
        """The verdict on one message."""
        ends = inquiry.state is not None and inquiry.state.pending_flow is not None
        refusal = guard_rails.by_switches(switches, self.policy, decision)
        ticket = inquiry.ticket
        if refusal is None and ticket is None:
            refusal = Refusal("ticket_not_read")
        if refusal is not None or ticket is None:
            return _refused(refusal or Refusal("ticket_not_read"), ends_pending=False)
        refusal = (
            guard_rails.by_message(inquiry, decision)
            or guard_rails.by_ticket(inquiry, ticket, decision)
            or guard_rails.by_policy(ticket, self.policy, decision)
        )
        if refusal is not None:
            waits = refusal.reason == "newer_message" and decision.is_about_order_status
            return _refused(refusal, ends_pending=ends and not waits, keeps_pending=waits)
        told = self._told(facts, inquiry, ticket, decision)
        if isinstance(told, Told):
            told = self._permitted(facts, inquiry, ticket, decision, told)
        if isinstance(told, Refusal):
            return _refused(told, ends_pending=ends)
        return self._composed(facts, ticket, decision, told)

    def recompose(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        template_id: str,
        decision: Decision,
    ) -> str:
        """The text of a reply that was decided by an earlier claim and surely not sent.

        Raises:
            PermanentError: it is not right any more: ``superseded``, ``escalated``,
                ``order_changed``, or what the deployment forbids now.
            ProviderError: what it needs cannot be had now.
        """
        overtaken = guard_rails.overtaken(inquiry, ticket)
        if overtaken is not None:
            raise PermanentError("richpanel", "send_message", reason=overtaken)
        forbidden = guard_rails.by_policy(ticket, self.policy, decision)
        if not self.policy.is_outbound_enabled:
            forbidden = Refusal("outbound_disabled")
        elif template_id not in self.policy.templates:
            forbidden = Refusal("template_not_enabled")
        if forbidden is not None:
            raise PermanentError("richpanel", "send_message", reason=forbidden.reason)
        told: Told | Refusal = Told(template_id, {})
        if CATALOGUE[template_id].tier == 2:  # noqa: PLR2004 - the tier of verified replies
            told = self._status(facts, inquiry, ticket, decision)
        if not isinstance(told, Told) or told.template_id != template_id:
            raise PermanentError("richpanel", "send_message", reason="order_changed")
        text = self._composed(facts, ticket, decision, told).text
        if text is None:
            raise PermanentError("richpanel", "send_message", reason="cannot_be_composed")
        return text

    # --- which template -----------------------------------------------------------------------

    def _told(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> Told | Refusal:
        told: Told | Refusal
        if decision.is_about_order_status:
            try:
                told = self._status(facts, inquiry, ticket, decision)
            except ProviderError as error:  # whoever routes the ticket is not held up
                told = guard_rails.lookup_failed(f"lookup_failed:{error.reason}", decision)
        else:
            told = Told(guard_rails.TEMPLATE_OF.get(decision.intent, ""), {})
        if isinstance(told, Told) and told.template_id not in self.policy.templates:
            return guard_rails.suppressed("template_not_enabled", decision)
        return told

    def _status(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> Told | Refusal:
        """What is known of the order, the question for its number, or a refusal.

        Raises:
            ProviderError: it cannot be looked up now.
        """
        number = order_number(inquiry.text or "", is_asked_for=decision.pending is not None)
        order = self.orders.find(facts.conversation_id, number, ticket.customer_email)
        if isinstance(order, Order):
            told = tell(order, decision.intent, self.clock.now(), _language(decision))
            if isinstance(told, NotTold):
                return guard_rails.lookup_failed(told.reason, decision, told.missing)
            return told
        if order == "order_number_missing":
            asked = decision.pending.attempts if decision.pending else 0
            if asked < MAX_ASKS:
                return Told(ASK_TEMPLATE, {})
        return guard_rails.lookup_failed(order, decision, ("order_id",))

    # --- may it go out ------------------------------------------------------------------------

    def _permitted(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        told: Told,
    ) -> Told | Refusal:
        """The verifier's word for a verified reply, and the counted limits for any."""
        if self.opinions is not None and CATALOGUE[told.template_id].tier == 2:  # noqa: PLR2004
            verified = self.opinions.verify(inquiry.text or "", decision.intent)
            if not verified.allows:
                return guard_rails.suppressed(verified.reason, decision)
        limit = self._limit_reached(facts, ticket, decision, told)
        return told if limit is None else guard_rails.suppressed(limit, decision)

    def _limit_reached(
        self, facts: EventFacts, ticket: Ticket, decision: Decision, told: Told
    ) -> str | None:
        """Count the reply for its conversation and its customer; for neither where one refuses."""
        opaque, by = self.opaque(), _reply_key(facts)
        counted = "auto_reply:conversation", opaque.of("conversation", facts.conversation_id), by
        is_asked_for = decision.pending is not None and told.template_id != ASK_TEMPLATE
        limits = guard_rails.ANSWER_LIMITS if is_asked_for else guard_rails.CONVERSATION_LIMITS
        limit = self.allowances.take(*counted, limits)
        if limit is None and ticket.customer_email:
            customer = opaque.of("email", ticket.customer_email.lower())
            limit = self.allowances.take(
                "auto_reply:customer", customer, by, guard_rails.CUSTOMER_LIMITS
            )
            if limit is not None:
                self.allowances.give_back(*counted)
        return limit

    def _composed(
        self, facts: EventFacts, ticket: Ticket, decision: Decision, told: Told
    ) -> Verdict:
        values = {"first_name": ticket.customer_name, **told.values}
        try:
            text = render(
                told.template_id,
                values,
                reference=reference(self.opaque(), _reply_key(facts)),
                signature=self.policy.signature,
                language=_language(decision),
            )
        except TemplateError:
            refusal = guard_rails.suppressed("template_incomplete", decision)
            return _refused(refusal, ends_pending=False)
        asks = told.template_id == ASK_TEMPLATE
        return Verdict(
            template_id=told.template_id,
            text=text,
            asks=asks,
            closes=CATALOGUE[told.template_id].closes,
            ends_pending=not asks,
        )


def _refused(refusal: Refusal, *, ends_pending: bool, keeps_pending: bool = False) -> Verdict:
    return Verdict(
        tags=refusal.tags,
        reasons=(refusal.reason,),
        ends_pending=ends_pending,
        keeps_pending=keeps_pending,
    )


def _reply_key(facts: EventFacts) -> str:
    suffix = keys.suffix_of(facts.event_key, facts.source_message_id)
    return ticket_keys.reply_action(facts.conversation_id, suffix)


def _language(decision: Decision) -> Literal["en", "es"]:
    return "es" if decision.language == "es" else "en"
