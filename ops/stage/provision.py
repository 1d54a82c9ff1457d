"""Creates the tables, queues and switches of a stage as `.chalice/resources.json` declares them.

A repeated run changes only what differs, so it can run at any time.  A stage whose resources a
CloudFormation stack created is refused: that stack is the other way to manage them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.exceptions import ClientError

from chalicelib.errors import UnavailableError
from chalicelib.once.keyring import KeyPurpose, parsed_keys
from chalicelib.outreach.channels import CARRIERS
from chalicelib.settings import Settings
from ops.stage.template import Resource, StageTemplate, StageTemplateError

INDEX_POLL_SECONDS = 5.0
INDEX_POLLS = 360
"""Half an hour: building a large table's index takes as long as reading the table."""


class Clients(Protocol):
    """A source of boto3 clients."""

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client."""
        ...


class OwnedByStackError(Exception):
    """A CloudFormation stack created the resource and must keep managing it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was done with one resource.

    Attributes:
        name: a table's name, a queue's URL, a switch's path.
        did: created, updated or unchanged.
        changes: what was updated.
    """

    logical_id: str
    name: str
    did: str
    changes: tuple[str, ...] = ()


def everything(clients: Clients, template: StageTemplate, stage: str) -> Iterator[Made]:
    """Create or update every data resource of a stage; yields each as it is done."""
    yield from queues(clients, template, {})
    yield from tables(clients, template, backups=True)
    yield from switches(clients, template, stage)


def tables(clients: Clients, template: StageTemplate, *, backups: bool) -> Iterator[Made]:
    """Create or update the tables with their indexes, TTL, tags and protection.

    Args:
        clients: of the account to work on.
        template: of the stage.
        backups: False skips point-in-time recovery, which embedded engines do not have.
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
            created = dynamodb.create_table(**declared)["TableDescription"]
            if created["TableStatus"] != "ACTIVE":  # embedded engines create at once
                dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        else:
            _refuse_stack_owned(
                dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"]
            )
            changes += _update_table(dynamodb, declared, found)
        if ttl and (found is None or not _ttl_is_set(dynamodb, name, ttl)):
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)
            changes.append("ttl")
        if backups and recovery and not _recovery_is(dynamodb, name, recovery):
            dynamodb.update_continuous_backups(
                TableName=name, PointInTimeRecoverySpecification=recovery
            )
            changes.append("recovery")
        yield _made(resource.logical_id, name, is_new=found is None, changes=changes)


def queues(
    clients: Clients, template: StageTemplate, overrides: Mapping[str, str]
) -> Iterator[Made]:
    """Create or update the queues, dead-letter queues first.

    Args:
        clients: of the account to work on.
        template: of the stage.
        overrides: attributes for the source queues, in place of the declared ones.
    """
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


def switches(clients: Clients, template: StageTemplate, stage: str) -> Iterator[Made]:
    """Give missing switches their first values; an existing switch is never changed."""
    ssm = clients.client("ssm")
    for name, value in template.metadata["Switches"]["FirstValues"].items():
        path = f"/rp-mw/{stage}/{name}"
        is_new = not ssm.get_parameters(Names=[path])["Parameters"]
        if is_new:
            ssm.put_parameter(Name=path, Value=value, Type="String")
        yield _made(name, path, is_new=is_new, changes=())


def missing_secrets(
    clients: Clients, template: StageTemplate, stage: str, settings: Settings
) -> list[str]:
    """Names of the secrets that must still be provided; secrets that no feature reads are left out."""
    client = clients.client("secretsmanager")
    return [
        secret_id
        for secret_id in (f"rp-mw/{stage}/{name}" for name in secret_names(template, settings))
        if not (has_keys if "/keys/" in secret_id else has_value)(client, secret_id)
    ]


