"""Dollars for a million events of a kind, from its counted units at list prices of us-east-1.

Prices are those of https://aws.amazon.com/dynamodb/pricing/on-demand/ , /sqs/pricing/ ,
/lambda/pricing/ and /api-gateway/pricing/ as of November 2026.  Log volume is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass

WRITE_UNIT, READ_UNIT = 0.625, 0.125
FIFO_REQUEST = 0.50
LAMBDA_REQUEST, LAMBDA_GB_SECOND = 0.20, 16.67
REST_API, HTTP_API = 3.50, 1.00
MEMORY_GB = 0.5
DOOR_SECONDS = 0.015
"""Billed time of a warm webhook: one SQS request."""
CALL_SECONDS, VENDOR_SECONDS, OWN_SECONDS = 0.004, 0.030, 0.010
"""What one AWS call, one vendor request and our own code take of the worker's billed time.

An assumption, not a measurement: DynamoDB answers in single-digit milliseconds, and a vendor is
what it is.  With 100 ms a vendor request, a million events cost about $1.2 more.
"""
QUEUE_REQUESTS = 3
"""Send, receive, delete; Lambda's empty receives are paid by the poller of a quiet queue only."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars a million.

    Attributes:
        http_api: what an HTTP API instead of a REST API in front would make of the total.
        function_url: with a function URL, which costs nothing.
    """

    gateway: float
    queue: float
    functions: float
    writes: float
    reads: float

    @property
    def total(self) -> float:
        """All in."""
        return self.gateway + self.queue + self.functions + self.writes + self.reads

    @property
    def http_api(self) -> float:
        """With an HTTP API in front."""
        return self.total - self.gateway * (1 - HTTP_API / REST_API)

    @property
    def function_url(self) -> float:
        """With a function URL in front."""
        return self.total - self.gateway


def of(*, writes: float, reads: float, aws_calls: int, vendor_calls: int, doors: int = 1) -> Cost:
    """The cost of an event with so many units, calls and webhooks."""
    worker = OWN_SECONDS + aws_calls * CALL_SECONDS + vendor_calls * VENDOR_SECONDS
    seconds = doors * DOOR_SECONDS + worker
    return Cost(
        gateway=doors * REST_API,
        queue=QUEUE_REQUESTS * FIFO_REQUEST,
        functions=(doors + 1) * LAMBDA_REQUEST + seconds * MEMORY_GB * LAMBDA_GB_SECOND,
        writes=writes * WRITE_UNIT,
        reads=reads * READ_UNIT,
    )
