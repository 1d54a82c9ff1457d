"""Finds the address of a stage's API at AWS."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

API = "rp-mw"
"""The REST API's name in both ways of deploying; the API's stage has our stage's name."""
UNSET_HOST = ".invalid"
"""The ending of `PUBLIC_BASE_URL` before the first deployment."""


def ids(gateway: Any, stage: str) -> list[str]:  # noqa: ANN401 - a boto3 client
    """The ids of the APIs that have the stage; more than one means a second deployment."""
    return [
        api["id"]
        for page in gateway.get_paginator("get_rest_apis").paginate()
        for api in page["items"]
        if api["name"] == API
        and any(
            deployed["stageName"] == stage
            for deployed in gateway.get_stages(restApiId=api["id"])["item"]
        )
    ]


def of(gateway: Any, stage: str) -> str | None:  # noqa: ANN401 - a boto3 client
    """The address of the stage's API without a final slash; None unless there is exactly one."""
    found = ids(gateway, stage)
    if len(found) != 1:
        return None
    endpoint = gateway.meta.endpoint_url
    if (urlsplit(endpoint).hostname or "").endswith(("amazonaws.com", "amazonaws.com.cn")):
        domain = "amazonaws.com" + (".cn" if endpoint.endswith(".cn") else "")
        region = gateway.meta.region_name
        return f"https://{found[0]}.execute-api.{region}.{domain}/{stage}"
    return f"{endpoint}/_aws/execute-api/{found[0]}/{stage}"  # a local engine
