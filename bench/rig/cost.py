"""Prices and assumptions as the bench's figures take them; what an event costs is in `ops.cost.bill`.

Every price is a row of `ops/cost/prices.toml`, with its source and date, and every assumption one of
`ops/cost/assumptions.py`.

OneLake's rates are those of https://learn.microsoft.com/fabric/onelake/onelake-consumption (hot), by the
type that Azure gives to each request (.../azure/storage/blobs/map-rest-apis-transaction-categories).
"""

from __future__ import annotations

from collections.abc import Mapping

from ops.cost import assumptions
from ops.cost.prices import per_million, prices, unit_price

WRITE_UNIT, READ_UNIT = per_million("dynamodb_writes"), per_million("dynamodb_reads")
FIFO_REQUEST, STANDARD_REQUEST = per_million("sqs_fifo"), per_million("sqs_standard")
DOOR, WORKER = assumptions.deployed("api_handler"), assumptions.deployed("worker")
LAMBDA_REQUEST = per_million("lambda_requests")
LAMBDA_GB_SECOND = per_million(f"lambda_{WORKER.architecture}")
REST_API, HTTP_API = per_million("rest_api"), per_million("http_api")
LOG_GB, ALARM = unit_price("log_gb"), unit_price("alarm_month")
WAF_MONTH, WAF_REQUEST = unit_price("waf_month"), per_million("waf_requests")
MEMORY_GB = WORKER.gigabytes
CALL_SECONDS = assumptions.AWS_CALL_SECONDS
VENDOR_SECONDS = assumptions.mean_seconds("richpanel")
S3_WRITE, S3_READ = per_million("s3_writes"), per_million("s3_reads")
S3_SECONDS = 0.020
"""Seconds of one request to S3: an assumption."""
ATHENA_TERABYTE, ATHENA_LEAST_BYTES = unit_price("athena_terabyte"), 10e6
"""Dollars for a terabyte that a query reads, and the least bytes that are charged for a query."""
CU_HOUR, F2 = unit_price("fabric_cu_hour"), 2
"""Dollars for an hour of a capacity unit (CU) of Fabric, and the units of the smallest capacity, F2."""
ONELAKE_GB = unit_price("onelake_gb_month")
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
MONTH_SECONDS = 30 * 86_400


def archive_work(*, writes: int, lists: int, reads: int) -> float:
    """Dollars for requests to S3, and for the function's time for them."""
    requests = (writes + lists) * S3_WRITE + reads * S3_READ
    seconds = (writes + lists + reads) * S3_SECONDS
    return (requests + seconds * MEMORY_GB * LAMBDA_GB_SECOND) / 1e6


def onelake_units(calls: Mapping[str, int]) -> float:
    """Seconds of a capacity unit that OneLake's requests consume, by operation."""
    return sum(ONELAKE_CU_SECONDS[name] * count for name, count in calls.items())


def sink_work(*, writes: float, reads: float, aws_calls: float, vendor_calls: float) -> float:
    """Dollars for a sink's rows in DynamoDB, and for the function's time for the sink's calls."""
    seconds = aws_calls * CALL_SECONDS + vendor_calls * VENDOR_SECONDS
    function = seconds * MEMORY_GB * LAMBDA_GB_SECOND
    return (writes * WRITE_UNIT + reads * READ_UNIT + function) / 1e6


def athena_query(*, files: int, bytes_: float) -> float:
    """Dollars for one query of Athena: the bytes that it reads, and a GET for each file."""
    read = max(bytes_, ATHENA_LEAST_BYTES) / 1e12 * ATHENA_TERABYTE
    return read + files / 1e6 * S3_READ


def gateway_month(requests: float) -> float:
    """Dollars for a month's requests at a REST API, by its price tiers."""
    return prices()["rest_api"].month(requests)
