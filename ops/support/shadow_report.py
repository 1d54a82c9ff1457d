"""Reports what automation would have done in a period, or did, and what agents then did.

The command and the console show the same data: identifiers, tags and counts, no customer's text.
In shadow mode tickets and orders are read as usual, so a decision shows truly what would have been
answered.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.decision import ORDER_STATUS_INTENTS
from chalicelib.support.replies.guard_rails import HOLDING_REASONS, TEMPLATE_OF
from ops.session import Session
from ops.support import shadow_outcomes, tickets_now
from ops.support.bounds import share
from ops.support.decided import Decided, conversations, decisions
from ops.support.tickets_now import MOST, Now

TO_READ = 20
"""The number of tickets that the report lists for people to read."""
Following = Callable[[Iterable[Any], str], Iterable[Any]]


def report(
    session: Session,
    *,
    since: str,
    at_most: int,
    tickets: int = MOST,
    per_second: float = 0.5,
    following: Following = lambda items, _what: items,
) -> dict[str, Any]:
    """Make the report as JSON-ready data.

    Args:
        session: the stage.
        since: ISO time.
        at_most: the most conversations; of more, a random sample is read.
        tickets: the number of tickets to read back from Richpanel, at most 200.
        per_second: the most tickets read in a second.
        following: passes items through and shows progress.
    """
    rules = session.services.support.rules.current()
    ids = list(conversations(session, since, at_most + 1))
    found: list[Decided] = []
    for conversation_id in following(ids[:at_most], "reading decisions"):
        found += decisions(session, conversation_id, since)
    chosen = _chosen(session, found, min(tickets, MOST))
    outcomes = shadow_outcomes.read(session, ids[:at_most], since)
    records = {ticket: outcome.decided for ticket, outcome in outcomes.items()}
    read = tickets_now.read(session, chosen, rules, per_second=per_second, records=records)
    now = list(following(read, "reading tickets"))
    seen = [ticket for ticket in now if ticket is not None]
    for ticket in seen:
        ticket_id = ticket.decided.conversation_id
        if ticket.done is not None:
            outcomes[ticket_id] = replace(outcomes[ticket_id], done=ticket.done)
    days = _days(session, since)
    return {
        "stage": session.stage,
        "since": since,
        "until": iso(session.services.clock.now()),
        "settings_version": rules.version,
        "conversations": min(len(ids), at_most),
        "is_sample": len(ids) > at_most,
        "messages": len(found),
        "intents": _by(session, found, lambda decided: decided.intent),
        "teams": _by(session, found, lambda decided: decided.department),
        "reasons": dict(Counter(_reason(decided) for decided in found).most_common()),
        "tickets": _tickets(seen, unreadable=len(now) - len(seen)),
        "switching_on": _switching_on(session, found, seen, days),
        "shadow": shadow_outcomes.compared(outcomes.values(), rules),
        "quality": _quality(found, seen),
        "sample": [_shown(session, ticket, rules) for ticket in seen[:TO_READ]],
    }


def could_be_answered(session: Session, decided: Decided) -> bool:
    """Whether a message would have been answered; if its plan does not say, whether it could."""
    if "made" in decided.facts:
        return "would" in decided.facts
    enabled = session.services.settings.support.templates
    if decided.intent in ORDER_STATUS_INTENTS:
        has_template = any(name.startswith(("t_order", "t_shipping")) for name in enabled)
    else:
        has_template = TEMPLATE_OF.get(decided.intent, "") in enabled
    return has_template and bool(decided.facts.get("answerable"))


# --- the parts --------------------------------------------------------------------------------


def _by(
    session: Session, found: Sequence[Decided], name: Callable[[Decided], str]
) -> list[dict[str, Any]]:
    """Counts of messages by intent or team, the most frequent first."""
    groups: dict[str, list[Decided]] = {}
    for decided in found:
        groups.setdefault(name(decided), []).append(decided)
    rows = [
        {
            "name": key,
            "messages": len(group),
            "answered": sum(decided.replied_at is not None for decided in group),
            "could_be_answered": sum(could_be_answered(session, decided) for decided in group),
            "uncertain": sum(float(decided.facts["confidence"]) < _SURE for decided in group),
            "escalated": sum(decided.is_escalation for decided in group),
            "withheld": sum(decided.is_withheld for decided in group),
            "failed": sum(decided.status == "failed" for decided in group),
        }
        for key, group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row["messages"], row["name"]))


_SURE = 0.60
"""Below this confidence a message is not routed by its intent; equals `decision.ROUTE_FROM`."""


def _reason(decided: Decided) -> str:
    """Why a message was not answered: its last reason other than shadow mode, without details."""
    if decided.replied_at is not None:
        return "answered"
    if "would" in decided.facts:
        return "would have been answered"
    reasons = decided.facts.get("reasons") or ["no reason stored"]
    besides_shadow = [reason for reason in reasons if reason not in HOLDING_REASONS]
    return str((besides_shadow or reasons)[-1]).partition(":")[0]


def _chosen(session: Session, found: Sequence[Decided], many: int) -> list[Decided]:
    """Choose a sample of tickets by one decision each: about half answered or answerable ones.

    The choice is random but the same for the same decisions.
    """
    newest = {decided.conversation_id: decided for decided in found}
    answers = {
        decided.conversation_id: decided
        for decided in found
        if decided.replied_at is not None or could_be_answered(session, decided)
    }
    others = [decided for key, decided in newest.items() if key not in answers]
    pick = random.Random(len(found))  # noqa: S311 - the same sample in every run
    candidates = list(answers.values())
    half = max(many // 2, many - len(others))
    first = pick.sample(candidates, min(half, len(candidates)))
    rest = pick.sample(others, min(many - len(first), len(others)))
    return [*first, *rest]


def _tickets(seen: Sequence[Now], *, unreadable: int) -> dict[str, Any]:
    known = [ticket for ticket in seen if ticket.department is not None]
    moves = Counter(
        (ticket.decided.department, str(ticket.department))
        for ticket in known
        if ticket.routed_otherwise
    )
    return {
        "read": len(seen),
        "unreadable": unreadable,
        "in_no_department": len(seen) - len(known),
        "routed_otherwise": share(sum(ticket.routed_otherwise for ticket in known), len(known)),
        "tagged_otherwise": share(sum(ticket.tagged_otherwise for ticket in seen), len(seen)),
        "moves": [
            {"from": ours, "to": theirs, "tickets": count}
            for (ours, theirs), count in moves.most_common()
        ],
    }


def _switching_on(
    session: Session, found: Sequence[Decided], seen: Sequence[Now], days: float
) -> dict[str, Any]:
    """What answering would save at most, and how many such tickets agents routed elsewhere."""
    could = [
        decided
        for decided in found
        if could_be_answered(session, decided) and decided.replied_at is None
    ]
    checked = [
        ticket
        for ticket in seen
        if could_be_answered(session, ticket.decided) and ticket.decided.replied_at is None
    ]
    placed = [ticket for ticket in checked if ticket.department is not None]
    waits = [ticket.first_answer for ticket in checked if ticket.first_answer is not None]
    return {
        "saves_at_most": share(len(could), len(found)),
        "saves_a_week_at_most": round(len(could) * 7 / days, 1),
        "median_wait_for_a_person_minutes": _minutes(waits),
        "people_routed_otherwise": share(
            sum(ticket.routed_otherwise for ticket in placed), len(placed)
        ),
        "does_not_say": sum("answerable" not in decided.facts for decided in found),
    }


def _quality(found: Sequence[Decided], seen: Sequence[Now]) -> dict[str, Any]:
    """What happened after automatic answers, in total and by week of the answer."""
    answered = [ticket for ticket in seen if ticket.decided.replied_at is not None]
    closed = [ticket for ticket in answered if ticket.decided.closed]
    weeks: dict[str, list[Now]] = {}
    for ticket in answered:
        weeks.setdefault(_week(ticket.decided.at), []).append(ticket)
    return {
        "answered": sum(decided.replied_at is not None for decided in found),
        "read": len(answered),
        "reopened": share(sum(ticket.reopened for ticket in closed), len(closed)),
        **_after(answered),
        "weeks": [
            {"week": week, "read": len(group), **_after(group)}
            for week, group in sorted(weeks.items())
        ],
    }


def _after(answered: Sequence[Now]) -> dict[str, Any]:
    many = len(answered)
    return {
        "wrote_again": share(sum(ticket.wrote_again for ticket in answered), many),
        "complained": share(sum(ticket.complained for ticket in answered), many),
        "routed_otherwise": share(sum(ticket.routed_otherwise for ticket in answered), many),
    }


def _shown(session: Session, now: Now, rules: Rules) -> dict[str, Any]:
    decided = now.decided
    answer = "answered" if decided.replied_at else "no"
    if answer == "no" and could_be_answered(session, decided):
        answer = "could be"
    return {
        "ticket": decided.conversation_id,
        "link": now.url,
        "intent": decided.intent,
        "confidence": decided.facts["confidence"],
        "department": decided.department,
        "tag": rules.tag_of(decided.department),
        "people": now.department,
        "answer": answer,
        "reason": _reason(decided),
    }


def _minutes(waits: Sequence[timedelta]) -> float | None:
    return round(median(wait.total_seconds() for wait in waits) / 60, 1) if waits else None


def _days(session: Session, since: str) -> float:
    began = parsed(since)
    now = session.services.clock.now()
    return max((now - began).total_seconds() / 86_400, 1 / 24) if began else 1.0


def _week(at: str) -> str:
    moment = parsed(at)
    return moment.strftime("%G-W%V") if moment else ""
