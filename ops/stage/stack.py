"""Makes a stage's CloudFormation stacks: uploads bundles and template, then runs a change set."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import WaiterError

from ops.session import OpsError
from ops.stage import address, archive, stack_states
from ops.stage.provision import Clients

_CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]
_NO_CHANGE = ("didn't contain changes", "No updates are to be performed")
"""CloudFormation's reasons for no change; the second is for templates that a macro expands."""
CREATED, UPDATED, UNCHANGED = "created", "updated", "unchanged"
_DID = {"CREATE": CREATED, "UPDATE": UPDATED}


@dataclass(frozen=True, slots=True)
class Deployer:
    """The bucket and role that make a stage's stacks; the access stack declares both.

    Attributes:
        bucket: holds templates and packaged code.
        role_arn: the role that CloudFormation and `chalice deploy` assume.
    """

    bucket: str
    role_arn: str


def access_stack(stage: str) -> str:
    """The name of the stack of a stage's boundaries, people's policies and roles, and `Deployer`."""
    return f"rp-mw-{stage}-access"


def data_stack(stage: str) -> str:
    """The name of the stack of a stage's tables, queues and other resources found by name."""
    return f"rp-mw-{stage}-data"


def functions_stack(stage: str) -> str:
    """The name of the stack of a stage's functions, unless Chalice deploys them."""
    return f"rp-mw-{stage}"


def refuse_chalices(clients: Clients, stage: str) -> None:
    """Refuse to make a stack of functions that `chalice deploy` has made.

    Raises:
        OpsError: Chalice made them.
    """
    if stack_states.status(clients.client("cloudformation"), functions_stack(stage)):
        return
    if address.ids(clients.client("apigateway"), stage):
        raise OpsError(
            f"chalice deploy has made the functions of stage {stage}: deploy them so (way ="
            f' "direct"), or take them away first: chalice delete --stage {stage}'
        )


def refuse_stacks(clients: Clients, stage: str) -> None:
    """Refuse to deploy functions by Chalice if a stack has them: they would exist twice.

    Raises:
        OpsError: a stack has them.
    """
    owner = functions_stack(stage)
    if stack_states.status(clients.client("cloudformation"), owner):
        raise OpsError(
            f"the stack {owner} has the functions of stage {stage}: deploy that (way ="
            f' "stack"), or delete it first (aws cloudformation delete-stack --stack-name {owner});'
            " the data stack stays"
        )


def upload_bundles(
    clients: Clients, bucket: str, out: Path, template: dict[str, Any]
) -> dict[str, Any]:
    """Upload a packaged template's bundles and layers, as `aws cloudformation package` does.

    Returns:
        The template, which now names the uploaded objects.
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
            zipped = archive.write(out / f"{layer.name}.zip", archive.files(layer))
            s3.upload_file(str(zipped), bucket, f"{folder}/{layer.name}.zip")
            place = {"S3Bucket": bucket, "S3Key": f"{folder}/{layer.name}.zip"}
            resource["Properties"]["Content"] = place
    return template


def make_functions(
    clients: Clients, stage: str, out: Path, values: Mapping[str, str], by: Deployer
) -> str:
    """Create or update the functions' stack from the output of `chalice package`.

    Raises:
        OpsError: as `apply`.
    """
    packaged = json.loads((out / "sam.json").read_text())
    template = upload_bundles(clients, by.bucket, out, packaged)
    return apply(clients, functions_stack(stage), template, {"Stage": stage, **values}, by=by)


def apply(
    clients: Clients,
    name: str,
    template: Mapping[str, Any],
    values: Mapping[str, str],
    *,
    by: Deployer | None,
) -> str:
    """Create or update a stack, from any status, and wait until it is complete.

    The new stack imports retained resources that a deleted stack left behind.

    Args:
        clients: the account's clients.
        name: the stack's name.
        template: the stack's template.
        values: parameter values; a parameter not named keeps its value, or gets its default.
        by: the deployer that makes the stack; None for the caller's own rights, before a deployer
            exists.  The deployer's bucket holds the template, because a template may have a megabyte
            in a bucket and only 51,200 bytes in a request.

    Returns:
        What was done: created, updated or unchanged.

    Raises:
        OpsError: the change set or the stack failed; names the first reasons.
    """
    client = clients.client("cloudformation")
    kind = stack_states.make_ready(client, name)
    change = f"deploy-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType=kind,
        **_given_to(by, clients, f"stacks/{name}/{change}.json", template),
        Capabilities=_CAPABILITIES,
        ImportExistingResources=True,
        Parameters=[
            *({"ParameterKey": name, "ParameterValue": value} for name, value in values.items()),
            *(
                {"ParameterKey": parameter, "UsePreviousValue": True}
                for parameter in _given(client, name, kind)
                if parameter in template["Parameters"] and parameter not in values
            ),
        ],
    )
    return _DID[kind] if carried_out(client, name, change, kind) else UNCHANGED


def carried_out(client: Any, name: str, change: str, kind: str) -> bool:  # noqa: ANN401 - a boto3 client
    """Execute a change set and wait for the stack; return False if there is no change.

    Raises:
        OpsError: the change set or the stack failed; names the first reasons.
    """
    try:
        stack_states.wait(client, "change_set_create_complete", name, ChangeSetName=change)
    except WaiterError as error:
        reason = str(error.last_response.get("StatusReason", error))
        if not any(words in reason for words in _NO_CHANGE):
            raise OpsError(f"change set of {name}: {reason}") from None
        client.delete_change_set(StackName=name, ChangeSetName=change)
        return False
    client.execute_change_set(StackName=name, ChangeSetName=change)
    try:
        stack_states.wait(client, f"stack_{kind.lower()}_complete", name)
    except WaiterError:
        now = stack_states.status(client, name)
        reasons = stack_states.why(client, name)
        raise OpsError(
            f"stack {name} is {now}: {reasons}; put that right, then run this again: it goes on from"
            " every status"
        ) from None
    return True


def _given_to(
    by: Deployer | None, clients: Clients, key: str, template: Mapping[str, Any]
) -> dict[str, str]:
    text = json.dumps(template, separators=(",", ":"))
    if by is None:
        return {"TemplateBody": text}
    s3 = clients.client("s3")
    s3.put_object(Bucket=by.bucket, Key=key, Body=text.encode())
    return {"TemplateURL": f"{s3.meta.endpoint_url}/{by.bucket}/{key}", "RoleARN": by.role_arn}


def _given(client: Any, name: str, kind: stack_states.Kind) -> list[str]:  # noqa: ANN401 - a boto3 client
    """The names of the parameters that an existing stack has values for."""
    if kind == "CREATE":
        return []
    found = client.describe_stacks(StackName=name)["Stacks"][0].get("Parameters", [])
    return [parameter["ParameterKey"] for parameter in found]
