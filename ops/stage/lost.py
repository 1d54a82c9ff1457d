"""Makes or updates a stack, remakes resources deleted by hand, and re-imports those left behind.

CloudFormation does not make a resource that it believes to exist.  So a resource that a person
deleted is first taken out of the stack and then added again.  CloudFormation itself takes back
tables that a deleted stack left, by their names.  It cannot find a queue by its name, so queues are
imported by their URLs before the rest is made, and buckets with them:
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
"""Types whose resources come back empty when made again."""
BATCH = 100
"""The most alarms that CloudWatch describes in one response; without `MaxRecords` it is half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStack:
    """A stack to make: its name, template and parameters.

    Attributes:
        path: the template's file.
        values: the parameters' values.
        by: the deployer that makes it; None for the caller's own rights.
    """

    name: str
    template: StageTemplate
    path: Path
    values: Mapping[str, str]
    by: Deployer | None


def make(clients: Clients, declared: StageStack) -> str:
    """Create or update a stack; may be interrupted at any point and repeated.

    Returns:
        What was done: created, updated or unchanged, and the names of resources made again.

    Raises:
        OpsError: CloudFormation failed; names the first reasons.
    """
    gone: list[Resource] = []
    if stack_states.make_ready(clients.client("cloudformation"), declared.name) == "CREATE":
        _take_back(clients, declared)
    else:
        gone = lost(clients, declared.name, declared.template)
    if gone:
        _apply(clients, declared, _without(declared, {resource.logical_id for resource in gone}))
    did = _apply(clients, declared, declared.template.to_deploy(declared.path))
    empty = ", ".join(name(resource) for resource in gone if resource.type in EMPTY)
    others = ", ".join(name(resource) for resource in gone if resource.type not in EMPTY)
    said = (
        f"made again, empty: {empty}" if empty else "",
        f"made again: {others}" if others else "",
    )
    return "; ".join(sentence for sentence in (did, *said) if sentence)


def _apply(clients: Clients, declared: StageStack, document: Mapping[str, Any]) -> str:
    return stack.apply(clients, declared.name, document, declared.values, by=declared.by)


def lost(
    clients: Clients, stack_name: str, template: StageTemplate, types: Collection[str] = ()
) -> list[Resource]:
    """The resources that the stack made and that no longer exist: a person deleted them."""
    gone = absent(clients, template, types)
    return [resource for resource in gone if _is_in_stack(clients, stack_name, resource)]


def absent(
    clients: Clients, template: StageTemplate, types: Collection[str] = ()
) -> Iterator[Resource]:
    """Yield declared resources that do not exist, of the types that can be found by name."""
    for kind, there in _THERE.items():
        if kind in types or not types:
            declared = {name(resource): resource for resource in template.resources(kind)}
            found = there(clients, list(declared)) if declared else ()
            yield from (
                resource for its_name, resource in declared.items() if its_name not in found
            )


def name(resource: Resource) -> str:
    """A resource's own name."""
    return str(resource.properties[NAMES[resource.type]])


def _is_in_stack(clients: Clients, stack_name: str, resource: Resource) -> bool:
    """Whether the stack has made a resource; one that is new in this version it has not."""
    client = clients.client("cloudformation")
    try:
        found = client.describe_stack_resources(
            StackName=stack_name, LogicalResourceId=resource.logical_id
        )["StackResources"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return False  # no such stack, or no such resource of it
    return any(made["ResourceStatus"] != "DELETE_COMPLETE" for made in found)


# --- what is there, by name -------------------------------------------------------------------


def _tables(clients: Clients, names: Sequence[str]) -> set[str]:
    dynamodb, found = clients.client("dynamodb"), set()
    for table in names:
        with suppress(dynamodb.exceptions.ResourceNotFoundException):
            dynamodb.describe_table(TableName=table)
            found.add(table)
    return found


def _queues(clients: Clients, names: Sequence[str]) -> dict[str, str]:
    """The URL of each existing queue, by name."""
    sqs, found = clients.client("sqs"), {}
    for queue in names:
        with suppress(sqs.exceptions.QueueDoesNotExist):
            found[queue] = str(sqs.get_queue_url(QueueName=queue)["QueueUrl"])
    return found


def _buckets(clients: Clients, names: Sequence[str]) -> set[str]:
    """The buckets that S3 does not report as missing; one may be another account's."""
    s3, found = clients.client("s3"), set(names)
    for bucket in names:
        try:
            s3.head_bucket(Bucket=bucket)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == HTTPStatus.NOT_FOUND:
                found.discard(bucket)
    return found


def alarms(clients: Clients, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Alarms as CloudWatch describes them, by name."""
    cloudwatch = clients.client("cloudwatch")
    found: dict[str, dict[str, Any]] = {}
    for start in range(0, len(names), BATCH):
        answer = cloudwatch.describe_alarms(
            AlarmNames=names[start : start + BATCH],
            AlarmTypes=["MetricAlarm", "CompositeAlarm"],
            MaxRecords=BATCH,  # the default is 50, even for more names
        )
        listed = [*answer["MetricAlarms"], *answer["CompositeAlarms"]]
        found |= {alarm["AlarmName"]: alarm for alarm in listed}
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
    """The stack's template without some resources; references to them become names and ARNs."""
    raw = declared.template.to_deploy(declared.path)
    for part in ("Resources", "Outputs"):
        raw[part] = {
            logical_id: _spelled_out(declaration, declared.template, gone)
            for logical_id, declaration in raw.get(part, {}).items()
            if logical_id not in gone
        }
    return raw


def _spelled_out(value: Any, template: StageTemplate, gone: Collection[str]) -> Any:  # noqa: ANN401 - JSON in, JSON out
    if isinstance(value, list):
        return [_spelled_out(part, template, gone) for part in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and _referred(*next(iter(value.items()))) in gone:
        return template.resolved(value)
    return {key: _spelled_out(part, template, gone) for key, part in value.items()}


def _referred(function: str, argument: Any) -> str:  # noqa: ANN401 - JSON
    """The logical id that a reference names; empty for anything else.

    A composite alarm's rule is no reference: CloudWatch keeps an alarm that a rule names.
    """
    if function not in ("Ref", "Fn::GetAtt"):
        return ""
    return str(argument[0] if isinstance(argument, list) else argument.split(".")[0])


def _take_back(clients: Clients, declared: StageStack) -> None:
    """Import the queues and buckets that a deleted stack left behind."""
    template = declared.template
    queues = _queues(clients, [name(resource) for resource in template.resources(QUEUE)])
    buckets = _buckets(clients, [name(resource) for resource in template.resources(BUCKET)])
    left = {
        resource.logical_id: {"QueueUrl": queues[name(resource)]}
        if resource.type == QUEUE
        else {"BucketName": name(resource)}
        for resource in template.resources(QUEUE, BUCKET)
        if name(resource) in queues or name(resource) in buckets
    }
    if not left:
        return
    raw = template.to_deploy(declared.path)["Resources"]
    resources = {
        resource.logical_id: {**raw[resource.logical_id], "Properties": resource.properties}
        for resource in template.resources(QUEUE, BUCKET)
        if resource.logical_id in left
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
