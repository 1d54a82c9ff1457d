"""Removes a stage completely: its stacks, resources that outlive them, and those in no stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ops.session import OpsError
from ops.stage import artifacts, stack, stack_states

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.acceptance.stage_day import StageDay


def removed(day: StageDay) -> str:
    """Delete everything that has the stage's name.

    Raises:
        OpsError: resources are left; names them.
    """
    client = day.account.client("cloudformation")
    for name in (stack.functions_stack(day.stage), stack.data_stack(day.stage)):
        _delete_stack(client, name)
    _tables(day)
    _queues(day)
    facts = f"rp-mw-facts-{day.stage}-{day.account.number}"
    code = artifacts.name(day.stage, day.account.number, day.account.region)
    _delete_stack(client, stack.access_stack(day.stage))
    for bucket in (facts, code):
        _bucket(day, bucket)
    _parameters_and_secrets(day)
    logs = day.account.client("logs")
    for name in _log_groups(day):
        day.account.gone(logs.delete_log_group, logGroupName=name)
    day.vendors.take_away()
    left = sorted(_left(day))
    if left:
        raise OpsError(f"left: {', '.join(left)}")
    return "nothing of the stage is left"


def _delete_stack(client: Any, name: str) -> None:  # noqa: ANN401 - a boto3 client
    if stack_states.status(client, name):
        client.delete_stack(StackName=name)
        stack_states.wait(client, stack_states.DELETED, name)


def _tables(day: StageDay) -> None:
    dynamodb = day.account.client("dynamodb")
    for resource in day.template.resources("AWS::DynamoDB::Table"):
        name = resource.properties["TableName"]
        day.account.gone(dynamodb.update_table, TableName=name, DeletionProtectionEnabled=False)
        day.account.gone(dynamodb.delete_table, TableName=name)
        dynamodb.get_waiter("table_not_exists").wait(TableName=name)


def _queues(day: StageDay) -> None:
    sqs = day.account.client("sqs")
    for resource in day.template.resources("AWS::SQS::Queue"):
        name = resource.properties["QueueName"]
        for url in sqs.list_queues(QueueNamePrefix=name).get("QueueUrls", []):
            if url.rpartition("/")[2] == name:
                sqs.delete_queue(QueueUrl=url)


def _bucket(day: StageDay, name: str) -> None:
    s3 = day.account.client("s3")
    if name not in _buckets(day):
        return
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=name):
        for version in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            s3.delete_object(Bucket=name, Key=version["Key"], VersionId=version["VersionId"])
    s3.delete_bucket(Bucket=name)


def _parameters_and_secrets(day: StageDay) -> None:
    ssm, secrets = day.account.client("ssm"), day.account.client("secretsmanager")
    for name in _parameters(day):
        ssm.delete_parameter(Name=name)
    for name in _secrets(day):
        secrets.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)


def _left(day: StageDay) -> Iterator[str]:
    client = day.account.client("cloudformation")
    for name in (stack.functions_stack, stack.data_stack, stack.access_stack):
        if stack_states.status(client, name(day.stage)):
            yield name(day.stage)
    dynamodb, functions = day.account.client("dynamodb"), day.account.client("lambda")
    ends = f"-{day.stage}"
    pages = dynamodb.get_paginator("list_tables").paginate()
    yield from (table for page in pages for table in page["TableNames"] if table.endswith(ends))
    listed = functions.get_paginator("list_functions").paginate()
    names = [function["FunctionName"] for page in listed for function in page["Functions"]]
    yield from (name for name in names if name.startswith(f"rp-mw-{day.stage}"))
    yield from (
        bucket for bucket in _buckets(day) if f"{ends}-" in bucket and bucket.startswith("rp-mw-")
    )
    yield from (*_parameters(day), *_secrets(day), *_log_groups(day))


def _buckets(day: StageDay) -> list[str]:
    return [bucket["Name"] for bucket in day.account.client("s3").list_buckets()["Buckets"]]


def _parameters(day: StageDay) -> list[str]:
    pages = day.account.client("ssm").get_paginator("get_parameters_by_path")
    found = pages.paginate(Path=f"/rp-mw/{day.stage}", Recursive=True)
    return [parameter["Name"] for page in found for parameter in page["Parameters"]]


def _secrets(day: StageDay) -> list[str]:
    pages = day.account.client("secretsmanager").get_paginator("list_secrets").paginate()
    names = [secret["Name"] for page in pages for secret in page["SecretList"]]
    ours = f"rp-mw/{day.stage}/"
    return [name for name in names if name.startswith(ours) or _is_companys(name, day.stage)]


def _is_companys(name: str, stage: str) -> bool:
    """Whether a secret is the invented company's, whose names end with the stage."""
    return name.startswith("ai-multi-comms/") and name.endswith(f"-{stage}")


def _log_groups(day: StageDay) -> list[str]:
    pages = day.account.client("logs").get_paginator("describe_log_groups")
    found = pages.paginate(logGroupNamePrefix=f"/aws/lambda/rp-mw-{day.stage}")
    return [group["logGroupName"] for page in found for group in page["logGroups"]]
