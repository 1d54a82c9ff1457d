"""The managed policies of the people who run `python -m ops`, in a provisioned stage as in a stack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ops.stage.provision import Clients, Made
from ops.stage.template import StageTemplate

KIND = "AWS::IAM::ManagedPolicy"
MOST_VERSIONS = 5
"""IAM keeps no more; the oldest makes room."""


def create(clients: Clients, template: StageTemplate, account: str) -> Iterator[Made]:
    """Create missing policies, and give those that differ a new default version."""
    iam = clients.client("iam")
    for one in template.resources(KIND):
        name = one.properties["ManagedPolicyName"]
        arn = f"arn:aws:iam::{account}:policy/{name}"
        document = json.dumps(one.properties["PolicyDocument"])
        found = _document(iam, arn)
        did = "created" if found is None else "unchanged"
        if found is None:
            iam.create_policy(
                PolicyName=name,
                PolicyDocument=document,
                Description=one.properties["Description"],
            )
        elif found != json.loads(document):
            _make_room(iam, arn)
            iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)
            did = "updated"
        yield Made(one.logical_id, name, did)


def _document(iam: Any, arn: str) -> dict[str, Any] | None:  # noqa: ANN401 - a boto3 client
    try:
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    except iam.exceptions.NoSuchEntityException:
        return None
    found = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    made: dict[str, Any] = json.loads(found) if isinstance(found, str) else found
    return made


def _make_room(iam: Any, arn: str) -> None:  # noqa: ANN401 - a boto3 client
    versions = iam.list_policy_versions(PolicyArn=arn)["Versions"]
    spare = sorted(
        (one for one in versions if not one["IsDefaultVersion"]), key=lambda one: one["CreateDate"]
    )
    if len(versions) >= MOST_VERSIONS and spare:
        iam.delete_policy_version(PolicyArn=arn, VersionId=spare[0]["VersionId"])
