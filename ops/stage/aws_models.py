"""Removes botocore's data on services that the code does not call: most of more than 400.

Before its first client, botocore lists the folders of all services: 872 folders, 60 ms of processor
time before the first message.  It also reads the whole `endpoints.json`, with the endpoints of all
services: 1.3 MB, 45 ms.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

SERVICES = frozenset(
    {
        "apigateway",
        "bedrock-runtime",
        "cloudformation",
        "cloudwatch",
        "dynamodb",
        "iam",
        "lambda",
        "s3",
        "secretsmanager",
        "sesv2",
        "sns",
        "sqs",
        "ssm",
        "sts",
    }
)
"""The services that `chalicelib`, `console` and `ops` call; console pages call `ops`."""
_ENDPOINTS = "endpoints.json"


def keep_used(packages: Path, services: Iterable[str] = SERVICES) -> None:
    """Remove the data of all other services, and examples, from a folder of packages.

    Shared data (`partitions.json`, retries, defaults) stays.  A folder without botocore is left
    alone.
    """
    data = packages / "botocore" / "data"
    if not data.is_dir():
        return
    kept = frozenset(services)
    for folder in [path for path in data.iterdir() if path.is_dir()]:
        if folder.name not in kept:
            shutil.rmtree(folder)
    for examples in list(data.rglob("examples-1.json*")):
        examples.unlink()
    endpoints = data / _ENDPOINTS
    prefixes = {prefix for service in kept for prefix in _prefixes(data / service)}
    known = json.loads(endpoints.read_text(encoding="utf-8"))
    endpoints.write_text(json.dumps(_of_services(known, prefixes)), encoding="utf-8")


def _prefixes(service: Path) -> Iterator[str]:
    """The names of a service in `endpoints.json`: for example, SES is `email`."""
    for model in service.glob("*/service-2.json.gz"):
        yield json.loads(gzip.decompress(model.read_bytes()))["metadata"]["endpointPrefix"]


def _of_services(endpoints: dict[str, Any], prefixes: set[str]) -> dict[str, Any]:
    partitions = [
        {
            **partition,
            "services": {
                name: service for name, service in partition["services"].items() if name in prefixes
            },
        }
        for partition in endpoints["partitions"]
    ]
    return {**endpoints, "partitions": partitions}
