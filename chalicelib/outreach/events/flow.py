"""Outreach: start a conversation, answer a reply, release a message held for an operator.

::

    starting    open record -> hand-off rule -> quiet hours -> secrets -> compose, store -> send
    matching    which conversation a message belongs to
    replying    append once -> STOP, robots, doubt, media -> hand-off rule -> quiet period
                -> quiet hours -> limits -> compose -> send
    releasing   return it to automation -> compose unless drafted -> send the held message
    person_replies  send what a person wrote
    follow_ups  remind, end, or go on by another channel
    drafting    shared by these three: quiet hours, credentials, the draft
    approval    what a rule holds is written first, so that a person sees it
    conclusions write the results of an event
    receipts    delivery receipts from providers
    rules       hand-off rules and quiet hours

Each is resumable at every step: the record, the draft and the plan are stored or not, and the send
has its own action row.  A resume needs only the event's key: the record holds the job's content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.once import keys
from chalicelib.once.action import ActionRow
from chalicelib.once.allowances import Allowances
from chalicelib.once.effect import Effect
from chalicelib.once.escalation import EARLIER
from chalicelib.once.event import RECEIPT_GONE, EventStatus, Lease
from chalicelib.once.flow import Elsewhere, Event, Flow, NotAnEvent, suffix
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, NEVER_OPENED, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.act import PersonReplies
from chalicelib.outreach.events.approval import Approval
from chalicelib.outreach.events.context import EventContext, Job
from chalicelib.outreach.events.drafting import Drafting
from chalicelib.outreach.events.message import Replying
from chalicelib.outreach.events.releasing import Releasing
from chalicelib.outreach.events.start import Starting
from chalicelib.outreach.events.step import Reminding
from chalicelib.outreach.events.waiting import ConversationOrder
from chalicelib.outreach.hearing.matching import Matching
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.jobs import InboundMessage, OutreachResume, StartConversation
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.messages.sent import GIVEN_UP, OPT_OUT_CODE, Conclusions
from chalicelib.outreach.project.admission import Starts
from chalicelib.outreach.project.pace import Pace
from chalicelib.outreach.sending import effects as outreach_actions
from chalicelib.outreach.sending.effects import Loaded, SendData
from chalicelib.outreach.writing.composer import Composer


class OutreachFlow(Flow):
    """`once.flow.Flow` for starts, replies and releases.

    Args:
        opaque: keyed hashes, for what is kept of a sender and a recipient.
        check_secrets: raises if the company's credentials are missing or malformed.
        current: a project's settings as they are now, empty where there is none.
        message_id_header: makes an e-mail's Message-ID from the vendor's id.
        receive_count: how often the queue has delivered the current message.
        processor_version: stored with every conversation it opens.
        events: tells the company what happened.
        follow_ups: what comes after an opening.
    """

    is_watched = True

    def __init__(
        self,
        conversations: Conversations,
        composer: Composer,
        starts: Starts,
        ledger: Ledger,
        clock: Clock,
        ownership: Ownership,
        allowances: Allowances,
        *,
        opaque: Callable[[], keys.OpaqueIds],
        check_secrets: Callable[[Record], None],
        current: Callable[[Record], Mapping[str, Any]],
        message_id_header: Callable[[str], str],
        receive_count: Callable[[], int],
        processor_version: str,
        events: CompanyEvents,
        follow_ups: FollowUps,
    ) -> None:
        self._conversations = conversations
        self._clock = clock
        self._starts = starts
        self._events = events
        self._receive_count = receive_count
        self._conclusions = Conclusions(
            conversations, starts, clock, message_id_header, events, follow_ups
        )
        self._in_order = in_order = ConversationOrder(conversations, ledger, clock)
        drafting = Drafting(composer, clock, check_secrets, self._conclusions, in_order, current)
        matching = Matching(conversations, ownership, clock, opaque, message_id_header)
        approval = Approval(composer, drafting)
        self._starting = Starting(
            conversations,
            composer,
            starts,
            drafting,
            approval,
            matching.pairs,
            processor_version,
            events,
        )
        pace = Pace(conversations, allowances, clock, opaque, current)
        self._replying = Replying(conversations, drafting, approval, matching, pace, events)
        self._releasing = Releasing(conversations, drafting, approval)
        self._person_replies = PersonReplies(conversations, drafting)
        self._reminding = Reminding(conversations, drafting)

    def events(self, job: Job) -> Sequence[Event]:
        """See `once.flow.Flow.events`."""
        context = EventContext(job, self._clock.monotonic())
        match job:
            case StartConversation():
                return [Event(facts_of(job), context)]
            case InboundMessage():
                context.match = self._replying.conversation_of(job)
                context.record = context.match.record
                _check_group(job, context.record)
            case _:
                if job.event_key.startswith("evt:receipt:"):
                    raise NotAnEvent(EventStatus.FAILED, RECEIPT_GONE)
                context.record = self._conversations.find(job.conversation_id)
                if context.record is None:
                    is_start = job.event_key.startswith("evt:start:")
                    if is_start and job.recovery == Recovery.SWEEP:
                        # Perhaps claimed: it must end under a lease.
                        return [Event(facts_of(job), context)]
                    reason = NEVER_OPENED if is_start else "conversation_gone"
                    raise NotAnEvent(EventStatus.FAILED, reason)
                _check_pair(job, context.record)
        facts = replace(facts_of(job), conversation_id=context.record.opaque_id)
        return [Event(facts, context)]

    def let_wait(self, event: Event, until_epoch: float) -> float | None:
        """See `once.flow.Flow.let_wait`: a start before its conversation is open keeps its message."""
        record = event.subject.record
        if record is None:
            return None
        return self._in_order.let_wait(record, event.facts.event_key, until_epoch)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `once.flow.Flow.plan`."""
        key = event.facts.event_key
        event.subject.handoff_id = suffix(event).text
        if key.startswith("evt:start:"):
            return self._starting.plan(event, switches)
        if key.startswith("evt:release:"):
            return self._releasing.plan(event, switches)
        if key.startswith("evt:desk:"):
            return self._person_replies.plan(event)
        if key.startswith("evt:unsubscribe:"):
            self._conclusions.unsubscribed(event.subject.conversation)
            raise NotAnEvent(EventStatus.PROCESSED, "noted")
        if key.startswith("evt:follow:"):
            return self._reminding.plan(event)
        return self._replying.plan(event, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """See `once.flow.Flow.build`."""
        context: EventContext = event.subject
        if context.record is not None and context.loaded is None:
            context.loaded = Loaded(context.record, context.draft)
        opaque_id = event.facts.conversation_id
        return outreach_actions.build(
            planned,
            conversation_id=opaque_id,
            suffix=suffix(event),
            sending=SendData(
                context.loaded,
                None if plan.facts.get("by_person") else str(plan.facts.get("person_act") or ""),
                unless_answered=bool(plan.facts.get("unless_answered")),
                text_only=bool(plan.facts.get("unwritten")),
            ),
            receive=self._receive_count(),
        )

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `once.flow.Flow.conclude`; its writes need no fence, see `conclusions`."""
        del lease
        return self._conclusions.conclude(event, plan, rows)

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """A failed start fails its conversation; any other failed event is handed to a person.

        The sender of a failed start is notified and may repeat it; a failed resend is reported to
        the operator who asked for it.
        """
        if keys.is_resent(event.facts.event_key) or event.facts.event_key.startswith("evt:follow:"):
            return None  # a person asked for the one, and no recipient waits for the other
        context: EventContext | None = event.subject
        known = context.record if context else None
        record = known or self._conversations.find(event.facts.conversation_id)
        if event.facts.event_key.startswith("evt:unsubscribe:"):
            return None  # the mark is in force: no person is needed
        if record is None:
            if event.facts.event_key.startswith("evt:start:"):
                self._starts.abandon(event.facts.event_key)
            if reason.startswith("dead_letter"):
                facts = event.facts
                self._events.never_opened(facts.conversation_id, NEVER_OPENED, facts.received_at)
            return None
        job = context.job if context else None
        is_notice = isinstance(job, InboundMessage) and job.opt_out in ("stop", "help")
        if is_notice and not reason.startswith(("dead_letter", EARLIER)):
            return None  # a refused confirmation needs no person
        if reason.endswith((f":{OPT_OUT_CODE}", f":{DO_NOT_CONTACT}")):
            return None
        if event.facts.event_key.startswith("evt:start:"):
            if not reason.startswith("dead_letter"):
                return None
            self._conclusions.fail(record, GIVEN_UP, reason)
            self._conclusions.free(record)
            return None
        if event.facts.event_key.startswith("evt:desk:"):
            entry_id = outreach_keys.entry_id(event.facts.event_key)
            if self._conversations.draft(record, entry_id) is None:
                return None  # it sends nothing
            self._conclusions.reply_failed(record, reason)
        # Not the same key as a hand-off in the event's own plan: after a release it may be replayed.
        failed = suffix(event).prefixed("failed-")
        return outreach_actions.hand_off(record.opaque_id, "|failed", failed)


def _check_pair(job: Job, record: Record) -> None:
    """Raise `Elsewhere` where a job that resumes an event does not know its conversation's group."""
    if isinstance(job, OutreachResume) and job.pair is None:
        raise Elsewhere(job.model_copy(update={"pair": (record.sender, record.primary_channel)}))


def _check_group(job: InboundMessage, record: Record) -> None:
    """Raise `Elsewhere` where the message is not in its conversation's FIFO group.

    An e-mail that failed its checks is stored without an answer, and stays in the group of its
    address.
    """
    pair = (record.sender, record.primary_channel)
    is_unproven = job.is_apart and job.account is None
    if job.pair is None and job.group != ("pair", *pair) and not is_unproven:
        raise Elsewhere(job.model_copy(update={"pair": pair}))
