"""Dollars of an event by cause, worked out by hand."""

from dataclasses import replace

import pytest

from ops.cost import assumptions, bill
from ops.cost.assumptions import FunctionSize
from ops.cost.bill import CostCause, Gateway, Terms
from ops.cost.event_kinds import COLD_START, EventCount, counted

ONE = EventCount(
    "one",
    actions=1,
    door_calls=1,
    worker_calls=5,
    queue_requests=3,
    writes=10.0,
    reads=2.0,
    vendors={"twilio": 1},
    log_bytes=1_340,
    metric_bytes=1_000,
    carrier={"sms_out": 1, "sms_carrier_fee": 1},
    model_calls=1,
)
WHOLE = FunctionSize(1_769, "arm64")
"""One whole processor."""


def million(cause, terms=Terms(), count=ONE):  # noqa: B008 - frozen
    return bill.of_event(count, terms)[cause] * 1e6


def test_requests_are_those_of_the_gateway_the_functions_and_the_queue():
    assert million(CostCause.REQUESTS) == pytest.approx(3.5 + 2 * 0.2 + 3 * 0.5)
    http = Terms(Gateway.HTTP_API)
    assert million(CostCause.REQUESTS, http) == pytest.approx(1.0 + 2 * 0.2 + 3 * 0.5)


def test_units_are_write_and_read_units():
    assert million(CostCause.UNITS) == pytest.approx(10 * 0.625 + 2 * 0.125)


def test_a_function_is_billed_while_it_waits_for_a_vendor():
    terms = Terms(door=WHOLE, worker=WHOLE)
    seconds = assumptions.DOOR_VCPU_SECONDS + assumptions.VCPU_SECONDS
    seconds += 6 * assumptions.AWS_CALL_SECONDS
    seconds += assumptions.mean_seconds("twilio") + assumptions.mean_seconds("openai")
    assert million(CostCause.COMPUTING, terms) == pytest.approx(seconds * 1_769 / 1024 * 13.3334)


def test_half_the_memory_takes_our_own_code_twice_as_long_and_costs_half_while_it_waits():
    small, large = FunctionSize(512, "x86_64"), FunctionSize(1024, "x86_64")
    assert small.own_seconds(1.0) == pytest.approx(2 * large.own_seconds(1.0))
    assert FunctionSize(3_008, "x86_64").own_seconds(1.0) == 1.0
    assert million(CostCause.COMPUTING, Terms(worker=small)) < million(
        CostCause.COMPUTING, Terms(worker=large)
    )


def test_logs_have_lambdas_own_lines_and_metrics_are_beside_them():
    lines = 2 * assumptions.LAMBDA_LINES_BYTES
    assert million(CostCause.LOGS) == pytest.approx((1_340 + lines) * 0.5 / 1e3)
    assert million(CostCause.METRICS) == pytest.approx(0.5)


def test_traces_cost_five_dollars_a_million_for_each_function_where_a_stage_has_them():
    assert million(CostCause.TRACES) == 0.0
    assert million(CostCause.TRACES, Terms(is_traced=True)) == pytest.approx(10.0)


def test_carrier_and_model_are_on_other_bills_than_aws():
    assert million(CostCause.CARRIER) == pytest.approx(11_800)
    tokens = assumptions.MODEL_INPUT_TOKENS, assumptions.MODEL_OUTPUT_TOKENS
    assert million(CostCause.MODEL) == pytest.approx(tokens[0] * 0.1 + tokens[1] * 0.5, rel=0.01)
    dollars = bill.of_event(ONE, Terms())
    aws = bill.total(dollars) - dollars[CostCause.CARRIER] - dollars[CostCause.MODEL]
    assert bill.total(dollars, bill.AWS) == pytest.approx(aws)


def test_an_event_of_fewer_actions_has_three_units_less_for_each():
    two = bill.with_actions(EventCount("routed", actions=5, writes=20.0), 2)
    assert (two.name, two.actions, two.writes) == ("routed, 2 actions", 2, 11.0)


def test_bills_are_added_by_cause():
    dollars = bill.of_event(ONE, Terms())
    thrice = bill.sum_of_bills(dollars, bill.times(dollars, 2))
    assert thrice == pytest.approx({cause: 3 * dollars[cause] for cause in CostCause})


def test_a_message_has_the_receipts_that_its_carrier_sends_in_its_bill():
    start = counted()["conversation started, SMS"]
    receipt = counted()[start.receipt]
    assert start.receipts == 3
    alone = bill.of_event(replace(start, receipts=0), Terms())
    beside = bill.of_event(receipt, Terms())
    for cause, usd in bill.of_event(start, Terms()).items():
        assert usd == pytest.approx(alone[cause] + 3 * beside[cause])
    assert 3 * beside[CostCause.REQUESTS] * 1e6 == pytest.approx(3 * (3.5 + 0.4 + 1.5))
    assert bill.gateway_requests(start) == 4


def test_a_notification_of_ses_passes_no_gateway():
    mail = EventCount("mail", doors=0, notices=1, queue_requests=3)
    assert million(CostCause.REQUESTS, count=mail) == pytest.approx(0.5 + 2 * 0.2 + 3 * 0.5)
    assert bill.of_event(mail, Terms()) == bill.of_event(mail, Terms(Gateway.HTTP_API))


def test_a_refused_request_has_neither_a_queue_nor_a_worker():
    refused = counted()["refused request"]
    assert million(CostCause.REQUESTS, count=refused) == pytest.approx(3.5 + 0.2)
    assert million(CostCause.UNITS, count=refused) == 0


def test_the_start_of_a_container_is_billed_like_a_job():
    seconds, worker = assumptions.START_SECONDS, assumptions.deployed("worker")
    price = {"x86_64": 16.6667, "arm64": 13.3334}[worker.architecture]
    assert million(CostCause.COMPUTING, count=COLD_START) == pytest.approx(
        seconds * worker.gigabytes * price
    )
    assert bill.of_event(COLD_START, Terms())[CostCause.REQUESTS] == 0


def test_a_months_requests_are_charged_by_the_gateways_tiers():
    """The first 333 million at $3.50, the next at $2.80."""
    many = Terms(month_requests=666e6)
    single = EventCount("one", jobs=0)
    assert million(CostCause.REQUESTS, many, single) == pytest.approx((3.5 + 2.8) / 2 + 0.2)
