"""Tools in the simulation: every request reaches its company once, or a person; a break is noticed."""

from collections import Counter

import pytest

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
    ),
    (
        "a call is acknowledged and not recorded",
        Edit(
            "chalicelib.outreach.conclusions:Conclusions.conclude",
            (('plan.facts.get("tool") == CALL', "False"),),
        ),
        "neither its company nor a person has it",
    ),
    (
        "a confirmed tool is called without an answer",
        Edit(
            "chalicelib.outreach.writing.tool_writer:ToolWriter._confirmed",
            (("or not is_yes(newest.content)", ""),),
        ),
        "calls of a tool for",
    ),
)


def worlds(seeds):
    return (World(with_tools(seed)).run() for seed in seeds)


def test_every_promise_holds_on_forty_seeds_and_tools_are_called_while_endpoints_fail():
    happened = Counter()
    for world in worlds(range(1, 41)):
        assert world.oracle.violations == [], world.scenario.seed
        happened += world.happened
    assert min(happened[one] for one in ("tool_called", "tool_acknowledged")) > 10
    assert happened["endpoint_was_down"] > 50


@pytest.mark.parametrize(("name", "edit", "saying"), BREAKS, ids=lambda one: str(one)[:50])
def test_a_break_is_noticed(name, edit, saying):
    with edit.applied():
        assert any(
            saying in violation.what
            for world in worlds(range(1, 200))
            for violation in world.oracle.violations
        ), name
