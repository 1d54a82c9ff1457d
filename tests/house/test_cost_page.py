"""The pages on cost have the figures of the code, and name each goal that is missed."""

import pytest

from bench.report import cost_page
from ops.cost import bill
from ops.cost.bill import Gateway, Terms
from ops.cost.event_kinds import counted


@pytest.mark.parametrize("path", cost_page.pages(), ids=lambda path: path.name)
def test_a_page_has_the_figures_of_the_code(path):
    """If this fails, run `python -m bench.report.cost_page`."""
    assert path.read_text() == cost_page.pages()[path]


def row_of(begins):
    (row,) = [line for line in cost_page.PAGE.read_text().splitlines() if line.startswith(begins)]
    return row


def test_a_goal_that_is_missed_is_named_with_its_distance_behind_either_gateway():
    for actions, goal in cost_page.GOALS:
        row = row_of(f"| routed event, {actions} actions | {goal:g} |")
        for gateway in Gateway:
            gap = bill.million(cost_page.routed(actions), Terms(gateway)) - goal
            assert ("met" if gap <= 0 else f"missed by {gap:.1f}") in row


@pytest.mark.parametrize("kind", ["conversation started", "reply answered"])
def test_the_units_of_a_message_stand_beside_their_goal(kind):
    writes = counted()[f"{kind}, SMS"].writes
    row = row_of(f"| {kind}, SMS | 45 |")
    assert f"| {writes:g} |" in row
    assert ("met" if writes <= 45 else f"missed by {writes - 45:g}") in row


def test_the_fee_that_is_left_out_is_named_with_where_it_is_read():
    assert "Meta's fee" in cost_page.PAGE.read_text()
    assert "Meta's fee" in cost_page.BASIS.read_text()
