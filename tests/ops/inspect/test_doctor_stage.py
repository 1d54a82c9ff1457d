"""`ops doctor` and `ops company check` on what is deployed: throttles, and sender identities."""

import io
import json
import zipfile

import pytest

from local import company
from ops.inspect import doctor_stage
from ops.session import Session
from ops.stage.template import StageTemplate
from tests.rigs.ops_cli import runner

ACCOUNT, REGION = "000000000000", "us-east-1"
ANYONE = json.dumps({"Version": "2012-10-17", "Statement": []})
ROLE = "rp-mw-dev-email_worker-role"
THEIRS = "arn:aws:ses:us-east-1:000000000000:identity/"


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def worker(outreach):
    """Deploys the worker, in name only; `worker("company.example")`: what it may send as."""
    iam, functions = (outreach.stage.aws.client(service) for service in ("iam", "lambda"))

    def deploy(*identities):
        mine = [
            {
                "Effect": "Allow",
                "Action": "ses:SendEmail",
                "Resource": [f"{THEIRS}{identity}" for identity in identities],
            }
        ]
        other = [
            {"Effect": "Allow", "Action": ["sqs:SendMessage"], "Resource": f"{THEIRS}x.example"}
        ]
        policy = json.dumps({"Version": "2012-10-17", "Statement": [*mine, *other]})
        iam.put_role_policy(RoleName=ROLE, PolicyName="own", PolicyDocument=policy)

    arn = iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=ANYONE)["Role"]["Arn"]
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as packed:
        packed.writestr("app.py", "")
    functions.create_function(
        FunctionName="rp-mw-dev-email_worker",
        Runtime="python3.11",
        Role=arn,
        Handler="app.email_worker",
        Code={"ZipFile": code.getvalue()},
    )
    yield deploy
    functions.delete_function(FunctionName="rp-mw-dev-email_worker")
    for name in iam.list_role_policies(RoleName=ROLE)["PolicyNames"]:
        iam.delete_role_policy(RoleName=ROLE, PolicyName=name)
    iam.delete_role(RoleName=ROLE)


def found(check):
    return [(finding.result, finding.detail) for finding in check(Session("dev"))]


def sender(outreach):
    return outreach.project["channel_config"]["email"]["company_email"]


@pytest.mark.parametrize(
    ("identity", "is_covered"),
    [
        ("{address}", True),
        ("{domain}", True),
        ("example", True),
        ("x{domain}", False),
        ("other@{domain}", False),
        ("below.{domain}", False),
        ("none.invalid", False),
    ],
)
def test_a_sender_that_no_identity_covers_is_named_and_not_shown(
    outreach, run, worker, identity, is_covered
):
    address = sender(outreach)
    worker(identity.format(address=address, domain=address.partition("@")[2]))
    ((result, detail),) = found(doctor_stage.sender_identities)
    checked = run("company", "check", company.COMPANY_ID, "--json")
    assert result == ("ok" if is_covered else "fail")
    assert checked.code == (0 if is_covered else 1)
    named = {finding["subject"] for finding in checked.data if finding["result"] == "fail"}
    assert named == (set() if is_covered else {"sender identities"})
    assert (company.COMPANY_ID in detail) is not is_covered
    assert address not in detail + checked.out


def test_each_companys_senders_are_compared(outreach, worker):
    """A second company with a domain of its own, which the stage may not use."""
    config = {**outreach.project["channel_config"]}
    config["email"] = {**config["email"], "company_email": "hello@second.example"}
    outreach.set_project(company_id="ci-second", channel_config=config)
    worker(sender(outreach).partition("@")[2])
    ((result, detail),) = found(doctor_stage.sender_identities)
    assert result == "fail"
    assert "ci-second" in detail
    assert company.COMPANY_ID not in detail


def test_before_the_worker_is_deployed_nothing_is_compared(outreach, run):
    assert found(doctor_stage.sender_identities) == [("warn", "the worker is not deployed")]
    checked = run("company", "check", company.COMPANY_ID, "--json").data
    assert "sender identities" not in {finding["subject"] for finding in checked}


@pytest.fixture
def api(outreach):
    """A deployed API with the declared throttles."""
    gateway = outreach.stage.aws.client("apigateway")
    made = gateway.create_rest_api(name="rp-mw")["id"]
    root = gateway.get_resources(restApiId=made)["items"][0]["id"]
    gateway.put_method(restApiId=made, resourceId=root, httpMethod="GET", authorizationType="NONE")
    gateway.put_integration(restApiId=made, resourceId=root, httpMethod="GET", type="MOCK")
    gateway.create_deployment(restApiId=made, stageName="dev")
    throttle(gateway, made)
    yield made
    gateway.delete_rest_api(restApiId=made)


def throttle(gateway, api, **changes):
    template = StageTemplate.load("dev", account=ACCOUNT, region=REGION)
    (declared,) = template.resources("AWS::Serverless::Api")
    gateway.update_stage(
        restApiId=api,
        stageName="dev",
        patchOperations=[
            {
                "op": "replace",
                "path": f"{methodsetting['ResourcePath']}/{methodsetting['HttpMethod']}/throttling/{name}",
                "value": str(changes.get(methodsetting["ResourcePath"], methodsetting[limit])),
            }
            for methodsetting in declared.properties["MethodSettings"]
            for limit, name in (
                ("ThrottlingRateLimit", "rateLimit"),
                ("ThrottlingBurstLimit", "burstLimit"),
            )
        ],
    )


def test_the_declared_throttles_pass(api):
    ((result, _),) = found(doctor_stage.throttles)
    assert result == "ok"


def test_a_throttle_that_differs_or_is_missing_is_named(outreach, api):
    gateway = outreach.stage.aws.client("apigateway")
    throttle(gateway, api, **{"/~1webhook~1aloware": 7})
    ((result, detail),) = found(doctor_stage.throttles)
    assert result == "fail"
    assert detail == (
        "/webhook/aloware/POST 7 a second and 7 at once, declared 80 a second and 80 at once"
    )
    gateway.delete_stage(restApiId=api, stageName="dev")
    assert [result for result, _ in found(doctor_stage.throttles)] == ["warn"]
    gateway.create_deployment(restApiId=api, stageName="dev")
    ((result, detail),) = found(doctor_stage.throttles)
    assert result == "fail"
    assert "/webhook/aloware/POST has none" in detail


def test_another_stages_api_is_not_compared(outreach, api):
    gateway = outreach.stage.aws.client("apigateway")
    gateway.create_deployment(restApiId=api, stageName="staging")
    assert [result for result, _ in found(doctor_stage.throttles)] == ["ok"]


def test_a_bucket_that_is_declared_and_not_there_is_named(outreach, monkeypatch):
    monkeypatch.delenv("FACTS_FOLDER", raising=False)
    session = Session("dev")
    archive, s3 = f"rp-mw-facts-dev-{session.identity.account}", session.client("s3")
    (before,) = doctor_stage.resources(session)
    assert (before.result, before.detail) == ("fail", f"not there: {archive}")
    s3.create_bucket(Bucket=archive)
    (found,) = doctor_stage.resources(session)
    s3.delete_bucket(Bucket=archive)
    assert found.result == "ok"