def secret_names(template: StageTemplate, settings: Settings) -> list[str]:
    """The declared secrets that a stage reads: of its systems, and of the features it uses."""
    needless = {name for name, is_read in _READ_ONLY_WITH.items() if not is_read(settings)}
    return [
        name
        for name in template.metadata["Secrets"]
        if name not in {"Comment", *needless}
        and _SYSTEM_OF.get(name.partition("/")[0], "stage") in ("stage", *settings.systems)
    ]


_SYSTEM_OF: Mapping[str, str] = {
    "richpanel": "support",
    "shopify": "support",
    "openai": "support",
    "router": "outreach",
    **{one.vendor: "outreach" for one in CARRIERS.values()},
    "aloware": "facts",
    "hubspot": "facts",
    "powerbi": "facts",
}
"""The system that reads a secret, by the first part of its name; any other is the stage's own."""
_READ_ONLY_WITH: Mapping[str, Callable[[Settings], object]] = {
    "aloware/api_token": lambda settings: settings.aloware_ring_group_url,
    "console/client_secret": lambda _settings: False,  # only a stack has the console
    "keys/tool_results": lambda settings: "outreach" in settings.systems,
    "keys/unsubscribe": lambda settings: "outreach" in settings.systems,
    "hubspot/api_token": lambda settings: settings.hubspot_directory,
    "openai/api_key": lambda settings: settings.support.openai_intent_enabled,
    "powerbi/client_secret": lambda settings: settings.facts_report == "powerbi",
    "shopify/client_id": lambda settings: settings.support.shopify_base_url,
    "shopify/client_secret": lambda settings: settings.support.shopify_base_url,
}
"""Optional secrets, each with the setting that makes a stage read it."""


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
        raise StageTemplateError(
            f"the key of {name} differs from what is declared; keys cannot change"
        )
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
    """Wait until all indexes are active: DynamoDB builds one at a time and blocks other changes."""
    for _ in range(INDEX_POLLS):
        found = dynamodb.describe_table(TableName=name)["Table"]
        indexes: list[dict[str, Any]] = found.get("GlobalSecondaryIndexes", [])
        statuses = {found["TableStatus"], *(one["IndexStatus"] for one in indexes)}
        if statuses == {"ACTIVE"}:
            return indexes
        time.sleep(INDEX_POLL_SECONDS)
    raise StageTemplateError(
        f"an index of {name} is still being built; provision again once it exists"
    )


def _defined(
    declared: Mapping[str, Any], keyed: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The definitions of attributes used as keys; DynamoDB rejects unused definitions."""
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
    _refuse_stack_owned([{"Key": key} for key in there])
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


def _refuse_stack_owned(tags: list[dict[str, str]]) -> None:
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
            raise StageTemplateError(f"{resource.logical_id}.{name} is not supported here")
    if attributes.get("ContentBasedDeduplication") == "false":
        del attributes["ContentBasedDeduplication"]
    return attributes


def _plain(value: str) -> object:
    """Normalise an attribute: SQS returns strings, and policies as JSON whose numbers may be strings."""
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


def has_value(client: Any, secret_id: str) -> bool:  # noqa: ANN401
    """Whether a secret exists and is not empty."""
    try:
        return bool(client.get_secret_value(SecretId=secret_id)["SecretString"].strip())
    except (ClientError, KeyError):
        return False


def has_keys(client: Any, secret_id: str) -> bool:  # noqa: ANN401
    """Whether a purpose's keys are there; of those that no person may read, that the secret exists."""
    _, stage, _, name = secret_id.split("/")
    purpose = KeyPurpose(name)
    try:
        if purpose in READ_BY_FUNCTIONS_ONLY:
            client.describe_secret(SecretId=secret_id)
        else:
            text = client.get_secret_value(SecretId=secret_id).get("SecretString", "")
            parsed_keys(text, stage, purpose)
    except (ClientError, UnavailableError):
        return False
    return True


READ_BY_FUNCTIONS_ONLY = frozenset({KeyPurpose.UNSUBSCRIBE, KeyPurpose.TOOL_RESULTS})
"""With these one speaks as a recipient or as a company's tool; an administrator rotates them."""
