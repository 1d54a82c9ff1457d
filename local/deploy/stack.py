"""First way: `chalice package` with the merge template, then a CloudFormation change set."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from local.deploy import bundle
from local.deploy.deployment import Deployment
from local.stack import resources
from local.stack.engine import REGION, EngineError
from ops.stage.monitoring import COMPOSITE, composites
from ops.stage.template import Template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local.stack.engine import Engine

BUCKET = "deployments"
MANAGER = "cloudformation"
FUNCTIONS = {
    "api": "APIHandler",
    "worker": "Worker",
    "outreach_worker": "OutreachWorker",
    "email_worker": "EmailWorker",
    "facts_worker": "FactsWorker",
    "companies_worker": "CompaniesWorker",
    "reconcile": "Reconcile",
    "facts": "PostFacts",
    "mail": "Mail",
    "later": "Later",
    "console": "Console",
}
READY_SECONDS = 120.0


def deploy(
    engine: Engine, project: Path, stage: str, *, parameters: Mapping[str, str] | None = None
) -> Deployment:
    """Package a project and create or update its stack.

    Raises:
        EngineError: the stage was deployed the other way, or CloudFormation failed.
    """
    aws = resources.Aws(engine.url)
    _refuse_provisioned(aws, stage)
    template_url = _uploaded(aws, bundle.package(project, stage))
    known = resources.Secrets()
    resources.create_switches(aws, stage, resources.SWITCHES)
    resources.create_secrets(aws, stage, known)
    name = f"rp-mw-{stage}"
    values = {"Stage": stage, "Release": "local", **(parameters or {})}
    _apply(aws, name, template_url, values)
    template = Template.load(stage, account=aws.account, region=REGION)
    list(composites(aws.client("cloudwatch"), template))
    return _deployment(engine, aws, name, stage, known)


def _refuse_provisioned(aws: resources.Aws, stage: str) -> None:
    """Refuse a provisioned stage, as AWS would; this engine would adopt its tables and queue."""
    sqs = aws.client("sqs")
    queue = f"rp-mw-events-{stage}.fifo"
    try:
        tags = sqs.list_queue_tags(QueueUrl=sqs.get_queue_url(QueueName=queue)["QueueUrl"])
    except sqs.exceptions.QueueDoesNotExist:
        return
    owner = tags.get("Tags", {}).get("managed-by", "nothing")
    if owner != MANAGER:
        raise EngineError(f"{queue} is managed by {owner}; chalice deploy deploys this stage")


def _uploaded(aws: resources.Aws, out: Path) -> str:
    """Upload the template and its bundles to S3, as `aws cloudformation package` does.

    A template in a request to CloudFormation may have 51,200 bytes, and this one has more; one in
    S3 may have a megabyte.
    """
    s3 = aws.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    template = json.loads((out / "sam.json").read_text())
    template["Resources"] = {  # this engine's CloudFormation does not know them; see `deploy`
        name: one for name, one in template["Resources"].items() if one["Type"] != COMPOSITE
    }
    done: dict[str, str] = {}
    for resource in template["Resources"].values():
        local = resource.get("Properties", {}).get("CodeUri")
        if resource["Type"] != "AWS::Serverless::Function" or not isinstance(local, str):
            continue
        if local not in done:
            done[local] = f"{out.parent.name}/{local.rsplit('/', 1)[-1]}"
            s3.upload_file(str(out / local), BUCKET, done[local])
        resource["Properties"]["CodeUri"] = {"Bucket": BUCKET, "Key": done[local]}
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::LayerVersion":
            folder = out / resource["Properties"]["Content"]
            archive = shutil.make_archive(str(out / folder.name), "zip", folder)
            layer = f"{out.parent.name}/{folder.name}.zip"
            s3.upload_file(archive, BUCKET, layer)
            resource["Properties"]["Content"] = {"S3Bucket": BUCKET, "S3Key": layer}
    key = f"{out.parent.name}/template-{time.time_ns()}.json"
    s3.put_object(Bucket=BUCKET, Key=key, Body=json.dumps(template).encode())
    return f"{aws.url}/{BUCKET}/{key}"


def _apply(aws: resources.Aws, name: str, template_url: str, values: Mapping[str, str]) -> None:
    client = aws.client("cloudformation")
    kind = "UPDATE" if _status(client, name) else "CREATE"
    change = f"deploy-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType=kind,
        TemplateURL=template_url,
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in values.items()],
    )
    _wait_for_change_set(client, name, change)
    client.execute_change_set(StackName=name, ChangeSetName=change)
    wanted = f"{kind}_COMPLETE"
    deadline = time.monotonic() + READY_SECONDS
    while (status := _status(client, name)) != wanted:
        if time.monotonic() > deadline or "FAILED" in status or "ROLLBACK" in status:
            raise EngineError(f"stack {name} is {status}: {_reasons(client, name)}")
        time.sleep(0.1)


def _wait_for_change_set(client: Any, name: str, change: str) -> None:  # noqa: ANN401
    deadline = time.monotonic() + READY_SECONDS
    while True:
        found = client.describe_change_set(StackName=name, ChangeSetName=change)
        if found["Status"] == "CREATE_COMPLETE":
            return
        if found["Status"] == "FAILED" or time.monotonic() > deadline:
            raise EngineError(f"change set of {name}: {found.get('StatusReason', 'timeout')}")
        time.sleep(0.1)


def _status(client: Any, name: str) -> str:  # noqa: ANN401
    """The stack's status, empty if there is no stack."""
    try:
        found: str = client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    except ClientError:
        return ""
    return "" if found == "REVIEW_IN_PROGRESS" else found


def _reasons(client: Any, name: str) -> list[str]:  # noqa: ANN401
    events = client.describe_stack_events(StackName=name)["StackEvents"]
    return [
        f"{one['LogicalResourceId']}: {one['ResourceStatusReason']}"
        for one in events
        if "FAILED" in one["ResourceStatus"] and one.get("ResourceStatusReason")
    ][:5]


def _deployment(
    engine: Engine, aws: resources.Aws, name: str, stage: str, known: resources.Secrets
) -> Deployment:
    listed = aws.client("cloudformation").describe_stack_resources(StackName=name)
    physical = {
        one["LogicalResourceId"]: one["PhysicalResourceId"] for one in listed["StackResources"]
    }
    template = Template.load(stage, account=aws.account, region=REGION)
    tables = {one.logical_id: one.properties["TableName"] for one in template.resources(_TABLE)}
    names = {one.logical_id: one.properties["QueueName"] for one in template.resources(_QUEUE)}
    urls = {k: aws.client("sqs").get_queue_url(QueueName=v)["QueueUrl"] for k, v in names.items()}
    arns = {k: f"arn:aws:sqs:{REGION}:{aws.account}:{v}" for k, v in names.items()}
    made = resources.Stage(stage, aws, known, tables, urls, arns)
    return Deployment(
        engine=engine,
        stage=made,
        api_url=f"{engine.url}/_aws/execute-api/{physical['RestAPI']}/{stage}",
        functions={word: physical[logical] for word, logical in FUNCTIONS.items()},
    )


_TABLE = "AWS::DynamoDB::Table"
_QUEUE = "AWS::SQS::Queue"
