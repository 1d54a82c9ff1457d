"""A stage's data stack: made, updated, and made once more over what a deleted one has left.

Tables that are left are taken back by their names.  A queue's name is none that CloudFormation could
find it by, so queues are imported by their addresses before the rest is made, and the bucket with them:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-import-new-stack.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from ops.stage import stack, stack_states
from ops.stage.provision import Clients, Made
from ops.stage.stack import Deployer
from ops.stage.template import Resource, StageTemplate, parameters

QUEUE, TABLE, BUCKET = "AWS::SQS::Queue", "AWS::DynamoDB::Table", "AWS::S3::Bucket"


def make(clients: Clients, template: StageTemplate, by: Deployer) -> Made:
    """Create or update the stack of a stage; may be interrupted and repeated at every point.

    Raises:
        OpsError: CloudFormation failed; names the first reasons.
    """
    name = stack.data_stack(template.stage)
    if stack_states.ready(clients.client("cloudformation"), name) == "CREATE":
        _take_back(clients, name, template, by)
        gone = []
    else:
        gone = lost(clients, template)
    values = parameters(template.stage)
    if gone:  # CloudFormation makes nothing that it believes to be there: out of the stack, and in
        stack.apply(
            clients, name, _without(template, {one.logical_id for one in gone}), values, by=by
        )
    did = stack.apply(clients, name, template.to_deploy(), values, by=by)
    made = ", ".join(_name(one) for one in gone)
    return Made("Data", name, f"{did}; made again, empty: {made}" if made else did)


def lost(clients: Clients, template: StageTemplate) -> list[Resource]:
    """The tables and queues of the stack that are not there: a person has deleted them."""
    there = {
        QUEUE: set(dict(_left(clients.client("sqs"), template))),
        TABLE: set(_tables(clients, template)),
    }
    return [
        one
        for one in template.resources(TABLE, QUEUE)
        if one.logical_id not in there[one.type] and _is_in_stack(clients, template.stage, one)
    ]


def _is_in_stack(clients: Clients, stage: str, one: Resource) -> bool:
    """Whether the stack has made a resource; a new version's own it has not yet."""
    client, name = clients.client("cloudformation"), stack.data_stack(stage)
    try:
        found = client.describe_stack_resources(StackName=name, LogicalResourceId=one.logical_id)[
            "StackResources"
        ]
    except ClientError:  # no such stack, or no such resource of it
        return False
    return any(f["ResourceStatus"] != "DELETE_COMPLETE" for f in found)


def _tables(clients: Clients, template: StageTemplate) -> Iterator[str]:
    """The declared tables that are there, by logical id."""
    dynamodb = clients.client("dynamodb")
    for one in template.resources(TABLE):
        with suppress(dynamodb.exceptions.ResourceNotFoundException):
            dynamodb.describe_table(TableName=_name(one))
            yield one.logical_id


def _name(one: Resource) -> str:
    return str(one.properties["TableName" if one.type == TABLE else "QueueName"])


def _without(template: StageTemplate, gone: Collection[str]) -> dict[str, Any]:
    """The stack's template without some resources; what refers to them has their names and ARNs."""
    raw = template.to_deploy()
    for part in ("Resources", "Outputs"):
        raw[part] = {
            name: _spelled_out(one, template, gone)
            for name, one in raw.get(part, {}).items()
            if name not in gone
        }
    return raw


def _spelled_out(value: Any, template: StageTemplate, gone: Collection[str]) -> Any:  # noqa: ANN401 - JSON in, JSON out
    if isinstance(value, list):
        return [_spelled_out(one, template, gone) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((function, named),) = value.items()
        first = (
            named.split(".")[0]
            if isinstance(named, str)
            else named[0]
            if isinstance(named, list)
            else ""
        )
        if function in ("Ref", "Fn::GetAtt") and first in gone:
            return template.resolved(value)
    return {name: _spelled_out(one, template, gone) for name, one in value.items()}


def _take_back(clients: Clients, name: str, template: StageTemplate, by: Deployer) -> None:
    left = {
        **{one: {"QueueUrl": url} for one, url in _left(clients.client("sqs"), template)},
        **{one: {"BucketName": bucket} for one, bucket in _buckets(clients, template)},
    }
    if not left:
        return
    declared = template.to_deploy()["Resources"]
    resources = {
        one.logical_id: {**declared[one.logical_id], "Properties": one.properties}
        for one in template.resources(QUEUE, BUCKET)
        if one.logical_id in left
    }
    client, change = clients.client("cloudformation"), f"import-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType="IMPORT",
        TemplateBody=json.dumps({"Resources": resources}),
        RoleARN=by.role_arn,
        ResourcesToImport=[
            {
                "ResourceType": declared[logical_id]["Type"],
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": identifier,
            }
            for logical_id, identifier in left.items()
        ],
    )
    stack.carried_out(client, name, change, "IMPORT")


def _buckets(clients: Clients, template: StageTemplate) -> Iterator[tuple[str, str]]:
    """The declared buckets that are there, by logical id: each one's name."""
    s3 = clients.client("s3")
    for one in template.resources(BUCKET):
        with suppress(
            ClientError
        ):  # it is not there, or another account's: CloudFormation says which
            s3.head_bucket(Bucket=one.properties["BucketName"])
            yield one.logical_id, one.properties["BucketName"]


def _left(sqs: Any, template: StageTemplate) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a boto3 client
    """The declared queues that are there, by logical id: each one's address."""
    for one in template.resources(QUEUE):
        try:
            url = sqs.get_queue_url(QueueName=one.properties["QueueName"])["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            continue
        yield one.logical_id, url
