"""A stack of a stage, made or updated with what is gone of it, and with what a deleted one has left.

CloudFormation makes nothing that it believes to be there: what a person has deleted is taken out of the
stack, and put in again.  Tables that a deleted stack has left are taken back by their names.  A queue's
name is none that CloudFormation could find it by, so queues are imported by their addresses before the
rest is made, and buckets with them:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-import-new-stack.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from ops.stage import stack, stack_states
from ops.stage.provision import Clients
from ops.stage.stack import Deployer
from ops.stage.template import COMPOSITE, NAMES, Resource, StageTemplate

QUEUE, TABLE, BUCKET = "AWS::SQS::Queue", "AWS::DynamoDB::Table", "AWS::S3::Bucket"
ALARM = "AWS::CloudWatch::Alarm"
EMPTY = frozenset({QUEUE, TABLE, BUCKET})
"""Types of what is made again without what was in it."""
BATCH = 100
"""The most alarms that CloudWatch describes in one response; without `MaxRecords` it is half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStack:
    """A stack as it is declared.

    Attributes:
        path: the file of its template.
        values: of its parameters.
        by: as what it is made; None: by the caller alone.
    """

    name: str
    template: StageTemplate
    path: Path
    values: Mapping[str, str]
    by: Deployer | None


def make(clients: Clients, declared: StageStack) -> str:
    """Create or update a stack; may be interrupted and repeated at every point.

    Returns:
        What was done: created, updated or unchanged, and what was made again.

    Raises:
        OpsError: CloudFormation failed; names the first reasons.
    """
    gone: list[Resource] = []
    if stack_states.ready(clients.client("cloudformation"), declared.name) == "CREATE":
        _take_back(clients, declared)
    else:
        gone = lost(clients, declared.name, declared.template)
    if gone:
        _apply(clients, declared, _without(declared, {one.logical_id for one in gone}))
    did = _apply(clients, declared, declared.template.to_deploy(declared.path))
    empty = ", ".join(name(one) for one in gone if one.type in EMPTY)
    others = ", ".join(name(one) for one in gone if one.type not in EMPTY)
    said = (
        f"made again, empty: {empty}" if empty else "",
        f"made again: {others}" if others else "",
    )
    return "; ".join(one for one in (did, *said) if one)


def _apply(clients: Clients, declared: StageStack, document: Mapping[str, Any]) -> str:
    return stack.apply(clients, declared.name, document, declared.values, by=declared.by)


def lost(
    clients: Clients, stack_name: str, template: StageTemplate, types: Collection[str] = ()
) -> list[Resource]:
    """What the stack has made and is not there any more: a person has deleted it."""
    gone = absent(clients, template, types)
    return [one for one in gone if _is_in_stack(clients, stack_name, one)]


def absent(
    clients: Clients, template: StageTemplate, types: Collection[str] = ()
) -> Iterator[Resource]:
    """Declared resources that are not there, of the types that are looked for by name."""
    for kind, there in _THERE.items():
        if kind in types or not types:
            declared = {name(one): one for one in template.resources(kind)}
            found = there(clients, list(declared)) if declared else ()
            yield from (one for its_name, one in declared.items() if its_name not in found)


def name(one: Resource) -> str:
    """A resource's own name."""
    return str(one.properties[NAMES[one.type]])


