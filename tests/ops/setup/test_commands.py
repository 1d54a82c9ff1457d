"""`ops setup` where it cannot begin: no account, or a stage that no one has declared."""

import json
import re
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from chalicelib.errors import TransientError
from chalicelib.outreach.project import check
from ops.setup import walk
from ops.setup.answers import Answers
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(monkeypatch, capsys):
    """No account answers at this address."""
    invented = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**invented, **nowhere}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    return runner(capsys)


@pytest.mark.parametrize(
    "words",
    [
        ("setup", "--plan"),
        ("setup", "--yes"),
        ("provision", "--yes"),
        ("doctor",),
        ("explain", "1042"),
        ("switch", "get"),
    ],
)
def test_a_stage_that_is_not_declared_is_refused(run, words):
    """It would get another stage's variables."""
    said = run(*words, "--stage", "qa")
    assert said.code == 2
    assert "no such stage: dev, staging, prod" in said.err
    assert said.out == ""


def test_a_plan_for_no_account_says_so_and_shows_no_step(run):
    """Every step would be to do, which reads as a plan."""
    said = run("setup", "--plan", "--stage", "prod")
    assert said.code == 2
    assert "cannot be reached" in said.err
    assert "secrets" not in said.out


def test_the_example_of_a_companys_file_on_the_page_is_one():
    page = (Path(__file__).parents[3] / "docs" / "setup.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert check.faults(json.loads(example)) == []


def test_an_engine_without_the_transform_is_said_with_the_way_that_it_has():
    def deploy(_walk):
        said = "the optional 'aws-sam-translator' package is not installed"
        raise ClientError(
            {"Error": {"Code": "ValidationError", "Message": said}}, "CreateChangeSet"
        )

    answers = Answers(systems=("support",))
    walked = walk.Walk("dev", answers, None, deploy=deploy, ask=None, invoke=None)
    step = walk.SetupStep("deploy", "stage", "why", "next", do=deploy)
    (outcome,) = walk.run(walked, [step])
    assert outcome.state == walk.FAILED
    assert "An error occurred" not in outcome.detail
    assert 'way = "direct"' in outcome.next


@pytest.mark.parametrize(
    "error",
    [
        ReadTimeoutError(endpoint_url="http://127.0.0.1:9"),
        TransientError("dynamodb", "get_item", reason="ReadTimeoutError"),
    ],
)
def test_a_step_that_was_only_slow_is_to_be_run_again(error):
    def place(_walk):
        raise error

    walked = walk.Walk(
        "dev", Answers(systems=("support",)), None, deploy=place, ask=None, invoke=None
    )
    (outcome,) = walk.run(walked, [walk.SetupStep("place", "stage", "why", "next", do=place)])
    assert "has not answered" in outcome.detail
    assert outcome.next == walk.AGAIN


def test_an_account_that_does_not_answer_is_named_by_its_address(run):
    said = run("setup", "--plan", "--stage", "prod")
    assert "http://127.0.0.1:9" in said.err
    assert "Error" not in said.err


def test_a_terminal_that_is_set_for_another_stage_is_said_with_what_to_unset(run, monkeypatch):
    monkeypatch.setenv("IDEMPOTENCY_TABLE_NAME", "rp_mw_idempotency-dev")
    said = run("setup", "--plan", "--stage", "prod")
    assert said.code == 2
    assert said.err.rstrip().endswith("unset IDEMPOTENCY_TABLE_NAME")


def test_a_region_that_there_is_not_is_refused(run, monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1a")
    said = run("doctor", "--stage", "prod")
    assert (said.code, "no region us-east-1a" in said.err) == (2, True)
