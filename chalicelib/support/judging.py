"""The one path from a conversation to its decision, for the worker and for `support decide`.

::

    conversation ──fold──▶ its state ──decide──▶ the decision ──consider──▶ a reply, or why none

Only the last step asks the shop, if everything before allows an answer.  In shadow it does so too, and
the verdict holds what would be sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import takewhile

from chalicelib.clock import iso
from chalicelib.once.allowances import Limit
from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.ports import Clock, Switches
from chalicelib.support import reasons as why
from chalicelib.support.conversation.clauses import AskedFor, asked_in
from chalicelib.support.conversation.conversation_words import RequestKind, table
from chalicelib.support.conversation.dialogue import (
    EMPTY_DIALOGUE,
    Dialogue,
    Speaker,
    Utterance,
    fold,
    with_stored_requests,
)
from chalicelib.support.conversation.speaking import (
    TicketContext,
    holder_of,
    is_held_by_person,
    reason_for_silence,
)
from chalicelib.support.conversation.utterances import earlier_utterances, is_first_message
from chalicelib.support.decision import NEEDS_NUMBER, Decision, decide_on, pending_of
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.message_reading import MessageReading, read
from chalicelib.support.intents.own_words import order_number
from chalicelib.support.orders.order_question import order_numbers
from chalicelib.support.read_back import may_be_ours
from chalicelib.support.replies.answering import Replies, ReplyVerdict
from chalicelib.support.replies.guard_rails import ANSWERED_TAG
from chalicelib.support.routing import current_route
from chalicelib.support.tickets import Comment

RISK_LASTS = timedelta(days=90)
"""How long a grave matter stops automatic answers on all tickets of its customer."""
_AT_RISK = (Limit(why.CUSTOMER_AT_RISK, 1, RISK_LASTS),)
_RISKS_KEPT = (Limit(why.CUSTOMER_AT_RISK, 50, RISK_LASTS),)
_RISK = "grave:customer"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of judging a message: what it says, the decision, and the reply or why there is none.

    Attributes:
        is_held_by_person: a person has the ticket or has answered in it, so it is not moved.
    """

    reading: MessageReading
    decision: Decision
    verdict: ReplyVerdict
    is_held_by_person: bool


