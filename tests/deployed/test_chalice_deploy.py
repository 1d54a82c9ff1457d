"""`chalice deploy`, ended half-way and run once more; and what it asks of AWS, by the deployer's policies."""

import json
from pathlib import Path

import pytest

from local.deploy import bundle, data, deployment
from local.stack import environment, resources
from local.stack.engine import EngineError
from tests.rigs import watched
from tests.rigs.iam.authorization import decide, may
from tests.rigs.iam.aws_calls import requests
from tests.rigs.iam.stage_roles import ACCOUNT, deployer

pytestmark = pytest.mark.deployed
STAGE = "dev"
ENDS = ("CreateFunction", "CreateEventSourceMapping", "CreateRestApi", "CreateDeployment")
"""After each of these the next deployment finds what has no name, or only a part of it."""


def test_a_deployment_that_is_killed_is_finished_by_the_next_within_the_deployers_policies(
    tmp_path,
):
    calls = tmp_path / "calls"
    watching = {"PYTHONPATH": str(Path(watched.__file__).parent), "WATCHED_CALLS": str(calls)}
    with deployment.engine(log=tmp_path / "log") as engine:
        (tmp_path / "project").mkdir()
        variables = environment.vendors(richpanel_url=bundle.NOWHERE)
        project = bundle.project(tmp_path / "project", STAGE, variables)
        aws = resources.Aws(engine.url)
        data.made(aws, STAGE, resources.Secrets())
        watching |= aws.environment
        for end in ENDS:
            with pytest.raises(EngineError):
                bundle.chalice(
                    project, "deploy", "--stage", STAGE, variables=watching | {"WATCHED_END": end}
                )
            assert not (project / ".chalice" / "deployed" / f"{STAGE}.json").exists()
        bundle.chalice(project, "deploy", "--stage", STAGE, variables=watching)

        (api,) = aws.client("apigateway").get_rest_apis()["items"]
        (stage,) = aws.client("apigateway").get_stages(restApiId=api["id"])["item"]
        assert stage["stageName"] == STAGE
        functions = aws.client("lambda")
        sources = functions.list_event_source_mappings()["EventSourceMappings"]
        assert len(sources) == len({source["EventSourceArn"] for source in sources}) == 6
        made = functions.list_functions()["Functions"]
        assert len(made) == 12
        assert len({function["CodeSha256"] for function in made}) == 1

    who, refused, done = deployer(STAGE), set(), set()
    for line in calls.read_text().splitlines():
        service, operation, params = json.loads(line)
        done.add(f"{service}.{operation}")
        for request in requests(service, operation, params, ACCOUNT, stage=STAGE):
            if not may(who, request):
                refused.add(f"{request}: {decide(who, request)}")
    assert refused == set(), "\n".join(sorted(refused))
    assert {action.partition(".")[2] for action in done} >= {*ENDS}
