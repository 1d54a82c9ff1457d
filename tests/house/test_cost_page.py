"""docs/cost.md has the figures of the code, and names each goal that is missed."""

from bench.report import cost_page
from ops.cost.bill import Gateway, Terms


def test_the_page_has_the_figures_of_the_code():
    """Else: `python -m bench.report.cost_page`."""
    assert cost_page.PAGE.read_text() == cost_page.page()


def test_a_goal_that_is_missed_is_named_with_its_distance():
    for name, goal in cost_page.GOALS:
        actions = int(name.split()[-2])
        figure = cost_page.million(cost_page.routed(actions), Terms(Gateway.HTTP_API))
        (row,) = [
            one
            for one in cost_page.PAGE.read_text().splitlines()
            if one.startswith(f"| {name} | {goal} |")
        ]
        assert ("met" in row) == (figure <= goal)
        assert figure <= goal or f"missed by {figure - goal:.1f}" in row
