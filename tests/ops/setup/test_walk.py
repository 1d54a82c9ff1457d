"""`ops setup` in an empty account, with nothing else: the walk, its pastes, and real messages.

The account is MiniStack's, the vendors are the simulated ones.  Deploying is this test's own: the data
resources are provisioned as ever, and the functions run in this process behind Chalice's own server;
`tests/deployed` does the same with packaged functions.
"""

import contextlib
import importlib
import io
import json
import os
import re
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import boto3
import pytest

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.outreach.project import check
from chalicelib.outreach.project.project import Project
from chalicelib.support.settable_tags import every_tag
from local.acceptance import entering
from local.acceptance.entering import RECIPIENT, SECRETS
from local.stack import environment, lambda_events, resources
from local.stack.pump import lane_handler, lane_pump
from local.stack.server import Http
from local.vendors.twilio import ACCOUNT_SID, AUTH_TOKEN
from ops import roles
from ops.running import STOPPED
from ops.session import Session
from ops.setup import answers, beforehand, commands, steps, trials, walk
from ops.stage import config, deploying
from tests.rigs import setup_walk
from tests.rigs.iam.guarding import Guard
from tests.rigs.iam.stage_roles import person
from tests.rigs.interruptions import Interruptions, KilledError
from tests.rigs.ops_cli import runner

ROOT = Path(__file__).parents[3]
PROJECTS_CONFIG = config.CONFIG


class Place:
    """An empty account, the vendors, and the way in which this test deploys."""

    def __init__(self, aws, richpanel, twilio, powerbi, onelake, folder, monkeypatch, capsys):
        self.aws, self.richpanel, self.twilio = aws, richpanel, twilio
        self.powerbi, self.folder, self.monkeypatch = powerbi, folder, monkeypatch
        self.run, self.deployments = runner(capsys), 0
        self.open = contextlib.ExitStack()
        self.vendors = entering.variables(richpanel.base_url, twilio.base_url, powerbi.url)
        self.vendors |= entering.mirrored(onelake)
        self.onelake = onelake
        self.http = self.pump = None
        self.guard = Guard(monkeypatch)

    def serve(self):
        """Serve the routes at the root of an address, as a custom domain does."""
        self.app = importlib.import_module("app")
        self.http = self.open.enter_context(Http(self.app.app))
        for name in config.configured("dev"):  # Chalice's server put the real project's there
            self.monkeypatch.delenv(name, raising=False)
        self.vendors["PUBLIC_BASE_URL"] = self.http.url
        self.vendors["HUBSPOT_WEBHOOK_URL"] = f"{self.http.url}/webhook/hubspot"

    def deploy(self, session):
        """Provision, and start the functions with the configured environment."""
        self.deployments += 1
        deploying.provision_stage(session)
        configured = config.configured("dev")
        for name, value in configured.items():
            self.monkeypatch.setenv(name, value)
        self.new_containers()
        if self.pump is None:
            self.pump = lane_pump(self._stage(session.template), lane_handler(self.app)).start()
            self.open.callback(self.pump.stop)
        with self.guard.acting_as(None):  # as the deployer
            self._functions(session.template, configured)

    def _functions(self, template, configured):
        functions = self.aws.client("lambda")
        for name, more in template.functions():
            variables = configured | {
                k: str(v) for k, v in more["Environment"]["Variables"].items()
            }
            with contextlib.suppress(functions.exceptions.ResourceConflictException):
                functions.create_function(
                    FunctionName=name,
                    Runtime="python3.11",
                    Role="arn:aws:iam::000000000000:role/none",
                    Handler="app.app",
                    Code={"ZipFile": _empty()},
                )
            functions.update_function_configuration(
                FunctionName=name, Environment={"Variables": variables}
            )

    def _stage(self, template):
        sqs = self.aws.client("sqs")
        names = {
            resource.logical_id: resource.properties["QueueName"]
            for resource in template.resources("AWS::SQS::Queue")
        }
        urls = {k: sqs.get_queue_url(QueueName=v)["QueueUrl"] for k, v in names.items()}
        arns = {k: f"arn:aws:sqs:us-east-1:{self.aws.account}:{v}" for k, v in names.items()}
        return resources.Stage("dev", self.aws, resources.Secrets(), {}, urls, arns)

    def new_containers(self):
        wiring = importlib.import_module("chalicelib.wiring")
        wiring._services.clear()
        if self.deployments:  # the functions' lines are not the command's
            wiring.services().log._stream = io.StringIO()

    def invoke(self, _session, function, event):
        assert function == "rp-mw-dev-mail"
        with self.guard.acting_as(None):
            self.app.mail(event, lambda_events.LambdaContext())

    def move(self, aws):
        """Begin once more in another account that is empty, with the file as it was."""
        self.open.close()
        self.aws, self.deployments, self.pump = aws, 0, None
        for name in config.configured("dev"):
            self.monkeypatch.delenv(name, raising=False)
        shutil.copy(PROJECTS_CONFIG, config.CONFIG)
        for name, value in aws.environment.items():
            self.monkeypatch.setenv(name, value)
        self.monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.serve()

    def answers(self):
        return entering.answers(self.folder, "dev", self.aws.account, self.vendors)

    def secret(self, secret_id):
        return entering.secret(self.aws, secret_id)

    def switch(self, name, value):
        self.aws.client("ssm").put_parameter(
            Name=f"/rp-mw/dev/{name}", Value=value, Type="String", Overwrite=True
        )
        self.new_containers()


