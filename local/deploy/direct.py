"""Second way: over the data stack, `chalice deploy`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from chalicelib.once.lanes import LANES
from local.deploy import bundle
from local.deploy.deployment import Deployment

if TYPE_CHECKING:
    from pathlib import Path

    from local.stack import resources
    from local.stack.engine import Engine


def deploy(engine: Engine, project: Path, made: resources.Stage) -> Deployment:
    """Run `chalice deploy` in a project, for a provisioned stage.

    Raises:
        EngineError: Chalice failed, or refused the stage.
    """
    stage = made.name
    bundle.chalice(project, "deploy", "--stage", stage, variables=made.aws.environment)
    record = json.loads((project / ".chalice" / "deployed" / f"{stage}.json").read_text())
    found = {one["name"]: one for one in record["resources"]}
    return Deployment(
        engine=engine,
        stage=made,
        api_url=f"{engine.url}/_aws/execute-api/{found['rest_api']['rest_api_id']}/{stage}",
        functions={
            word: found[name]["lambda_arn"].rsplit(":", 1)[-1]
            for word, name in (
                ("api", "api_handler"),
                ("worker", "worker"),
                *((lane.handler, lane.handler) for lane in LANES[1:]),
                ("reconcile", "reconcile"),
                ("facts", "post_facts"),
                ("mail", "mail"),
                ("later", "later"),
                ("ticket_texts", "ticket_texts"),
                ("console", "console"),
            )
        },
    )
