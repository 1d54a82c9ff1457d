"""Richpanel tickets: which customer comments are new, and which tags each of them earns.

A notification that names its comment is that comment's event.  Any other is resolved here: the
ticket is read, and every customer comment inside the age gate that has not come to an end is an
event of its own; at first contact only those after the newest operator comment.  The key of last
resort, a hash of text and time, stands only where the ticket cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from chalicelib import actions, keys
from chalicelib.actions import Action
from chalicelib.clock import iso, parsed
from chalicelib.errors import PermanentError
from chalicelib.flows import Event, NotAnEvent, suffix
from chalicelib.flows.departments import DEFAULT_ROUTE, RISK_FLAGS, ROUTES
from chalicelib.flows.intents import DEFAULT_INTENT, classify
from chalicelib.jobs import TicketMessage, TicketNotification, facts_of
from chalicelib.plans import Plan, PlannedAction
from chalicelib.ports import (
    ActionRow,
    Clock,
    Comment,
    EventFacts,
    EventStatus,
    Lease,
    LedgerPort,
    StateChange,
    StatePort,
    Switches,
    Ticket,
    Tickets,
)

PROCESSED_TAG = "mw-processed"
ROUTED_TAG = "mw-routing-applied"
EVERYTHING = "1970-01-01T00:00:00.000Z"
"""The floor of a conversation whose first contact had no operator comment: nothing is too old."""

_STILL_OPEN = frozenset({EventStatus.RECEIVED, EventStatus.PROCESSING})


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A customer's message with the ticket it stands on, as far as they are known yet."""

    text: str | None = field(repr=False)
    at: datetime
    message_id: str | None = None
    ticket: Ticket | None = None