def _empty():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr(zipfile.ZipInfo("app.py"), "")  # without a time: its digest is compared
    return held.getvalue()


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def place(
    aws, richpanel, twilio, powerbi, onelake, tmp_path, without_rate_limits, monkeypatch, capsys
):
    shutil.copy(config.CONFIG, tmp_path / "config.json")
    monkeypatch.setattr(config, "CONFIG", tmp_path / "config.json")
    for name in (*environment.foreign(os.environ), *config.configured("dev")):
        monkeypatch.delenv(name, raising=False)
    more = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    sends = {"FACTS_FOLDER": str(tmp_path / "facts")}
    for name, value in {**aws.environment, **more, **sends, **SECRETS}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    made = Place(aws, richpanel, twilio, powerbi, onelake, tmp_path, monkeypatch, capsys)
    monkeypatch.setattr(commands, "WAYS", {"direct": made.deploy, "stack": made.deploy})
    monkeypatch.setattr(commands, "invoke", made.invoke)
    with made.open:
        made.serve()
        yield made
        importlib.import_module("chalicelib.wiring")._services.clear()


def test_setup_and_its_pastes_lead_to_a_real_message_through_each_system(place):
    place.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    file = place.answers()

    planned = place.run("setup", "--plan", "--file", file, "--json")
    assert planned.code == 0, planned
    assert place.aws.client("dynamodb").list_tables()["TableNames"] == [], "a plan makes nothing"
    assert {step["state"] for step in planned.data if step["step"] in ("deploy", "secrets")} == {
        "to do"
    }

    assert place.run("access", "--yes").code == 0
    with place.guard.acting_as(person("dev", roles.ADMINISTRATOR)):
        said = place.run("setup", "--yes", "--file", file, "--json")
    assert place.guard.refused == []
    assert said.code == 0, (said.data["steps"][-1], said.err)
    assert place.guard.evaluated > 200
    done = {step["step"]: step for step in said.data["steps"]}
    assert [step["step"] for step in said.data["steps"]] == [
        step.name for step in steps.of(("support", "outreach", "facts"))
    ]
    assert {step["state"] for step in done.values()} <= {"done", "by hand"}
    assert "evt:rp:1042:c-1 processed" in done["trial richpanel"]["detail"]
    assert place.richpanel.effects_of("1042", "tag_added") == {}, "the stage is in shadow"
    assert not place.twilio.messages
    stored = [place.secret(name) for name in ("rp-mw/dev/keys/ids", "rp-mw/dev/router/api_keys")]
    for value in (*SECRETS.values(), *stored):
        assert value not in said.out + said.err
    assert "[secrets]" in file.read_text()
    assert all(value not in file.read_text() for value in SECRETS.values())
    pastes = {paste["name"]: paste for paste in said.data["pastes"]}

    page = (ROOT / "docs" / "setup.md").read_text().split("## What a person does")[1]
    by_hand = re.findall(r"^\| ([a-z ]+) \| ", page.split("## Then")[0], re.MULTILINE)
    assert [*("account", "alarm recipients"), *pastes] == by_hand, "one list of what a person does"
    by_system = Counter(paste["system"] for paste in said.data["pastes"])
    figures = "| things to paste | {support} | {outreach} | {facts} |".format(**by_system)
    assert figures in page

    place.switch("shadow_mode", "false")
    place.switch("automation_enabled", "true")

    entering.carry_out(place.aws, pastes, place.richpanel)
    place.pump.wait_until_quiet(timeout_seconds=30.0)
    place.app.post_facts(
        lambda_events.schedule_event(), lambda_events.LambdaContext(timeout_seconds=240.0)
    )

    assert "mw-processed" in place.richpanel.tags_of("1043")
    assert len(place.twilio.sent_to(RECIPIENT)) == 1
    dataset = config.configured("dev")["POWERBI_DATASET_ID"]
    sources = {row["EventID"].partition(":")[0] for row in place.powerbi.rows(dataset, FACT_EVENT)}
    assert sources == {"ALOWARE", "HUBSPOT"}
    mirrored = {row["EventID"].partition(":")[0] for row in place.onelake.rows(FACT_EVENT)}
    assert mirrored == sources
    entering.reply(pastes, place.twilio)

    deployments, before = place.deployments, config.CONFIG.read_text()
    again = place.run("setup", "--yes", "--file", file, "--json")
    assert again.code == 0, again
    assert (place.deployments, config.CONFIG.read_text()) == (deployments, before)
    assert place.secret("rp-mw/dev/keys/ids") == stored[0]
    trials = [step for step in again.data["steps"] if step["step"].startswith("trial")]
    assert {trial["state"] for trial in trials} == {"left out"}, "a live stage gets no test event"
    assert all(trial["detail"].startswith("not sent") for trial in trials)


