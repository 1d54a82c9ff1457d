"""Calculates the dollars of events by cause: of one event of a kind, and of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from chalicelib.outreach.spending.model_catalogue import ModelCatalogue
from chalicelib.vendors.language_model import Usage
from ops.cost import assumptions
from ops.cost.assumptions import FunctionSize
from ops.cost.event_kinds import COLD_START, EventCount, counted
from ops.cost.prices import prices, unit_price


class CostCause(StrEnum):
    """What a bill charges for."""

    REQUESTS = "requests"
    """Requests at the gateway, invocations of functions, and requests to queues."""
    UNITS = "units"
    """DynamoDB's read and write units."""
    COMPUTING = "computing"
    """The functions' time and memory."""
    LOGS = "logs"
    METRICS = "metrics"
    """The part of the log that carries metrics; the price of storing metrics does not depend on events."""
    TRACES = "traces"
    MODEL = "model"
    CARRIER = "carrier"


class Gateway(StrEnum):
    """The kind of API in front of the functions; each kind has its own price."""

    REST_API = "rest_api"
    HTTP_API = "http_api"


Dollars = Mapping[CostCause, float]
AWS = tuple(cause for cause in CostCause if cause not in (CostCause.MODEL, CostCause.CARRIER))
"""The causes that are on AWS's bill."""

ROUTED = "routed event"
GB = 1e9
"""The bytes of a gigabyte, as CloudWatch's price is read here; with 2^30 a log would cost 7 % less."""
UNITS_OF_ACTION = 3.0
"""Write units that one more action takes, as `tests/house/test_counts.py` bounds them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a stage is billed.

    Attributes:
        is_traced: X-Ray records each invocation.
        month_requests: the gateway's requests in a month, which decide the tier; 0 for the first tier.
        door, worker: the functions' sizes; None for the deployed ones.
    """

    gateway: Gateway = Gateway.REST_API
    is_traced: bool = False
    month_requests: float = 0.0
    door: FunctionSize | None = None
    worker: FunctionSize | None = None

    @property
    def sizes(self) -> tuple[FunctionSize, FunctionSize]:
        """The sizes of the door and of the worker."""
        return (
            self.door or assumptions.deployed("api_handler"),
            self.worker or assumptions.deployed("worker"),
        )

    @property
    def of_request(self) -> float:
        """Dollars of a request at the gateway."""
        requests = self.month_requests
        if not requests:
            return unit_price(self.gateway)
        return prices()[self.gateway].month(requests) / requests


def of_event(count: EventCount, terms: Terms) -> Dollars:
    """Dollars of one event by cause, with those of its message's receipts."""
    if count.receipts:
        own, receipt = replace(count, receipts=0), counted()[count.receipt]
        return sum_of_bills(of_event(own, terms), times(of_event(receipt, terms), count.receipts))
    functions = count.functions
    platform = functions * assumptions.LAMBDA_LINES_BYTES
    return {
        CostCause.REQUESTS: count.doors * terms.of_request
        + count.notices * unit_price("sns_publishes")
        + functions * unit_price("lambda_requests")
        + count.queue_requests * unit_price("sqs_fifo"),
        CostCause.UNITS: count.writes * unit_price("dynamodb_writes")
        + count.reads * unit_price("dynamodb_reads"),
        CostCause.COMPUTING: _computing(count, terms),
        CostCause.LOGS: (count.log_bytes + platform) / GB * unit_price("log_gb"),
        CostCause.METRICS: count.metric_bytes / GB * unit_price("log_gb"),
        CostCause.TRACES: functions * unit_price("traces") if terms.is_traced else 0.0,
        CostCause.MODEL: count.model_calls * _of_model_call(),
        CostCause.CARRIER: sum(many * unit_price(price) for price, many in count.carrier.items()),
    }


def million(count: EventCount, terms: Terms) -> float:
    """Dollars of a million events on AWS's bill."""
    return total(of_event(count, terms), AWS) * 1e6


def gateway_requests(count: EventCount) -> int:
    """The requests at the gateway of one event and its receipts."""
    of_receipts = count.receipts and count.receipts * counted()[count.receipt].doors
    return count.doors + of_receipts


def each_kind(found: Iterable[EventCount]) -> Iterator[EventCount]:
    """Yield these kinds, a routed event with two actions, and the start of a container."""
    for count in found:
        yield count
        if count.name == ROUTED:
            yield with_actions(count, 2)
    yield COLD_START


def billed_seconds(count: EventCount, terms: Terms) -> tuple[float, float]:
    """The seconds billed at the door and in the worker; Lambda also bills the time that a function waits."""
    door, worker = terms.sizes
    at_door = (count.doors + count.notices) * door.own_seconds(assumptions.DOOR_VCPU_SECONDS)
    at_door += count.door_calls * assumptions.AWS_CALL_SECONDS
    waits = sum(many * assumptions.mean_seconds(name) for name, many in count.vendors.items())
    waits += count.model_calls * assumptions.mean_seconds("openai")
    working = count.jobs * worker.own_seconds(assumptions.VCPU_SECONDS)
    working += count.worker_calls * assumptions.AWS_CALL_SECONDS + waits
    return at_door, working + count.starts * assumptions.START_SECONDS


def _computing(count: EventCount, terms: Terms) -> float:
    """Dollars of the functions' time."""
    return sum(
        seconds * size.gigabytes * unit_price(f"lambda_{size.architecture}")
        for seconds, size in zip(billed_seconds(count, terms), terms.sizes, strict=True)
    )


def times(dollars: Dollars, many: float) -> Dollars:
    """The dollars of one, multiplied by a number, for each cause."""
    return {cause: usd * many for cause, usd in dollars.items()}


def sum_of_bills(*bills: Dollars) -> Dollars:
    """The sum of several bills, by cause."""
    summed: Counter[CostCause] = Counter()
    for bill in bills:
        summed.update(bill)
    return {cause: float(summed[cause]) for cause in CostCause}


def with_actions(count: EventCount, actions: int) -> EventCount:
    """The same event with another number of actions; its tags all go in one request to the vendor."""
    return replace(
        count,
        name=f"{count.name}, {actions} actions",
        actions=actions,
        writes=count.writes + UNITS_OF_ACTION * (actions - count.actions),
    )


def total(dollars: Dollars, causes: tuple[CostCause, ...] = tuple(CostCause)) -> float:
    """The sum over causes."""
    return sum(dollars.get(cause, 0.0) for cause in causes)


@cache
def _of_model_call() -> float:
    row = ModelCatalogue().find(assumptions.MODEL)
    if row is None:
        raise LookupError(assumptions.MODEL)
    used = Usage(
        input_tokens=assumptions.MODEL_INPUT_TOKENS,
        cached_tokens=assumptions.MODEL_CACHED_TOKENS,
        output_tokens=assumptions.MODEL_OUTPUT_TOKENS,
    )
    return row.cost(used) / 1e6
