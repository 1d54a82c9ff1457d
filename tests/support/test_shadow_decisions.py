"""A decision made in shadow as it is kept, and what people did since: tag_codes and no text."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.support.configuration.applied import BUILT_IN
from chalicelib.support.content_versions import content_versions
from chalicelib.support.replies.answering import ReplyVerdict
from chalicelib.support.shadow_decisions import (
    MOST_DECISIONS,
    decision_of_plan,
    decision_to_follow,
    done_since,
    plan_facts,
    tag_codes,
    with_decision,
)
from chalicelib.support.tickets import Comment, Ticket

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
ROUTE = "route-email-support-team"
TICKET = Ticket("1042", "OPEN", frozenset({"vip"}), ())
DECIDED = {
    "event": "evt:rp:1042:c-1",
    "at": "2026-11-20T12:00:00.000Z",
    "decision": "answer",
    "team": ROUTE,
    "tags": ["vip"],
}
FACTS = {"intent": "order_status_tracking", "route": ROUTE, "at": DECIDED["at"], "reasons": ["x"]}


def done(**changes):
    return done_since(replace(TICKET, **changes), DECIDED, BUILT_IN, bot="bot-1", now=LATER)


@pytest.mark.parametrize(
    ("template", "decision"),
    [
        (None, "person"),
        ("t_order_status_ask_order_number", "ask"),
        ("t_order_status_verified", "answer"),
    ],
)
def test_a_plan_holds_what_table_b_keeps(template, decision):
    would = ReplyVerdict(template_id=template, text="Hello Ada", digests=("d1",), orders=("o1",))
    kept = plan_facts(ReplyVerdict(reasons=("shadow",), would=would), TICKET, LATER)
    found = decision_of_plan(DECIDED["event"], FACTS | kept)
    assert (found["decision"], found["made"]) == (decision, "2026-11-20T13:00:00.000Z")
    assert (found["digests"], found["orders"], found["tags"]) == (["d1"], ["o1"], ["vip"])
    assert content_versions().items() <= found.items()
    assert "Ada" not in str(found)


def test_a_plan_outside_shadow_keeps_nothing_more():
    assert plan_facts(ReplyVerdict(), TICKET, NOON) == {}
    assert decision_of_plan(DECIDED["event"], FACTS) is None


def test_an_event_is_kept_once_and_answers_longer_than_other_decisions():
    first = DECIDED
    found = with_decision(with_decision([], first), {**first, "team": "route-sales-team"})
    assert [decision["team"] for decision in found] == ["route-sales-team"]
    for number in range(2, 9):
        found = with_decision(found, {**first, "event": f"evt:{number}", "decision": "person"})
    assert found[0]["event"] == first["event"]
    assert found[-1]["event"] == "evt:8"
    assert len(found) == MOST_DECISIONS
    assert decision_to_follow(found)["event"] == first["event"]
    assert decision_to_follow(found[1:])["event"] == "evt:8"
    assert decision_to_follow([]) is None


@pytest.mark.parametrize(
    ("comment", "answered"),
    [
        (Comment("c-2", True, "words", LATER, "agent-7"), True),
        (Comment("c-2", True, "words", LATER, "bot-1"), False),
        (Comment("c-2", True, "words", LATER, None), False),
        (Comment("c-2", True, "words", LATER, "agent-7", is_public=False), False),
        (Comment("c-2", True, "words", NOON - timedelta(1), "agent-7"), False),
        (Comment("c-2", False, "words", LATER, "customer"), False),
    ],
)
def test_only_a_persons_public_comment_since_then_is_an_answer(comment, answered):
    assert done(comments=(comment,))["answered"] is answered


def test_tags_of_people_are_told_from_ours():
    tags = {"vip", "refunded", "mw-processed", "mw-risk-legal_threat", "route-sales-team"}
    found = done(tags=frozenset(tags), status="CLOSED", assigned_to=frozenset({"agent-7"}))
    assert found["tags"] == ["mw-risk-legal_threat", "refunded"]
    assert (found["team"], found["open"], found["held"]) == ("route-sales-team", False, True)
    seen = {**DECIDED, "risks": ["legal_threat"]}
    again = done_since(
        replace(TICKET, tags=frozenset(tags)), seen, BUILT_IN, bot="bot-1", now=LATER
    )
    assert again["tags"] == ["refunded"]


@pytest.mark.parametrize(
    "tag", ["jo@example.com", "Ada Lovelace", "15550100001", "order 1001", "é", "x" * 61, ""]
)
def test_a_tag_that_may_name_somebody_is_kept_as_other(tag):
    assert tag_codes({tag}) == ["other"]
    assert tag_codes({"VIP-2", "b2b:gold"}) == ["VIP-2", "b2b:gold"]