def test_a_secret_that_its_vendor_refuses_is_not_stored_and_a_stored_one_is_replaced(place):
    file, client = place.answers(), place.aws.client("secretsmanager")

    def walked(**values):
        for name, value in {**SECRETS, **values}.items():
            place.monkeypatch.setenv(name, value)
        said = place.run("setup", "--yes", "--file", file, "--json")
        return said.code, said.data["steps"][-1]

    def stored():
        return {
            secret["Name"].removeprefix("rp-mw/dev/")
            for secret in client.list_secrets()["SecretList"]
        }

    code, last = walked(POWERBI_SECRET="wrong")
    assert (code, last["step"], last["state"]) == (1, "secrets", "failed")
    assert "powerbi/client_secret is not stored: Power BI refuses it" in last["detail"]
    assert "richpanel/api_key" in stored()
    assert "powerbi/client_secret" not in stored()

    client.put_secret_value(SecretId="rp-mw/dev/richpanel/api_key", SecretString="wrong")
    code, last = walked(RP_KEY="wrong as well")
    assert "richpanel/api_key is not stored: Richpanel refuses it" in last["detail"]

    for given in ("no JSON", SECRETS["TWILIO_CREDENTIALS"].replace(AUTH_TOKEN, "wrong")):
        code, last = walked(TWILIO_CREDENTIALS=given)
        assert (code, last["step"], last["state"]) == (1, "company secrets", "failed")
        assert "is not stored: " in last["detail"]
        assert "wrong" not in last["detail"]
    assert place.secret("rp-mw/dev/richpanel/api_key") == SECRETS["RP_KEY"]
    assert place.secret("rp-mw/dev/powerbi/client_secret") == SECRETS["POWERBI_SECRET"]
    assert not any("twilio" in secret for secret in stored() - {"twilio/webhook_tokens"})
    assert place.deployments == 0, "all of it is known before anything is deployed"

    client.delete_secret(SecretId="rp-mw/dev/keys/ids")
    code, last = walked()
    assert (code, last["step"], last["state"]) == (1, "secrets", "failed")
    assert "aws secretsmanager restore-secret --secret-id rp-mw/dev/keys/ids" in last["detail"]


