"""Tools in the simulation: every request reaches its company once, or a person; a break is noticed."""

from collections import Counter

import pytest

from tests.rigs.one_case import one_case
from tests.simulation.breaks import Edit
from tests.simulation.tool_schedules import with_tools
from tests.simulation.world import World

BREAKS = (
    (
        "a call that is recorded again has another id",
        Edit(
            "chalicelib.outreach.company_events.recorder:CompanyEvents.record",
            (("name, key),", "name, key + iso(self.clock.now())),"),),
        ),
        "called the tool for",
        240,
    ),
    (
        "a call is acknowledged and not recorded",
        Edit(
            "chalicelib.outreach.events.drafting:Drafting.plan_of_draft",
            (("step.step == CALL", "False"),),
        ),
        "neither its company nor a person has it",
        1,
    ),
    (
        "a confirmed tool is called without an answer",
        Edit(
            "chalicelib.outreach.tools.confirmation:Confirmation.confirmed_item",
            ((" and is_yes(said.text)", ""),),
        ),
        "calls of a tool after",
        24,
    ),
    (
        "a message that is no yes leaves the question open",
        Edit(
            "chalicelib.outreach.tools.confirmation:Confirmation.confirmed_item",
            (("return None", "return self.item()"),),
        ),
        "begins after more than a yes",
        21,
    ),
    (
        "a call whose confirmation is gone is made",
        Edit(
            "chalicelib.outreach.sending.tool_calls:ToolCalls._check",
            (("given is None or", "given is not None and"),),
        ),
        "begins after more than a yes",
        12,
    ),
    (
        "a call does not wait for what announces it",
        Edit(
            "chalicelib.outreach.events.drafting:Drafting.plan_of_draft",
            ((", depends_on=(0,)", ""),),
        ),
        "no carrier took what announces it",
        38,
    ),
)


def worlds(seeds):
    return (World(with_tools(seed)).run() for seed in seeds)


@pytest.mark.parametrize(
    ("seeds", "calls", "failures"),
    [(range(9, 13), 3, 10), pytest.param(range(1, 41), 11, 51, marks=pytest.mark.long)],
)
def test_every_promise_holds_and_tools_are_called_while_endpoints_fail(seeds, calls, failures):
    happened = Counter()
    for world in worlds(seeds):
        assert world.oracle.violations == [], world.scenario.seed
        happened += world.happened
    assert min(happened[fate] for fate in ("tool_called", "tool_acknowledged")) >= calls
    assert happened["endpoint_was_down"] >= failures


@one_case(
    ("edit", "saying", "since"),
    [broken[1:] for broken in BREAKS],
    ids=[broken[0] for broken in BREAKS],
)
def test_a_break_is_noticed(edit, saying, since):
    """`since`: the seed that notices it today."""
    with edit.applied():
        assert any(
            saying in violation.what
            for world in worlds(range(since, since + 200))
            for violation in world.oracle.violations
        )
