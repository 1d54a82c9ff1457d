"""A decision made in shadow, as its plan and table B keep it, and what people did afterwards; pure.

A decision, and what people did with its ticket, as identifiers and tag_codes without text::

    {"event": "evt:rp:1042:c-77", "at": "2026-11-20T09:00:00.000Z", "made": "2026-11-20T09:00:02.000Z",
     "decision": "answer", "intent": "order_status_tracking", "team": "route-email-support-team",
     "risks": [], "reasons": ["outbound_disabled"], "template": "t_order_status_verified",
     "orders": ["9f2c..."], "digests": ["41aa..."], "tags": ["vip"], "settings": 3,
     "rules": "1bb3b913", "models": "2e2bb52a", "texts": "378c4385"}

    {"event": "evt:rp:1042:c-77", "read": "2026-11-21T09:30:00.000Z", "answered": true, "open": false,
     "team": "route-returns-admin", "held": true, "tags": ["refunded"]}

``made`` is the time from which the reply's dates are computed.  ``orders`` are keyed ids,
``digests`` are digests of the facts behind each sentence, so that the reply can be rendered again
and compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.content_versions import content_versions
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.intents.departments import RISK_TAG
from chalicelib.support.replies.answering import ASK_TEMPLATE, ReplyVerdict
from chalicelib.support.tickets import Ticket

Record = Mapping[str, Any]
"""A decision as it is stored."""
ANSWER, ASK, PERSON = "answer", "ask", "person"
MOST_DECISIONS = 4
"""Most decisions of one ticket that are kept; those that would not have answered are dropped first."""
MOST_TAGS = 30
_CODE = re.compile(r"(?!.*\d{5})[a-z0-9][a-z0-9:_.-]{0,59}", re.IGNORECASE)
_OTHER_TAG = "other"
_OURS = "mw-"
_RISK = RISK_TAG.format("")
_ROUTE = "route-"


def plan_facts(verdict: ReplyVerdict, ticket: Ticket | None, now: datetime) -> dict[str, Any]:
    """What a plan stores about a decision in shadow (judged, not sent), in addition to the decision.

    It is the template that would be sent, its orders, the digests of its facts, and the ticket's
    tags.  The result is empty if the decision was not made in shadow.
    """
    would = verdict.would
    if would is None or ticket is None:
        return {}
    kept = {
        "would": would.template_id,
        "orders": list(would.orders),
        "digests": list(would.digests),
        "tags": tag_codes(ticket.tags),
    }
    given = {name: value for name, value in kept.items() if value}
    return {"made": iso(now), "versions": content_versions(), **given}


def decision_of_plan(event_key: str, facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """The decision of a stored plan, in the form in which table B keeps it.

    None if it was not made in shadow (judged, not sent).
    """
    if "made" not in facts:
        return None
    template = facts.get("would")
    kept = {
        "risks": facts.get("risk"),
        "template": template,
        **{name: facts.get(name) for name in ("orders", "digests", "tags", "settings")},
    }
    return {
        "event": event_key,
        "at": facts["at"],
        "made": facts["made"],
        "decision": {None: PERSON, ASK_TEMPLATE: ASK}.get(template, ANSWER),
        "intent": facts["intent"],
        "team": facts["route"],
        "reasons": list(facts.get("reasons", ())),
        **facts["versions"],
        **{name: value for name, value in kept.items() if value},
    }


def with_decision(known: Sequence[Record], decided: Record) -> list[Record]:
    """A ticket's stored decisions with one more, which replaces an earlier one of the same event.

    At most `MOST_DECISIONS` are kept; the oldest that left the ticket to a person are dropped
    first.
    """
    found = [*(decision for decision in known if decision["event"] != decided["event"]), decided]
    while len(found) > MOST_DECISIONS:
        others = [n for n, decision in enumerate(found[:-1]) if decision["decision"] == PERSON]
        del found[others[0] if others else 0]
    return found


def decision_to_follow(decisions: Sequence[Record]) -> Record | None:
    """The decision to compare with what people did: the last that would have answered or asked.

    If none would have, it is the last one; None where there is no decision.
    """
    answers = [decision for decision in decisions if decision["decision"] != PERSON]
    found = answers or decisions
    return found[-1] if found else None


def done_since(
    ticket: Ticket, decided: Record, rules: Rules, *, bot: str | None, now: datetime
) -> dict[str, Any]:
    """What people have done with a ticket since a decision on it: answered, closed, moved, tagged.

    Args:
        ticket: the ticket as it is now.
        decided: the decision, as table B keeps it.
        rules: the settings, which name the departments.
        bot: the author id of automatic answers, which are not people's; None where none is set.
        now: when the ticket was read.
    """
    since = parsed(decided["at"])
    answered = any(
        comment.is_operator
        and comment.is_public
        and comment.author_id not in (None, bot)
        and comment.created_at is not None
        and since is not None
        and comment.created_at > since
        for comment in ticket.comments
    )
    theirs = {tag for tag in ticket.tags if not _is_ours(tag, decided)}
    new = set(tag_codes(theirs)) - set(decided.get("tags", ()))
    return {
        "event": decided["event"],
        "read": iso(now),
        "answered": answered,
        "open": ticket.is_open,
        "team": rules.current_department(ticket.tags, ticket.assigned_to),
        "held": bool(ticket.assigned_to - rules.assignees),
        "tags": sorted(new),
    }


def tag_codes(tags: AbstractSet[str]) -> list[str]:
    """The tags in a form that may be stored: one that could name a person or an order becomes `other`.

    At most `MOST_TAGS` are kept.
    """
    found = {tag if _CODE.fullmatch(tag) else _OTHER_TAG for tag in tags}
    return sorted(found)[:MOST_TAGS]


def _is_ours(tag: str, decided: Record) -> bool:
    """Whether our software set a tag, and not a person.

    A tag for a risk that the decision did not see counts as a person's.
    """
    if tag.startswith(_RISK):
        return tag.removeprefix(_RISK) in decided.get("risks", ())
    return tag.startswith((_OURS, _ROUTE)) or tag == ATTENTION_TAG
