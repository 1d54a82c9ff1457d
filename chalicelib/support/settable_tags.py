"""Every tag that a plan can set, found by planning every decision with every outcome of its reply."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.decision import (
    REPEATED_COMPLAINT,
    ROUTE_FROM,
    TIER_2_FROM,
    UNCERTAIN_FROM,
    Decision,
    decide_on,
)
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.classify import DEFAULT_INTENT, Classification
from chalicelib.support.intents.departments import RISK_ROUTES, ROUTES
from chalicelib.support.intents.language import UNDERSTOOD, languages
from chalicelib.support.intents.risks import RISKS
from chalicelib.support.orders.order_answers import LOOKUP_MISSING
from chalicelib.support.replies import guard_rails
from chalicelib.support.replies.answering import ASK_TEMPLATE, ReplyVerdict
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.support.routing import plan_for

_ANY_TIME = datetime(2026, 1, 5, tzinfo=UTC)


def every_tag(rules: Rules = BUILT_IN) -> frozenset[str]:
    """Every tag that a plan can set under these settings, and the tag of an event that failed."""
    found = {ATTENTION_TAG}
    for decision in _decisions(rules):
        for verdict in _verdicts(decision):
            inquiry = Inquiry("", _ANY_TIME, rules=rules)
            plan = plan_for(decision, inquiry, frozenset(), verdict, floor=None)
            found |= {action.arg for action in plan.actions if action.kind == "add_tag"}
    tags = (rules.tag_of(department) for department in rules.departments)
    return frozenset(found | {tag for tag in tags if tag is not None})


def _decisions(rules: Rules) -> Iterator[Decision]:
    """Example decisions from which every tag can follow.

    There is one for every intent at each threshold of confidence and at 0, one for every risk, and
    one for every language without answers.
    """
    for intent in ROUTES:
        for confidence in (TIER_2_FROM, ROUTE_FROM, UNCERTAIN_FROM, 0.0):
            yield decide_on(Classification(intent, confidence), rules=rules)
    for risk in (*RISK_ROUTES, *RISKS, REPEATED_COMPLAINT):
        yield decide_on(Classification(DEFAULT_INTENT, 0.0), risks=frozenset({risk}), rules=rules)
    for language in languages() - UNDERSTOOD:
        yield decide_on(Classification(DEFAULT_INTENT, 0.0, language=language), rules=rules)


def _verdicts(decision: Decision) -> Iterator[ReplyVerdict]:
    """Verdicts that between them set every tag: no reply, each template's reply, each kind of refusal."""
    yield ReplyVerdict()
    for template in CATALOGUE:
        yield ReplyVerdict(template_id=template, asks=template == ASK_TEMPLATE, closes=True)
    for refusal in guard_rails.every_refusal(decision, LOOKUP_MISSING):
        yield ReplyVerdict(tags=refusal.tags, reasons=(refusal.reason,))
