"""Every public route has a throttle of its own, in both ways of deploying."""

import json
import re
from pathlib import Path

import boto3
import botocore.session
import pytest
import yaml
from chalice.awsclient import TypedAWSClient

from chalicelib.once.caller_shares import SHARES, STRANGERS
from chalicelib.once.token_buckets import MOST_CALLERS
from local.stack import engine, resources
from ops.stage.chalice_deploy import throttle_routes
from ops.stage.template import StageTemplate

ROOT = Path(__file__).resolve().parents[2]
REGION = "us-east-1"
DEFAULT_CONCURRENCY = 1_000
"""Of an account's functions together, unless AWS has changed it."""


def template():
    return StageTemplate.load("dev", account="000000000000", region=REGION)


def declared():
    (api,) = template().resources("AWS::Serverless::Api")
    return {
        (methodsetting["ResourcePath"][1:].replace("~1", "/"), methodsetting["HttpMethod"]): (
            methodsetting["ThrottlingRateLimit"],
            methodsetting["ThrottlingBurstLimit"],
        )
        for methodsetting in api.properties["MethodSettings"]
    }


def test_every_route_and_everything_else_has_a_throttle():
    described = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())["paths"]
    routes = {(path, verb.upper()) for path, verbs in described.items() for verb in verbs}
    assert declared().keys() == {*routes, ("*", "*")}


def test_a_flood_at_every_door_leaves_half_of_the_accounts_concurrency():
    bursts = [burst for _, burst in declared().values()]
    assert sum(bursts) <= DEFAULT_CONCURRENCY / 2
    assert max(bursts) <= DEFAULT_CONCURRENCY / 10
    page = (ROOT / "docs" / "security-throttles.md").read_text()
    assert f"start {sum(bursts)} functions at once at most, and one door {max(bursts)}" in page


def test_the_page_shows_the_figures():
    lines = (ROOT / "docs" / "security-throttles.md").read_text().splitlines()
    shown = {
        (found[2], found[1]): (int(found[3]), int(found[4]))
        for line in lines
        if (found := re.fullmatch(r"\| `(\S+) (\S+)` \| (\d+) \| (\d+) \|.*", line))
    }
    assert shown == declared()


def test_the_page_shows_the_shares():
    page = (ROOT / "docs" / "security-throttles.md").read_text()
    table = page.split("| door | a company's requests a second | at once |\n|---|---|---|\n")[1]
    shown = re.findall(r"\| (\d+) \| (\d+) \|\n", table.split("\n\n")[0] + "\n")
    assert [(share.per_second, share.at_once) for share in SHARES.values()] == [
        (int(rate), int(burst)) for rate, burst in shown
    ]
    assert f"{STRANGERS.at_once} at once and one a second" in page
    assert f"keeps {MOST_CALLERS:,} callers" in page


def test_no_companys_share_of_a_door_is_more_than_half_of_its_routes_throttle():
    by_door = {
        "channel_router": ("/initiate-conversation", "POST"),
        "may_send": ("/may-send", "POST"),
        "register": ("/register", "GET"),
        "desk": ("/desk/conversations", "GET"),
        "unsubscribe": ("/unsubscribe/{token}", "POST"),
    }
    for door, route in by_door.items():
        assert SHARES[door].per_second <= declared()[route][0] / 2


@pytest.fixture
def aws(monkeypatch):
    with engine.ministack(services="apigateway") as running:
        for name, value in resources.Aws(running.url).environment.items():
            monkeypatch.setenv(name, value)
        yield boto3.session.Session().client("apigateway")


def test_chalice_deploy_sets_the_throttles_at_every_deployment(aws, monkeypatch):
    monkeypatch.setattr(TypedAWSClient, "deploy_rest_api", TypedAWSClient.deploy_rest_api)
    throttle_routes(template())
    api = aws.create_rest_api(name="rp-mw")["id"]
    root = aws.get_resources(restApiId=api)["items"][0]["id"]
    aws.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    aws.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    client = TypedAWSClient(botocore.session.get_session())
    # Chalice names its arguments, in `chalice.deploy.planner`.
    called = {"rest_api_id": api, "xray": False, "api_gateway_stage": "dev"}
    for _ in range(2):
        client.deploy_rest_api(**called)
    found = aws.get_stage(restApiId=api, stageName="dev")["methodSettings"]
    assert {
        tuple(name.replace("~1", "/").rsplit("/", 1)): (
            limits["throttlingRateLimit"],
            limits["throttlingBurstLimit"],
        )
        for name, limits in found.items()
    } == declared()


def test_a_stack_sets_the_same_throttles():
    raw = json.loads((ROOT / ".chalice" / "functions.json").read_text())
    api = raw["Resources"]["RestAPI"]
    assert api.keys() == {"Type", "Properties"}
    assert api["Properties"].keys() == {"MethodSettings", "Tags"}