class SupportFlow:
    """`flows.Flow` for Richpanel's jobs."""

    def __init__(
        self,
        tickets: Tickets,
        state: StatePort,
        ledger: LedgerPort,
        clock: Clock,
        *,
        max_event_age: timedelta,
    ) -> None:
        self._tickets = tickets
        self._state = state
        self._ledger = ledger
        self._clock = clock
        self._max_age = max_event_age

    def is_container(self, job: TicketMessage | TicketNotification) -> bool:
        """A notification stands for the comments it leads to."""
        return isinstance(job, TicketNotification)

    def events(self, job: TicketMessage | TicketNotification) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        if isinstance(job, TicketMessage):
            inquiry = Inquiry(
                text=job.text,
                at=_time_of(job.created_at, job.received_at),
                message_id=job.message_id,
            )
            return [Event(facts_of(job), inquiry)]
        try:
            ticket = self._tickets.read_ticket(job.conversation_id)
        except PermanentError as error:
            if job.text is None:
                raise NotAnEvent(EventStatus.FAILED, f"ticket_unreadable:{error.reason}") from None
            return self._by_text(job, None)
        if not ticket.comments and job.text is not None:
            return self._by_text(job, ticket)
        return self._new_comments(job, ticket)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        del switches  # tags are put in every mode that may act at all
        inquiry: Inquiry = event.subject
        ticket = inquiry.ticket
        if ticket is None and inquiry.message_id is not None:
            ticket = self._read(event.facts)
            inquiry = _located(inquiry, ticket)
        if self._clock.now() - inquiry.at > self._max_age:
            raise NotAnEvent(EventStatus.SKIPPED, "too_old")
        tags = ticket.tags if ticket else frozenset[str]()
        return decide(inquiry, tags, floor=_floor(ticket))

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """See `flows.Flow.build`."""
        del plan
        return actions.build(
            planned, conversation_id=event.facts.conversation_id, suffix=suffix(event)
        )

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`: table B."""
        del rows
        intent = str(plan.facts["intent"])
        flag = RISK_FLAGS.get(intent)
        change = StateChange(
            conversation_id=event.facts.conversation_id,
            message_at=str(plan.facts["at"]),
            message_id=event.facts.source_message_id,
            first_contact_floor=str(plan.facts["floor"]),
            routed_team=str(plan.facts["route"]),
            routing_confidence=float(plan.facts["confidence"]),
            intent=intent,
            risk_flags=frozenset({flag} if flag else ()),
        )
        return self._state.apply(lease, change)

    # --- which events -------------------------------------------------------------------------

    def _new_comments(self, job: TicketNotification, ticket: Ticket) -> Sequence[Event]:
        known = self._state.read(job.conversation_id)
        floor = known.first_contact_floor if known else _floor(ticket)
        oldest = iso(self._clock.now() - self._max_age)
        fresh = [
            comment
            for comment in ticket.comments
            if not comment.is_operator and _is_after(comment, max(oldest, floor or EVERYTHING))
        ]
        by_key = {keys.ticket_message(job.conversation_id, c.id): c for c in fresh}
        ended = self._ledger.statuses(list(by_key)) if by_key else {}
        new = [
            (key, comment)
            for key, comment in by_key.items()
            if ended.get(key, EventStatus.PROCESSING) in _STILL_OPEN
            or (job.recovery is not None and ended[key] != EventStatus.PROCESSED)
        ]
        return [
            Event(
                _facts_of_comment(job, key, comment),
                Inquiry(
                    text=comment.text,
                    at=comment.created_at or _time_of(None, job.received_at),
                    message_id=comment.id,
                    # The first one's effects change the ticket: the others read it again.
                    ticket=ticket if number == 0 else None,
                ),
            )
            for number, (key, comment) in enumerate(new)
        ]

    def _by_text(self, job: TicketNotification, ticket: Ticket | None) -> Sequence[Event]:
        """The key of last resort; a copy may have fallen into the neighbouring bucket."""
        text, at = job.text or "", _time_of(job.created_at, job.received_at)
        key = keys.ticket_text(job.conversation_id, text, at.timestamp())
        other = keys.ticket_text_neighbour(job.conversation_id, text, at.timestamp())
        if other in self._ledger.statuses([other]):
            raise NotAnEvent(EventStatus.SKIPPED, "duplicate_in_neighbour_bucket")
        facts = replace(facts_of(job), event_key=key)
        return [Event(facts, Inquiry(text=text, at=at, ticket=ticket))]

    def _read(self, facts: EventFacts) -> Ticket:
        try:
            return self._tickets.read_ticket(facts.conversation_id)
        except PermanentError as error:
            raise NotAnEvent(EventStatus.FAILED, f"ticket_unreadable:{error.reason}") from None


def decide(inquiry: Inquiry, tags: frozenset[str], *, floor: str) -> Plan:
    """The tags a message earns, given those its ticket has; pure.

    A ticket that some team has keeps its team when the message tells nothing, and is moved when it
    tells something else: the older route tag goes before the new one comes, so that two teams
    never have it at once.
    """
    found = classify(inquiry.text or "")
    routes_there = sorted(tag for tag in tags if tag.startswith("route-"))
    route = ROUTES.get(found.intent, DEFAULT_ROUTE)
    if found.intent == DEFAULT_INTENT and routes_there:
        route = routes_there[0]
    stale = [tag for tag in routes_there if tag != route]
    removals = tuple(PlannedAction("remove_tag", tag) for tag in stale)
    wanted = (route, f"mw-intent-{found.intent}", ROUTED_TAG)
    first = len(removals)
    additions = tuple(PlannedAction("add_tag", tag, already=tag in tags) for tag in wanted)
    last = PlannedAction(
        "add_tag",
        PROCESSED_TAG,
        already=PROCESSED_TAG in tags,
        depends_on=tuple(range(first, first + len(wanted))),
    )
    steps = (removals, (*additions, last)) if removals else ((*additions, last),)
    facts = {
        "intent": found.intent,
        "route": route,
        "confidence": found.confidence,
        "at": iso(inquiry.at),
        "floor": floor,
    }
    return Plan(flow="support", steps=steps, facts=facts)


def _located(inquiry: Inquiry, ticket: Ticket) -> Inquiry:
    """The inquiry with what its ticket says of it."""
    comment = next((c for c in ticket.comments if c.id == inquiry.message_id), None)
    if comment is None:
        return replace(inquiry, ticket=ticket)
    if comment.is_operator:
        raise NotAnEvent(EventStatus.SKIPPED, "operator_comment")
    return replace(
        inquiry,
        ticket=ticket,
        text=comment.text or inquiry.text,
        at=comment.created_at or inquiry.at,
    )


def _floor(ticket: Ticket | None) -> str:
    """Time of the newest operator comment; before it, at first contact, nothing is new."""
    if ticket is None:
        return EVERYTHING
    times = [iso(c.created_at) for c in ticket.comments if c.is_operator and c.created_at]
    return max(times, default=EVERYTHING)


def _is_after(comment: Comment, floor: str) -> bool:
    return comment.created_at is None or iso(comment.created_at) > floor


def _facts_of_comment(job: TicketNotification, key: str, comment: Comment) -> EventFacts:
    return replace(facts_of(job), event_key=key, source_message_id=comment.id)


def _time_of(created_at: str | None, received_at: str) -> datetime:
    moment = parsed(created_at) or parsed(received_at)
    if moment is None:
        raise ValueError("a job always has a time of receipt")
    return moment
