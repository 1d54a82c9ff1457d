"""The plan of a decided ticket: its steps, its dependencies and its facts."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once.plan import Plan
from chalicelib.support.decision import Pending, decide_on
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.classify import PRIORITY, Classification
from chalicelib.support.replies.answering import ReplyVerdict
from chalicelib.support.routing import plan_for

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday


@given(
    st.sampled_from(sorted(PRIORITY)),
    st.frozensets(st.sampled_from(["route-a", "route-b", "mw-processed", "mw-auto-replied"])),
    st.booleans(),
    st.booleans(),
)
def test_a_plan_takes_at_most_three_writes_and_tags_a_reply_only_when_it_is_done(
    intent, tags, replies, closes
):
    verdict = ReplyVerdict(template_id="t_x" if replies else None, closes=closes)
    inquiry = Inquiry(text="secret words", at=NOW)
    plan = plan_for(decide_on(Classification(intent, 0.9)), inquiry, tags, verdict, floor=None)
    assert len(plan.steps) <= 3
    assert "secret words" not in plan.encode()
    assert Plan.decode(plan.packed()) == plan
    listed = list(plan.actions)
    for action in listed:
        if action.kind == "close" or action.arg in ("mw-auto-replied", "mw-reply-sent"):
            assert [listed[n].kind for n in action.depends_on] == ["reply"]
    assert [action.arg for action in listed][-1] == "mw-processed"


def test_a_plan_keeps_zero_values():
    """Nothing found and nothing asked are facts of a decision, not the lack of one."""
    decision = decide_on(
        Classification("unknown_other", 0.0), pending=Pending("order_status_tracking", 0)
    )
    unsure = decide_on(Classification("unknown_other", 0.0))
    inquiry = Inquiry(text="1001", at=NOW)
    facts = plan_for(decision, inquiry, frozenset(), ReplyVerdict(), floor=None).facts
    assert facts["pending"] == 0
    facts = plan_for(unsure, inquiry, frozenset(), ReplyVerdict(), floor=None).facts
    assert facts["confidence"] == 0
    assert facts.keys().isdisjoint({"pending", "waits", "risk", "template"})
