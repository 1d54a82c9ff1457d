"""Whether an automatic reply may be sent, and its text.

The order of checks: switches, message, ticket, deployment, then the order itself, the model's
verifier, and last the counted limits, so that a reply which a cheaper check forbids costs no vendor
call and no allowance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
from chalicelib.support.intents.own_words import own_part
from chalicelib.support.orders.fact_digests import fact_digest
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.order_answers import NoAnswer, TemplateAnswer, proven_answers
from chalicelib.support.orders.order_question import order_numbers, question_of
from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.stated_age import is_as_old_as_said
from chalicelib.support.replies import guard_rails
from chalicelib.support.replies.guard_rails import Policy, Refusal
from chalicelib.support.replies.proofs import Proof
from chalicelib.support.replies.templates import CATALOGUE, ReplyText, TemplateError, render
from chalicelib.support.tickets import Ticket

if TYPE_CHECKING:  # most stages ask no model, and do not load it
    from chalicelib.support.opinion import Opinions

LATER_EVERY_SECONDS = 60.0
LATER_FOR = timedelta(hours=2)
"""An answer whose order cannot be looked up is tried again every `LATER_EVERY_SECONDS`, until its
message is older than `LATER_FOR`."""
_SHADOW = "shadow"
"""Prefix under which answers that are not sent are counted."""
ASK_TEMPLATE = "t_order_status_ask_order_number"
Answers = tuple[TemplateAnswer, ...]
"""The paragraphs of one reply: one for each order asked about."""


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """The verdict on a message: the reply to send, or the reasons why none is sent.

    Attributes:
        proof: the sentences about orders in the text, each with the facts behind it.
        proven_by: a keyed hash of the proof, with which `look_again` compares.
        digests: digests of the facts behind each sentence, in the order of the proof.
        orders: keyed ids (keyed hashes) of the orders that the reply is about.
        would: in shadow (judged, not sent): the verdict that would apply otherwise; its reasons are
            also in `reasons`.
        tags: the tags that a refusal adds to the ticket.
        asks: the reply asks for the order number; the conversation then waits for the answer.
        closes: the ticket is to be closed after the reply.
        ends_pending: the conversation stops waiting for an answer to our question, also when
            nothing is sent.
        keeps_pending: the conversation keeps waiting for that answer, although nothing is sent now.
        is_later: the reply is tried again after the ticket is routed.
    """

    template_id: str | None = None
    text: str | None = field(default=None, repr=False)
    proof: tuple[Proof, ...] = field(default=(), repr=False)
    proven_by: str | None = None
    digests: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    would: ReplyVerdict | None = None
    tags: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    asks: bool = False
    closes: bool = False
    ends_pending: bool = False
    keeps_pending: bool = False
    is_later: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """Decides whether a message gets an automatic reply, and composes the reply's text.

    Attributes:
        opinions: the language model as verifier; None where no model is configured.
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
        """Decide whether a message gets an automatic reply, and compose the reply.

        In shadow nothing is sent: the verdict has in `would` what would be sent.
        """
        shadowed = guard_rails.shadow_reason(switches, self.policy, inquiry.rules, decision)
        refusal = guard_rails.refusal_by_switches(switches, shadowed, decision)
        ticket = inquiry.ticket
        if refusal is None and ticket is None:
            refusal = Refusal(why.TICKET_NOT_READ)
        if refusal is not None or ticket is None:
            return _refused(refusal or Refusal(why.TICKET_NOT_READ), ends_pending=False)
        found = self._judged(facts, inquiry, ticket, decision, in_shadow=shadowed is not None)
        if shadowed is None:
            return found
        holding = guard_rails.holding_reasons(switches, ticket, self.policy, shadowed)
        return ReplyVerdict(reasons=(*found.reasons, *holding), would=found)

    def _judged(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        *,
        in_shadow: bool,
    ) -> ReplyVerdict:
        """Check everything that can forbid a reply, and compose the reply if nothing does.

        In shadow (judged, not sent) the allow-list and the author are not checked, and a second
        answer in shadow on the ticket is refused.
        """
        has_pending = inquiry.state is not None and inquiry.state.pending_flow is not None
        refusal = (
            guard_rails.refusal_by_own_answer(ticket, decision)
            or guard_rails.refusal_by_message(inquiry, decision)
            or guard_rails.refusal_by_ticket(inquiry, ticket, decision)
            or guard_rails.refusal_by_channel(ticket, decision)
            or (
                guard_rails.refusal_by_shadow_answer(inquiry, facts.event_key)
                if in_shadow
                else None
            )
        )
        if refusal is None and not in_shadow:
            refusal = guard_rails.refusal_by_policy(ticket, self.policy, decision)
        if refusal is not None:
            waits = refusal.reason == why.NEWER_MESSAGE and decision.is_about_order_status
            return _refused(refusal, ends_pending=has_pending and not waits, keeps_pending=waits)
        answers = self._choose(facts, inquiry, ticket, decision)
        if not isinstance(answers, Refusal):
            counts = self.allowances.with_prefix(_SHADOW) if in_shadow else self.allowances
            answers = self._check_permission(facts, inquiry, ticket, decision, answers, counts)
        if isinstance(answers, Refusal):
            return _refused(answers, ends_pending=has_pending)
        return self._composed(inquiry, ticket, decision, answers, _reply_key(facts))

    def look_again(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        proven_by: str,
    ) -> None:
        """Check, just before a planned reply about orders is sent, that the same facts still prove its text.

        Raises:
            WithdrawnError: the facts no longer prove it (``order_changed``); the ticket stays with
                a person.
            ProviderError: the orders cannot be read now.
        """
        answers = self._order_status(facts, inquiry, ticket, decision)
        if isinstance(answers, Refusal):
            raise _withdrawn(why.ORDER_CHANGED)
        again = self._composed(inquiry, ticket, decision, answers, _reply_key(facts))
        if again.proven_by != proven_by:
            raise _withdrawn(why.ORDER_CHANGED)

    def recompose(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        template_id: str,
        decision: Decision,
        key: str,
        proven_by: str | None = None,
    ) -> str:
        """Compose again the text of a reply that was planned earlier and surely not sent.

        The text is made from the ticket and its orders as they are now.

        Args:
            facts: the event that the reply answers.
            inquiry: the event's message.
            ticket: the ticket as it is now.
            template_id: the planned template.
            decision: the stored decision.
            key: key of the action that sends the reply; the reply's reference is made from it.
            proven_by: the hash of the planned reply's proof, if that reply has a proof.

        Raises:
            PermanentError: the reply no longer applies: ``superseded``, ``escalated``,
                ``order_changed``, or the reason why it is forbidden now.
            ProviderError: the order cannot be looked up now.
        """
        overtaken = guard_rails.reason_overtaken(inquiry, ticket)
        if overtaken is not None:
            raise PermanentError("richpanel", "send_message", reason=overtaken)
        forbidden = guard_rails.refusal_by_policy(ticket, self.policy, decision)
        if not self.policy.is_outbound_enabled:
            forbidden = Refusal(why.OUTBOUND_DISABLED)
        elif template_id not in self.policy.templates:
            forbidden = Refusal(why.TEMPLATE_NOT_ENABLED)
        if forbidden is not None:
            raise PermanentError("richpanel", "send_message", reason=forbidden.reason)
        answers: Answers | Refusal = (TemplateAnswer(template_id, {}),)
        if CATALOGUE[template_id].tier == 2:  # noqa: PLR2004 - the tier of verified replies
            answers = self._order_status(facts, inquiry, ticket, decision)
        if isinstance(answers, Refusal) or answers[0].template_id != template_id:
            raise PermanentError("richpanel", "send_message", reason=why.ORDER_CHANGED)
        composed = self._composed(inquiry, ticket, decision, answers, key)
        if composed.text is None:
            raise PermanentError("richpanel", "send_message", reason=why.CANNOT_BE_COMPOSED)
        if proven_by is not None and composed.proven_by != proven_by:
            raise PermanentError("richpanel", "send_message", reason=why.ORDER_CHANGED)
        return composed.text

    def compose_later(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision, key: str
    ) -> str:
        """Compose, after all checks, a reply whose order could not be looked up when its ticket was routed.

        Args:
            facts: the event that the reply answers.
            inquiry: the event's message.
            ticket: the ticket as it is now.
            decision: the stored decision.
            key: key of the action that sends the reply; the reply's reference is made from it.

        Raises:
            WithdrawnError: the reply no longer applies, or must not be sent; the ticket stays with
                a person.
            NotYet: the order still cannot be looked up.
        """
        unwanted = guard_rails.reason_withdrawn(inquiry, ticket)
        forbidden = guard_rails.refusal_by_policy(ticket, self.policy, decision)
        if not self.policy.is_outbound_enabled:
            forbidden = Refusal(why.OUTBOUND_DISABLED)
        if unwanted is not None or forbidden is not None:
            raise _withdrawn(unwanted or (forbidden.reason if forbidden else ""))
        answers = self._choose(facts, inquiry, ticket, decision)
        if isinstance(answers, Refusal) and answers.is_momentary:
            now = self.clock.now()
            if now - inquiry.at > LATER_FOR:
                raise _withdrawn(answers.reason)
            raise NotYet(answers.reason, now.timestamp() + LATER_EVERY_SECONDS)
        if not isinstance(answers, Refusal) and _asks(answers):
            raise _withdrawn(why.ORDER_NUMBER_MISSING)
        if not isinstance(answers, Refusal):
            answers = self._check_permission(
                facts, inquiry, ticket, decision, answers, self.allowances
            )
        if isinstance(answers, Refusal):
            raise _withdrawn(answers.reason)
        text = self._composed(inquiry, ticket, decision, answers, key).text
        if text is None:
            raise _withdrawn(why.TEMPLATE_INCOMPLETE)
        return text

    # --- which template -----------------------------------------------------------------------

    def _choose(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> Answers | Refusal:
        acknowledged = guard_rails.TEMPLATE_OF.get(decision.intent, "")
        answers: Answers | Refusal = (TemplateAnswer(acknowledged, {}),)
        if decision.is_about_order_status:
            try:
                proven = self._order_status(facts, inquiry, ticket, decision)
            except TransientError as error:  # routing must not wait for the shop
                return guard_rails.lookup_interrupted_refusal(error.reason)
            except ProviderError as error:
                proven = guard_rails.lookup_failed_refusal(
                    f"{why.LOOKUP_FAILED}{error.reason}", decision
                )
            # A shop may have its own intake for "not received", where nothing else can be said.
            if not isinstance(proven, Refusal) or acknowledged not in self.policy.templates:
                answers = proven
        if isinstance(answers, Refusal):
            return answers
        if not {answer.template_id for answer in answers} <= self.policy.templates:
            return guard_rails.suppressed_refusal(why.TEMPLATE_NOT_ENABLED, decision)
        return answers

    def _order_status(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, decision: Decision
    ) -> Answers | Refusal:
        """The answers to a question about orders: their status, our question for the number, or a refusal.

        Raises:
            ProviderError: an order cannot be looked up now.
        """
        text = inquiry.text or ""
        question = question_of(decision.intent, text)
        if question is None:
            return guard_rails.suppressed_refusal(why.ORDER_SAID_GONE, decision)
        numbers = (
            order_numbers(text, is_asked_for=decision.pending is not None) or inquiry.earlier_orders
        )
        orders = self.orders.find(facts.conversation_id, numbers, ticket.customer_email)
        if not isinstance(orders, str):
            answers = proven_answers(
                orders,
                question,
                self.clock.now(),
                requester=ticket.customer_email,
                language=_language(decision),
                calendar=inquiry.rules.calendar,
            )
            if isinstance(answers, NoAnswer):
                return guard_rails.lookup_failed_refusal(answers.reason, decision, answers.missing)
            if not self._are_as_old_as_said(inquiry, orders):
                return guard_rails.suppressed_refusal(why.NOT_AS_OLD_AS_SAID, decision)
            return answers
        if orders == why.ORDER_NUMBER_MISSING:
            asked = decision.pending.attempts if decision.pending else 0
            if asked < MAX_ASKS:
                return (TemplateAnswer(ASK_TEMPLATE, {}),)
        return guard_rails.lookup_failed_refusal(orders, decision, ("order_id",))

    def _are_as_old_as_said(self, inquiry: Inquiry, orders: Sequence[Order]) -> bool:
        day, text = inquiry.rules.calendar.today, inquiry.text or ""
        ordered = [day(order.created_at) for order in orders if order.created_at is not None]
        today = day(self.clock.now())
        return all(is_as_old_as_said(text, answer, today) for answer in ordered)

    # --- permission ---------------------------------------------------------------------------

    def _check_permission(
        self,
        facts: EventFacts,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        answers: Answers,
        counts: Allowances,
    ) -> Answers | Refusal:
        """Ask the verifier about a reply with shop data, and count any reply against the limits.

        Returns the given answers unchanged; a refusal if the verifier or a limit forbids them.
        """
        if self.opinions is not None and CATALOGUE[answers[0].template_id].tier == 2:  # noqa: PLR2004
            verified = self.opinions.verify(inquiry.text or "", decision.intent)
            if not verified.allows:
                return guard_rails.suppressed_refusal(verified.reason, decision)
        limit = self._is_repeating(facts, inquiry, ticket, counts) or self._limit_reached(
            facts, ticket, decision, answers, counts
        )
        return answers if limit is None else guard_rails.suppressed_refusal(limit, decision)

    def _is_repeating(
        self, facts: EventFacts, inquiry: Inquiry, ticket: Ticket, counts: Allowances
    ) -> str | None:
        """The reason to stop answers to a customer who sends equal texts on any of their tickets.

        None where the texts differ.  Equal texts may mean that two machines are talking.
        """
        if not ticket.customer_email:
            return None
        opaque, by = self.opaque(), _reply_key(facts)
        customer = ticket.customer_email.lower()
        stopped = "stopped:customer", opaque.of("email", customer)
        limit = counts.reached_limit(*stopped, guard_rails.STOPPED)
        if limit is not None:
            return limit
        text = " ".join(re.findall(r"\w+", normalised(own_part(inquiry.text or ""))))
        same = "same_text:customer", opaque.of("text", f"{customer} {text}")
        limit = counts.take(*same, by, guard_rails.SAME_TEXT)
        if limit is not None:
            counts.take(*stopped, by, guard_rails.STOPPED)
        return limit

    def _limit_reached(
        self,
        facts: EventFacts,
        ticket: Ticket,
        decision: Decision,
        answers: Answers,
        counts: Allowances,
    ) -> str | None:
        """Count a reply for its conversation and its customer; returns None if no limit is reached.

        If one is reached, the reply is counted for neither, and the limit's reason is returned.
        """
        opaque, by = self.opaque(), _reply_key(facts)
        counted = "auto_reply:conversation", opaque.of("conversation", facts.conversation_id), by
        is_asked_for = decision.pending is not None and not _asks(answers)
        limits = guard_rails.ANSWER_LIMITS if is_asked_for else guard_rails.CONVERSATION_LIMITS
        limit = counts.take(*counted, limits)
        if limit is None and ticket.customer_email:
            customer = opaque.of("email", ticket.customer_email.lower())
            limit = counts.take("auto_reply:customer", customer, by, guard_rails.CUSTOMER_LIMITS)
            if limit is not None:
                counts.give_back(*counted)
        return limit

    def _composed(
        self,
        inquiry: Inquiry,
        ticket: Ticket,
        decision: Decision,
        answers: Answers,
        key: str,
    ) -> ReplyVerdict:
        try:
            composed = render(
                *answers,
                first_name=ticket.customer_name,
                reference=reference(self.opaque(), key),
                signature=self.policy.signature,
                language=_language(decision),
                texts=inquiry.rules.texts,
                closings=inquiry.rules.closings,
            )
        except TemplateError:
            refusal = guard_rails.suppressed_refusal(why.TEMPLATE_INCOMPLETE, decision)
            return _refused(refusal, ends_pending=False)
        asks, opaque = _asks(answers), self.opaque()
        orders = {path: order for answer in answers for path, order in answer.orders.items()}
        closes = all(CATALOGUE[paragraph.template_id].closes for paragraph in answers)
        return ReplyVerdict(
            template_id=answers[0].template_id,
            text=composed.text,
            proof=composed.proof,
            proven_by=self._proven_by(composed),
            digests=tuple(fact_digest(orders, proof.facts, opaque) for proof in composed.proof),
            orders=tuple(
                opaque.of("order", order.name.lstrip("#").lower()) for order in orders.values()
            ),
            asks=asks,
            closes=self.policy.closes_tickets and closes,
            ends_pending=not asks,
        )

    def _proven_by(self, composed: ReplyText) -> str | None:
        if not composed.proof:
            return None
        lines = (f"{proof.sentence}|{','.join(proof.facts)}" for proof in composed.proof)
        return self.opaque().of("proof", "\n".join(lines))


def _asks(answers: Answers) -> bool:
    return answers[0].template_id == ASK_TEMPLATE


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
