"""The load model: its targets, its calls beside the real system's, and the figures of the page."""

from collections import Counter
from pathlib import Path

import pytest

from bench.load import neighbours
from bench.load.__main__ import SHORT, figures
from bench.load.assumptions import PER_MINUTE
from bench.load.ceilings import ALARM_AT, by_richpanel, by_workers, ceilings
from bench.load.frame import framed
from bench.load.kinds import KINDS, LANES, ROUTED
from bench.load.scenarios import Load, quantiles, routed_per_minute, run, workers_of
from bench.load.traffic import Window
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from tests.house.test_counts import COUNTS
from tests.rigs.alarms import alarms

PAGE = Path(__file__).resolve().parents[2] / "docs" / "capacity-ceilings.md"
VENDOR_CALLS = {name: count for name, *_, count in COUNTS}
QUARTER = Window(43_200.0, 44_100.0)


@pytest.mark.long  # runs whole days and outages; the tests below run parts of an hour
def test_the_short_model_meets_every_target(capsys):
    missed = [figure.name for figure in figures(SHORT, seed=1) if not figure.is_met]

    assert missed == []
    printed = capsys.readouterr().out
    assert "richpanel out for 20 minutes" in printed
    assert "richpanel answers 429 for 20 minutes" in printed


def test_a_seed_gives_the_same_times_and_another_seed_others():
    def times(seed):
        return run(Load(QUARTER), seed=seed).times("tickets")

    assert times(1) == times(1) != times(2)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.measured_as], ids=lambda kind: kind.name
)
def test_an_event_makes_as_many_vendor_calls_as_in_the_real_system(kind):
    assert len(kind.calls) == VENDOR_CALLS[kind.measured_as]


def test_every_event_ends_once():
    outage = Window(QUARTER.begins, QUARTER.begins + 300)
    result = run(Load(QUARTER, outages={"richpanel": outage, "twilio": outage}), seed=3)
    for lane in LANES:
        groups = [job.group for job in result.jobs[lane]]
        assert len(groups) == len(set(groups)) > 0
        assert len(result.times(lane)) + result.dead(lane) == len(groups)
        assert all(job.begun == len(job.kind.calls) for job in result.jobs[lane])


@pytest.mark.parametrize("place", neighbours.PLACES, ids=lambda place: place.name)
def test_a_company_hardly_notices_neighbours_that_hang_and_would_without_shares(place):
    """Three of them, from their first call on."""
    guarded, bare = (
        neighbours.seconds_beside_neighbours(place, 3, is_guarded=is_guarded, seed=7)
        for is_guarded in (True, False)
    )
    assert quantiles(guarded)[1] <= 5
    assert quantiles(bare)[1] > 100


def test_the_model_notices_slots_that_lanes_share():
    """A ticket that waits for Richpanel takes none, but all lanes together need more than one."""
    crowd = ((QUARTER.begins, ROUTED, 300),)
    four, single = (
        run(Load(QUARTER, at_once=crowd, lambda_limit=limit), seed=1) for limit in (4, 1)
    )
    assert quantiles(four.times("facts"))[1] < 1 < quantiles(single.times("facts"))[1]


def test_the_vendors_limit_binds_also_where_our_share_does_not():
    """Others use most of the tenant's limit: the 429s cost far more than our own pace would."""
    alone = routed_per_minute(seed=1, others=0)
    assert routed_per_minute(seed=1, others=30) < alone * 0.6


def test_the_formula_and_the_model_agree_on_routed_tickets():
    whole = by_richpanel(ROUTED.calls_of("richpanel"), share=REQUESTS_PER_30_S)
    modelled = routed_per_minute(seed=1, share=REQUESTS_PER_30_S, others=0)
    assert modelled == pytest.approx(whole, rel=0.05)


def test_an_alarm_rings_at_seventy_per_cent_of_a_lanes_workers():
    for lane, name in {"tickets": "worker"}.items() | {
        (lane_name, lane_name) for lane_name in LANES[1:]
    }:
        alarm = alarms()[f"{name}-busy"]
        seconds = alarm["Period"] * workers_of(lane, "dev")
        assert alarm["Threshold"] == pytest.approx(ALARM_AT * seconds * 1_000)


def rings(lane, part):
    """Whether the lane's alarm rings in half an hour at this part of its ceiling."""
    span, alarm = Window(43_200.0, 45_000.0), alarms()[f"{lane}-busy"]
    rate = by_workers(lane) * part
    factor = rate / (60 * PER_MINUTE[lane].per_second(span.begins))
    load = Load(span, burst=span, factor=factor, lanes=(lane,))
    seconds = Counter()
    for ended, took in run(load, seed=1).invocations[lane]:
        seconds[int(ended // alarm["Period"])] += took
    share = workers_of(lane) / workers_of(lane, "dev")
    busy = [spent * 1_000 >= alarm["Threshold"] * share for _, spent in sorted(seconds.items())]
    periods = alarm["EvaluationPeriods"]
    return any(all(busy[at : at + periods]) for at in range(len(busy) - periods + 1))


@pytest.mark.parametrize("lane", ["outreach", "email", "facts"])
def test_the_alarm_before_a_lanes_ceiling_rings_near_it_and_not_at_half_of_it(lane):
    assert rings(lane, 0.85)
    assert not rings(lane, 0.5)


def test_the_page_shows_the_ceilings_as_they_are_computed():
    text = PAGE.read_text()
    for ceiling in ceilings():
        row = f"| {ceiling.lane} | {ceiling.per_minute:,.1f} | {ceiling.alarm_at:,.1f} | {ceiling.set_by} |"
        assert row in text, row


def test_tables_have_one_frame_with_numbers_to_the_right():
    rows = [("tickets", 12, 1.5), ("a longer name", 3, 1_234.0)]
    assert list(framed(("lane", "events", "p50"), rows)) == [
        "  lane           events       p50",
        "  tickets            12      1.50",
        "  a longer name       3  1,234.00",
    ]
