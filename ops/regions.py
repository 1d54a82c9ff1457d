"""Refuses a region or endpoint in the environment that cannot exist, before AWS is called."""

from __future__ import annotations

import difflib
import os

import boto3
import botocore.session
from botocore.utils import is_valid_endpoint_url

from ops.session import EXIT_UNUSABLE, OpsError

ADDRESSES = "AWS_ENDPOINT_URL"
"""The variable of all services' address; with a suffix it is one service's."""


def refuse_unknown() -> None:
    """Refuse a region that AWS does not have, even if a local engine would accept it.

    Raises:
        OpsError: the region does not exist (suggests one), or an endpoint variable is not an
            address.
    """
    for variable, value in os.environ.items():
        if variable.startswith(ADDRESSES) and value and not is_valid_endpoint_url(value):
            raise OpsError(
                f"{variable} is no address: http://... or https://...", code=EXIT_UNUSABLE
            )
    name = boto3.session.Session().region_name
    if not name:
        return  # boto3 raises its own error
    known = _places()
    if name not in known:
        raise OpsError(
            f"AWS has no region {name}{_meant(name.lower(), known)}: set AWS_DEFAULT_REGION",
            code=EXIT_UNUSABLE,
        )


def _places() -> dict[str, str]:
    """Every region's place by its name: ``eu-central-1`` is ``Europe (Frankfurt)``."""
    partitions = botocore.session.get_session().get_data("endpoints")["partitions"]
    return {
        region: known["description"]
        for partition in partitions
        for region, known in partition["regions"].items()
    }


def _meant(name: str, known: dict[str, str]) -> str:
    there = [f"{place} is {region}" for region, place in known.items() if name in place.lower()]
    near = difflib.get_close_matches(name, known, n=1)
    return f"; {', '.join(there)}" if there else f"; the nearest is {near[0]}" if near else ""
