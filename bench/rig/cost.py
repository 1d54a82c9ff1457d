"""Dollars per million events of a kind, from its counted units at list prices of us-east-1.

Prices are those of https://aws.amazon.com/dynamodb/pricing/on-demand/ , /sqs/pricing/ ,
/lambda/pricing/, /s3/pricing/, /athena/pricing/, /api-gateway/pricing/, /waf/pricing/ and
/cloudwatch/pricing/ as of November 2026.  The cost of an event does not include its log volume.

OneLake's rates are those of https://learn.microsoft.com/fabric/onelake/onelake-consumption (hot), by the
type that Azure gives to each request (.../azure/storage/blobs/map-rest-apis-transaction-categories); the
price of a capacity unit is that of https://azure.microsoft.com/pricing/details/microsoft-fabric/ , US East.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WRITE_UNIT, READ_UNIT = 0.625, 0.125
FIFO_REQUEST = 0.50
LAMBDA_REQUEST, LAMBDA_GB_SECOND = 0.20, 16.67
REST_API, HTTP_API = 3.50, 1.00
REST_TIERS = ((333e6, REST_API), (1_000e6, 2.80), (20_000e6, 2.38), (float("inf"), 1.51))
"""Requests of a month up to which each price holds; what the gateway refuses itself is free."""
LOG_GB = 0.50
WAF_MONTH, WAF_REQUEST = 5.0 + 2 * 1.0, 0.60
"""A web ACL with two rules, and a million requests that it looks at, blocked ones too."""
MEMORY_GB = 0.5
DOOR_SECONDS = 0.015
"""Billed time of a warm webhook: one SQS request."""
CALL_SECONDS, VENDOR_SECONDS, OWN_SECONDS = 0.004, 0.030, 0.010
"""The worker's billed time for one AWS call, for one vendor request, and for our own code.

An assumption, not a measurement: DynamoDB responds in single-digit milliseconds; vendors vary.
With 100 ms per vendor request, a million events cost about $1.2 more.
"""
STANDARD_REQUEST = 0.40
S3_WRITE, S3_READ = 5.00, 0.40
"""A million PUTs or lists, and a million GETs; deletes are free."""
S3_SECONDS = 0.020
"""Of one request, an assumption like those above."""
ATHENA_TERABYTE, ATHENA_LEAST_BYTES = 5.00, 10e6
"""What a query reads, and the least that is charged for."""
CU_HOUR, F2 = 0.18, 2
"""A capacity unit of Fabric, and how many the smallest capacity has."""
ONELAKE_GB = 0.023
"""Of a month; what is mirrored is free up to a terabyte for each unit."""
_ONELAKE_WRITE, _ONELAKE_READ = 1626 / 10_000, 104 / 10_000
ONELAKE_CU_SECONDS: Mapping[str, float] = {
    "create_file": _ONELAKE_WRITE,
    "append": _ONELAKE_WRITE,
    "flush": _ONELAKE_WRITE,
    "rename": 1300 / 100,
    "list": 1626 / 10_000,
    "look": _ONELAKE_READ,
    "read": _ONELAKE_READ,
    "delete": 0.0,
    "token": 0.0,
}
"""Of one request with at most 4 MB; a rename is an iterative write."""
POLLERS, LONG_POLL_SECONDS = 5, 20
"""Lambda's connections to a quiet queue, and how long each of their requests waits."""
ALARM = 0.10
MONTH_SECONDS = 30 * 86_400
QUEUE_REQUESTS = 3
"""Send, receive, delete; Lambda's empty receives are paid by the poller of a quiet queue only."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars per million events.

    Attributes:
        http_api: the total with an HTTP API in place of the REST API.
        function_url: the total with a function URL, which is free.
    """

    gateway: float
    queue: float
    functions: float
    writes: float
    reads: float

    @property
    def total(self) -> float:
        """The sum of all parts, with a REST API."""
        return self.gateway + self.queue + self.functions + self.writes + self.reads

    @property
    def http_api(self) -> float:
        """The total with an HTTP API."""
        return self.total - self.gateway * (1 - HTTP_API / REST_API)

    @property
    def function_url(self) -> float:
        """The total with a function URL."""
        return self.total - self.gateway


def of(*, writes: float, reads: float, aws_calls: int, vendor_calls: int, doors: int = 1) -> Cost:
    """The cost of an event from its units, calls and webhooks (`doors`)."""
    worker = OWN_SECONDS + aws_calls * CALL_SECONDS + vendor_calls * VENDOR_SECONDS
    seconds = doors * DOOR_SECONDS + worker
    return Cost(
        gateway=doors * REST_API,
        queue=QUEUE_REQUESTS * FIFO_REQUEST,
        functions=(doors + 1) * LAMBDA_REQUEST + seconds * MEMORY_GB * LAMBDA_GB_SECOND,
        writes=writes * WRITE_UNIT,
        reads=reads * READ_UNIT,
    )


def idle(*, fifo_queues: int, standard_queues: int, alarms: int) -> float:
    """Dollars a month of queues that nothing arrives at: Lambda's long polls, and their alarms."""
    polls = POLLERS * MONTH_SECONDS / LONG_POLL_SECONDS / 1e6
    queues = fifo_queues * FIFO_REQUEST + standard_queues * STANDARD_REQUEST
    return polls * queues + alarms * ALARM


def archive_work(*, writes: int, lists: int, reads: int) -> float:
    """Dollars of requests to S3 and of the function's time for them."""
    requests = (writes + lists) * S3_WRITE + reads * S3_READ
    seconds = (writes + lists + reads) * S3_SECONDS
    return (requests + seconds * MEMORY_GB * LAMBDA_GB_SECOND) / 1e6


def onelake_units(calls: Mapping[str, int]) -> float:
    """Seconds of a capacity unit that OneLake's requests consume, by operation."""
    return sum(ONELAKE_CU_SECONDS[name] * count for name, count in calls.items())


def sink_work(*, writes: float, reads: float, aws_calls: float, vendor_calls: float) -> float:
    """Dollars of a sink's rows in DynamoDB and of the function's time for its calls."""
    seconds = aws_calls * CALL_SECONDS + vendor_calls * VENDOR_SECONDS
    function = seconds * MEMORY_GB * LAMBDA_GB_SECOND
    return (writes * WRITE_UNIT + reads * READ_UNIT + function) / 1e6


def athena_query(*, files: int, bytes_: float) -> float:
    """Dollars of one question: what it reads, and a GET for each file."""
    read = max(bytes_, ATHENA_LEAST_BYTES) / 1e12 * ATHENA_TERABYTE
    return read + files / 1e6 * S3_READ


def gateway_month(requests: float) -> float:
    """Dollars of a month's requests at a REST API, by its tiers."""
    total, below = 0.0, 0.0
    for until, price in REST_TIERS:
        total += max(0.0, min(requests, until) - below) / 1e6 * price
        below = until
    return total
