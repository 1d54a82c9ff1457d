"""Small worlds whole: the first thousands of states hold every promise, and a break is found."""

import pytest

from tests.simulation.breaks import BREAKS
from tests.simulation.explore import WORLDS, explore, replayed
from tests.simulation.small_world import SmallWorld

LONG = pytest.mark.long


@pytest.mark.parametrize("states", [400, pytest.param(2_000, marks=LONG)])
@pytest.mark.parametrize("name", WORLDS)
def test_every_promise_holds_in_the_first_states_of_a_small_world(name, states):
    found = explore(WORLDS[name], states=states)
    assert found.broken is None
    assert len(found.states) >= states
    assert found.complete >= 1


@LONG
def test_every_fault_is_met_at_some_call():
    found = explore(WORLDS["a step of two"], states=6_000)
    assert len(found.met) > 25


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("second look skipped", "a send"),
        pytest.param("second look skipped", "a step of two", marks=LONG),
        pytest.param("statement's error taken for success", "a step of two", marks=LONG),
    ],
)
def test_a_broken_core_is_found_and_its_schedule_is_short(name, world):
    (broken,) = (known for known in BREAKS if known.name == name)
    scenario = WORLDS[world]
    with broken.applied():
        found = explore(scenario, states=10_000)
        assert found.broken is not None
        deviations, _ = found.broken
        assert len(deviations) <= 2
        assert replayed(scenario, deviations)
    assert replayed(scenario, deviations) == []


def test_two_orders_of_independent_calls_lead_to_one_state():
    """Two workers, one of them asleep: who takes the next step first makes no difference."""
    prints = set()
    for order in (("go 0", "go 1"), ("go 1", "go 0")):
        world = SmallWorld(WORLDS["a step of two"])
        world.begin()
        for option in ("deliver", "go 0", "wait", "deliver", *order):
            assert option in world.options()
            world.take(option)
        prints.add(world.fingerprint())
    assert len(prints) == 1
