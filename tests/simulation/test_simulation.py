"""The simulation itself: it replays bit for bit, holds on known seeds, and shrinks what fails."""

import pytest

from tests.simulation import shrink
from tests.simulation.denser import denser, stalled
from tests.simulation.dying import dying
from tests.simulation.handed import handed
from tests.simulation.scenario import scenario, tickets_alone
from tests.simulation.world import World

ONCE_RED = (7, 17, 25, 26, 45, 154, 181, 234, 523, 2010, 103541, 107536, 107958, 115989)
"""Seeds that each showed something wrong once, in the product or in the simulation."""


def told(world):
    return (
        world.trace,
        [str(v) for v in world.oracle.violations],
        sorted(map(repr, world.ledger.rows.values())),
        sorted(map(repr, world.facts.rows.values())),
        world.network.applied,
        world.happened,
        world.landed,
    )


@pytest.mark.parametrize("seed", [1, 17, 181])
def test_a_seed_replays_bit_for_bit(seed):
    first, second = (told(World(scenario(seed), trace=True).run()) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("seed", [1, 17, 181])
def test_a_denser_seed_replays_too_and_has_more_trouble_than_it_was_drawn_with(seed):
    first, second = (told(World(denser(seed), trace=True).run()) for _ in range(2))
    assert first == second
    drawn = scenario(seed)
    assert set(drawn.faults) <= set(denser(seed).faults)
    assert denser(seed) != drawn


@pytest.mark.parametrize("seed", ONCE_RED)
def test_every_promise_holds_on_a_seed_that_was_once_red(seed):
    assert World(tickets_alone(seed)).run().oracle.violations == []


def test_every_promise_holds_on_three_hundred_seeds():
    for seed in range(1_000, 1_300):
        assert World(scenario(seed)).run().oracle.violations == [], seed


def test_every_promise_holds_on_two_hundred_denser_seeds():
    for seed in range(1_000, 1_200):
        assert World(denser(seed)).run().oracle.violations == [], seed


@pytest.mark.parametrize("draw", [stalled, handed, dying])
def test_every_promise_holds_on_a_hundred_seeds_of_a_kind(draw):
    for seed in range(1_000, 1_100):
        assert World(draw(seed)).run().oracle.violations == [], seed


def test_a_seed_that_is_handed_over_replays_and_asks_persons():
    first, second = (told(World(handed(7), trace=True).run()) for _ in range(2))
    assert first == second
    assert (
        sum(
            any(
                "handoff_state" in row
                for row in World(handed(seed)).run().conversations.rows.values()
            )
            for seed in range(20)
        )
        > 5
    )


def test_a_seed_that_dies_replays_and_asks_persons_because_it_failed():
    first, second = (told(World(dying(7), trace=True).run()) for _ in range(2))
    assert first == second
    asked = sum(
        ":failed-" in key and row["status"] == "done"
        for seed in range(20)
        for (key,), row in World(dying(seed)).run().ledger.rows.items()
    )
    assert asked > 3


@pytest.mark.parametrize("seed", [1, 17, 181])
def test_a_seed_that_stalls_replays_too_and_stands_still_for_longer(seed):
    first, second = (told(World(stalled(seed), trace=True).run()) for _ in range(2))
    assert first == second
    longest = [fault.size for fault in stalled(seed).faults if fault.pauses]
    assert len(longest) > sum(fault.pauses for fault in denser(seed).faults)
    assert min(longest) >= 0.6


def test_what_fails_is_shrunk_to_what_it_takes():
    found = shrink.minimal(list(range(50)), lambda items: {7, 31} <= set(items))
    assert found == [7, 31]


def test_what_fails_without_any_fault_is_shrunk_to_nothing():
    assert shrink.minimal(list(range(9)), lambda items: True) == []
