"""What the model assumes and the product does not state: waits, vendors' limits, traffic.

Latencies and processor time are those that the bill rests on (`ops/cost/assumptions.py`).  Richpanel's
other integrations and the traffic are one company's; every company should put in its own.
"""

from __future__ import annotations

from bench.load.traffic import Day
from ops.cost.assumptions import (
    AWS_CALL_SECONDS,
    LATENCY_SECONDS,
    LATENCY_SIGMA,
    VCPU_SECONDS,
    deployed,
)

__all__ = ["AWS_CALL_SECONDS", "LATENCY_SECONDS", "LATENCY_SIGMA"]

OWN_SECONDS = deployed("worker").own_seconds(VCPU_SECONDS)
"""Processor time of an event with its function's share of a processor, beside its calls."""

HOP_SECONDS = 0.1
"""From the sender to the worker where nothing waits: gateway, door, queue, poll."""
LATER_SECONDS = 0.5
"""How late the queue of short waits delivers, with its function and the lane behind it."""
OTHERS_PER_30_S = 10
"""Calls that the tenant's other integrations make, evenly spread."""
PER_MINUTE = {
    "tickets": Day(mean=6, swing=0.6),
    "outreach": Day(mean=15, swing=0.6),
    "email": Day(mean=8, swing=0.6),
    "facts": Day(mean=60, swing=0.6),
}
"""Events a minute on an ordinary day: a mean, and how far noon is above and midnight below it."""
