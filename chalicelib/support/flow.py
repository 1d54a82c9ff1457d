"""Richpanel tickets: plans each new customer comment and stores the conversation's state.

With the kill switch on, a message that came with its text is decided on that text alone, without a
vendor call.  In shadow it is decided as always, with every read, and table B keeps the
decision (`shadow_decisions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.errors import HandBackError, PermanentError, WithdrawnError
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent, suffix
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Log, Switches
from chalicelib.support import effects, shadow_decisions
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why
from chalicelib.support.arrivals import Arrivals
from chalicelib.support.configuration.cached import FixedRules, RulesPort
from chalicelib.support.conversation.dialogue import stored_requests
from chalicelib.support.decision import (
    NEEDS_NUMBER,
    REPEATED_COMPLAINT,
    Decision,
    Pending,
    Tier,
)
from chalicelib.support.effects import ATTENTION_TAG, ReplyData, body_hash, reference
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.departments import ALARMING_RISKS
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.support.judging import Judge
from chalicelib.support.looks import READ_LAG_SECONDS
from chalicelib.support.read_back import may_be_ours
from chalicelib.support.replies.answering import Replies
from chalicelib.support.replies.guard_rails import ANSWERED_TAG
from chalicelib.support.routing import LATER, plan_for
from chalicelib.support.state import ConversationState, StateChange, States
from chalicelib.support.tickets import Ticket


class SupportFlow(Flow):
    """The `Flow` of Richpanel's jobs: plans what each new customer comment leads to."""

    def __init__(
        self,
        *,
        arrivals: Arrivals,
        state: States,
        answering: Replies | None = None,
        rules: RulesPort | None = None,
        log: Log | None = None,
    ) -> None:
        self._arrivals = arrivals
        self._state = state
        self._answering = answering
        self._rules = rules or FixedRules()
        self._log = log
        self._judge = Judge(answering=answering, clock=arrivals.clock)
        self._clock = arrivals.clock
        self._looks = arrivals.looks
        self._in_order = arrivals.in_order

    def is_container(self, job: TicketMessage | TicketNotification) -> bool:
        """Whether a job is a notification, which may result in several events: the ticket's new comments."""
        return isinstance(job, TicketNotification)

    def events(self, job: TicketMessage | TicketNotification) -> Sequence[Event]:
        """The events of a job: the one message that it names, or each new comment of its ticket."""
        return self._arrivals.events(job)

    def note_complete(self, job: TicketNotification) -> None:
        """Finish a notification whose events have all ended: store when its read of the ticket began.

        If the ticket has a decision in shadow (judged, not sent), also store what people have done
        since.
        """
        look = self._looks.store_look(job)
        if look is not None:
            self._note_people(look.ticket, look.known)

    def let_wait(self, event: Event, until_epoch: float) -> float:
        """Add an event to its ticket's list of waiting events in table B.

        Returns the epoch second at which the event is tried again.
        """
        conversation_id = event.facts.conversation_id
        line = self._looks.waiting_line(conversation_id, self._state.read(conversation_id))
        return self._in_order.join(line, event.facts.event_key, until_epoch)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Read what is missing of a ticket, decide on its message, plan tags, assignment and perhaps a reply.

        Raises:
            NotAnEvent: the message is too old, an operator's, or answered by a person.
            NotYet: an earlier message of the ticket waits.
        """
        inquiry: Inquiry = event.subject
        state = None
        if not inquiry.is_in_turn:
            state = self._state.read(event.facts.conversation_id)
            line = self._looks.waiting_line(event.facts.conversation_id, state)
            self._in_order.check(line, event.facts.event_key)
        inquiry.rules = self._rules.current()
        needs_no_ticket = switches.kill_switch and inquiry.text is not None
        if inquiry.ticket is None and inquiry.message_id is not None and not needs_no_ticket:
            self._locate(inquiry, self._current(event.facts, inquiry))
        if self._clock.now() - inquiry.at > self._arrivals.max_age:
            raise NotAnEvent(EventStatus.SKIPPED, why.TOO_OLD)
        if self._answering is not None and not switches.kill_switch:
            if inquiry.is_in_turn:
                state = self._state.read(event.facts.conversation_id)
            elif inquiry.ticket is not None:
                self._note_people(inquiry.ticket, state)
            inquiry.state, inquiry.state_is_read = state, True
        judgement = self._judge.judge(event.facts, inquiry, switches)
        decision, ticket = judgement.decision, inquiry.ticket
        tags = ticket.tags if ticket else frozenset[str]()
        self._judge.note_risks(event.facts, inquiry, decision)
        if self._log is not None:
            for risk in sorted(decision.risk_flags & ALARMING_RISKS):
                self._log.metric("mw.support.grave", risk=risk)
            if ANSWERED_TAG in tags:
                is_complaint = REPEATED_COMPLAINT in decision.risk_flags
                outcome = "complained" if is_complaint else "wrote_again"
                self._log.metric("mw.support.after_answer", outcome=outcome)
        inquiry.draft = judgement.verdict.text
        floor = None
        if not needs_no_ticket or ticket is not None:
            floor = self._arrivals.floor(event.facts.conversation_id, inquiry)
        plan = plan_for(
            decision,
            inquiry,
            tags,
            judgement.verdict,
            floor=floor,
            is_held_by_person=judgement.is_held_by_person,
        )
        kept = shadow_decisions.plan_facts(judgement.verdict, ticket, self._clock.now())
        return replace(plan, facts={**plan.facts, **kept}) if kept else plan

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        """Read the ticket before a plan that was made without reading it is carried out.

        The planned message may turn out to be an operator's; then `NotAnEvent` is raised.
        """
        if "floor" not in plan.facts and not switches.kill_switch:
            event.subject.locate(self._read(event.facts))

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The effect for a planned action; after a resumption, a reply's text is composed when it is sent."""
        conversation_id, key_suffix = event.facts.conversation_id, suffix(event)
        match planned.kind:
            case "reply":
                return self._reply(planned.arg, event, plan)
            case "close":
                inquiry: Inquiry = event.subject  # a resend's suffix differs from the facts' id
                return effects.close(conversation_id, inquiry.message_id, key_suffix)
        return effects.build(planned, conversation_id=conversation_id, suffix=key_suffix)

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """The effect that sets the tag by which operators find a ticket that needs attention."""
        del reason
        return effects.add_tag(event.facts.conversation_id, ATTENTION_TAG, suffix(event))

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Write the conversation's new state into table B.

        Returns False when an event of a newer message has written it before.
        """
        facts, inquiry = plan.facts, event.subject
        if inquiry.reading is not None:
            inquiry.reading.advance(inquiry.number, plan, rows, suffix(event))
        replied = _reply_state(event, facts, rows)
        if self._log is not None:
            answer = "automatic" if "last_auto_reply" in replied else "none"
            self._log.metric("mw.support.messages", answer=answer)
        # The sweep looks again at a ticket that may have a message which this event did not see.
        is_behind = bool(facts.get("newer")) or lease.plan is not None
        change = StateChange(
            conversation_id=event.facts.conversation_id,
            message_at=str(facts["at"]),
            processed_at=str(facts["at"]) if is_behind else None,
            message_id=event.facts.source_message_id,
            first_contact_floor=facts.get("floor"),
            routed_team=str(facts["route"]),
            routing_confidence=float(facts["confidence"]),
            intent=str(facts["intent"]),
            risk_flags=frozenset(facts.get("risk", ())),
            requests=self._requests(inquiry),
            decisions=self._decisions(event, facts),
            **replied,
        )
        return self._state.apply(lease, change)

    # --- private ------------------------------------------------------------------------------

    def _decisions(
        self, event: Event, facts: Mapping[str, Any]
    ) -> list[shadow_decisions.Record] | None:
        """The ticket's decisions in shadow (judged, not sent) with this event's one added, for table B.

        Returns None if this event's decision was not made in shadow.
        """
        decided = shadow_decisions.decision_of_plan(event.facts.event_key, facts)
        if decided is None:
            return None
        inquiry: Inquiry = event.subject
        known = inquiry.state
        if not inquiry.state_is_read:
            known = self._state.read(event.facts.conversation_id)
        return shadow_decisions.with_decision(known.decisions if known else (), decided)

    def _note_people(self, ticket: Ticket, known: ConversationState | None) -> None:
        """Store what people have done with a ticket since a decision in shadow (judged, not sent).

        It does nothing for a ticket without such a decision.
        """
        decided = shadow_decisions.decision_to_follow(known.decisions) if known else None
        if known is None or decided is None:
            return
        found = shadow_decisions.done_since(
            ticket,
            decided,
            self._rules.current(),
            bot=self._answering.policy.author_id if self._answering else None,
            now=self._clock.now(),
        )
        before = {**(known.people or {}), "read": found["read"]}
        if found != before or known.people is None:
            self._state.note_people(known.conversation_id, found)

    def _requests(self, inquiry: Inquiry) -> list[dict[str, str]] | None:
        """The conversation's requests as table B stores them.

        Returns None where neither ticket nor state was read.
        """
        is_known = inquiry.ticket is not None or inquiry.state is not None
        return stored_requests(inquiry.dialogue) if inquiry.dialogue and is_known else None

    def _locate(self, inquiry: Inquiry, ticket: Ticket) -> None:
        """Find the event's message among its ticket's comments.

        If the ticket does not show the message, and the message may be our own reply,
        `HandBackError` is raised, so that the event is tried again later.
        """
        if inquiry.locate(ticket) or self._answering is None or not inquiry.text:
            return
        if may_be_ours(inquiry.text, ticket, self._answering.opaque()):
            raise HandBackError(why.COMMENT_NOT_SHOWN, delay_seconds=READ_LAG_SECONDS)

    def _reply(self, template_id: str, event: Event, plan: Plan) -> Effect:
        """The effect that sends the reply, with its planned text or with one composed when it is sent."""
        inquiry: Inquiry = event.subject
        answering = self._answering
        if answering is None:
            raise KeyError("reply")
        opaque, key_suffix = answering.opaque(), suffix(event)
        key = ticket_keys.reply_action(event.facts.conversation_id, key_suffix)
        draft = inquiry.draft
        return effects.reply(
            event.facts.conversation_id,
            template_id,
            key_suffix,
            ReplyData(
                author_id=answering.policy.author_id or "",
                reference=reference(opaque, key),
                compose=lambda: self._text_to_send(answering, template_id, event, plan, key),
            ),
            body=body_hash(opaque, draft) if draft else None,
        )

    def _text_to_send(
        self, answering: Replies, template_id: str, event: Event, plan: Plan, key: str
    ) -> str:
        """The text of a reply at the moment of sending.

        It is the planned text, after the facts about orders in it were checked once more; a resumed
        event's text is composed again.
        """
        inquiry: Inquiry = event.subject
        if inquiry.draft is None or inquiry.ticket is None:
            return self._recomposed(answering, template_id, event, plan, key)
        if "proof" in plan.facts:
            decision, proof = _stored_decision(plan.facts), str(plan.facts["proof"])
            answering.look_again(event.facts, inquiry, inquiry.ticket, decision, proof)
        return inquiry.draft

    def _recomposed(
        self, answering: Replies, template_id: str, event: Event, plan: Plan, key: str
    ) -> str:
        """The text of a resumed event's reply, composed again from the ticket as it is now."""
        inquiry: Inquiry = event.subject
        inquiry.rules = self._rules.of_version(int(plan.facts.get("settings", 0)))
        ticket = self._arrivals.tickets.read_ticket(event.facts.conversation_id)
        try:
            inquiry.locate(ticket)
        except NotAnEvent:
            raise PermanentError("richpanel", "send_message", reason=why.SUPERSEDED) from None
        decision = _stored_decision(plan.facts)
        unwanted = self._judge.reason_to_withhold(inquiry, decision)
        if not self._rules.current().answers(decision.route, decision.intent):
            unwanted = why.NOT_SWITCHED_ON
        if unwanted is not None:
            kind = WithdrawnError if template_id == LATER else PermanentError
            raise kind("richpanel", "send_message", reason=unwanted)
        if template_id == LATER:
            return answering.compose_later(event.facts, inquiry, ticket, decision, key)
        return answering.recompose(
            event.facts, inquiry, ticket, template_id, decision, key, plan.facts.get("proof")
        )

    def _current(self, facts: EventFacts, inquiry: Inquiry) -> Ticket:
        """The event's ticket as it is now: an earlier read, or a new one if that may be out of date."""
        reading, now = inquiry.reading, self._clock.now()
        known = reading.ticket_before(inquiry.number, now) if reading is not None else None
        if known is not None:
            return known
        ticket = self._read(facts)
        if reading is not None:
            reading.replace_read(inquiry.number, ticket, now)
        return ticket

    def _read(self, facts: EventFacts) -> Ticket:
        try:
            return self._arrivals.tickets.read_ticket(facts.conversation_id)
        except PermanentError as error:
            raise NotAnEvent(EventStatus.FAILED, f"{why.TICKET_UNREADABLE}{error.reason}") from None


