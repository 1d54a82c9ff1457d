"""A decision and its reply as a plan: which actions run in which order; pure.

The reply goes first, closing depends on it, and the tags come last in one request, so that they
show what happened.  A routed ticket keeps its team when the message has no clear intent, and moves
when it has another one: the old route tag is removed before the new one is added, so that two teams
never have the ticket at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.support.decision import Decision, decide_on
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.reading import read
from chalicelib.support.replies.answering import Verdict
from chalicelib.support.replies.guard_rails import ANSWERED_TAG, MAX_WRITES_PER_EVENT

PROCESSED_TAG = "mw-processed"
ROUTED_TAG = "mw-routing-applied"
STATUS_ANSWERED_TAG = "mw-order-status-answered"
LATER = "later"
"""In place of a template: the answer chooses one when it is sent."""
NUMBER_ASKED_TAG = "mw-order-number-requested"
_SENT_TAGS = ("mw-reply-sent", "mw-outbound-path-send-message")


def decide(inquiry: Inquiry, tags: frozenset[str], *, floor: str) -> Plan:
    """The plan of a message without a language model, given the tags its ticket has."""
    reading = read(inquiry.text or "")
    decision = decide_on(
        reading.found,
        current_route=current_route(tags),
        reasons=reading.reasons,
        risks=reading.risks,
        explained=reading.explained,
    )
    return planned(decision, inquiry, tags, Verdict(), floor=floor)


def current_route(tags: frozenset[str]) -> str | None:
    """The route tag a ticket has."""
    return next(iter(sorted(tag for tag in tags if tag.startswith("route-"))), None)


def planned(
    decision: Decision,
    inquiry: Inquiry,
    tags: frozenset[str],
    verdict: Verdict,
    *,
    floor: str | None,
) -> Plan:
    """The plan of one message."""
    stale = sorted(tag for tag in tags if tag.startswith("route-") and tag != decision.route)
    steps: list[tuple[PlannedAction, ...]] = []
    if stale:
        steps.append(tuple(PlannedAction("remove_tag", tag) for tag in stale))
    reply = len(stale) if verdict.template_id else None
    reasons = [*decision.reasons, *verdict.reasons]
    is_later = verdict.is_later and not stale
    if verdict.is_later and stale:
        reasons.append("not_retried:write_limit")
    if verdict.template_id and reply is not None:
        steps.append((PlannedAction("reply", verdict.template_id),))
        writes = len(steps) + 2  # closing and tags
        if verdict.closes and writes <= MAX_WRITES_PER_EVENT:
            steps.append((PlannedAction("close", depends_on=(reply,)),))
        elif verdict.closes:
            reasons.append("not_closed:write_limit")
    steps.append(_tags(decision, verdict, tags, reply, first=sum(len(step) for step in steps)))
    if is_later:
        steps += _later(decision, verdict, tags, first=len(steps[-1]))
    return Plan(
        flow="support",
        steps=tuple(steps),
        facts=_facts(decision, inquiry, verdict, reasons, floor),
    )


def _later(
    decision: Decision, verdict: Verdict, present: frozenset[str], *, first: int
) -> list[tuple[PlannedAction, ...]]:
    """The answer as a step of its own after the ticket is routed, and the tags that report it."""
    tags = (
        PlannedAction("add_tag", tag, (first,), already=tag in present)
        for tag in _reply_tags(decision, verdict)
    )
    return [(PlannedAction("reply", LATER),), tuple(tags)]


def _tags(
    decision: Decision,
    verdict: Verdict,
    present: frozenset[str],
    reply: int | None,
    *,
    first: int,
) -> tuple[PlannedAction, ...]:
    """All tags in one request; those that report the reply depend on it."""
    always = (decision.route, f"mw-intent-{decision.intent}", ROUTED_TAG)
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


def _reply_tags(decision: Decision, verdict: Verdict) -> tuple[str, ...]:
    if verdict.asks:
        return (NUMBER_ASKED_TAG, *_SENT_TAGS)
    if decision.is_about_order_status:
        return (ANSWERED_TAG, STATUS_ANSWERED_TAG, *_SENT_TAGS)
    return (ANSWERED_TAG, *_SENT_TAGS)


def _facts(
    decision: Decision,
    inquiry: Inquiry,
    verdict: Verdict,
    reasons: Sequence[str],
    floor: str | None,
) -> dict[str, Any]:
    """The stored record of the decision, without empty fields: each byte of a row costs money."""
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
        "later": verdict.is_later,
        "asks": _attempt(decision) if verdict.asks else None,
        "waits": verdict.keeps_pending,
        "ends": verdict.ends_pending,
        "pending": decision.pending.attempts if decision.pending else None,
    }
    return {name: value for name, value in facts.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    """None, False or an empty list; a zero is a value."""
    return value is None or value is False or value == []


def _attempt(decision: Decision) -> int:
    return (decision.pending.attempts if decision.pending else 0) + 1
