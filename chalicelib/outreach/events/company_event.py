"""The flow that posts the events of a conversation to its company's endpoint, one after the other.

Each is an event of the ledger, ``evt:tell:{opaque conversation id}:{number}``, with one action.  It
is claimed when all before it are posted; a job that comes earlier ends without a row, and queues
the first of those before it where that one has none either: a crash came between its outbox and the
queue.  A job posts the events that follow its own as well, up to `TOGETHER`, and then queues the
next one: so a backlog is posted in a few jobs once its endpoint answers again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent, NotYet, suffix
from chalicelib.once.job import facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Log, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.endpoint import Endpoint
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.outbox import EventRows, Head
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.company_events.recorder import job as following_job
from chalicelib.outreach.jobs import TellCompany
from chalicelib.outreach.sending.effects import TELL_COMPANY, hand_off_effect, tell_company_effect

FLOW = "companies"
TOGETHER = 8
"""Events of one job: each may take as long as its post, and the last must still fit into the function."""
SWITCHED_OFF_SECONDS = 900.0
"""How often an event that a switch keeps back is looked at again."""
_GONE = frozenset({"no_endpoint", "not_chosen", "conversation_gone"})
"""Reasons for which an event is passed over: there is no place to send it to, or nothing to send."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One event that is to be posted to a company, with what its job knows of it.

    Attributes:
        head: the counters of the conversation's events: how many there are, how many are posted.
        number: the event's number within the conversation.
        is_last: whether it is the last that this job posts.
        rounds: how many jobs in a row have posted this backlog.
    """

    head: Head
    number: int
    is_last: bool
    rounds: int


class TellFlow(Flow):
    """Posts a conversation's events to its company, in order: the flow of the jobs `TellCompany`.

    Args:
        endpoint: gives a project's endpoint as it is set now, by the ids of company and project.
    """

    is_watched = True

    def __init__(
        self,
        *,
        events: CompanyEvents,
        endpoint: Callable[[str, str], Endpoint | None],
        clock: Clock,
        log: Log,
    ) -> None:
        self._events = events
        self._rows: EventRows = events.rows
        self._endpoint = endpoint
        self._clock = clock
        self._log = log

    def events(self, job: TellCompany) -> Sequence[Event]:
        """The job's event and those that follow it, up to `TOGETHER`, each to be posted.

        Empty where an earlier event is not posted yet: that event's job will post this one, too.

        Raises:
            NotAnEvent: the conversation is gone.
        """
        head = self._rows.head(job.conversation_id)
        if head is None:
            raise NotAnEvent(EventStatus.SKIPPED, reasons.CONVERSATION_GONE)
        if job.number > head.posted + 1:
            self._events.queue_first_post(head)
            return []  # the previous event's job posts it, or queues it again
        following = range(head.posted + 1, min(head.count, head.posted + TOGETHER) + 1)
        numbers = sorted({job.number, *following})
        own = facts_of(job)
        return [
            Event(
                own if number == job.number else self._facts(job, number),
                Telling(head, number, number == numbers[-1], job.rounds),
            )
            for number in numbers
        ]

    def may_go_on(self, event: Event) -> bool:
        """Whether the job may go on to its next event: only once the given one was posted or passed over."""
        telling: Telling = event.subject
        head = self._rows.head(telling.head.opaque_id)
        return head is not None and head.posted >= telling.number

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Plan to post the event to the company's endpoint.

        Raises:
            NotYet: a switch forbids posting now.
            NotAnEvent: the project has no endpoint.
        """
        self._check(event, switches)
        number = event.subject.number
        return Plan(FLOW, ((PlannedAction(TELL_COMPANY.name, str(number)),),))

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        """Check before a resumed post that it is still allowed.

        Raises:
            NotYet: a switch forbids posting now.
            NotAnEvent: the project has no endpoint any more.
        """
        del plan
        self._check(event, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The action that posts the event to the company.

        Raises:
            KeyError: the plan names a kind of action that this flow does not have.
        """
        del plan
        if planned.kind != TELL_COMPANY.name:
            raise KeyError(planned.kind)
        return tell_company_effect(event.facts.conversation_id, int(planned.arg))

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Count the event as posted or passed over; after a lasting failure stop the conversation's events.

        Returns True always.  Nothing is stored while the post's outcome is unknown.
        """
        del lease, plan
        telling: Telling = event.subject
        row = rows[outreach_keys.tell_action(telling.head.opaque_id, telling.number)]
        is_done = row.status == ActionStatus.DONE
        if is_done or row.reason in _GONE:
            self._go_on(telling)
        elif row.status != ActionStatus.UNKNOWN:
            self._stop(telling.head, row.reason or row.status.value)
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """Stop posting the conversation's events once this one is given up (dead-lettered).

        Returns the effect that hands the conversation to a person, where a tool call is among the
        events not posted; else None.
        """
        opaque_id = event.facts.conversation_id
        head = self._rows.head(opaque_id)
        if head is None:
            return None
        if reason.startswith("dead_letter"):
            self._stop(head, reason)
        number = int(outreach_keys.parsed(event.facts.event_key).name)
        unposted = (self._rows.event(opaque_id, later) for later in range(number, head.count + 1))
        if not any(found and found.name == EventName.TOOL_CALLED for found in unposted):
            return None
        return hand_off_effect(
            opaque_id, f"|{reasons.TOOL_NOT_ACCEPTED}", suffix(event).prefixed("tool-")
        )

    def _facts(self, job: TellCompany, number: int) -> EventFacts:
        """What the ledger must know (key, time) of an event that is posted after this job's own, with it.

        The time is that of its storing, or the job's own where it is not stored.
        """
        written = self._rows.event(job.conversation_id, number)
        at = written.at if written else job.received_at
        return facts_of(following_job(job.conversation_id, number, at))

    def _check(self, event: Event, switches: Switches) -> None:
        telling: Telling = event.subject
        head = telling.head
        kept_back = switches.forbids(TELL_COMPANY)
        if kept_back is not None:
            raise NotYet(kept_back, self._clock.now().timestamp() + SWITCHED_OFF_SECONDS)
        if telling.number <= head.posted:
            return  # posted before a crash: only its end is missing
        if self._endpoint(head.company_id, head.project_id) is None:
            self._go_on(telling)
            raise NotAnEvent(EventStatus.SKIPPED, reasons.NO_ENDPOINT)

    def _go_on(self, telling: Telling) -> None:
        """Count an event as posted or passed over; after the job's last event, queue the next one."""
        head = self._rows.mark_posted(telling.head.opaque_id, telling.number)
        if telling.is_last and head is not None and head.count > head.posted:
            self._events.queue_post(head.opaque_id, head.posted + 1, rounds=telling.rounds + 1)

    def _stop(self, head: Head, reason: str) -> None:
        self._rows.stop(head, reason)
        self._log.metric("mw.companies.stopped")


class TellRebuilder:
    """Makes the job `TellCompany` again from an event's row, where its message was lost."""

    def __call__(self, event: EventFacts) -> TellCompany:
        """The job that posts this event to the company."""
        number = int(outreach_keys.parsed(event.event_key).name)
        return following_job(event.conversation_id, number, event.received_at)
