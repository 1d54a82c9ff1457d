"""Every event that has a row is found by everything that somebody holds of it, whatever goes wrong."""

import pytest

from tests.simulation.finding import FindLooks
from tests.simulation.handoffs import with_handoffs
from tests.simulation.scenario import scenario
from tests.simulation.world import World

LONG = pytest.mark.long


KINDS = (scenario, with_handoffs)
SHORT = {(scenario, 9), (with_handoffs, 9), (with_handoffs, 40)}
"""The last one has answers to HELP."""


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        pytest.param(kind, seed, marks=() if (kind, seed) in SHORT else LONG)
        for kind in KINDS
        for seed in range(9, 50)
    ],
)
def test_an_event_with_a_row_is_found_by_everything_in_every_state(kind, seed):
    world = World(kind(seed))
    finding = FindLooks(world)
    world.run()
    finding.look()
    assert finding.wrong == []
    assert finding.tried
    assert finding.notations
    assert "processing" in finding.states
