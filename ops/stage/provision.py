"""Tables, queues and switches of a stage, as `.chalice/resources.json` declares them.

Making again what is there changes only what differs, so it can run at any time.  A stage whose
resources a CloudFormation stack made is refused: that stack is the other of the two ways.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.exceptions import ClientError

from chalicelib.settings import Settings
from ops.stage.template import Resource, Template, TemplateError

INDEX_LOOK_SECONDS = 5.0
INDEX_LOOKS = 360
"""Half an hour: a large table's index takes as long as reading the table does."""


class Clients(Protocol):
    """Where boto3 clients come from."""

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client."""
        ...


class OwnedByStackError(Exception):
    """A CloudFormation stack made the resource and must go on making it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of one resource.

    Attributes:
        name: a table's name, a queue's URL, a switch's path.
        did: created, updated or unchanged.
        changes: what was updated.
    """

    logical_id: str
    name: str
    did: str
    changes: tuple[str, ...] = ()


def everything(clients: Clients, template: Template, stage: str) -> Iterator[Made]:
    """Every data resource of a stage, one by one as it is made."""
    yield from queues(clients, template, {})
    yield from tables(clients, template, backups=True)
    yield from switches(clients, template, stage)


def tables(clients: Clients, template: Template, *, backups: bool) -> Iterator[Made]:
    """The tables with their indexes, TTL, tags and protection.

    Args:
        clients: where.
        template: what is declared.
        backups: False leaves out what embedded engines do not have.
    """
    dynamodb = clients.client("dynamodb")
    for resource in template.resources("AWS::DynamoDB::Table"):
        declared = dict(resource.properties)
        ttl = declared.pop("TimeToLiveSpecification", None)
        recovery = declared.pop("PointInTimeRecoverySpecification", None)
        declared.pop("SSESpecification", None)
        name = declared["TableName"]
        found = _table(dynamodb, name)
        changes: list[str] = []
        if found is None:
            dynamodb.create_table(**declared)
            dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        else:
            _refuse_stacks(dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"])
            changes += _update_table(dynamodb, declared, found)
        if ttl and not _ttl_is_set(dynamodb, name, ttl):
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)
            changes.append("ttl")
        if backups and recovery and not _recovery_is(dynamodb, name, recovery):
            dynamodb.update_continuous_backups(
                TableName=name, PointInTimeRecoverySpecification=recovery
            )
            changes.append("recovery")
        yield _made(resource.logical_id, name, is_new=found is None, changes=changes)


def queues(clients: Clients, template: Template, overrides: Mapping[str, str]) -> Iterator[Made]:
    """The queues, dead-letter queues first; `overrides` are attributes of their source queues."""
    sqs = clients.client("sqs")
    for resource in sorted(
        template.resources("AWS::SQS::Queue"), key=lambda one: "RedrivePolicy" in one.properties
    ):
        is_source = "RedrivePolicy" in resource.properties
        wanted = {**_queue_attributes(resource), **(overrides if is_source else {})}
        tags = {tag["Key"]: tag["Value"] for tag in resource.properties.get("Tags", [])}
        name = resource.properties["QueueName"]
        changes: list[str] = []
        is_new = False
        try:
            url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            url = sqs.create_queue(QueueName=name, Attributes=wanted, tags=tags)["QueueUrl"]
            is_new = True
        else:
            changes += _update_queue(sqs, url, wanted, tags)
        yield _made(resource.logical_id, url, is_new=is_new, changes=changes)


def switches(clients: Clients, template: Template, stage: str) -> Iterator[Made]:
    """First values of the switches where they are missing; one that is there is never touched."""
    ssm = clients.client("ssm")
    for name, value in template.metadata["Switches"]["FirstValues"].items():
        path = f"/rp-mw/{stage}/{name}"
        is_new = not ssm.get_parameters(Names=[path])["Parameters"]
        if is_new:
            ssm.put_parameter(Name=path, Value=value, Type="String")
        yield _made(name, path, is_new=is_new, changes=())


def missing_secrets(
    clients: Clients, template: Template, stage: str, settings: Settings
) -> list[str]:
    """Names of the secrets that a person must still provide; those that nothing reads are not."""
    client = clients.client("secretsmanager")
    needless = {name for name, is_read in _READ_ONLY_WITH.items() if not is_read(settings)}
    names = [name for name in template.metadata["Secrets"] if name not in {"Comment", *needless}]
    return [
        secret_id
        for secret_id in (f"rp-mw/{stage}/{name}" for name in names)
        if not _secret_has_value(client, secret_id)
    ]


_READ_ONLY_WITH: Mapping[str, Callable[[Settings], object]] = {
    "aloware/api_token": lambda settings: settings.aloware_ring_group_url,
    "openai/api_key": lambda settings: settings.support.openai_intent_enabled,
    "shopify/client_id": lambda settings: settings.support.shopify_base_url,
    "shopify/client_secret": lambda settings: settings.support.shopify_base_url,
}
"""Secrets that a stage can be whole without, and what it must be told for them to be read."""


def _made(
    logical_id: str, name: str, *, is_new: bool, changes: list[str] | tuple[str, ...]
) -> Made:
    did = "created" if is_new else "updated" if changes else "unchanged"
    return Made(logical_id, name, did, () if is_new else tuple(changes))


def _table(dynamodb: Any, name: str) -> dict[str, Any] | None:  # noqa: ANN401
    try:
        found: dict[str, Any] = dynamodb.describe_table(TableName=name)["Table"]
    except dynamodb.exceptions.ResourceNotFoundException:
        return None
    return found


def _update_table(
    dynamodb: Any,  # noqa: ANN401 - a boto3 client
    declared: Mapping[str, Any],
    found: Mapping[str, Any],
) -> list[str]:
    name, changes = declared["TableName"], []
    if found["KeySchema"] != declared["KeySchema"]:
        raise TemplateError(f"the key of {name} differs from what is declared; keys cannot change")
    there = {one["IndexName"] for one in found.get("GlobalSecondaryIndexes", [])}
    for index in declared.get("GlobalSecondaryIndexes", []):
        if index["IndexName"] not in there:
            present = _await_indexes(dynamodb, name)  # an interrupted run may have begun one
            dynamodb.update_table(
                TableName=name,
                AttributeDefinitions=_defined(declared, [declared, *present, index]),
                GlobalSecondaryIndexUpdates=[{"Create": index}],
            )
            _await_indexes(dynamodb, name)
            changes.append(f"index {index['IndexName']}")
    protected = bool(declared.get("DeletionProtectionEnabled", False))
    if bool(found.get("DeletionProtectionEnabled", False)) != protected:
        dynamodb.update_table(TableName=name, DeletionProtectionEnabled=protected)
        changes.append("deletion protection")
    wanted = {tag["Key"]: tag["Value"] for tag in declared.get("Tags", [])}
    tags = dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"]).get("Tags", [])
    if not wanted.items() <= {tag["Key"]: tag["Value"] for tag in tags}.items():
        dynamodb.tag_resource(ResourceArn=found["TableArn"], Tags=declared["Tags"])
        changes.append("tags")
    return changes


def _await_indexes(dynamodb: Any, name: str) -> list[dict[str, Any]]:  # noqa: ANN401
    """The indexes, all whole: DynamoDB makes one at a time and changes nothing else meanwhile."""
    for _ in range(INDEX_LOOKS):
        found = dynamodb.describe_table(TableName=name)["Table"]
        indexes: list[dict[str, Any]] = found.get("GlobalSecondaryIndexes", [])
        statuses = {found["TableStatus"], *(one["IndexStatus"] for one in indexes)}
        if statuses == {"ACTIVE"}:
            return indexes
        time.sleep(INDEX_LOOK_SECONDS)
    raise TemplateError(f"an index of {name} is still being made; provision again when it is there")


def _defined(
    declared: Mapping[str, Any], keyed: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The attributes that these have as keys; DynamoDB refuses one that nothing uses."""
    used = {key["AttributeName"] for one in keyed for key in one["KeySchema"]}
    return [one for one in declared["AttributeDefinitions"] if one["AttributeName"] in used]


