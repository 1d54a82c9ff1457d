"""What a function loads at its start and for its first job, in new interpreters; counts, no times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ops.stage.config import configured

ROOT = Path(__file__).parents[2]
LAMBDA = {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
NOWHERE = "http://127.0.0.1:9"
"""A call would fail, and with it the import."""


def loaded(code: str = "", **environ: str) -> set[str]:
    """The modules of ours after `import app`, with the variables of the stage `dev`."""
    program = f"""
import json, sys
import app
{code}
print(json.dumps([name for name in sys.modules if name.split(".")[0] in ("app", "chalicelib")]))
"""
    invented = {
        "AWS_ACCESS_KEY_ID": "invented",
        "AWS_SECRET_ACCESS_KEY": "invented",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": NOWHERE,
        "STAGE": "dev",
    }
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **configured("dev"), **invented, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(run.stdout))


@pytest.fixture(scope="module")
def plain() -> set[str]:
    return loaded()


def test_nothing_is_loaded_ahead_where_lambda_does_not_start_the_function(plain: set[str]):
    assert loaded(_HANDLER="app.worker") == plain
    assert not {
        module for module in plain if module.startswith(("chalicelib.support.", "chalicelib.facts"))
    }
    assert len(plain) <= 81


def test_a_worker_of_tickets_has_loaded_its_flows_before_its_first_job(plain: set[str]):
    ahead = loaded(_HANDLER="app.worker", **LAMBDA) - plain

    assert {
        "chalicelib.support.work",
        "chalicelib.once.plan_run",
        "chalicelib.once.effects",
    } <= ahead
    assert "chalicelib.outreach.work" not in ahead


def test_a_webhook_needs_no_module_of_a_worker(plain: set[str]):
    ahead = loaded(_HANDLER="app.app", **LAMBDA) - plain

    assert "chalicelib.support.doors" in ahead
    assert not ahead & {
        "chalicelib.once.worker",
        "chalicelib.once.plan_run",
        "chalicelib.aws.dynamo",
    }


def test_a_worker_of_facts_loads_no_other_system(plain: set[str]):
    """At its start and for the job together, at most 30 beyond what every function has."""
    job = """
from chalicelib.once.lanes import FACTS
from chalicelib.wiring import services
services().check_stage = lambda: None
services().worker
"""
    ahead = loaded(job, _HANDLER="app.facts_worker", **LAMBDA) - plain

    assert "chalicelib.facts.keeper" in ahead
    assert not {
        module
        for module in ahead
        if module.startswith(("chalicelib.support", "chalicelib.outreach"))
    }
    assert len(ahead) <= 30


def test_wrong_settings_fail_the_job_that_needs_them_and_not_the_start():
    """Each request answers 500 and logs why; a function that cannot start says nothing."""
    assert "app" in loaded(_HANDLER="app.worker", MAX_RECEIVE_COUNT="none", **LAMBDA)


def test_garbage_is_collected_again_once_a_function_has_started():
    program = "import gc, app; assert gc.isenabled() and gc.get_freeze_count() {} 0"
    started = {**LAMBDA, "_HANDLER": "app.worker"}
    for variables, frozen in ((started, ">"), ({}, "==")):
        loaded(program.format(frozen), **variables)