class Judge:
    """Judges a customer's message by its conversation; where an answer is allowed, by its order, too.

    Args:
        answering: decides on replies; None where no reply is ever sent.
    """

    def __init__(self, *, answering: Replies | None, clock: Clock) -> None:
        self._answering = answering
        self._clock = clock

    def judge(self, facts: EventFacts, inquiry: Inquiry, switches: Switches) -> Judgement:
        """Judge a message: read what it says, decide, and see whether it gets a reply.

        The conversation's state with this message is put into `inquiry.dialogue`.

        Raises:
            NotAnEvent: the person who has the ticket has answered the message meanwhile.
            ProviderError: what the judgement needs cannot be read now.
        """
        ticket, answering = inquiry.ticket, self._answering
        was_answered = inquiry.has_persons_answer(self._is_ours(inquiry))
        skips_model = switches.kill_switch or switches.safe_mode or was_answered
        text, phrases = inquiry.text or "", inquiry.rules.phrases
        reading = read(text, ticket.subject if ticket else "", phrases)
        before = self._before(inquiry)
        decision = self._decide(inquiry, reading, before, skips_model=skips_model)
        asked = asked_in(text, self._subject(inquiry), phrases, reading)
        said = Utterance(Speaker.CUSTOMER, iso(inquiry.at), asked)
        inquiry.dialogue = fold(before, (said,), self._keyed)
        if was_answered and not decision.risk_flags:
            raise NotAnEvent(EventStatus.SKIPPED, why.ANSWERED_BY_A_PERSON)
        if decision.may_answer:
            silent = self._silence(inquiry, before, asked, decision)
            if silent is not None:
                decision = replace(decision, may_answer=False, reasons=(*decision.reasons, silent))
        verdict = ReplyVerdict()
        if answering is not None:
            verdict = answering.consider(facts, inquiry, decision, switches)
        return Judgement(
            reading, decision, verdict, is_held_by_person(before, self._around(inquiry))
        )

    def reason_to_withhold(self, inquiry: Inquiry, decision: Decision) -> str | None:
        """Why a planned reply must not be sent now, by the ticket as it was just read again.

        Returns None where the reply may be sent.
        """
        subject = self._subject(inquiry)
        asked = asked_in(inquiry.text or "", subject, inquiry.rules.phrases)
        return self._silence(inquiry, self._before(inquiry), asked, decision)

    def note_risks(self, facts: EventFacts, inquiry: Inquiry, decision: Decision) -> None:
        """Store that a message of the customer was about a grave matter; does nothing if it was not.

        For `RISK_LASTS` no ticket of this customer is then answered automatically.
        """
        answering, email = self._answering, inquiry.customer
        if answering is None or not decision.risk_flags or email is None:
            return
        customer = answering.opaque().of("email", email)
        answering.allowances.take(_RISK, customer, facts.event_key, _RISKS_KEPT)

    # --- private ------------------------------------------------------------------------------

    def _decide(
        self, inquiry: Inquiry, reading: MessageReading, before: Dialogue, *, skips_model: bool
    ) -> Decision:
        text = inquiry.text or ""
        tags = inquiry.ticket.tags if inquiry.ticket else frozenset[str]()
        found, reasons = reading.found, reading.reasons
        opinions = self._answering.opinions if self._answering else None
        if opinions is not None and text.strip() and not skips_model:
            found, more = opinions.improve(text, found)
            reasons = (*reasons, *more)
        stored = inquiry.state.pending_flow if inquiry.state else _question(before)
        return decide_on(
            found,
            current_route=current_route(inquiry, tags),
            pending=pending_of(stored, self._clock.now()),
            has_number=order_number(text, is_asked_for=True) is not None,
            reasons=reasons,
            risks=reading.risks,
            suspected=reading.suspected,
            explained=reading.explained,
            states_one_matter=reading.states_one_matter,
            complains_again=ANSWERED_TAG in tags and reading.is_complaint,
            rules=inquiry.rules,
        )

    def _before(self, inquiry: Inquiry) -> Dialogue:
        """The state of the conversation before the message, from its ticket and from table B."""
        ticket, dialogue = inquiry.ticket, EMPTY_DIALOGUE
        if ticket is not None:
            said = earlier_utterances(
                ticket, inquiry.message_id, self._is_ours(inquiry), inquiry.rules.phrases
            )
            dialogue = fold(EMPTY_DIALOGUE, said, self._keyed)
        known = inquiry.state.requests if inquiry.state else ()
        at = iso(inquiry.at)
        return with_stored_requests(
            dialogue, [request for request in known if str(request.get("at", "")) < at]
        )

    def _silence(
        self, inquiry: Inquiry, before: Dialogue, asked: AskedFor, decision: Decision
    ) -> str | None:
        about = {table().kinds.get(decision.intent, RequestKind.OTHER)}
        if decision.is_about_order_status:
            about.add(RequestKind.ORDER_STATUS)
        reason = reason_for_silence(
            before,
            self._around(inquiry),
            about=about,
            beside=asked.kinds,
            named=self._keys(asked.numbers),
            answered=self._keys(self._about(inquiry, before, asked, decision)),
            is_awaited=decision.pending is not None,
        )
        if reason is None and self._is_at_risk(inquiry):
            return why.CUSTOMER_AT_RISK
        return reason

    def _about(
        self, inquiry: Inquiry, before: Dialogue, asked: AskedFor, decision: Decision
    ) -> tuple[str, ...]:
        """The numbers of the orders that an answer would be about.

        They are those in the message, else those of its ticket's subject and of requests that are
        still open.
        """
        text, ticket = inquiry.text or "", inquiry.ticket
        own = order_numbers(text, is_asked_for=decision.pending is not None)
        if own or ticket is None:
            return own
        still = {request.order for request in before.open_requests(ticket.tags)}
        earlier = takewhile(lambda comment: comment.id != inquiry.message_id, ticket.comments)
        said = [
            n for comment in earlier if not comment.is_operator for n in order_numbers(comment.text)
        ]
        inquiry.earlier_orders = tuple(
            dict.fromkeys(
                (*asked.numbers, *(number for number in said if self._keyed(number) in still))
            )
        )
        return inquiry.earlier_orders

    def _keys(self, numbers: Sequence[str]) -> set[str]:
        return {key for number in numbers if (key := self._keyed(number)) is not None}

    def _around(self, inquiry: Inquiry) -> TicketContext:
        ticket, rules = inquiry.ticket, inquiry.rules
        if ticket is None:
            return TicketContext(risks_elsewhere=inquiry.risks_elsewhere)
        bot = self._answering.policy.author_id if self._answering else None
        return TicketContext(
            tags=ticket.tags,
            holder=holder_of(ticket.assigned_to, rules.queues | {bot or ""}),
            stop_tags=rules.stop_tags,
            risks_elsewhere=inquiry.risks_elsewhere,
        )

    def _is_at_risk(self, inquiry: Inquiry) -> bool:
        answering, email = self._answering, inquiry.customer
        if answering is None or email is None:
            return False
        customer = answering.opaque().of("email", email)
        return answering.allowances.reached_limit(_RISK, customer, _AT_RISK) is not None

    def _subject(self, inquiry: Inquiry) -> str:
        """The ticket's subject if the message is the ticket's first; else an empty text."""
        ticket = inquiry.ticket
        return ticket.subject if ticket and is_first_message(ticket, inquiry.message_id) else ""

    def _keyed(self, number: str) -> str | None:
        return self._answering.opaque().of("order", number) if self._answering else None

    def _is_ours(self, inquiry: Inquiry) -> Callable[[Comment], bool]:
        """A test whether a comment of a ticket is one of our automatic replies, by author or reference.

        Where no replies are configured, every comment passes the test: it may be a reply of an
        earlier configuration.
        """
        answering, ticket = self._answering, inquiry.ticket
        if answering is None or ticket is None:
            return lambda _: True
        author, opaque = answering.policy.author_id, answering.opaque
        return lambda comment: (
            comment.author_id == author or may_be_ours(comment.text, ticket, opaque())
        )


def _question(before: Dialogue) -> dict[str, object] | None:
    """Our question for the order number that still waits for an answer, in the form of `pending_flow`.

    It is made from the ticket where table B has no state, and None where there is no such question.
    A customer who asked about an order and then writes again counts as asked, as the second message
    may be the order's number.
    """
    waits = [
        request.at for request in before.open_requests() if request.kind == RequestKind.ORDER_STATUS
    ]
    if before.asks == 0 and (before.last != Speaker.CUSTOMER or not waits):
        return None
    asked_at = before.asked_at or waits[-1]
    return {"type": NEEDS_NUMBER, "requested_at": asked_at, "attempts": before.asks}
