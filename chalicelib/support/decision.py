"""What a message is about, which team gets it, and how much may be automated; pure.

Thresholds: routing at 0.60 and more; from 0.50 the default team and ``mw-uncertain``; below that
``mw-needs-manual-triage``.  Tier 1 needs 0.60 and a margin of 0.10, tier 2 needs 0.70, a
deterministic match and no contradicting intent; tier 0 is never automated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.support import reasons as why
from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.intents.classify import DEFAULT_INTENT, TIER_0, Classification
from chalicelib.support.intents.departments import (
    RISK_FLAGS,
    RISK_ROUTES,
    RISK_TAG,
)
from chalicelib.support.intents.language import UNDERSTOOD, Language

UNCERTAIN_TAG = "mw-uncertain"
TRIAGE_TAG = "mw-needs-manual-triage"
ROUTE_FROM, UNCERTAIN_FROM = 0.60, 0.50
TIER_1_FROM, TIER_1_MARGIN = 0.60, 0.10
TIER_2_FROM = 0.70
PENDING_LASTS = timedelta(days=7)
"""How long an answer to our question for the order number is expected."""
MAX_ASKS = 2
NEEDS_NUMBER = "need_order_number"
"""The stored type of our question for the order number."""

UNDERSTOOD_FROM = 1.0
"""The share of a message that must be explained before it is answered automatically: all of it."""
REPEATED_COMPLAINT = why.REPEATED_COMPLAINT
LANGUAGE_TAG = "mw-language-{}"

FORCE_HUMAN = why.MODEL_FORCES_HUMAN
"""Stored reason: the model asks for a person, however certain the tables are."""

ORDER_STATUS_INTENTS = frozenset(
    {"order_status_tracking", "shipping_delay_not_shipped", "delivered_not_received"}
)


class Tier(StrEnum):
    """How much of the answer to a message may be automated: nothing, an acknowledgement, or all of it."""

    ESCALATION = "TIER_0_ESCALATION"
    SAFE_ASSIST = "TIER_1_SAFE_ASSIST"
    VERIFIED = "TIER_2_VERIFIED"


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that we asked in a conversation, and that the customer has not answered yet."""

    intent: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one message: its intent, department and tier; identifiers and codes, no text.

    Attributes:
        confidence: how sure the routing is, 0 to 1.
        route: the department that gets the message.
        tags: tags to add besides those for department and intent.
        may_answer: the message itself allows an automatic answer: sure enough, understood, without
            contradiction or escalation; the guard rails are checked afterwards.
        reasons: codes of what the decision rests on, in the order in which they were found.
        pending: our open question, if this message may answer it.
    """

    intent: str
    confidence: float
    route: str
    tier: Tier
    margin: float = 1.0
    secondary: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    risk_flags: frozenset[str] = frozenset()
    may_answer: bool = False
    reasons: tuple[str, ...] = ()
    language: Language = "unknown"
    pending: Pending | None = None

    @property
    def is_about_order_status(self) -> bool:
        """Whether the message's intent is a question that the shop's data about an order can answer."""
        return self.intent in ORDER_STATUS_INTENTS


def decide_on(
    found: Classification,
    *,
    current_route: str | None = None,
    pending: Pending | None = None,
    has_number: bool = False,
    reasons: tuple[str, ...] = (),
    risks: frozenset[str] = frozenset(),
    suspected: frozenset[str] = frozenset(),
    explained: float = 1.0,
    states_one_matter: bool = False,
    complains_again: bool = False,
    rules: Rules = BUILT_IN,
) -> Decision:
    """Decide on a classified message: its department, tier and tags, and whether it may be answered.

    Args:
        found: the classification by the tables, or by the model where it overrides them.
        current_route: the department that has the ticket; it keeps the ticket if the message has no
            clear intent.
        pending: our question that is still open.
        has_number: the message contains a possible order number.
        reasons: the reasons that came with `found`.
        risks: flags of grave matters in the message, beside those of its intents.
        suspected: flags of grave matters that are not certain: a message with one is not answered,
            and goes to the default team if that matter would have a team of its own.
        explained: the share of the message that is understood, 0 to 1.
        states_one_matter: the message states at most one matter, which is enough for an
            acknowledgement.
        complains_again: the message complains after an automatic answer was sent.
        rules: the settings, which name the departments.
    """
    if pending is not None and _is_answer(found):
        confidence = max(found.confidence, 0.9 if has_number else TIER_2_FROM)
        found = replace(
            found, intent=pending.intent, confidence=confidence, margin=1.0, secondary=()
        )
        reasons = (*reasons, why.ANSWERS_OUR_QUESTION)
    else:
        pending = None
    everything = (found.intent, *found.secondary)
    flags = risks | {RISK_FLAGS[intent] for intent in everything if intent in RISK_FLAGS}
    if complains_again:
        flags |= {REPEATED_COMPLAINT}
    route, tags = _route(found, current_route, flags, suspected - flags, rules)
    flags |= suspected
    tier = Tier.ESCALATION if flags else _tier(found.intent)
    may_answer, doubt = _may_answer(found, tier)
    if may_answer and found.language not in UNDERSTOOD:
        may_answer, doubt = False, why.LANGUAGE_NOT_SUPPORTED
    is_enough = states_one_matter and tier == Tier.SAFE_ASSIST
    if may_answer and explained < UNDERSTOOD_FROM and not is_enough:
        may_answer, doubt = False, why.NOT_UNDERSTOOD
    if may_answer and FORCE_HUMAN in reasons:
        may_answer, doubt = False, why.FORCE_HUMAN
    return Decision(
        intent=found.intent,
        confidence=found.confidence,
        route=route,
        tier=tier,
        margin=found.margin,
        secondary=found.secondary,
        tags=tags,
        risk_flags=frozenset(flags),
        may_answer=may_answer,
        reasons=(*reasons, doubt) if doubt else reasons,
        language=found.language,
        pending=pending,
    )


def pending_of(stored: Mapping[str, Any] | None, now: datetime) -> Pending | None:
    """The question of ours whose answer a conversation waits for, by its stored ``pending_flow``.

    Returns None if no question is stored, or one that has expired or is of an unknown type.
    """
    if not stored or stored.get("type") != NEEDS_NUMBER:
        return None
    asked = parsed(stored.get("requested_at"))
    if asked is None or now - asked > PENDING_LASTS:
        return None
    intent = stored.get("intent")
    known = intent if intent in ORDER_STATUS_INTENTS else "order_status_tracking"
    return Pending(intent=known, attempts=int(stored.get("attempts", 1)))


def _is_answer(found: Classification) -> bool:
    """Whether a message can be the answer to our question for the order number.

    It can if it asks about an order's status, or has no known intent.
    """
    return found.intent in ORDER_STATUS_INTENTS or found.intent == DEFAULT_INTENT


def _route(
    found: Classification,
    current: str | None,
    flags: frozenset[str],
    suspected: frozenset[str],
    rules: Rules,
) -> tuple[str, tuple[str, ...]]:
    """The department and tags for a message: by its gravest risk, else its language, else its intent."""
    risk_tags = tuple(RISK_TAG.format(flag) for flag in sorted(flags | suspected))
    leading = next((risk for risk in RISK_ROUTES if risk in flags), None)
    if leading is not None:
        intent = next(
            (known_intent for known_intent, flag in RISK_FLAGS.items() if flag == leading), None
        )
        return rules.department_of(intent) if intent else RISK_ROUTES[leading], risk_tags
    if suspected & RISK_ROUTES.keys():
        return rules.department_of(DEFAULT_INTENT), (*risk_tags, UNCERTAIN_TAG)
    team = rules.department_of_language(found.language)
    if found.language not in UNDERSTOOD:
        tags = (*risk_tags, LANGUAGE_TAG.format(found.language))
        return (
            (team, tags)
            if team
            else (current or rules.department_of(DEFAULT_INTENT), (*tags, TRIAGE_TAG))
        )
    if team is not None:
        return team, risk_tags
    team, tags = _route_of_intent(found, current, rules)
    return team, (*risk_tags, *tags)


def _route_of_intent(
    found: Classification, current: str | None, rules: Rules
) -> tuple[str, tuple[str, ...]]:
    has_no_intent = found.intent == DEFAULT_INTENT
    if has_no_intent and current is not None:
        return current, ()
    if found.confidence >= ROUTE_FROM:
        return rules.department_of(found.intent), ()
    tag = UNCERTAIN_TAG if found.confidence >= UNCERTAIN_FROM else TRIAGE_TAG
    return current or rules.department_of(DEFAULT_INTENT), (tag,)


def _tier(intent: str) -> Tier:
    if intent in TIER_0:
        return Tier.ESCALATION
    return Tier.VERIFIED if intent in ORDER_STATUS_INTENTS else Tier.SAFE_ASSIST


def _may_answer(found: Classification, tier: Tier) -> tuple[bool, str | None]:
    """Whether a message's intents may be answered: no escalation, no contradiction, thresholds met.

    The second value is the reason why not, or None.
    """
    if tier == Tier.ESCALATION or any(intent in TIER_0 for intent in found.secondary):
        return False, why.ESCALATION
    if found.is_contradicted:
        return False, why.CONFLICTING_INTENT
    if tier == Tier.VERIFIED:
        return (True, None) if found.confidence >= TIER_2_FROM else (False, why.LOW_CONFIDENCE)
    if found.confidence < TIER_1_FROM or found.margin < TIER_1_MARGIN:
        return False, why.LOW_CONFIDENCE
    return True, None
