"""Outreach: start a conversation, answer a reply, release what a person held back.

::

    starting    open record -> hand-off rule -> quiet hours -> secrets -> compose, store -> send
    replying    append once -> STOP, robots, media -> hand-off rule -> quiet hours -> compose -> send
    releasing   give it back to the machine -> compose unless drafted -> send what was held
    drafting    what these three share before a message is planned
    conclusions what an event leaves behind
    receipts    what providers report of our messages
    rules       who is held, when it is quiet

Each is resumable at every step: the record and the draft are there or not, the plan is stored or
not, and the send has its own action row.  A resume needs nothing but the event's key: the record
holds what the job brought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chalicelib.once import keys
from chalicelib.once.action import Action, ActionRow
from chalicelib.once.event import RECEIPT_GONE, EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent, suffix
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import actions as outreach_actions
from chalicelib.outreach.actions import HandOff, Loaded
from chalicelib.outreach.conclusions import OPT_OUT_CODE, Conclusions
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, NEVER_OPENED, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.door.admission import Starts
from chalicelib.outreach.drafting import Drafting
from chalicelib.outreach.jobs import InboundMessage, StartConversation
from chalicelib.outreach.releasing import Releasing
from chalicelib.outreach.replying import Replying
from chalicelib.outreach.starting import Starting
from chalicelib.outreach.work import Job, Work
from chalicelib.outreach.writing.composer import Composer


class OutreachFlow(Flow):
    """`flows.Flow` for everything in which the company speaks or the recipient did.

    Args:
        check_secrets: raises where the company's credentials are missing or malformed.
        message_id_header: an e-mail's Message-ID from the vendor's id of it.
        receive_count: how many times the queue has handed over the message at work.
        processor_version: kept with every conversation it sends in.
    """

    is_watched = True

    def __init__(
        self,
        conversations: Conversations,
        composer: Composer,
        starts: Starts,
        clock: Clock,
        *,
        check_secrets: Callable[[Record], None],
        message_id_header: Callable[[str], str],
        receive_count: Callable[[], int],
        processor_version: str,
    ) -> None:
        self._conversations = conversations
        self._clock = clock
        self._starts = starts
        self._receive_count = receive_count
        self._conclusions = Conclusions(conversations, starts, clock, message_id_header)
        drafting = Drafting(composer, clock, check_secrets, self._conclusions)
        self._starting = Starting(conversations, composer, starts, drafting, processor_version)
        self._replying = Replying(conversations, drafting)
        self._releasing = Releasing(conversations, drafting)

    def events(self, job: Job) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        work = Work(job, self._clock.monotonic())
        match job:
            case StartConversation():
                return [Event(facts_of(job), work)]
            case InboundMessage():
                work.record = self._replying.whose(job)
            case _:
                if job.event_key.startswith("evt:receipt:"):
                    raise NotAnEvent(EventStatus.FAILED, RECEIPT_GONE)
                work.record = self._conversations.find(job.conversation_id)
                if work.record is None:
                    is_start = job.event_key.startswith("evt:start:")
                    if is_start and job.recovery == Recovery.SWEEP:
                        return [Event(facts_of(job), work)]  # perhaps claimed: ended under a lease
                    reason = NEVER_OPENED if is_start else "conversation_gone"
                    raise NotAnEvent(EventStatus.FAILED, reason)
        facts = replace(facts_of(job), conversation_id=work.record.opaque_id)
        return [Event(facts, work)]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        key = event.facts.event_key
        if key.startswith("evt:start:"):
            return self._starting.plan(event, switches)
        if key.startswith("evt:release:"):
            return self._releasing.plan(event, switches)
        return self._replying.plan(event, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """See `flows.Flow.build`."""
        del plan
        work: Work = event.subject
        if work.record is not None and work.loaded is None:
            work.loaded = Loaded(work.record, work.draft)
        opaque_id = event.facts.conversation_id
        return outreach_actions.build(
            planned,
            conversation_id=opaque_id,
            suffix=suffix(event),
            loaded=work.loaded,
            receive=self._receive_count(),
        )

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`; what it writes needs no fence, see `conclusions`."""
        del lease
        return self._conclusions.conclude(event, plan, rows)

    def escalation(self, event: Event, reason: str) -> Action | None:
        """Whom a failed event goes to: a start fails, anything else goes to a person.

        A start that failed is reported to its sender, who repeats it or does not; a resend that
        failed, to the operator who asked for it.
        """
        if keys.is_resent(event.facts.event_key):
            return None
        work: Work | None = event.subject
        known = work.record if work else None
        record = known or self._conversations.find(event.facts.conversation_id)
        if record is None:
            if event.facts.event_key.startswith("evt:start:"):
                self._starts.abandon(event.facts.event_key)
            return None
        if reason.endswith((f":{OPT_OUT_CODE}", f":{DO_NOT_CONTACT}")):
            return None
        if event.facts.event_key.startswith("evt:start:"):
            if not reason.startswith("dead_letter"):
                return None
            self._conclusions.fail(record, "retries", reason)
            self._conclusions.free(record)
            return None
        # Not the hand-off that the event's own plan may hold: given back, the event may be replayed.
        return HandOff(record.opaque_id, "|failed", suffix(event).prefixed("failed-"))