def test_a_secret_whose_variable_is_unset_is_named_before_anything_is_made(place):
    place.monkeypatch.delenv("RP_KEY")
    place.monkeypatch.setenv("TWILIO_CREDENTIALS", " ")
    said = place.run("setup", "--yes", "--file", place.answers())
    assert (said.code, said.out) == (2, "")
    assert "richpanel/api_key: the variable RP_KEY" in said.err
    assert "the variable TWILIO_CREDENTIALS" in said.err
    assert place.aws.client("cloudformation").describe_stacks()["Stacks"] == []

    item = json.loads((place.folder / "company.json").read_text())
    for name in ("rp-mw/dev/richpanel/api_key", *check.secrets_of(Project(item))):
        place.aws.client("secretsmanager").create_secret(Name=name, SecretString="is there")
    beforehand.judge(Session("dev"), answers.read(place.answers()))


def test_a_way_that_the_stage_is_not_deployed_by_is_refused_before_anything_is_made(place):
    file = place.answers()
    cloudformation, gateway = place.aws.client("cloudformation"), place.aws.client("apigateway")
    topic = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    cloudformation.create_stack(StackName="rp-mw-dev", TemplateBody=json.dumps(topic))
    said = place.run("setup", "--yes", "--file", file)
    assert (said.code, said.out) == (1, "")
    assert "the stack rp-mw-dev has the functions of stage dev" in said.err
    cloudformation.delete_stack(StackName="rp-mw-dev")

    file.write_text(file.read_text().replace('way = "direct"', 'way = "stack"'))
    api = gateway.create_rest_api(name="rp-mw")["id"]
    root = gateway.get_resources(restApiId=api)["items"][0]["id"]
    gateway.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    gateway.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    gateway.create_deployment(restApiId=api, stageName="dev")
    said = place.run("setup", "--yes", "--file", file)
    assert (said.code, said.out) == (1, "")
    assert "chalice deploy has made the functions of stage dev" in said.err


def test_a_trial_that_waits_says_until_when_and_keeps_no_other_from_running(place):
    for tag in sorted(every_tag()):  # at Richpanel's pace all of them take minutes
        place.richpanel.tag_id(tag)
    place.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    post, later = trials._post, {"retry-after": "700"}

    def goes_down(session, path, *proven):
        """From the trial's webhook on, Richpanel answers no question."""
        if path == "/webhook/richpanel":
            place.richpanel.fault(
                "status", operation="read_ticket", status=503, headers=later, times=None
            )
        return post(session, path, *proven)

    place.monkeypatch.setattr(trials, "_post", goes_down)
    file = place.answers()

    said = place.run("setup", "--yes", "--file", file, "--json")
    assert said.code == 1
    failed = {step["step"]: step for step in said.data["steps"] if step["state"] == "failed"}
    assert list(failed) == ["trial richpanel"]
    waits = failed["trial richpanel"]
    assert re.search(
        r"evt:rp:1042:c-1 waits after richpanel_\w+ and is tried again by 20\d\d-", waits["detail"]
    )
    assert waits["next"] == "python -m ops explain evt:rp:1042:c-1 --stage dev"
    assert waits["seconds"] < 60, "it does not wait for what comes later"
    assert said.data["steps"][-1]["step"] == "trial hubspot"

    place.richpanel.clear_faults()
    place.monkeypatch.setattr(trials, "_post", post)
    again = place.run("setup", "--yes", "--file", file, "--json")
    assert again.code == 0, (again.data["steps"][-1], again.err)
    done = {step["step"]: step for step in again.data["steps"]}
    assert "evt:rp:1042:c-1 processed" in done["trial richpanel"]["detail"]

    _forget_a_token(place)
    place.monkeypatch.setattr(trials, "AGAIN_SECONDS", 0.2)
    refused = _refused(place)
    anew = place.run("setup", "--yes", "--file", file, "--json")
    assert anew.code == 0, (anew.data["steps"][-1], anew.err)
    assert len(refused) == 1, "the door had the token before, and then the new one"

    place.aws.client("secretsmanager").delete_secret(SecretId="rp-mw/dev/keys/ids")
    last = place.run("setup", "--yes", "--file", file, "--json").data["steps"][-1]
    assert (last["step"], last["state"]) == ("secrets", "failed")
    assert "keys/ids waits for its deletion" in last["detail"]
    assert "restore-secret --secret-id rp-mw/dev/keys/ids" in last["next"]


