"""Policies, boundary and roles of a stage, on the engine: made as declared, and by whom."""

import json

import pytest

from ops import roles
from tests.rigs.iam.guarding import Guard
from tests.rigs.iam.stage_roles import managed, person
from tests.rigs.ops_cli import runner

BOUNDARY = "rp-mw-dev-boundary"
ADMINISTRATOR = person("dev", roles.ADMINISTRATOR)


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def iam(stage):
    return stage.aws.client("iam")


@pytest.fixture
def run(app, stage, capsys):
    return runner(capsys)


def arn(stage, name):
    return f"arn:aws:iam::{stage.aws.account}:policy/{name}"


def test_access_makes_the_boundary_and_the_peoples_policies_once(run, stage, iam):
    made = run("access", "--json").data
    assert {one["name"] for one in made} == managed("dev").keys()
    assert {one["did"] for one in made} == {"created"}
    assert {one["did"] for one in run("access", "--json").data} == {"unchanged"}

    iam.create_policy_version(
        PolicyArn=arn(stage, BOUNDARY), PolicyDocument=json.dumps(WIDE), SetAsDefault=True
    )
    again = {one["name"]: one["did"] for one in run("access", "--json").data}
    assert again.pop(BOUNDARY) == "updated"
    assert set(again.values()) == {"unchanged"}


def test_the_stages_administrator_provisions_within_the_boundary_and_may_not_change_it(
    run, stage, iam, monkeypatch
):
    guard = Guard(monkeypatch)
    with guard.acting_as(ADMINISTRATOR):
        refused = run("provision")
    assert refused.code == 1
    assert f"{BOUNDARY} is not as declared" in refused.err
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
