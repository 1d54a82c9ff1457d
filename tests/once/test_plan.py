"""Plans: the stored plan is the plan that runs, in every process."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once import plan as plans
from chalicelib.once.plan import Plan, PlannedAction

STORED = "z1:!)lMAp{^0o7&9vaV=GgjG3KUG*sO+|Ta=mx3e2L^!qU{@5^UCB4?aj(7p0bz7UdP|CZ^<O<{<?E00"
ACTIONS = st.builds(
    PlannedAction,
    kind=st.sampled_from(["add_tag", "remove_tag"]),
    arg=st.text(max_size=30),
    depends_on=st.lists(st.integers(0, 9), max_size=3).map(tuple),
    already=st.booleans(),
)
PLANS = st.builds(
    Plan,
    flow=st.just("support"),
    steps=st.lists(st.lists(ACTIONS, min_size=1, max_size=4).map(tuple), max_size=3).map(tuple),
    facts=st.dictionaries(st.sampled_from(["intent", "at"]), st.text(max_size=20)),
    lacks=st.sampled_from([None, "message_gone"]),
)


@given(PLANS)
def test_a_stored_plan_reads_back_as_it_was(plan):
    again = Plan.decode(plan.packed())
    assert again == plan
    assert again.hash == plan.hash


def test_a_plan_packed_by_this_release_is_read_by_every_later_one():
    """The stored form is fixed: a changed compression dictionary would leave events unreadable."""
    facts = {"at": "2026-11-21T06:03:50.075Z", "intent": "refund_request", "confidence": 0.8}
    plan = Plan("support", ((PlannedAction("add_tag", "route-returns-admin"),),), facts)

    assert Plan.decode(STORED) == plan


def test_a_plan_stays_small_enough_for_one_write_unit():
    """A row over 1 KB costs two units at every write; the plan is most of it."""
    tags = ("route-technical-support-team", "mw-intent-technical_support", "mw-routing-applied")
    plan = Plan("support", (tuple(PlannedAction("add_tag", tag) for tag in tags),))
    assert len(plan.packed()) < 120


def test_a_plan_of_another_version_is_rejected(monkeypatch):
    """F43: a deployment in the middle."""
    monkeypatch.setattr(plans, "PLAN_VERSION", 2)
    newer = Plan("support", ()).packed()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="version"):
        Plan.decode(newer)


@pytest.mark.parametrize("text", ["{}", Plan("support", ()).encode(), "z2:x", "z1:", "z1:nonsense"])
def test_a_text_that_is_no_plan_is_rejected(text):
    with pytest.raises(ValueError):
        Plan.decode(text)


def test_the_hash_changes_with_the_order_of_actions():
    first, second = PlannedAction("add_tag", "a"), PlannedAction("add_tag", "b")
    assert Plan("s", ((first, second),)).hash != Plan("s", ((second, first),)).hash
    assert json.loads(Plan("s", ((first,),)).encode())["steps"] == [[["add_tag", "a"]]]
