"""`ops setup` alone, from an empty account to packaged functions and a real message through each system.

The command runs as a person runs it, in a copy of the project, against the engine that runs the
packaged functions; what it prints is carried out at the simulated vendors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
import requests

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.support.settable_tags import every_tag
from local.acceptance import entering
from local.acceptance.entering import RECIPIENT, SECRETS
from local.deploy import bundle, deployment
from local.stack import resources
from local.stack.lambda_events import schedule_event
from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.twilio import SimulatedTwilio

pytestmark = pytest.mark.deployed
STAGE = "staging"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with deployment.engine(log=tmp_path_factory.mktemp("engine") / "log") as running:
        yield running


@pytest.fixture
def at(engine, tmp_path):
    with (
        SimulatedRichpanel() as richpanel,
        SimulatedTwilio() as twilio,
        SimulatedPowerBi() as powerbi,
    ):
        yield Place(resources.Aws(engine.url), tmp_path, richpanel, twilio, powerbi)


class Place:
    """An empty account, a copy of the project, and the vendors."""

    def __init__(self, aws, folder, richpanel, twilio, powerbi):
        self.aws, self.richpanel, self.twilio, self.powerbi = aws, richpanel, twilio, powerbi
        (folder / "project").mkdir()
        self.project = bundle.sources(folder / "project")  # its variables are written by setup
        bundle.locks(self.project)
        nowhere = {"OPENAI_BASE_URL": bundle.NOWHERE}  # no call leaves this machine
        variables = nowhere | entering.variables(richpanel.base_url, twilio.base_url, powerbi.url)
        self.answers = entering.answers(folder, STAGE, aws.account, variables)

    def ops(self, *arguments):
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("AWS_", "COVERAGE", "PYTHONPATH", "PYTHONWARNINGS"))
        }
        run = subprocess.run(
            [sys.executable, "-m", "ops", *map(str, arguments), "--stage", STAGE, "--yes"],
            cwd=self.project,
            env={**kept, **self.aws.environment, **SECRETS, "PIP_NO_INDEX": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
        return run.stdout


def test_setup_alone_leads_to_a_real_message_through_each_system(at, capsys):
    began = time.monotonic()
    at.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    for tag in sorted(every_tag())[3:]:  # at Richpanel's pace all of them take minutes
        at.richpanel.tag_id(tag)
    said = json.loads(at.ops("setup", "--file", at.answers, "--json"))
    done = {step["step"]: step for step in said["steps"]}
    assert {step["state"] for step in done.values()} <= {"done", "by hand"}
    assert not at.twilio.messages
    config = json.loads((at.project / ".chalice" / "config.json").read_text())
    variables = config["stages"][STAGE]["environment_variables"]
    base = variables["PUBLIC_BASE_URL"]
    assert requests.get(f"{base}/health", timeout=60).json()["stage"] == STAGE
    pastes = {paste["name"]: paste for paste in said["pastes"]}

    at.ops("switch", "set", "shadow_mode", "false", "--yes")
    at.ops("switch", "set", "automation_enabled", "true", "--yes")
    time.sleep(31)  # every container reads the switches within 30 seconds
    entering.carry_out(at.aws, pastes, at.richpanel)
    deployment.wait_for(lambda: "mw-processed" in at.richpanel.tags_of("1043"), "the ticket", 120)
    deployment.wait_for(lambda: at.twilio.sent_to(RECIPIENT), "the text message", 120)

    def reported():
        at.aws.client("lambda").invoke(
            FunctionName=f"rp-mw-{STAGE}-post_facts", Payload=json.dumps(schedule_event()).encode()
        )
        rows = at.powerbi.rows(variables["POWERBI_DATASET_ID"], FACT_EVENT)
        return {row["EventID"].partition(":")[0] for row in rows} == {"ALOWARE", "HUBSPOT"}

    deployment.wait_for(reported, "the facts", 120)
    entering.reply(pastes, at.twilio)
    assert len(at.twilio.sent_to(RECIPIENT)) == 1
    with capsys.disabled():
        by_hand = {
            system: sum(paste["system"] == system for paste in said["pastes"])
            for system in ("support", "outreach", "facts")
        }
        print(f"\nsetup: {said['seconds']} s, by system {said['seconds_by_system']}")
        print(f"by hand {by_hand}; to the last message {time.monotonic() - began:.0f} s")

    (api,) = _apis(at)
    again = json.loads(at.ops("setup", "--file", at.answers, "--json"))
    assert {step["state"] for step in again["steps"]} <= {"done", "by hand", "left out"}
    assert _apis(at) == [api]


def test_another_machine_updates_the_same_api_with_a_record_or_without(at):
    """Depends on the stage of the test before: one engine, one account."""
    environment = at.aws.environment
    (api,) = _apis(at)
    assert not (at.project / ".chalice" / "deployed").exists(), "a copy without any record"
    bundle.chalice(at.project, "deploy", "--stage", STAGE, variables=environment)
    assert _apis(at) == [api]

    s3 = at.aws.client("s3")
    bucket = f"rp-mw-artifacts-{STAGE}-{at.aws.account}-us-east-1"
    s3.delete_object(Bucket=bucket, Key=f"deployed/{STAGE}.json")
    (at.project / ".chalice" / "deployed" / f"{STAGE}.json").unlink()
    bundle.chalice(at.project, "deploy", "--stage", STAGE, variables=environment)
    assert _apis(at) == [api]


def _apis(at):
    found = at.aws.client("apigateway").get_rest_apis()["items"]
    return [api["id"] for api in found if api["name"] == "rp-mw"]
