"""Speed and automation over time: what the functions' own metric records say, drawn and as a table."""

import pytest

from console.pages import charts
from ops.inspect import automation
from tests.house.test_watching import emitted
from tests.rigs.console import words_of
from tests.rigs.days_life import counted


@pytest.fixture
def measured(console):
    """Two weeks of answers."""
    clock = console.services.clock
    clock.forward(-7 * 24 * 3600)
    counted(console, "mw.support.messages", 5, answer="none")
    clock.forward(7 * 24 * 3600)
    counted(console, "mw.support.messages", 3, answer="automatic")
    counted(console, "mw.support.messages", 9, answer="none")
    counted(console, "mw.support.after_answer", 1, outcome="wrote_again")
    counted(console, "mw.support.after_answer", 1, outcome="complained")
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
    for _ in range(2):
        measured.services.clock.forward(7 * 24 * 3600)
        counted(measured, "mw.support.messages", 4, answer="automatic")
    jo = measured.browser("jo")
    assert 'hx-get="/charts/overview" hx-trigger="load"' in jo.get("/").text
    answer = jo.get("/charts/overview")
    assert answer.text.count('<svg class="chart"') == 1, "nothing else was measured"
    said = words_of(answer)
    assert "25 66.7 33.3 12 3 2 1" in said
    assert "Nothing was measured yet of: Effects by outcome; Time to effect." in said


def test_a_few_figures_are_a_sentence_and_a_table_and_no_picture(measured):
    answer = measured.browser("jo").get("/charts/overview")
    assert '<svg class="chart"' not in answer.text
    assert "<details open>" in answer.text
    said = words_of(answer)
    assert "Measured 2 times so far: too little for a picture." in said
    assert "25 66.7 33.3 12 3 2 1" in said
    assert answer.text.count("<tbody>\n<tr>") == 1
    assert answer.text.count("<tr><td><time") == 2, "rows without a figure are left out"


def test_every_chart_reads_a_metric_under_dimensions_that_it_is_written_with(console):
    wanted = [query for *_, queries in charts._groups(console.session) for query in queries]
    found = emitted()
    for query in [*wanted, *automation._COUNTS]:
        if query.namespace is None:
            assert frozenset({"stage", *query.dimensions}) in found[query.metric], query
