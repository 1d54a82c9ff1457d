"""Refuses to start on a table or queue of another stage.

`settings` checks the names; this module checks the resources' own ``stage`` tags, because a variable
can override a name, and a tag comes from the declaration that created the resource.
"""

from __future__ import annotations

from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import SettingsError, TransientError


def check(
    dynamodb: Any,  # noqa: ANN401 - boto3 builds it at run time
    sqs: Any,  # noqa: ANN401 - likewise
    *,
    stage: str,
    tables: list[str],
    queue_name: str,
) -> None:
    """Raise unless the tables and the queue have the stage's own ``stage`` tag.

    Raises:
        SettingsError: a resource has another stage's tag, or none.
        TransientError: the tags could not be read.
    """
    try:
        found = {name: _table_stage(dynamodb, name) for name in tables}
        url = sqs.get_queue_url(QueueName=queue_name)["QueueUrl"]
        queue = sqs.list_queue_tags(QueueUrl=url).get("Tags", {})
    except (ClientError, BotoCoreError) as error:
        raise TransientError("aws", "read_tags", reason=type(error).__name__) from None
    found[queue_name] = queue.get("stage")
    wrong = sorted(name for name, tag in found.items() if tag != stage)
    if wrong:
        raise SettingsError(f"not tagged stage={stage}: {', '.join(wrong)}")


def check_table(dynamodb: Any, *, stage: str, table: str) -> None:  # noqa: ANN401
    """Raise unless one table, which not every function uses, has the stage's own ``stage`` tag.

    Raises:
        SettingsError: it has another stage's tag, or none.
        TransientError: its tags could not be read.
    """
    try:
        found = _table_stage(dynamodb, table)
    except (ClientError, BotoCoreError) as error:
        raise TransientError("aws", "read_tags", reason=type(error).__name__) from None
    if found != stage:
        raise SettingsError(f"not tagged stage={stage}: {table}")


def _table_stage(dynamodb: Any, name: str) -> str | None:  # noqa: ANN401
    arn = dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
    tags = dynamodb.list_tags_of_resource(ResourceArn=arn).get("Tags", [])
    return next((tag["Value"] for tag in tags if tag["Key"] == "stage"), None)
