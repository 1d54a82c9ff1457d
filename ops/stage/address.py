"""The address of a stage's own API, as AWS has it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

API = "rp-mw"
"""Name of the REST API in both ways of deploying; its stage is called like ours."""
UNSET_HOST = ".invalid"
"""What `PUBLIC_BASE_URL` ends with before the first deployment."""


def ids(gateway: Any, stage: str) -> list[str]:  # noqa: ANN401 - a boto3 client
    """The ids of the APIs that have the stage; more than one is a second deployment."""
    return [
        api["id"]
        for page in gateway.get_paginator("get_rest_apis").paginate()
        for api in page["items"]
        if api["name"] == API
        and any(
            one["stageName"] == stage for one in gateway.get_stages(restApiId=api["id"])["item"]
        )
    ]


def of(gateway: Any, stage: str) -> str | None:  # noqa: ANN401 - a boto3 client
    """The address of the stage's API without a final slash; None before its first deployment."""
    found = ids(gateway, stage)
    if len(found) != 1:
        return None
    endpoint = gateway.meta.endpoint_url
    if (urlsplit(endpoint).hostname or "").endswith(("amazonaws.com", "amazonaws.com.cn")):
        domain = "amazonaws.com" + (".cn" if endpoint.endswith(".cn") else "")
        region = gateway.meta.region_name
        return f"https://{found[0]}.execute-api.{region}.{domain}/{stage}"
    return f"{endpoint}/_aws/execute-api/{found[0]}/{stage}"  # an engine on this machine
