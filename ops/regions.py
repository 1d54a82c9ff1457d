"""Whether AWS has a region: a name that is typed wrong is refused before anything is asked there."""

from __future__ import annotations

import difflib

import boto3

from ops.session import EXIT_UNUSABLE, OpsError

SERVICE = "dynamodb"
"""Every region has it."""


def refuse_unknown() -> None:
    """Refuse a region that AWS does not have, also where an engine would answer for any.

    Raises:
        OpsError: names it, and the nearest that there is.
    """
    session = boto3.session.Session()
    name = session.region_name
    if not name:
        return  # boto3 says so itself
    known = [
        one
        for partition in session.get_available_partitions()
        for one in session.get_available_regions(SERVICE, partition)
    ]
    if name not in known:
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.0)
        raise OpsError(
            f"AWS has no region {name}; the nearest is {near[0]}: set AWS_DEFAULT_REGION",
            code=EXIT_UNUSABLE,
        )
