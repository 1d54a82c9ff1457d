"""Assumptions of the simulation that are no constants of the product: waits, vendors' limits, traffic.

Latencies and processor time are those of the bill (`ops/cost/assumptions.py`).  The traffic, and the calls
of other integrations at Richpanel, are one company's; every company should enter its own.
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
"""Seconds of an event besides its calls, on the function's share of a processor."""

HOP_SECONDS = 0.1
"""Seconds from the sender to the worker where nothing waits: gateway, door, queue, poll."""
LATER_SECONDS = 0.5
"""Delay that the queue `later` adds to a wait, with its function and the lane behind it."""
OTHERS_PER_30_S = 10
"""Calls at Richpanel that the tenant's other integrations make in 30 s, evenly spread."""
PER_MINUTE = {
    "tickets": Day(mean=6, swing=0.6),
    "outreach": Day(mean=15, swing=0.6),
    "email": Day(mean=8, swing=0.6),
    "facts": Day(mean=60, swing=0.6),
}
"""Events a minute on an ordinary day, by lane."""
