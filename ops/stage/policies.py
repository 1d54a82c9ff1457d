"""Who may do what in a stage: the policies of its people, and the boundary of its functions.

`.chalice/access.json` declares the boundary and the people's policies.  An administrator of the
account makes them (`python -m ops access`): the stage's own administrator may not, as a person who may
change a boundary has none.  The functions' roles are the data stack's, each within the boundary.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from ops.session import OpsError
from ops.stage.provision import Clients, Made
from ops.stage.template import TEMPLATE, StageTemplate
from ops.unreachable import REFUSED

KIND = "AWS::IAM::ManagedPolicy"
ACCESS = TEMPLATE.with_name("access.json")
MOST_VERSIONS = 5
"""IAM keeps no more; the oldest makes room."""


def declared(stage: str, account: str, region: str) -> StageTemplate:
    """The boundary and the people's policies of a stage."""
    return StageTemplate(
        json.loads(ACCESS.read_text()), {"Stage": stage}, account=account, region=region
    )


def create(clients: Clients, template: StageTemplate, account: str) -> Iterator[Made]:
    """Create missing policies, and give those that differ a new default version.

    Args:
        clients: of the account.
        template: what `declared` returns.
        account: the account.

    Raises:
        OpsError: a policy is missing or differs, and who runs this may not make it.
    """
    iam = clients.client("iam")
    for one in template.resources(KIND):
        name = one.properties["ManagedPolicyName"]
        arn = f"arn:aws:iam::{account}:policy/{name}"
        found = _document(iam, arn)
        did = "created" if found is None else "unchanged"
        if found != one.properties["PolicyDocument"]:
            did = did if found is None else "updated"
            try:
                _write(iam, arn, one.properties, is_new=found is None)
            except ClientError as error:
                if error.response["Error"]["Code"] not in REFUSED:
                    raise
                raise OpsError(
                    f"the policy {name} is not as declared, and an administrator of the account"
                    f" makes it: python -m ops access --stage {template.stage}"
                ) from error
        yield Made(one.logical_id, name, did)


def _document(iam: Any, arn: str) -> dict[str, Any] | None:  # noqa: ANN401 - a boto3 client
    try:
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    except iam.exceptions.NoSuchEntityException:
        return None
    found = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    return _parsed(found)


def _parsed(document: str | dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(document) if isinstance(document, str) else document
    return made


def _write(iam: Any, arn: str, properties: Mapping[str, Any], *, is_new: bool) -> None:  # noqa: ANN401
    document = json.dumps(properties["PolicyDocument"])
    if is_new:
        iam.create_policy(
            PolicyName=properties["ManagedPolicyName"],
            PolicyDocument=document,
            Description=properties["Description"],
        )
    else:
        _make_room(iam, arn)
        iam.create_policy_version(PolicyArn=arn, PolicyDocument=document, SetAsDefault=True)


def _make_room(iam: Any, arn: str) -> None:  # noqa: ANN401 - a boto3 client
    versions = iam.list_policy_versions(PolicyArn=arn)["Versions"]
    spare = sorted(
        (one for one in versions if not one["IsDefaultVersion"]), key=lambda one: one["CreateDate"]
    )
    if len(versions) >= MOST_VERSIONS and spare:
        iam.delete_policy_version(PolicyArn=arn, VersionId=spare[0]["VersionId"])
