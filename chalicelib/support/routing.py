"""A decision and its reply as a plan: which actions run in which order; pure.

The reply goes first, closing depends on it, and the tags come last in one request, so that they show
what happened.

A routed ticket keeps its team if the message has no clear intent, and moves if the message has another
one.  The old route tag is removed before the new one is added, so that two teams never have the ticket
at once; if no reply is sent between them, both changes are one step.  If the settings name a
department's assignee, the ticket is assigned too, unless a person outside the settings has it: people
keep the tickets that they took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.support import reasons as why
from chalicelib.support.decision import TRIAGE_TAG, UNCERTAIN_TAG, Decision
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.replies.answering import ReplyVerdict
from chalicelib.support.replies.guard_rails import ANSWERED_TAG, MAX_WRITES_PER_EVENT

PROCESSED_TAG = "mw-processed"
INTENT_TAG = "mw-intent-"
ROUTED_TAG = "mw-routing-applied"
STATUS_ANSWERED_TAG = "mw-order-status-answered"
LATER = "later"
"""Planned instead of a template: the answer chooses its template when it is sent."""
NUMBER_ASKED_TAG = "mw-order-number-requested"
_TAGGING = frozenset({"add_tag", "remove_tag"})
_SENT_TAGS = ("mw-reply-sent", "mw-outbound-path-send-message")


def current_route(inquiry: Inquiry, tags: frozenset[str]) -> str | None:
    """The department that has the ticket now, by its tags, else its assignees; None where none has it."""
    ticket = inquiry.ticket
    assigned = ticket.assigned_to if ticket else frozenset[str]()
    return inquiry.rules.current_department(tags, assigned)


def plan_for(
    decision: Decision,
    inquiry: Inquiry,
    tags: frozenset[str],
    verdict: ReplyVerdict,
    *,
    floor: str | None,
    is_held_by_person: bool = False,
) -> Plan:
    """The plan for one message: which tags, assignment, reply and closing, in which order.

    A ticket that a person has is tagged and never moved.
    """
    route_tag = None if is_held_by_person else inquiry.rules.tag_of(decision.route)
    stale = sorted(tag for tag in tags if tag.startswith("route-") and tag != route_tag)
    if is_held_by_person:
        stale, decision = [], _without_routing(decision)
    steps: list[tuple[PlannedAction, ...]] = []
    if stale:
        steps.append(tuple(PlannedAction("remove_tag", tag) for tag in stale))
    reply = len(stale) if verdict.template_id else None
    found = [reason for reason in decision.reasons if reason not in verdict.reasons]
    reasons = [*found, *verdict.reasons]
    closes = False
    if verdict.template_id and reply is not None:
        steps.append((PlannedAction("reply", verdict.template_id),))
        writes = len(steps) + 2  # the steps that close and that tag
        if verdict.closes and writes <= MAX_WRITES_PER_EVENT:
            steps.append((PlannedAction("close", depends_on=(reply,)),))
            closes = True
        elif verdict.closes:
            reasons.append(f"{why.NOT_CLOSED}{why.WRITE_LIMIT}")
    first = sum(len(step) for step in steps)
    always = _fixed_tags(decision, route_tag, is_held_by_person=is_held_by_person)
    steps.append(_tags(decision, verdict, tags, reply, always, first))
    if stale and reply is None:
        steps = [steps[0] + steps[1]]
    # The assignment follows the tags, because a rule that they trigger may assign the ticket, too.
    assignment = (
        () if closes or is_held_by_person else _assignment(decision.route, inquiry, reasons)
    )
    if assignment:
        steps.append(assignment)
    if verdict.is_later and len(steps) == 1 and not stale:
        steps += _later(decision, verdict, tags, first=len(steps[0]))
    elif verdict.is_later:
        reasons.append(f"{why.NOT_RETRIED}{why.WRITE_LIMIT}")
    return Plan(
        flow="support",
        steps=tuple(steps),
        facts=_facts(decision, inquiry, verdict, reasons, floor)
        | ({"kept": True} if is_held_by_person else {}),
    )


def moves_ticket(plan: Plan) -> bool:
    """Whether a plan changes the department or the assignee of its ticket."""
    return any(
        not action.already
        and (
            action.kind == "assign" or (action.kind in _TAGGING and action.arg.startswith("route-"))
        )
        for action in plan.actions
    )


def _fixed_tags(
    decision: Decision, route_tag: str | None, *, is_held_by_person: bool
) -> tuple[str, ...]:
    """The tags that a plan sets whether or not a reply is sent: department, intent, and that it was routed.

    On a ticket that a person has, only the intent's tag.
    """
    intent = f"{INTENT_TAG}{decision.intent}"
    if is_held_by_person:
        return (intent,)
    return (intent, ROUTED_TAG) if route_tag is None else (route_tag, intent, ROUTED_TAG)


def _without_routing(decision: Decision) -> Decision:
    """The decision without the tags by which people see that the routing was uncertain."""
    tags = tuple(tag for tag in decision.tags if tag not in (UNCERTAIN_TAG, TRIAGE_TAG))
    return replace(decision, tags=tags)


def _later(
    decision: Decision, verdict: ReplyVerdict, present: frozenset[str], *, first: int
) -> list[tuple[PlannedAction, ...]]:
    """A plan's steps for a reply that is tried after its ticket was routed: the reply, then its tags."""
    tags = (
        PlannedAction("add_tag", tag, (first,), already=tag in present)
        for tag in _reply_tags(decision, verdict)
    )
    return [(PlannedAction("reply", LATER),), tuple(tags)]