def _stored_decision(facts: Mapping[str, Any]) -> Decision:
    """The decision in a stored plan, as far as composing a reply needs it."""
    attempts = facts.get("pending")
    return Decision(
        intent=str(facts["intent"]),
        confidence=float(facts["confidence"]),
        route=str(facts["route"]),
        tier=Tier(facts["tier"]),
        language="es" if facts.get("language") == "es" else "en",
        pending=None if attempts is None else Pending(str(facts["intent"]), int(attempts)),
    )


def _reply_state(
    event: Event, facts: Mapping[str, Any], rows: Mapping[str, ActionRow]
) -> dict[str, Any]:
    """The changes of `pending_flow` and `last_auto_reply` in table B that an event's reply causes.

    The result is empty if the event leaves both as they are.
    """
    key = ticket_keys.reply_action(event.facts.conversation_id, suffix(event))
    row = rows.get(key) if "template" in facts or "later" in facts else None
    waiting = {"type": NEEDS_NUMBER, "intent": facts["intent"]}
    if row is None or row.status != ActionStatus.DONE:
        if facts.get("waits"):
            asked = facts.get("pending", 0)
            return {"pending_flow": waiting | {"requested_at": facts["at"], "attempts": asked}}
        return {"clear": frozenset({"pending_flow"})} if facts.get("ends") and row is None else {}
    sent = {
        "type": "order_status" if facts["tier"] == Tier.VERIFIED else str(facts["template"]),
        "template": facts.get("template", LATER),
        "sent_at": row.finished_at,
        "source_message_id": event.facts.source_message_id or "",
    }
    if facts.get("asks"):
        waiting |= {"requested_at": row.finished_at, "attempts": facts["asks"]}
        return {"last_auto_reply": sent | {"type": NEEDS_NUMBER}, "pending_flow": waiting}
    return {"last_auto_reply": sent, "clear": frozenset({"pending_flow"})}