def _update_queue(
    sqs: Any,  # noqa: ANN401 - a boto3 client
    url: str,
    wanted: Mapping[str, str],
    tags: Mapping[str, str],
) -> list[str]:
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    there = sqs.list_queue_tags(QueueUrl=url).get("Tags", {})
    _refuse_stacks([{"Key": key} for key in there])
    if there.get("managed-by", tags.get("managed-by")) != tags.get("managed-by"):
        raise OwnedByStackError("a CloudFormation stack manages this stage's queue; deploy that")
    differs = {
        name: value
        for name, value in wanted.items()
        if name != "FifoQueue" and _plain(found.get(name, "")) != _plain(value)
    }
    if differs:
        sqs.set_queue_attributes(QueueUrl=url, Attributes=differs)
    if not tags.items() <= there.items():
        sqs.tag_queue(QueueUrl=url, Tags=dict(tags))
        differs["tags"] = ""
    return sorted(differs)


def _refuse_stacks(tags: list[dict[str, str]]) -> None:
    if any(tag["Key"].startswith("aws:cloudformation:") for tag in tags):
        raise OwnedByStackError("a CloudFormation stack owns this stage's resources; deploy that")


def _queue_attributes(resource: Resource) -> dict[str, str]:
    attributes = {}
    for name, value in resource.properties.items():
        if name in ("QueueName", "Tags"):
            continue
        if isinstance(value, bool):
            attributes[name] = "true" if value else "false"
        elif isinstance(value, dict):
            attributes[name] = json.dumps(value)
        elif isinstance(value, str | int):
            attributes[name] = str(value)
        else:
            raise TemplateError(f"{resource.logical_id}.{name} is not understood here")
    if attributes.get("ContentBasedDeduplication") == "false":
        del attributes["ContentBasedDeduplication"]
    return attributes


def _plain(value: str) -> object:
    """Attributes come back as texts; policies as JSON texts whose numbers may be texts."""
    if value.startswith("{"):
        return {name: str(one) for name, one in json.loads(value).items()}
    return value.lower()


def _ttl_is_set(dynamodb: Any, table: str, wanted: Mapping[str, Any]) -> bool:  # noqa: ANN401
    found = dynamodb.describe_time_to_live(TableName=table).get("TimeToLiveDescription", {})
    return (
        found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
        and found.get("AttributeName") == wanted["AttributeName"]
    )


def _recovery_is(dynamodb: Any, table: str, wanted: Mapping[str, Any]) -> bool:  # noqa: ANN401
    found = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    status = found.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
    is_on: bool = status == "ENABLED"
    return is_on == bool(wanted["PointInTimeRecoveryEnabled"])


def _secret_has_value(client: Any, secret_id: str) -> bool:  # noqa: ANN401
    try:
        return bool(client.get_secret_value(SecretId=secret_id)["SecretString"].strip())
    except (ClientError, KeyError):
        return False
