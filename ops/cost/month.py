"""Calculates what a stage costs in a month of thirty days in which nothing arrives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chalicelib.once.lanes import LANES
from ops.cost import assumptions
from ops.cost.event_kinds import COUNTED
from ops.cost.prices import unit_price

RESOURCES = Path(__file__).parents[2] / ".chalice" / "resources.json"
DAYS = 30
POLLERS, LONG_POLL_SECONDS = 5, 20
"""The number of Lambda's connections to a quiet queue, and the seconds that each request waits."""
POLLS = POLLERS * DAYS * 86_400 / LONG_POLL_SECONDS
"""The long polls of one queue in a month."""
SCHEDULE_MINUTES = {"reconcile": 5, "post_facts": 1}
"""The minutes between two runs of each scheduled function of `app`."""


@dataclass(frozen=True, slots=True)
class MonthRow:
    """One kind of resource or work that costs money while nothing arrives.

    Attributes:
        what: the kind, in words.
        many: the number in the stage or in a month.
        usd: the dollars of all of them in a month.
    """

    what: str
    many: int
    usd: float


def rows() -> Sequence[MonthRow]:
    """A row for each kind."""
    types = [
        resource["Type"] for resource in json.loads(RESOURCES.read_text())["Resources"].values()
    ]
    alarms = types.count("AWS::CloudWatch::Alarm")
    composites = types.count("AWS::CloudWatch::CompositeAlarm")
    metrics = int(json.loads(COUNTED.read_text())["metrics"])
    runs = sum(DAYS * 24 * 60 // minutes for minutes in SCHEDULE_MINUTES.values())
    return (
        MonthRow("alarms", alarms, alarms * unit_price("alarm_month")),
        MonthRow("composite alarms", composites, composites * unit_price("composite_alarm_month")),
        MonthRow(
            "metrics, where each kind of event ends well",
            metrics,
            metrics * unit_price("metric_month"),
        ),
        MonthRow("queues, each asked by long polls", len(LANES) + 1, queues()),
        MonthRow("runs of schedules", runs, runs * _of_run()),
        MonthRow("dashboard", 1, unit_price("dashboard_month")),
        MonthRow("a secret, of each system that is used", 1, unit_price("secret_month")),
    )


def total() -> float:
    """The dollars of all kinds in a month."""
    return sum(row.usd for row in rows())


def queues() -> float:
    """The dollars of the long polls: of the lanes' FIFO queues and of the queue `later`."""
    return POLLS * (len(LANES) * unit_price("sqs_fifo") + unit_price("sqs_standard"))


def _of_run() -> float:
    """The dollars of one run of a schedule that finds nothing to do."""
    size = assumptions.deployed("reconcile")
    seconds = size.own_seconds(assumptions.VCPU_SECONDS)
    seconds += assumptions.SCHEDULED_CALLS * assumptions.AWS_CALL_SECONDS
    return (
        unit_price("lambda_requests")
        + seconds * size.gigabytes * unit_price(f"lambda_{size.architecture}")
        + assumptions.SCHEDULED_CALLS / 2 * unit_price("dynamodb_reads")
        + assumptions.LAMBDA_LINES_BYTES / 1e9 * unit_price("log_gb")
    )