def _forget_a_token(place):
    """A person deletes the token of a door whose containers are warm."""
    place.aws.client("secretsmanager").delete_secret(
        SecretId="rp-mw/dev/richpanel/webhook_token", ForceDeleteWithoutRecovery=True
    )


def _refused(place):
    """The trials that a door refuses from now on; each makes its containers read secrets again."""
    found, later = [], trials.UnprovenError.may_be_known_later

    def may_be(error, session):
        found.append(str(error))
        place.new_containers()
        return later(error, session)

    place.monkeypatch.setattr(trials.UnprovenError, "may_be_known_later", may_be)
    return found


def test_an_account_whose_secret_is_there_already_is_known_at_the_door(place):
    """As another stage of the account leaves it; and a start that cannot be sent says why."""
    for tag in sorted(every_tag()):  # at Richpanel's pace all of them take minutes
        place.richpanel.tag_id(tag)
    place.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    file, client = place.answers(), place.aws.client("secretsmanager")
    item = json.loads((place.folder / "company.json").read_text())
    for name in check.secrets_of(Project(item)):
        client.create_secret(Name=name, SecretString=SECRETS["TWILIO_CREDENTIALS"])
    item |= {"jurisdictions": {"enforced": True}}
    del item["company_address"]
    (place.folder / "company.json").write_text(json.dumps(item))

    said = place.run("setup", "--yes", "--file", file, "--json")
    done = {step["step"]: step for step in said.data["steps"]}
    assert json.loads(place.secret("rp-mw/dev/twilio/webhook_tokens")) == {
        ACCOUNT_SID: [AUTH_TOKEN]
    }
    assert done["trial twilio"]["state"] == "done"
    assert said.code == 1
    failed = done["trial start"]
    assert failed["state"] == "failed"
    assert "words_missing" in failed["detail"]
    assert "company_address is missing" in failed["detail"]
    assert failed["next"] == f"python -m ops company check {item['company_id']} --stage dev"

    planned = place.run("setup", "--plan", "--file", file, "--json")
    states = {step["step"]: step["state"] for step in planned.data}
    assert {states[name] for name in states if name.startswith("trial")} == {walk.EVERY_WALK}
    assert "to do" not in states.values()

    client.put_secret_value(SecretId="rp-mw/dev/twilio/webhook_tokens", SecretString="{}")
    looked = place.run("doctor", "--json").data
    found = [finding for finding in looked if finding["check"] == "twilio account"]
    assert [finding["result"] for finding in found] == ["fail"] * len(found) != []
    assert "STOP" in found[0]["detail"]


@pytest.mark.long
@pytest.mark.parametrize("how", [KeyboardInterrupt, KilledError])
def test_a_setup_that_is_interrupted_after_each_of_its_changes_ends_in_the_same_stage(
    place, how, capsys
):
    """Ended after every call that changes something, and started once more, to the end."""
    for tag in sorted(every_tag()):  # at Richpanel's pace all of them take minutes
        place.richpanel.tag_id(tag)
    place.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    whole = place.run("setup", "--yes", "--file", place.answers(), "--json")
    assert whole.code == 0, whole
    wanted = setup_walk.described(place.aws, config.CONFIG)

    place.move(resources.Aws(place.aws.url, f"{int(place.aws.account) + 500_000:012}"))
    file, ended = place.answers(), Interruptions(how)
    with ended.after_each_change():
        while (said := _run(place, file)) is None:
            assert len(ended.at) < 200, ended.at[-5:]
    assert said.code == 0, (ended.at[-1], said)
    made = setup_walk.described(place.aws, config.CONFIG)
    for part, want in wanted.items():
        assert made[part] == want, part
    assert len(ended.at) > 30
    with capsys.disabled():
        print(f"\nsetup: interrupted {len(ended.at)} times, {how.__name__}")


def _run(place, file):
    """The command's end; None where it was interrupted."""
    try:
        said = place.run("setup", "--yes", "--file", file, "--json")
    except (KeyboardInterrupt, KilledError):
        return None
    return None if said.code == STOPPED else said
