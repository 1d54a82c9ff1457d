"""`ops setup` where it cannot begin: no account, or a stage that no one has declared."""

import boto3
import pytest

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


@pytest.mark.parametrize("words", [("setup", "--plan"), ("setup", "--yes"), ("provision", "--yes")])
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
