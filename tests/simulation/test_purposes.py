"""Every purpose of a message, and the call of a tool, occurs in a few seeds of the usual kinds."""

from collections import Counter

from tests.simulation.handoffs import with_handoffs
from tests.simulation.purposes import CALLED, PURPOSES
from tests.simulation.scenario import scenario
from tests.simulation.tool_schedules import with_tools
from tests.simulation.world import World

SEEDS = (
    *((scenario, seed) for seed in range(92, 100)),
    *((with_handoffs, seed) for seed in range(1, 14)),
    *((with_tools, seed) for seed in range(1, 21)),
)


def test_every_purpose_and_a_tools_call_occur():
    found = Counter()
    for draw, seed in SEEDS:
        world = World(draw(seed)).run()
        assert world.oracle.violations == [], (draw.__name__, seed)
        found += world.happened
    assert {purpose for purpose in (*PURPOSES, CALLED) if not found[purpose]} == set()
