"""A stage's CloudFormation stack: bundles and template into a bucket, then a change set."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from botocore.exceptions import WaiterError

from ops.session import OpsError
from ops.stage import stack_states
from ops.stage.provision import Clients

MANAGER = "cloudformation"
_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]
_NO_CHANGE = ("didn't contain changes", "No updates are to be performed")
"""CloudFormation's words; the second is of templates that a macro expands, such as SAM's."""


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
    """Create or update a stack, from whatever status it is in, and wait for it.

    A retained resource that a deleted stack has left behind is taken back into the new one.

    Returns:
        CREATE or UPDATE; UNCHANGED where there was nothing to do.

    Raises:
        OpsError: the change set or the stack failed; names the first reasons.
    """
    client = clients.client("cloudformation")
    kind = stack_states.ready(client, name)
    change = f"deploy-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType=kind,
        TemplateURL=template_url,
        Capabilities=_CAPABILITIES,
        ImportExistingResources=kind == "CREATE",
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in values.items()],
    )
    try:
        stack_states.wait(client, "change_set_create_complete", name, ChangeSetName=change)
    except WaiterError as error:
        reason = str(error.last_response.get("StatusReason", error))
        if not any(words in reason for words in _NO_CHANGE):
            raise OpsError(f"change set of {name}: {reason}") from None
        client.delete_change_set(StackName=name, ChangeSetName=change)
        return "UNCHANGED"
    client.execute_change_set(StackName=name, ChangeSetName=change)
    try:
        stack_states.wait(client, f"stack_{kind.lower()}_complete", name)
    except WaiterError:
        now = stack_states.status(client, name)
        reasons = stack_states.why(client, name)
        raise OpsError(f"stack {name} is {now}: {reasons}") from None
    return kind
