"""Dollars by cause: of one event of a kind, and of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from chalicelib.outreach.spending.model_catalogue import ModelCatalogue
from chalicelib.vendors.language_model import Usage
from ops.cost import assumptions
from ops.cost.assumptions import FunctionSize
from ops.cost.event_kinds import EventCount
from ops.cost.prices import each


class CostCause(StrEnum):
    """What is paid for."""

    REQUESTS = "requests"
    """At the gateway, of functions, and to queues."""
    UNITS = "units"
    """DynamoDB's."""
    COMPUTING = "computing"
    """The functions' time and memory."""
    LOGS = "logs"
    METRICS = "metrics"
    """What they add to the log; what storing them costs does not depend on events."""
    TRACES = "traces"
    MODEL = "model"
    CARRIER = "carrier"


class Gateway(StrEnum):
    """What leads to the functions, by its price."""

    REST_API = "rest_api"
    HTTP_API = "http_api"


Dollars = Mapping[CostCause, float]
AWS = tuple(one for one in CostCause if one not in (CostCause.MODEL, CostCause.CARRIER))
"""The causes that are on AWS's bill."""

UNITS_OF_ACTION = 3.0
"""Write units that one more action takes, as `tests/house/test_counts.py` bounds them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a stage is billed.

    Attributes:
        is_traced: X-Ray records each invocation.
        door, worker: the functions' sizes; those that are deployed where None.
    """

    gateway: Gateway = Gateway.REST_API
    is_traced: bool = False
    door: FunctionSize | None = None
    worker: FunctionSize | None = None


def of_event(count: EventCount, terms: Terms) -> Dollars:
    """Dollars of one event, by cause."""
    functions = count.doors + 1
    platform = functions * assumptions.LAMBDA_LINES_BYTES
    return {
        CostCause.REQUESTS: count.doors * each(terms.gateway)
        + functions * each("lambda_requests")
        + count.queue_requests * each("sqs_fifo"),
        CostCause.UNITS: count.writes * each("dynamodb_writes")
        + count.reads * each("dynamodb_reads"),
        CostCause.COMPUTING: _computing(count, terms),
        CostCause.LOGS: (count.log_bytes + platform) / 1e9 * each("log_gb"),
        CostCause.METRICS: count.metric_bytes / 1e9 * each("log_gb"),
        CostCause.TRACES: functions * each("traces") if terms.is_traced else 0.0,
        CostCause.MODEL: count.model_calls * _of_model_call(),
        CostCause.CARRIER: sum(many * each(price) for price, many in count.carrier.items()),
    }


def _computing(count: EventCount, terms: Terms) -> float:
    """Dollars of the functions' time; a function is billed while it waits, too."""
    door = terms.door or assumptions.deployed("api_handler")
    worker = terms.worker or assumptions.deployed("worker")
    at_door = count.doors * door.own_seconds(assumptions.DOOR_VCPU_SECONDS)
    at_door += count.door_calls * assumptions.AWS_CALL_SECONDS
    waits = sum(many * assumptions.mean_seconds(name) for name, many in count.vendors.items())
    waits += count.model_calls * assumptions.mean_seconds("openai")
    working = worker.own_seconds(assumptions.VCPU_SECONDS)
    working += count.worker_calls * assumptions.AWS_CALL_SECONDS + waits
    return sum(
        seconds * size.gigabytes * each(f"lambda_{size.architecture}")
        for seconds, size in ((at_door, door), (working, worker))
    )


def times(dollars: Dollars, many: float) -> Dollars:
    """The dollars of so many."""
    return {cause: usd * many for cause, usd in dollars.items()}


def added(*bills: Dollars) -> Dollars:
    """The sum of several, by cause."""
    summed: Counter[CostCause] = Counter()
    for one in bills:
        summed.update(one)
    return {cause: float(summed[cause]) for cause in CostCause}


def with_actions(count: EventCount, actions: int) -> EventCount:
    """The same event with another number of tags, which all are one request of its vendor."""
    return replace(
        count,
        name=f"{count.name}, {actions} actions",
        actions=actions,
        writes=count.writes + UNITS_OF_ACTION * (actions - count.actions),
    )


def total(dollars: Dollars, causes: tuple[CostCause, ...] = tuple(CostCause)) -> float:
    """The sum over causes."""
    return sum(dollars.get(one, 0.0) for one in causes)


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
