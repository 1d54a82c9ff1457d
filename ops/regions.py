"""Whether what a terminal says of AWS can be: a wrong name is refused before anything is asked there."""

from __future__ import annotations

import difflib
import os

import boto3
import botocore.session
from botocore.utils import is_valid_endpoint_url

from ops.session import EXIT_UNUSABLE, OpsError

ADDRESSES = "AWS_ENDPOINT_URL"
"""The variable of every service's address; one that goes on after it is of one service."""


def refuse_unknown() -> None:
    """Refuse a region that AWS does not have, also where an engine would answer for any.

    Raises:
        OpsError: names it, and the one that is there, or nearest; or a variable that is no address.
    """
    for variable, value in os.environ.items():
        if variable.startswith(ADDRESSES) and value and not is_valid_endpoint_url(value):
            raise OpsError(
                f"{variable} is no address: http://... or https://...", code=EXIT_UNUSABLE
            )
    name = boto3.session.Session().region_name
    if not name:
        return  # boto3 says so itself
    known = _places()
    if name not in known:
        raise OpsError(
            f"AWS has no region {name}{_meant(name.lower(), known)}: set AWS_DEFAULT_REGION",
            code=EXIT_UNUSABLE,
        )


def _places() -> dict[str, str]:
    """Every region of every partition, and where it is: ``eu-central-1``, ``Europe (Frankfurt)``."""
    partitions = botocore.session.get_session().get_data("endpoints")["partitions"]
    return {
        region: known["description"]
        for partition in partitions
        for region, known in partition["regions"].items()
    }


def _meant(name: str, known: dict[str, str]) -> str:
    there = [f"{place} is {one}" for one, place in known.items() if name in place.lower()]
    near = difflib.get_close_matches(name, known, n=1)
    return f"; {', '.join(there)}" if there else f"; the nearest is {near[0]}" if near else ""
