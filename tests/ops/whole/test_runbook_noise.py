"""A vendor's outage rings once: the declared alarms over the metrics that the whole system wrote."""

import pytest

from tests.rigs.alarm_states import Metrics, in_alarm, rings
from tests.simulation.fixed_schedules import schedule
from tests.simulation.measured import MeasuredWorld
from tests.simulation.scenario import Post

HOURS = 5 * 3_600.0
BEGINS = 3_600.0
OUTAGE = (BEGINS, BEGINS + 7_200.0)
TICKS = tuple(300.0 * n for n in range(int(HOURS // 300)))
REFUND = "i want a refund"


def posts(every):
    return tuple(
        Post(every * n, f"s{n}", "c0", REFUND, "id", is_copy=False)
        for n in range(int(HOURS // every))
    )


def measured(**changes):
    world = MeasuredWorld(schedule(ticks=TICKS, **changes), seconds=HOURS)
    return world.run().metrics


FOUR_TIMES_AS_MANY = pytest.param(60.0, marks=pytest.mark.long)


@pytest.mark.parametrize("every", [240.0, FOUR_TIMES_AS_MANY])
def test_two_hours_without_richpanel_ring_once(every):
    metrics = measured(posts=posts(every), outage=OUTAGE)
    assert "reconcile-incomplete" in in_alarm(metrics, HOURS), "it would ring, too"
    ((name, at),) = rings(metrics, HOURS)
    assert name == "richpanel-down"
    assert at - BEGINS < 2_400


def test_failures_that_no_outage_explains_ring_after_five_minutes():
    metrics = Metrics()
    series = ("AWS/Lambda", "Errors", frozenset({("FunctionName", "rp-mw-dev-worker")}))
    for second in range(3_600, 7_200, 10):
        metrics.add(series, float(second), 1.0)
        metrics.add(
            ("rp-mw/dev", "mw.reconcile.requeued", frozenset({("stage", "dev")})), second, 0
        )
    ((name, at),) = [ring for ring in rings(metrics, 7_200.0) if ring[0] != "reconcile-silent"]
    assert name == "worker-errors-alone"
    assert 300 <= at - 3_600 < 600