def _is_in_stack(clients: Clients, stack_name: str, one: Resource) -> bool:
    """Whether the stack has made a resource; a new version's own it has not yet."""
    client = clients.client("cloudformation")
    try:
        found = client.describe_stack_resources(
            StackName=stack_name, LogicalResourceId=one.logical_id
        )["StackResources"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return False  # no such stack, or no such resource of it
    return any(f["ResourceStatus"] != "DELETE_COMPLETE" for f in found)


# --- what is there, by name -------------------------------------------------------------------


def _tables(clients: Clients, names: Sequence[str]) -> set[str]:
    dynamodb, found = clients.client("dynamodb"), set()
    for one in names:
        with suppress(dynamodb.exceptions.ResourceNotFoundException):
            dynamodb.describe_table(TableName=one)
            found.add(one)
    return found


def _queues(clients: Clients, names: Sequence[str]) -> dict[str, str]:
    """Each queue's address, by its name."""
    sqs, found = clients.client("sqs"), {}
    for one in names:
        with suppress(sqs.exceptions.QueueDoesNotExist):
            found[one] = str(sqs.get_queue_url(QueueName=one)["QueueUrl"])
    return found


def _buckets(clients: Clients, names: Sequence[str]) -> set[str]:
    """Those of which S3 does not say that they are not there; one may be another account's."""
    s3, found = clients.client("s3"), set(names)
    for one in names:
        try:
            s3.head_bucket(Bucket=one)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == HTTPStatus.NOT_FOUND:
                found.discard(one)
    return found


def alarms(clients: Clients, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Alarms as CloudWatch describes them, by name."""
    cloudwatch = clients.client("cloudwatch")
    found: dict[str, dict[str, Any]] = {}
    for start in range(0, len(names), BATCH):
        answer = cloudwatch.describe_alarms(
            AlarmNames=names[start : start + BATCH],
            AlarmTypes=["MetricAlarm", "CompositeAlarm"],
            MaxRecords=BATCH,  # by default 50, whatever is named
        )
        listed = [*answer["MetricAlarms"], *answer["CompositeAlarms"]]
        found |= {one["AlarmName"]: one for one in listed}
    return found


_THERE: Mapping[str, Callable[[Clients, Sequence[str]], Collection[str]]] = {
    TABLE: _tables,
    QUEUE: _queues,
    BUCKET: _buckets,
    ALARM: alarms,
    COMPOSITE: alarms,
}


# --- out of the stack, and into it ------------------------------------------------------------


def _without(declared: StageStack, gone: Collection[str]) -> dict[str, Any]:
    """The stack's template without some resources; what refers to them has their names and ARNs."""
    raw = declared.template.to_deploy(declared.path)
    for part in ("Resources", "Outputs"):
        raw[part] = {
            logical_id: _spelled_out(one, declared.template, gone)
            for logical_id, one in raw.get(part, {}).items()
            if logical_id not in gone
        }
    return raw


def _spelled_out(value: Any, template: StageTemplate, gone: Collection[str]) -> Any:  # noqa: ANN401 - JSON in, JSON out
    if isinstance(value, list):
        return [_spelled_out(one, template, gone) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and _referred(*next(iter(value.items()))) in gone:
        return template.resolved(value)
    return {key: _spelled_out(one, template, gone) for key, one in value.items()}


def _referred(function: str, argument: Any) -> str:  # noqa: ANN401 - JSON
    """What a reference refers to, by its logical id; empty for what is none.

    A composite alarm's rule is none: CloudWatch keeps an alarm that one depends on.
    """
    if function not in ("Ref", "Fn::GetAtt"):
        return ""
    return str(argument[0] if isinstance(argument, list) else argument.split(".")[0])


def _take_back(clients: Clients, declared: StageStack) -> None:
    """Import the queues and buckets that a deleted stack has left."""
    template = declared.template
    queues = _queues(clients, [name(one) for one in template.resources(QUEUE)])
    buckets = _buckets(clients, [name(one) for one in template.resources(BUCKET)])
    left = {
        one.logical_id: {"QueueUrl": queues[name(one)]}
        if one.type == QUEUE
        else {"BucketName": name(one)}
        for one in template.resources(QUEUE, BUCKET)
        if name(one) in queues or name(one) in buckets
    }
    if not left:
        return
    raw = template.to_deploy(declared.path)["Resources"]
    resources = {
        one.logical_id: {**raw[one.logical_id], "Properties": one.properties}
        for one in template.resources(QUEUE, BUCKET)
        if one.logical_id in left
    }
    client, change = clients.client("cloudformation"), f"import-{time.time_ns()}"
    client.create_change_set(
        StackName=declared.name,
        ChangeSetName=change,
        ChangeSetType="IMPORT",
        TemplateBody=json.dumps({"Resources": resources}),
        **({"RoleARN": declared.by.role_arn} if declared.by else {}),
        ResourcesToImport=[
            {
                "ResourceType": raw[logical_id]["Type"],
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": identifier,
            }
            for logical_id, identifier in left.items()
        ],
    )
    stack.carried_out(client, declared.name, change, "IMPORT")
