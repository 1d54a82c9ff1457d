"""First way: over the data stack, `chalice package` and a stack of the functions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from local.deploy import bundle
from local.deploy.deployment import Deployment
from local.stack.engine import REGION, EngineError
from ops.session import OpsError
from ops.stage import access_stack
from ops.stage import stack as stacks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local.stack import resources
    from local.stack.engine import Engine

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
    engine: Engine,
    project: Path,
    made: resources.Stage,
    *,
    parameters: Mapping[str, str] | None = None,
) -> Deployment:
    """Package a project and create or update the stack of its functions.

    Raises:
        EngineError: the functions were made the other way, or CloudFormation failed.
    """
    aws, stage = made.aws, made.name
    try:
        stacks.refuse_chalices(aws, stage)
    except OpsError as error:
        raise EngineError(str(error)) from None
    out = bundle.package(project, stage)
    by = access_stack.deployer(stage, aws.account, REGION)
    packaged = json.loads((out / "sam.json").read_text())
    template = stacks.uploaded(aws, by.bucket, out, packaged)
    name = stacks.functions_stack(stage)
    values = {"Stage": stage, "Release": "local", **(parameters or {})}
    try:
        stacks.apply(aws, name, template, values, by=by)
    except OpsError as error:
        raise EngineError(str(error)) from None
    listed = aws.client("cloudformation").describe_stack_resources(StackName=name)
    physical = {
        one["LogicalResourceId"]: one["PhysicalResourceId"] for one in listed["StackResources"]
    }
    return Deployment(
        engine=engine,
        stage=made,
        api_url=f"{engine.url}/_aws/execute-api/{physical['RestAPI']}/{stage}",
        functions={word: physical[logical] for word, logical in FUNCTIONS.items()},
    )
