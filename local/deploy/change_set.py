"""First way: `chalice package` with the merge template, then a CloudFormation change set."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from local.deploy import bundle
from local.deploy.deployment import Deployment
from local.stack import resources
from local.stack.engine import REGION, EngineError
from ops.session import OpsError
from ops.stage import policies
from ops.stage import stack as stacks
from ops.stage.monitoring import COMPOSITE, composites
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local.stack.engine import Engine

BUCKET = "deployments"
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
    "ticket_texts": "TicketTexts",
    "console": "Console",
}


def deploy(
    engine: Engine, project: Path, stage: str, *, parameters: Mapping[str, str] | None = None
) -> Deployment:
    """Package a project and create or update its stack.

    Raises:
        EngineError: the stage was deployed the other way, or CloudFormation failed.
    """
    aws = resources.Aws(engine.url)
    try:
        stacks.refuse_provisioned(aws, stage)
    except OpsError as error:
        raise EngineError(str(error)) from None
    list(policies.create(aws, policies.declared(stage, aws.account, REGION), aws.account))
    out = bundle.package(project, stage)
    aws.client("s3").create_bucket(Bucket=BUCKET)
    template_url = stacks.uploaded(aws, BUCKET, out, _template(out))
    known = resources.Secrets()
    resources.create_switches(aws, stage, resources.SWITCHES)
    resources.create_secrets(aws, stage, known)
    name = f"rp-mw-{stage}"
    values = {"Stage": stage, "Release": "local", **(parameters or {})}
    try:
        stacks.apply(aws, name, template_url, values)
    except OpsError as error:
        raise EngineError(str(error)) from None
    template = StageTemplate.load(stage, account=aws.account, region=REGION)
    list(composites(aws.client("cloudwatch"), template))
    return _deployment(engine, aws, name, stage, known)


def _template(out: Path) -> dict[str, Any]:
    """The packaged template without what this engine's CloudFormation does not know; see `deploy`."""
    template: dict[str, Any] = json.loads((out / "sam.json").read_text())
    template["Resources"] = {
        name: one for name, one in template["Resources"].items() if one["Type"] != COMPOSITE
    }
    return template


def _deployment(
    engine: Engine, aws: resources.Aws, name: str, stage: str, known: resources.Secrets
) -> Deployment:
    listed = aws.client("cloudformation").describe_stack_resources(StackName=name)
    physical = {
        one["LogicalResourceId"]: one["PhysicalResourceId"] for one in listed["StackResources"]
    }
    template = StageTemplate.load(stage, account=aws.account, region=REGION)
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
