"""Assumed figures that nothing counts: the time of calls and of our own code, the length of a message.

The cost of an event and the load model (`bench/load`) use the same figures.  A latency is the median of a
log-normal distribution; a company should put in its own.
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
"""The time of one call with our client's part; DynamoDB and SQS answer in single-digit milliseconds."""
WHOLE_PROCESSOR_MB = 1_769
"""The memory with which a function has one whole processor; with less memory it has that share of one.
https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html"""
VCPU_SECONDS = 0.05 * 512 / WHOLE_PROCESSOR_MB
"""The time of a whole processor for an event, without its calls: 50 ms at 512 MB.  A routed event was
measured at 12 ms (`python -m bench --only events`)."""
DOOR_VCPU_SECONDS = 0.001
"""The time of a whole processor for a request at a door; measured: 0.0008."""
LAMBDA_LINES_BYTES = 330
"""The size of the lines START, END and REPORT, which Lambda writes for an invocation."""
SCHEDULED_CALLS = 6
"""The calls to AWS in a schedule's run that finds nothing to do; each reads half a unit."""
START_SECONDS = 1.0
"""The start of a new container as Lambda bills it: our imports and the AWS clients (docs/cold-start.md)."""
RECEIPTS: Mapping[str, int] = {"WhatsApp": 3, "SMS": 3, "e-mail": 2}
"""The receipts of one message, by the title of its channel.  Twilio reports that a text was queued or sent
and that it was delivered, and of WhatsApp that it was read.  SES reports that a mail was sent and that it
was delivered."""

MODEL = "gpt-6-luna"
"""A row of `chalicelib/outreach/spending/models.toml`."""
MODEL_INPUT_TOKENS, MODEL_CACHED_TOKENS, MODEL_OUTPUT_TOKENS = 4_800, 0, 300
"""The tokens of one message of a project with full settings (`make eval`); the vendor's cache has none."""


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """The properties of a function that Lambda bills by.

    Attributes:
        memory_mb: the function's memory in MB.
        architecture: ``x86_64`` or ``arm64``.
    """

    memory_mb: int
    architecture: str

    @property
    def gigabytes(self) -> float:
        """The memory in the gigabytes that Lambda bills."""
        return self.memory_mb / 1024

    def own_seconds(self, vcpu_seconds: float) -> float:
        """The seconds that processor time takes with this function's share of a processor."""
        return vcpu_seconds / min(1.0, self.memory_mb / WHOLE_PROCESSOR_MB)


@cache
def deployed(function: str) -> FunctionSize:
    """The size of a function, as `.chalice/config.json` deploys it."""
    return FunctionSize(*config.function_size(function))


def mean_seconds(vendor: str) -> float:
    """The mean of a vendor's latency, which the bill follows; it is longer than the median."""
    return LATENCY_SECONDS[vendor] * math.exp(LATENCY_SIGMA**2 / 2)
