"""The flow of all events that lead to messages: finds the conversation, and asks the kind's handler.

::

    start      open record -> hand-off rule -> quiet hours -> secrets -> compose, store -> send
    message    append once -> STOP, robots, doubt, media -> hand-off rule -> quiet period
               -> quiet hours -> limits -> compose -> send
    approval   return it to automation -> compose unless drafted -> send the held message
    act        send what a person wrote
    step       remind, or end
    click, silence   inform the company

Each is resumable at every step: the record, the draft and the plan are stored or not, and the send
has its own action row.  A resume needs only the event's key: the record holds the job's content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chalicelib.once import keys
from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import RECEIPT_GONE, EventStatus, Lease
from chalicelib.once.flow import Elsewhere, Event, Flow, NotAnEvent, suffix
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach.conversations.records import NEVER_OPENED, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.context import EventContext, Job
from chalicelib.outreach.events.handler import ActionResult, Handler
from chalicelib.outreach.events.waiting import ConversationOrder
from chalicelib.outreach.hearing.matching import Matching
from chalicelib.outreach.jobs import InboundMessage, OutreachResume, StartConversation
from chalicelib.outreach.keys import EventKind, parsed
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.sending import effects
from chalicelib.outreach.sending.effects import Loaded, SendData


class OutreachFlow(Flow):
    """Handles outreach's events: finds each one's conversation, and asks the handler of its kind.

    Args:
        handlers: the handler of each kind of event.
        matching: finds the conversation that a message belongs to.
        receive_count: gives how often the queue has delivered the current message.
    """

    is_watched = True

    def __init__(
        self,
        *,
        handlers: Mapping[EventKind, Handler],
        conversations: Conversations,
        matching: Matching,
        in_order: ConversationOrder,
        clock: Clock,
        receive_count: Callable[[], int],
    ) -> None:
        self._handlers = handlers
        self._conversations = conversations
        self._matching = matching
        self._in_order = in_order
        self._clock = clock
        self._receive_count = receive_count

    def events(self, job: Job) -> Sequence[Event]:
        """The job's one event, with its conversation.

        Raises:
            NotAnEvent: the conversation does not exist, or the message belongs to none.
            Elsewhere: the job is in another FIFO group than its conversation, and moves there.
        """
        key = parsed(job.event_key)
        context = EventContext(job, key, self._clock.monotonic())
        match job:
            case StartConversation():
                return [Event(facts_of(job), context)]
            case InboundMessage():
                context.match = self._matching.match(job)
                context.record = context.match.record
                _check_group(job, context.record)
            case _:
                if key.kind is EventKind.RECEIPT:
                    raise NotAnEvent(EventStatus.FAILED, RECEIPT_GONE)
                context.record = self._conversations.find(job.conversation_id)
                if context.record is None:
                    is_start = key.kind is EventKind.START
                    if is_start and job.recovery == Recovery.SWEEP:
                        # The event may be claimed: it must end under a lease.
                        return [Event(facts_of(job), context)]
                    reason = NEVER_OPENED if is_start else "conversation_gone"
                    raise NotAnEvent(EventStatus.FAILED, reason)
                _check_pair(job, context.record)
        facts = replace(facts_of(job), conversation_id=context.record.opaque_id)
        return [Event(facts, context)]

    def let_wait(self, event: Event, until_epoch: float) -> float | None:
        """Put a waiting event into its conversation's order; returns the epoch time at which it comes back.

        None for a start whose conversation is not open yet: its message goes back to the queue.
        """
        record = event.subject.record
        if record is None:
            return None
        return self._in_order.let_wait(record, event.facts.event_key, until_epoch)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Let the handler of the event's kind decide what the event leads to, as a plan of actions.

        Raises:
            NotAnEvent: nothing is to be done.
            NotYet: the event waits.
        """
        context: EventContext = event.subject
        context.handoff_id = suffix(event).text
        return self._handlers[context.key.kind].plan(event, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The effect of a planned action, with the conversation and the draft that it needs."""
        context: EventContext = event.subject
        if context.record is not None and context.loaded is None:
            context.loaded = Loaded(context.record, context.draft)
        return effects.build(
            planned,
            conversation_id=event.facts.conversation_id,
            suffix=suffix(event),
            sending=SendData(context.loaded, MessagePlan.of(plan)),
            receive=self._receive_count(),
        )

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Store an event's results in its conversation, by the handler of its kind.

        False where the conversation is gone.  The writes are idempotent, so the event's lease need
        not protect them.
        """
        del lease
        context: EventContext = event.subject
        if context.record is None:
            context.record = self._conversations.find(event.facts.conversation_id)
        if context.record is None:
            return False
        built = [self.build(action, event, plan) for action in plan.actions]
        results = [ActionResult(effect.kind, effect.argument, rows[effect.key]) for effect in built]
        self._handlers[context.key.kind].conclude(event, plan, results)
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """The effect that hands a failed event to a person, as the handler of the event's kind decides.

        None where the conversation does not exist, no person is needed, or an operator resent the
        event.
        """
        if keys.is_resent(event.facts.event_key):
            return None  # a failed resend is reported to the operator who asked for it
        handler = self._handlers.get(parsed(event.facts.event_key).kind)
        if handler is None:
            return None
        context: EventContext | None = event.subject
        known = context.record if context else None
        record = known or self._conversations.find(event.facts.conversation_id)
        if record is None:
            handler.never_opened(event, reason)
            return None
        return handler.escalation(event, record, reason)


def _check_pair(job: Job, record: Record) -> None:
    """Check that the job that resumes an event names the FIFO group of the event's conversation.

    Raises:
        Elsewhere: the job names no group; it moves to the conversation's.
    """
    if isinstance(job, OutreachResume) and job.pair is None:
        raise Elsewhere(job.model_copy(update={"pair": (record.sender, record.primary_channel)}))


def _check_group(job: InboundMessage, record: Record) -> None:
    """Check that a recipient's message is in its conversation's FIFO group.

    An e-mail that failed its checks is stored without an answer, and stays in the group of its
    address.

    Raises:
        Elsewhere: the message is in another group; it moves to the conversation's.
    """
    pair = (record.sender, record.primary_channel)
    is_unproven = job.is_apart and job.account is None
    if job.pair is None and job.group != ("pair", *pair) and not is_unproven:
        raise Elsewhere(job.model_copy(update={"pair": pair}))