def _tags(
    decision: Decision,
    verdict: ReplyVerdict,
    present: frozenset[str],
    reply: int | None,
    always: tuple[str, ...],
    first: int,
) -> tuple[PlannedAction, ...]:
    """The plan's step that sets all tags in one request.

    The tags that report the reply are set only if the reply was sent.
    """
    more = tuple(dict.fromkeys((*decision.tags, *verdict.tags)))
    of_reply = _reply_tags(decision, verdict) if reply is not None else ()
    depends = () if reply is None else (reply,)
    return (
        *(PlannedAction("add_tag", tag, already=tag in present) for tag in always),
        *(PlannedAction("add_tag", tag, already=tag in present) for tag in more),
        *(PlannedAction("add_tag", tag, depends, already=tag in present) for tag in of_reply),
        PlannedAction(
            "add_tag",
            PROCESSED_TAG,
            already=PROCESSED_TAG in present,
            depends_on=tuple(range(first, first + len(always))),
        ),
    )


def _assignment(department: str, inquiry: Inquiry, reasons: list[str]) -> tuple[PlannedAction, ...]:
    """The plan's step that assigns the ticket, if the settings name an assignee for the department.

    The step is empty if a person has the ticket, and a reason is then added to `reasons`.  It is
    also empty for a ticket that was not read, as a person may have it already.
    """
    wanted = inquiry.rules.assignee_of(department)
    if wanted is None or inquiry.ticket is None:
        return ()
    held_by = inquiry.ticket.assigned_to
    if wanted not in held_by and held_by - inquiry.rules.assignees:
        reasons.append(why.ASSIGNED_TO_A_PERSON)
        return ()
    return (PlannedAction("assign", wanted, already=wanted in held_by),)


def _reply_tags(decision: Decision, verdict: ReplyVerdict) -> tuple[str, ...]:
    if verdict.asks:
        return (NUMBER_ASKED_TAG, *_SENT_TAGS)
    if decision.is_about_order_status:
        return (ANSWERED_TAG, STATUS_ANSWERED_TAG, *_SENT_TAGS)
    return (ANSWERED_TAG, *_SENT_TAGS)


def _facts(
    decision: Decision,
    inquiry: Inquiry,
    verdict: ReplyVerdict,
    reasons: Sequence[str],
    floor: str | None,
) -> dict[str, Any]:
    """The decision as a plan stores it, without empty fields: each byte of a row costs money."""
    facts: dict[str, Any] = {
        "intent": decision.intent,
        "route": decision.route,
        "confidence": decision.confidence,
        "at": iso(inquiry.at),
        "tier": decision.tier.value,
        "floor": floor,
        "secondary": list(decision.secondary),
        "risk": sorted(decision.risk_flags),
        "reasons": list(reasons),
        "language": decision.language if decision.language != "unknown" else None,
        "template": verdict.template_id,
        "proof": verdict.proven_by,
        "later": verdict.is_later,
        "answerable": decision.may_answer,
        "newer": inquiry.has_newer_question,
        "asks": _attempt(decision) if verdict.asks else None,
        "waits": verdict.keeps_pending,
        "ends": verdict.ends_pending,
        "settings": inquiry.rules.version or None,
        "pending": decision.pending.attempts if decision.pending else None,
    }
    return {name: value for name, value in facts.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    """Whether a field's value is None, False or an empty list; zero is not empty."""
    return value is None or value is False or value == []


def _attempt(decision: Decision) -> int:
    return (decision.pending.attempts if decision.pending else 0) + 1
