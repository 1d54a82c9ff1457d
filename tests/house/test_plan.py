"""What breaks first as traffic grows: each figure by its own arithmetic, and the page has them."""

import pytest

from bench.load import plan
from bench.load.__main__ import main
from bench.report import plan_page
from ops.cost.bill import Gateway, Terms
from ops.cost.event_kinds import counted


def limit(words):
    (found,) = [limit for limit in plan.limits() if words in limit.what]
    return found


def test_the_page_has_the_figures_of_the_code():
    """If this fails, run `python -m bench.report.plan_page`."""
    assert plan_page.PAGE.read_text() == plan_page.page()


def test_a_senders_index_is_bound_by_the_units_that_one_reply_takes_in_it():
    """One partition of the index has 1,000 units a second, and all replies of a sender are in it."""
    of_reply = counted()["reply answered, SMS"].index_units
    units = of_reply["company-sms-number-recipient-tel-index"]
    found = limit("company-number index")
    assert found.most == pytest.approx(1_000 / units)
    assert 50 < found.most < 500


def test_the_limit_that_is_met_first_is_richpanels():
    factors = [limit.factor for limit in plan.limits()]
    assert factors == sorted(factors)
    assert plan.limits()[0].what.startswith("tickets")


def test_the_bill_grows_with_the_traffic_and_is_higher_behind_a_rest_api():
    rest, http = (sum(plan.dollars_a_month(1, Terms(gateway)).values()) for gateway in Gateway)
    ten = sum(plan.dollars_a_month(10, Terms(Gateway.HTTP_API)).values())
    assert http < rest
    assert ten == pytest.approx(10 * http)


def test_a_large_month_is_charged_by_the_gateways_tiers():
    """A thousand times has more than 333 million requests: each further one costs less."""
    large, small = (
        sum(plan.dollars_a_month(factor, Terms(Gateway.REST_API)).values()) for factor in (1000, 1)
    )
    assert large < 1_000 * small - 1_000


def test_provisioned_capacity_is_cheaper_from_29_percent_of_use_on():
    assert plan.break_even() == pytest.approx(0.2889, abs=0.0001)
    assert "28.9%" in plan_page.PAGE.read_text()


def test_the_command_prints_every_limit(capsys):
    assert main(["--plan"]) == 0
    printed = capsys.readouterr().out
    assert all(limit.what in printed for limit in plan.limits())
