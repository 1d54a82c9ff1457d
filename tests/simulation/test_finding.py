"""Every event that has a row is found by everything that somebody holds of it, whatever goes wrong."""

import pytest

from tests.simulation.finding import FindLooks
from tests.simulation.handoffs import with_handoffs
from tests.simulation.scenario import scenario
from tests.simulation.world import World

LONG = pytest.mark.long


@pytest.mark.parametrize("kind", [scenario, with_handoffs])
@pytest.mark.parametrize("seed", [9, *(pytest.param(seed, marks=LONG) for seed in range(10, 50))])
def test_an_event_with_a_row_is_found_by_everything_in_every_state(kind, seed):
    world = World(kind(seed))
    finding = FindLooks(world)
    world.run()
    finding.look()
    assert finding.wrong == []
    assert finding.tried
    assert "processing" in finding.states
