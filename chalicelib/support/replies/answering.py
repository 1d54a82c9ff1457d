"""Whether an automatic reply may be sent, and its text.

The order of checks: switches, message, ticket, deployment, then the order itself, the model's
verifier, and last the counted limits, so that a reply which a cheaper check forbids costs no vendor
call and no allowance.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from chalicelib.errors import PermanentError, ProviderError, TransientError, WithdrawnError
from chalicelib.once import keys
from chalicelib.once.allowances import Allowances
from chalicelib.once.event import EventFacts
from chalicelib.once.flow import NotYet
from chalicelib.once.keys import OpaqueIds, normalised
from chalicelib.once.ports import Clock, Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.decision import MAX_ASKS, Decision
from chalicelib.support.effects import reference
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.own_words import order_number, own_part
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.status import NoAnswer, TemplateAnswer, order_answer
from chalicelib.support.replies import guard_rails
from chalicelib.support.replies.guard_rails import Policy, Refusal
from chalicelib.support.replies.templates import CATALOGUE, TemplateError, render
from chalicelib.support.tickets import Ticket

if TYPE_CHECKING:  # most stages ask no model
    from chalicelib.support.opinion import Opinions

LATER_EVERY_SECONDS = 60.0
LATER_FOR = timedelta(hours=2)
"""An answer whose order cannot be looked up is tried this often, until its message is so old."""
ASK_TEMPLATE = "t_order_status_ask_order_number"


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """The reply to send, or why none is sent.

    Attributes:
        tags: the tags a refusal adds to the ticket.
        asks: the reply asks for the order number; the conversation then waits for the answer.
        ends_pending: the conversation stops waiting for an answer, also when nothing is sent.
        keeps_pending: the conversation keeps waiting although nothing is sent now.
        is_later: the answer is tried again after the ticket is routed.
    """

    template_id: str | None = None
    text: str | None = field(default=None, repr=False)
    tags: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    asks: bool = False
    closes: bool = False
    ends_pending: bool = False
    keeps_pending: bool = False
    is_later: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """Decides on and composes replies.

    Attributes:
        opinions: None where no model is configured.
    """

    orders: CustomerOrders
    allowances: Allowances
    opinions: Opinions | None
    opaque: Callable[[], OpaqueIds]
    policy: Policy
    clock: Clock

    def consider(
        self, facts: EventFacts, inquiry: Inquiry, decision: Decision, switches: Switches
    ) -> ReplyVerdict:
        """The verdict on one message."""
        has_pending = inquiry.state is not None and inquiry.state.pending_flow is not None
        refusal = guard_rails.by_switches(switches, self.policy, decision)
        ticket = inquiry.ticket
        if refusal is None and ticket is None:
            refusal = Refusal(why.TICKET_NOT_READ)
        if refusal is not None or ticket is None:
            return _refused(refusal or Refusal(why.TICKET_NOT_READ), ends_pending=False)
        refusal = (
            guard_rails.by_own_answer(ticket, decision)
            or guard_rails.by_message(inquiry, decision)
            or guard_rails.by_ticket(inquiry, ticket, decision)
            or guard_rails.by_policy(ticket, self.policy, decision)
        )
        if refusal is not None:
            waits = refusal.reason == why.NEWER_MESSAGE and decision.is_about_order_status
            return _refused(refusal, ends_pending=has_pending and not waits, keeps_pending=waits)
        answer = self._choose(facts, inquiry, ticket, decision)
        if isinstance(answer, TemplateAnswer):
            answer = self._check_permission(facts, inquiry, ticket, decision, answer)
        if isinstance(answer, Refusal):
            return _refused(answer, ends_pending=has_pending)
        return self._composed(inquiry, ticket, decision, answer, _reply_key(facts))

    def recompose(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        template_id: str,
        decision: Decision,
        key: str,
    ) -> str:
        """The text of a reply that an earlier claim planned and surely did not send.

        Args:
            facts: the event that it answers.
            inquiry: its message.
            ticket: as it is now.
            template_id: which text.
            decision: as stored.
            key: of the action that sends it, whose reference it carries.

        Raises:
            PermanentError: it no longer applies: ``superseded``, ``escalated``,
                ``order_changed``, or the deployment's reason to forbid it now.
            ProviderError: the order cannot be looked up now.
        """
        overtaken = guard_rails.overtaken(inquiry, ticket)
        if overtaken is not None:
            raise PermanentError("richpanel", "send_message", reason=overtaken)
        forbidden = guard_rails.by_policy(ticket, self.policy, decision)
        if not self.policy.is_outbound_enabled:
            forbidden = Refusal(why.OUTBOUND_DISABLED)
        elif template_id not in self.policy.templates:
            forbidden = Refusal(why.TEMPLATE_NOT_ENABLED)
        if forbidden is not None:
            raise PermanentError("richpanel", "send_message", reason=forbidden.reason)
        answer: TemplateAnswer | Refusal = TemplateAnswer(template_id, {})
        if CATALOGUE[template_id].tier == 2:  # noqa: PLR2004 - the tier of verified replies
            answer = self._order_status(facts, inquiry, ticket, decision)
        if not isinstance(answer, TemplateAnswer) or answer.template_id != template_id:
            raise PermanentError("richpanel", "send_message", reason=why.ORDER_CHANGED)
        text = self._composed(inquiry, ticket, decision, answer, key).text
        if text is None:
            raise PermanentError("richpanel", "send_message", reason=why.CANNOT_BE_COMPOSED)
        return text

    def compose_later(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision, key: str
    ) -> str:
        """The text of an answer whose order could not be looked up when its ticket was routed.

        Args:
            facts: the event that it answers.
            inquiry: its message.
            ticket: as it is now.
            decision: as stored.
            key: of the action that sends it, whose reference it carries.

        Raises:
            WithdrawnError: it is not wanted any more, or must not be sent; a person has the ticket.
            NotYet: the order still cannot be looked up.
        """
        unwanted = guard_rails.withdrawn(inquiry, ticket)
        forbidden = guard_rails.by_policy(ticket, self.policy, decision)
        if not self.policy.is_outbound_enabled:
            forbidden = Refusal(why.OUTBOUND_DISABLED)
        if unwanted is not None or forbidden is not None:
            raise _withdrawn(unwanted or (forbidden.reason if forbidden else ""))
        answer = self._choose(facts, inquiry, ticket, decision)
        if isinstance(answer, Refusal) and answer.is_momentary:
            now = self.clock.now()
            if now - inquiry.at > LATER_FOR:
                raise _withdrawn(answer.reason)
            raise NotYet(answer.reason, now.timestamp() + LATER_EVERY_SECONDS)
        if isinstance(answer, TemplateAnswer) and answer.template_id == ASK_TEMPLATE:
            raise _withdrawn(why.ORDER_NUMBER_MISSING)
        if isinstance(answer, TemplateAnswer):
            answer = self._check_permission(facts, inquiry, ticket, decision, answer)
        if isinstance(answer, Refusal):
            raise _withdrawn(answer.reason)
        text = self._composed(inquiry, ticket, decision, answer, key).text
        if text is None:
            raise _withdrawn(why.TEMPLATE_INCOMPLETE)
        return text

    # --- which template -----------------------------------------------------------------------

    def _choose(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> TemplateAnswer | Refusal:
        answer: TemplateAnswer | Refusal
        if decision.is_about_order_status:
            try:
                answer = self._order_status(facts, inquiry, ticket, decision)
            except TransientError as error:  # routing the ticket must not wait for it
                return guard_rails.lookup_interrupted(error.reason)
            except ProviderError as error:
                answer = guard_rails.lookup_failed(f"{why.LOOKUP_FAILED}{error.reason}", decision)
        else:
            answer = TemplateAnswer(guard_rails.TEMPLATE_OF.get(decision.intent, ""), {})
        if isinstance(answer, TemplateAnswer) and answer.template_id not in self.policy.templates:
            return guard_rails.suppressed(why.TEMPLATE_NOT_ENABLED, decision)
        return answer

    def _order_status(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> TemplateAnswer | Refusal:
        """A reply with the order's status, one that asks for its number, or a refusal.

        Raises:
            ProviderError: it cannot be looked up now.
        """
        number = order_number(inquiry.text or "", is_asked_for=decision.pending is not None)
        order = self.orders.find(facts.conversation_id, number, ticket.customer_email)
        if isinstance(order, Order):
            answer = order_answer(
                order,
                decision.intent,
                self.clock.now(),
                _language(decision),
                inquiry.rules.calendar,
            )
            if isinstance(answer, NoAnswer):
                return guard_rails.lookup_failed(answer.reason, decision, answer.missing)
            return answer
        if order == why.ORDER_NUMBER_MISSING:
            asked = decision.pending.attempts if decision.pending else 0
            if asked < MAX_ASKS:
                return TemplateAnswer(ASK_TEMPLATE, {})
        return guard_rails.lookup_failed(order, decision, ("order_id",))

    # --- permission ---------------------------------------------------------------------------

    def _check_permission(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        answer: TemplateAnswer,
    ) -> TemplateAnswer | Refusal:
        """Ask the verifier for a verified reply, and take the counted limits for any reply."""
        if self.opinions is not None and CATALOGUE[answer.template_id].tier == 2:  # noqa: PLR2004
            verified = self.opinions.verify(inquiry.text or "", decision.intent)
            if not verified.allows:
                return guard_rails.suppressed(verified.reason, decision)
        limit = self._is_repeating(facts, inquiry, ticket) or self._limit_reached(
            facts, ticket, decision, answer
        )
        return answer if limit is None else guard_rails.suppressed(limit, decision)

    def _is_repeating(self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket) -> str | None:
        """Stop a customer whose texts repeat, over all tickets: two machines may be talking."""
        if not ticket.customer_email:
            return None
        opaque, by = self.opaque(), _reply_key(facts)
        customer = ticket.customer_email.lower()
        stopped = "stopped:customer", opaque.of("email", customer)
        limit = self.allowances.reached(*stopped, guard_rails.STOPPED)
        if limit is not None:
            return limit
        text = " ".join(re.findall(r"\w+", normalised(own_part(inquiry.text or ""))))
        same = "same_text:customer", opaque.of("text", f"{customer} {text}")
        limit = self.allowances.take(*same, by, guard_rails.SAME_TEXT)
        if limit is not None:
            self.allowances.take(*stopped, by, guard_rails.STOPPED)
        return limit

    def _limit_reached(
        self, facts: EventFacts, ticket: Ticket, decision: Decision, answer: TemplateAnswer
    ) -> str | None:
        """Count the reply for its conversation and its customer; for neither where one limit is reached."""
        opaque, by = self.opaque(), _reply_key(facts)
        counted = "auto_reply:conversation", opaque.of("conversation", facts.conversation_id), by
        is_asked_for = decision.pending is not None and answer.template_id != ASK_TEMPLATE
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
        self,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        answer: TemplateAnswer,
        key: str,
    ) -> ReplyVerdict:
        values = {"first_name": ticket.customer_name, **answer.values}
        try:
            text = render(
                answer.template_id,
                values,
                reference=reference(self.opaque(), key),
                signature=self.policy.signature,
                language=_language(decision),
                texts=inquiry.rules.texts,
                closings=inquiry.rules.closings,
            )
        except TemplateError:
            refusal = guard_rails.suppressed(why.TEMPLATE_INCOMPLETE, decision)
            return _refused(refusal, ends_pending=False)
        asks = answer.template_id == ASK_TEMPLATE
        return ReplyVerdict(
            template_id=answer.template_id,
            text=text,
            asks=asks,
            closes=self.policy.closes_tickets and CATALOGUE[answer.template_id].closes,
            ends_pending=not asks,
        )


def _withdrawn(reason: str) -> WithdrawnError:
    return WithdrawnError("richpanel", "send_message", reason=reason)


def _refused(refusal: Refusal, *, ends_pending: bool, keeps_pending: bool = False) -> ReplyVerdict:
    return ReplyVerdict(
        tags=refusal.tags,
        reasons=(refusal.reason,),
        ends_pending=ends_pending,
        keeps_pending=keeps_pending,
        is_later=refusal.is_momentary,
    )


def _reply_key(facts: EventFacts) -> str:
    suffix = keys.suffix_of(facts.event_key, facts.source_message_id)
    return ticket_keys.reply_action(facts.conversation_id, suffix)


def _language(decision: Decision) -> Literal["en", "es"]:
    return "es" if decision.language == "es" else "en"
