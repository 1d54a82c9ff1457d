"""Speed and automation over time: what the functions' own metric records say, drawn and as a table."""

import io

import pytest

from chalicelib.aws.logs import JsonLog
from console.pages import charts
from local.stack.emf import values_of
from ops.inspect import automation
from tests.house.test_watching import emitted
from tests.rigs.console import words_of


@pytest.fixture
def measured(console):
    """Two weeks of answers, as the functions write them."""
    clock, stream = console.services.clock, io.StringIO()
    log = JsonLog(clock, stage="dev", release="1", stream=stream)
    clock.forward(-7 * 24 * 3600)
    log.metric("mw.support.messages", 5, answer="none")
    clock.forward(7 * 24 * 3600)
    log.metric("mw.support.messages", 3, answer="automatic")
    log.metric("mw.support.messages", 9, answer="none")
    log.metric("mw.support.after_answer", outcome="wrote_again")
    log.metric("mw.support.after_answer", outcome="complained")
    for namespace, one in (
        pair for line in stream.getvalue().splitlines() for pair in values_of(line)
    ):
        console.services.client("cloudwatch").put_metric_data(Namespace=namespace, MetricData=[one])
    return console


def test_each_week_has_its_counts_and_the_shares_made_of_them(measured):
    counts, shares = automation.weeks(measured.session)
    assert len(counts.times) == automation.WEEKS
    newest = {name: values[-2:] for name, values in {**counts.values, **shares.values}.items()}
    assert newest == {
        "messages": [5, 12],
        "answered automatically": [None, 3],
        "wrote again": [None, 2],
        "complained": [None, 1],
        "answered automatically, %": [0, 25],
        "wrote again, % of answers": [None, 66.7],
        "complained, % of answers": [None, 33.3],
    }


def test_the_overview_leads_to_its_figures_which_are_drawn_and_a_table(measured):
    jo = measured.browser("jo")
    assert 'hx-get="/charts/overview" hx-trigger="load"' in jo.get("/").text
    answer = jo.get("/charts/overview")
    assert answer.text.count('<svg class="chart"') == 1, "nothing else was measured"
    said = words_of(answer)
    assert "25 66.7 33.3 12 3 2 1" in said


def test_every_chart_reads_a_metric_under_dimensions_that_it_is_written_with(console):
    wanted = [one for *_, queries in charts._groups(console.session) for one in queries]
    found = emitted()
    for one in [*wanted, *automation._COUNTS]:
        if one.namespace is None:
            assert frozenset({"stage", *one.dimensions}) in found[one.metric], one
