"""The access stack on the engine: made as declared, and by whom."""

import json

import pytest

from ops import roles
from ops.stage import access_stack, stack_states
from tests.rigs.aws_limits import LIMITS
from tests.rigs.iam.guarding import Guard
from tests.rigs.iam.stage_roles import access, managed, person
from tests.rigs.ops_cli import runner

BOUNDARY = "rp-mw-dev-boundary"
ADMINISTRATOR = person("dev", roles.ADMINISTRATOR)
STACK = "rp-mw-dev-access"


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def iam(stage):
    return stage.aws.client("iam")


@pytest.fixture
def run(app, stage, capsys):
    return runner(capsys)


def test_access_makes_boundaries_policies_roles_and_the_bucket_once(run, stage, iam):
    assert run("access", "--json").data["did"] == "created"
    found = iam.list_policies(Scope="Local")["Policies"]
    assert {policy["PolicyName"] for policy in found} == managed("dev").keys()
    declared = {
        resource.properties["RoleName"] for resource in access("dev").resources("AWS::IAM::Role")
    }
    made = {role["RoleName"]: role for role in iam.list_roles()["Roles"]}
    assert declared <= made.keys()
    by = access_stack.deployer("dev", stage.aws.account, "us-east-1")
    assert made["rp-mw-dev-deploy"]["Arn"] == by.role_arn
    stage.aws.client("s3").head_bucket(Bucket=by.bucket)
    assert run("access", "--json").data["did"] == "unchanged"


def test_a_stack_that_was_made_of_the_file_by_hand_is_as_declared(run, stage):
    text = json.dumps(json.loads(access_stack.ACCESS.read_text()), separators=(",", ":"))
    assert len(text) < LIMITS["template before there is a bucket"].most
    stage.aws.client("cloudformation").create_stack(
        StackName=STACK,
        TemplateBody=text,
        Capabilities=["CAPABILITY_NAMED_IAM"],
        Parameters=[{"ParameterKey": "Stage", "ParameterValue": "dev"}],
    )
    declared = access_stack.declared("dev", stage.aws.account, "us-east-1")
    assert access_stack.is_as_declared(stage.aws, declared)
    assert run("access", "--json").data["did"] == "unchanged"


def test_a_bucket_of_packaged_code_that_a_person_has_deleted_is_made_again(run, stage):
    run("access")
    bucket, s3 = f"rp-mw-artifacts-dev-{stage.aws.account}-us-east-1", stage.aws.client("s3")
    s3.delete_bucket(Bucket=bucket)
    assert run("access", "--json").data["did"] == f"updated; made again, empty: {bucket}"
    s3.head_bucket(Bucket=bucket)
    assert run("access", "--json").data["did"] == "unchanged"


def test_access_is_made_again_over_the_bucket_that_a_deleted_stack_has_left(run, stage):
    run("access")
    bucket, s3 = f"rp-mw-artifacts-dev-{stage.aws.account}-us-east-1", stage.aws.client("s3")
    s3.put_object(Bucket=bucket, Key="kept", Body=b"kept")
    client = stage.aws.client("cloudformation")
    client.delete_stack(StackName=STACK)
    stack_states.wait(client, "stack_delete_complete", STACK)
    again = run("access", "--json")
    assert again.code == 0, again.err
    assert s3.get_object(Bucket=bucket, Key="kept")["Body"].read() == b"kept"
    assert run("access", "--json").data["did"] == "unchanged"


def test_access_of_another_version_is_updated(run, stage, monkeypatch, tmp_path):
    older = json.loads(access_stack.ACCESS.read_text())
    older["Resources"]["Boundary"]["Properties"]["PolicyDocument"] = WIDE
    (tmp_path / "access.json").write_text(json.dumps(older))
    with monkeypatch.context() as patched:
        patched.setattr(access_stack, "ACCESS", tmp_path / "access.json")
        run("access")
    assert run("access", "--json").data["did"] == "updated"
    iam = stage.aws.client("iam")
    arn = f"arn:aws:iam::{stage.aws.account}:policy/{BOUNDARY}"
    version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    assert document != WIDE


def test_the_stages_administrator_provisions_by_the_deployer_and_may_not_change_the_access(
    run, stage, iam, monkeypatch
):
    guard = Guard(monkeypatch)
    with guard.acting_as(ADMINISTRATOR):
        refused = run("provision")
    assert refused.code == 1
    assert f"{STACK} is not as declared" in refused.err
    assert "python -m ops access --stage dev" in refused.err

    run("access")
    guard.refused.clear()
    with guard.acting_as(ADMINISTRATOR):
        assert run("provision").code == 0
    assert guard.refused == []
    assert iam.list_role_policies(RoleName="rp-mw-dev-worker")["PolicyNames"] == ["worker"]
    assert iam.list_attached_role_policies(RoleName="rp-mw-dev-worker")["AttachedPolicies"] == []


WIDE = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}
