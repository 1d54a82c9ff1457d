"""The table of prices: every row has its source and date, and no other file has a price."""

from datetime import date

import pytest

from bench.load import assumptions as of_load
from bench.rig import cost
from ops.cost import assumptions
from ops.cost.prices import per_million, prices, unit_price


@pytest.mark.parametrize("price", prices().values(), ids=lambda known: known.name)
def test_a_price_names_its_page_and_the_day_on_which_it_was_read(price):
    assert price.source.startswith("https://")
    assert date(2026, 1, 1) < price.read <= date.today()  # noqa: DTZ011 - a day, not a time
    assert price.usd > 0


def test_tiers_of_a_month_are_charged_one_after_the_other():
    """The REST API's first 333 million cost $3.50 each, the next $2.80."""
    assert prices()["rest_api"].month(10e6) == pytest.approx(35.0)
    assert prices()["rest_api"].month(433e6) == pytest.approx(333 * 3.5 + 100 * 2.8)


def test_a_price_is_given_for_one_and_for_a_million():
    assert unit_price("ses_mail") == pytest.approx(0.0001)
    assert per_million("dynamodb_writes") == pytest.approx(0.625)


def test_the_bench_and_the_load_model_assume_what_the_bill_does():
    assert per_million("dynamodb_writes") == cost.WRITE_UNIT
    assert cost.CALL_SECONDS == of_load.AWS_CALL_SECONDS == assumptions.AWS_CALL_SECONDS
    assert of_load.LATENCY_SECONDS is assumptions.LATENCY_SECONDS
    worker = assumptions.deployed("worker")
    assert worker.own_seconds(assumptions.VCPU_SECONDS) == of_load.OWN_SECONDS
    assert worker.gigabytes == cost.MEMORY_GB


def test_tiers_are_shown_with_where_each_begins():
    assert prices()["rest_api"].shown == "3.5; from 333: 2.8; from 1,000: 2.38; from 20,000: 1.51"
    assert prices()["http_api"].shown == "1; from 300: 0.9"
    assert prices()["sqs_fifo"].shown == "0.5"


@pytest.mark.parametrize(
    ("name", "usd"),
    [
        ("dashboard_month", 3.0),
        ("composite_alarm_month", 0.5),
        ("traces_read", 0.5e-6),
        ("dynamodb_write_hour", 0.00065),
        ("dynamodb_read_hour", 0.00013),
        ("sns_publishes", 0.5e-6),
    ],
)
def test_what_is_charged_beside_events_has_a_price(name, usd):
    assert unit_price(name) == pytest.approx(usd)
