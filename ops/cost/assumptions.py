"""What no count says: how long calls and our own code take, and how long a message is.

The cost of an event and the load model (`bench/load`) rest on the same figures.  Latencies are medians of
a log-normal distribution; every company should put in its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ops.stage import config

LATENCY_SECONDS: Mapping[str, float] = {
    "richpanel": 0.3,
    "shopify": 0.3,
    "openai": 1.5,
    "moderation": 0.3,
    "twilio": 0.2,
    "ses": 0.1,
    "powerbi": 1.0,
}
LATENCY_SIGMA = 0.4
AWS_CALL_SECONDS = 0.008
"""Of one call, with our client's time: DynamoDB and SQS answer in single-digit milliseconds."""
WHOLE_PROCESSOR_MB = 1_769
"""https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html : at this much memory a function
has one processor; less memory has that share of it."""
VCPU_SECONDS = 0.05 * 512 / WHOLE_PROCESSOR_MB
"""Processor time of an event beside its calls, on a whole processor: 50 ms at 512 MB.  Measured: 12 ms of a
routed event (`python -m bench --only events`)."""
DOOR_VCPU_SECONDS = 0.001
"""The same of a request at a door; measured: 0.0008."""
LAMBDA_LINES_BYTES = 330
"""START, END and REPORT of an invocation."""
SCHEDULED_CALLS = 6
"""Of AWS, of a schedule's run that finds nothing; each reads half a unit."""
START_SECONDS = 1.0
"""Of a new container, as Lambda bills it: our modules and the clients of AWS (docs/cold-start.md)."""
RECEIPTS: Mapping[str, int] = {"WhatsApp": 3, "SMS": 3, "e-mail": 2}
"""Of each message, by the title of its channel: Twilio reports that a text was queued or sent, that it was
delivered, and of WhatsApp that it was read; SES that a mail was sent and that it was delivered."""

MODEL = "gpt-6-luna"
"""A row of `chalicelib/outreach/spending/models.toml`."""
MODEL_INPUT_TOKENS, MODEL_CACHED_TOKENS, MODEL_OUTPUT_TOKENS = 4_800, 0, 300
"""Of one message of a project that has filled its settings (`make eval`), nothing kept by the vendor."""


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """What a function is billed by.

    Attributes:
        memory_mb: its memory.
        architecture: ``x86_64`` or ``arm64``.
    """

    memory_mb: int
    architecture: str

    @property
    def gigabytes(self) -> float:
        """As Lambda counts them."""
        return self.memory_mb / 1024

    def own_seconds(self, vcpu_seconds: float) -> float:
        """How long processor time takes with this function's share of a processor."""
        return vcpu_seconds / min(1.0, self.memory_mb / WHOLE_PROCESSOR_MB)


@cache
def deployed(function: str) -> FunctionSize:
    """The size of a function, as `.chalice/config.json` deploys it."""
    return FunctionSize(*config.function_size(function))


def mean_seconds(vendor: str) -> float:
    """The mean of a vendor's latency, which the bill follows; more than the median."""
    return LATENCY_SECONDS[vendor] * math.exp(LATENCY_SIGMA**2 / 2)
