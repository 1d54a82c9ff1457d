"""The stack of the functions, ended after each call that changes something, and made once more."""

import json

import pytest

from local.deploy import bundle, data, deployment
from local.stack import environment, resources
from local.stack.engine import REGION
from ops.stage import access_stack, stack
from tests.rigs.interruptions import Interruptions, KilledError

pytestmark = pytest.mark.deployed
STAGE = "dev"


def test_a_stack_that_is_interrupted_after_each_change_ends_as_one_that_is_not(tmp_path, capsys):
    with deployment.engine(log=tmp_path / "log") as engine:
        (tmp_path / "project").mkdir()
        variables = environment.vendors(richpanel_url=bundle.NOWHERE)
        out = bundle.package(bundle.project(tmp_path / "project", STAGE, variables), STAGE)
        whole, *others = (resources.Aws(engine.url, f"{number:012}") for number in (1, 2, 3))
        for aws in (whole, *others):
            data.made(aws, STAGE, resources.Secrets())
        _make(whole, out)
        wanted = _described(whole)
        assert wanted["apis"] == 1
        assert len(wanted["functions"]) == 12
        assert len(wanted["sources"]) == 6
        for aws, how in zip(others, (KeyboardInterrupt, KilledError), strict=True):
            ended = Interruptions(how)
            with ended.after_each_change():
                while not _is_made(aws, out):
                    assert len(ended.at) < 20, ended.at
            assert _described(aws) == wanted
            names = {place.partition(" ")[0] for place in ended.at}
            assert {"cloudformation.CreateChangeSet", "cloudformation.ExecuteChangeSet"} <= names
            with capsys.disabled():
                print(
                    f"\nstack of the functions: interrupted {len(ended.at)} times, {how.__name__}"
                )


def _is_made(aws, out):
    try:
        _make(aws, out)
    except (KeyboardInterrupt, KilledError):
        return False
    return True


def _make(aws, out):
    by = access_stack.deployer(STAGE, aws.account, REGION)
    stack.make_functions(aws, STAGE, out, {"Release": "one"}, by)


def _described(aws):
    """What there is of the functions, but for ids and the account's number."""
    client, functions = aws.client("cloudformation"), aws.client("lambda")
    (found,) = client.describe_stacks(StackName=stack.functions_stack(STAGE))["Stacks"]
    listed = client.describe_stack_resources(StackName=found["StackName"])["StackResources"]
    sources = functions.list_event_source_mappings()["EventSourceMappings"]
    return {
        "status": found["StackStatus"].partition("_")[2],
        "resources": sorted(
            (resource["LogicalResourceId"], resource["ResourceStatus"].partition("_")[2])
            for resource in listed
        ),
        "functions": {
            function["FunctionName"]: (
                function["CodeSha256"],
                function["Handler"],
                json.dumps(function["Environment"], sort_keys=True).replace(
                    aws.account, "<account>"
                ),
            )
            for function in functions.list_functions()["Functions"]
        },
        "sources": sorted(
            (source["EventSourceArn"].rpartition(":")[2], source["FunctionArn"].rpartition(":")[2])
            for source in sources
        ),
        "apis": len(aws.client("apigateway").get_rest_apis()["items"]),
    }
