"""The principals of a stage, from the files that are deployed: its functions, and its people."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from local.stack.engine import REGION
from ops import roles
from ops.stage import access_stack
from ops.stage.template import TEMPLATE, StageTemplate
from tests.rigs.iam.authorization import Principal

ACCOUNT = "000000000000"
IDENTITY = f"arn:aws:ses:{REGION}:{ACCOUNT}:identity/company.example"


@cache
def person(stage: str, role: str) -> Principal:
    """Who has a role's policies, and those of the roles before it."""
    upto = roles.ROLES[: roles.ROLES.index(role) + 1]
    names = [f"rp-mw-{stage}-{policy}" for before in upto for policy in roles.POLICIES[before]]
    found = managed(stage)
    return Principal(f"arn:aws:iam::{ACCOUNT}:role/{role}", tuple(found[name] for name in names))


@cache
def function(stage: str, name: str) -> Principal:
    """A function's role, by the function's name: ``worker``."""
    for resource in stage_template(stage).resources("AWS::IAM::Role"):
        role = resource.properties["RoleName"]
        if role == f"rp-mw-{stage}-{name}":
            boundary = resource.properties["PermissionsBoundary"].rpartition("/")[2]
            inline = tuple(policy["PolicyDocument"] for policy in resource.properties["Policies"])
            arn = f"arn:aws:iam::{ACCOUNT}:role/{role}"
            return Principal(arn, inline, managed(stage)[boundary])
    raise KeyError(name)


@cache
def managed(stage: str) -> dict[str, Any]:
    """The documents of the managed policies and the boundary, by their names."""
    return {
        resource.properties["ManagedPolicyName"]: resource.properties["PolicyDocument"]
        for resource in access(stage).resources("AWS::IAM::ManagedPolicy")
    }


@cache
def deployer(stage: str) -> Principal:
    """The role that CloudFormation and `chalice deploy` act as."""
    (role,) = (
        resource
        for resource in access(stage).resources("AWS::IAM::Role")
        if resource.logical_id == "DeployRole"
    )
    arns = role.properties["ManagedPolicyArns"]
    documents = tuple(managed(stage)[arn.rpartition("/")[2]] for arn in arns)
    boundary = role.properties["PermissionsBoundary"].rpartition("/")[2]
    arn = access_stack.deployer(stage, ACCOUNT, REGION).role_arn
    return Principal(arn, documents, managed(stage)[boundary])


@cache
def access(stage: str) -> StageTemplate:
    """The access stack's resources."""
    return access_stack.declared(stage, ACCOUNT, REGION)


@cache
def stage_template(stage: str) -> StageTemplate:
    """The stage's own resources, with the invented company's identity."""
    values = {"Stage": stage, "SenderIdentities": IDENTITY}
    return StageTemplate(json.loads(TEMPLATE.read_text()), values, account=ACCOUNT, region=REGION)
