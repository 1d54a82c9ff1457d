"""Deploys a stage's functions over its data stack in either way; the functions' names are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from local.deploy import bundle
from local.deploy.deployment import Deployment
from local.stack.engine import REGION, EngineError
from ops.session import OpsError
from ops.stage import access_stack, stack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local.stack import resources
    from local.stack.engine import Engine


def by_stack(
    engine: Engine,
    project: Path,
    made: resources.Stage,
    *,
    parameters: Mapping[str, str] | None = None,
) -> Deployment:
    """Package a project by `chalice package`, and create or update its functions' stack.

    Raises:
        EngineError: the functions were made the other way, or CloudFormation failed.
    """
    aws, stage = made.aws, made.name
    by = access_stack.deployer(stage, aws.account, REGION)
    try:
        stack.refuse_chalices(aws, stage)
        out = bundle.package(project, stage)
        stack.make_functions(aws, stage, out, {"Release": "local", **(parameters or {})}, by)
    except OpsError as error:
        raise EngineError(str(error)) from None
    return Deployment.of(engine, made)


def direct(engine: Engine, project: Path, made: resources.Stage) -> Deployment:
    """Run `chalice deploy` in a project, for a provisioned stage.

    Raises:
        EngineError: Chalice failed, or refused the stage.
    """
    bundle.chalice(project, "deploy", "--stage", made.name, variables=made.aws.environment)
    return Deployment.of(engine, made)
