"""A stage's CloudFormation stack: bundles and template into a bucket, then a change set."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from ops.session import OpsError
from ops.stage.provision import Clients

MANAGER = "cloudformation"
READY_SECONDS = 1_800.0
POLL_SECONDS = 2.0
_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]


def refuse_provisioned(clients: Clients, stage: str) -> None:
    """Refuse a stage whose queue says that it was provisioned.

    Raises:
        OpsError: it was.
    """
    sqs = clients.client("sqs")
    queue = f"rp-mw-events-{stage}.fifo"
    try:
        url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
    except sqs.exceptions.QueueDoesNotExist:
        return
    owner = sqs.list_queue_tags(QueueUrl=url).get("Tags", {}).get("managed-by", "nothing")
    if owner != MANAGER:
        raise OpsError(f'{queue} is managed by {owner}: this stage is deployed by way = "direct"')


def uploaded(clients: Clients, bucket: str, out: Path, template: dict[str, Any]) -> str:
    """Upload a packaged template and its bundles, as `aws cloudformation package` does.

    A template in a request to CloudFormation may have 51,200 bytes, and this one has more; one in
    S3 may have a megabyte.

    Returns:
        The template's address.
    """
    s3 = clients.client("s3")
    done: dict[str, str] = {}
    folder = f"stacks/{time.time_ns()}"
    for resource in template["Resources"].values():
        local = resource.get("Properties", {}).get("CodeUri")
        if resource["Type"] != "AWS::Serverless::Function" or not isinstance(local, str):
            continue
        if local not in done:
            done[local] = f"{folder}/{local.rsplit('/', 1)[-1]}"
            s3.upload_file(str(out / local), bucket, done[local])
        resource["Properties"]["CodeUri"] = {"Bucket": bucket, "Key": done[local]}
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::LayerVersion":
            layer = out / resource["Properties"]["Content"]
            archive = shutil.make_archive(str(out / layer.name), "zip", layer)
            s3.upload_file(archive, bucket, f"{folder}/{layer.name}.zip")
            place = {"S3Bucket": bucket, "S3Key": f"{folder}/{layer.name}.zip"}
            resource["Properties"]["Content"] = place
    key = f"{folder}/template.json"
    s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(template).encode())
    return f"{s3.meta.endpoint_url}/{bucket}/{key}"


def apply(clients: Clients, name: str, template_url: str, values: Mapping[str, str]) -> str:
    """Create or update a stack and wait for it.

    Returns:
        CREATE or UPDATE; UNCHANGED where there was nothing to do.

    Raises:
        OpsError: the change set or the stack failed; names the first reasons.
    """
    client = clients.client("cloudformation")
    kind = "UPDATE" if status(client, name) else "CREATE"
    change = f"deploy-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType=kind,
        TemplateURL=template_url,
        Capabilities=_CAPABILITIES,
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in values.items()],
    )
    if not _is_ready(client, name, change):
        return "UNCHANGED"
    client.execute_change_set(StackName=name, ChangeSetName=change)
    wanted, deadline = f"{kind}_COMPLETE", time.monotonic() + READY_SECONDS
    while (now := status(client, name)) != wanted:
        if time.monotonic() > deadline or "FAILED" in now or "ROLLBACK" in now:
            raise OpsError(f"stack {name} is {now}: {'; '.join(reasons(client, name))}")
        time.sleep(_pause(client))
    return kind


def status(client: Any, name: str) -> str:  # noqa: ANN401 - a boto3 client
    """The stack's status, empty if there is no stack."""
    try:
        found: str = client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    except ClientError:
        return ""
    return "" if found == "REVIEW_IN_PROGRESS" else found


def reasons(client: Any, name: str) -> list[str]:  # noqa: ANN401 - a boto3 client
    """The first resources that failed, and why."""
    events = client.describe_stack_events(StackName=name)["StackEvents"]
    return [
        f"{one['LogicalResourceId']}: {one['ResourceStatusReason']}"
        for one in events
        if "FAILED" in one["ResourceStatus"] and one.get("ResourceStatusReason")
    ][:5]


def _is_ready(client: Any, name: str, change: str) -> bool:  # noqa: ANN401 - a boto3 client
    """Wait for a change set; False where it holds no change."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        found = client.describe_change_set(StackName=name, ChangeSetName=change)
        if found["Status"] == "CREATE_COMPLETE":
            return True
        why = str(found.get("StatusReason", "timeout"))
        if found["Status"] == "FAILED" and "didn't contain changes" in why:
            client.delete_change_set(StackName=name, ChangeSetName=change)
            return False
        if found["Status"] == "FAILED" or time.monotonic() > deadline:
            raise OpsError(f"change set of {name}: {why}")
        time.sleep(_pause(client))


def _pause(client: Any) -> float:  # noqa: ANN401 - a boto3 client
    """An engine on this machine is done at once."""
    return 0.1 if client.meta.endpoint_url.startswith("http://127.") else POLL_SECONDS
