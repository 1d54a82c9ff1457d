"""What the model assumes and the product does not state: latencies, vendors' limits, traffic.

Latencies are medians of a log-normal distribution.  Richpanel's other integrations and the traffic
are one company's; every company should put in its own.
"""

from __future__ import annotations

from bench.load.traffic import Day

LATENCY_SECONDS = {
    "richpanel": 0.3,
    "shopify": 0.3,
    "openai": 1.5,
    "twilio": 0.2,
    "ses": 0.1,
    "powerbi": 1.0,
}
LATENCY_SIGMA = 0.4
AWS_CALL_SECONDS = 0.008
OWN_SECONDS = 0.05
"""Processor time of an event at 512 MB, beside its calls."""
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
