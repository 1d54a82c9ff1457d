"""Creates the declared tables and queues by API calls, for tests and engines without CloudFormation.

Only missing ones are made.  A deployed stage has its data stack instead.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ops.stage.provision import Clients
    from ops.stage.template import Resource, StageTemplate


def tables(clients: Clients, template: StageTemplate) -> dict[str, str]:
    """Create the missing tables with their indexes, TTL and tags; return logical id to name.

    Backups and encryption are left out, because engines lack them.
    """
    dynamodb, made = clients.client("dynamodb"), {}
    for resource in template.resources("AWS::DynamoDB::Table"):
        declared = dict(resource.properties)
        made[resource.logical_id] = name = str(declared["TableName"])
        ttl = declared.pop("TimeToLiveSpecification", None)
        declared.pop("PointInTimeRecoverySpecification", None)
        declared.pop("SSESpecification", None)
        with suppress(dynamodb.exceptions.ResourceInUseException):
            created = dynamodb.create_table(**declared)["TableDescription"]
            if created["TableStatus"] != "ACTIVE":
                dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        if ttl and not _expires(dynamodb, name):
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)
    return made


def _expires(dynamodb: Any, name: str) -> bool:  # noqa: ANN401 - a boto3 client
    found = dynamodb.describe_time_to_live(TableName=name).get("TimeToLiveDescription", {})
    return found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")


def queues(
    clients: Clients, template: StageTemplate, overrides: Mapping[str, str]
) -> dict[str, str]:
    """Create the missing queues, dead-letter queues first; return logical id to URL.

    Args:
        clients: the engine's clients.
        template: the stage's template.
        overrides: attributes for the source queues, in place of the declared ones.
    """
    sqs, made = clients.client("sqs"), {}
    for resource in sorted(
        template.resources("AWS::SQS::Queue"), key=lambda queue: "RedrivePolicy" in queue.properties
    ):
        more = overrides if "RedrivePolicy" in resource.properties else {}
        tags = {tag["Key"]: tag["Value"] for tag in resource.properties.get("Tags", [])}
        name = resource.properties["QueueName"]
        try:
            made[resource.logical_id] = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            made[resource.logical_id] = sqs.create_queue(
                QueueName=name, Attributes={**_attributes(resource), **more}, tags=tags
            )["QueueUrl"]
    return made


def _attributes(resource: Resource) -> dict[str, str]:
    """A queue's properties as SQS's API expects them."""
    properties = dict(resource.properties)
    for name in ("QueueName", "Tags"):
        properties.pop(name, None)
    if not properties.get("ContentBasedDeduplication"):
        properties.pop("ContentBasedDeduplication", None)
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in properties.items()
    }
