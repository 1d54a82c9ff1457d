"""Chalice's own commands end in a sentence where a stage or its settings are wrong."""

import os
import subprocess
import sys

import pytest

from ops.stage import chalice_deploy, config

CHALICE = "import sys; from chalice.cli import main; sys.exit(main())"


@pytest.mark.parametrize("verb", ["deploy", "package"])
def test_chalice_names_a_stage_that_is_not_declared_and_those_that_are(verb, tmp_path):
    out = [str(tmp_path)] if verb == "package" else []
    done = subprocess.run(
        (sys.executable, "-c", CHALICE, verb, "--stage", "stagin", *out),
        env={name: value for name, value in os.environ.items() if name != "STAGE"},
        cwd=config.CONFIG.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "declares no stage stagin: there are dev, staging, prod" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "line", [["deploy"], ["deploy", "--stage", "prod"], ["deploy", "--stage=dev"]]
)
def test_a_declared_stage_is_taken(line):
    chalice_deploy.refuse_undeclared(line)


def test_settings_that_are_wrong_end_in_a_sentence(monkeypatch):
    monkeypatch.setenv("STAGE", "dev")
    monkeypatch.setenv("SYSTEMS", "support,factz")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(sys, "argv", ["chalice", "deploy"])
    with pytest.raises(SystemExit, match="SYSTEMS: known are support, outreach, facts") as refused:
        chalice_deploy.check()
    assert "factz" not in str(refused.value)
