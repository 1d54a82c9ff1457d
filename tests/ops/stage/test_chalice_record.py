"""Chalice's record in the bucket of artifacts: a second machine updates the first one's API."""

import json

import boto3
import botocore.session
import pytest
from chalice.awsclient import TypedAWSClient
from chalice.cli.factory import CLIFactory
from chalice.deploy.deployer import ResultsRecorder
from chalice.deploy.models import RestAPI
from chalice.deploy.planner import PlanStage
from chalice.utils import UI

from local.stack import engine, resources
from ops.stage import artifacts, chalice_record

BUCKET = "rp-mw-artifacts-dev-000000000000-us-east-1"


@pytest.fixture(scope="module")
def account():
    with engine.ministack(services="apigateway,lambda,s3,sqs,iam") as running:
        yield resources.Aws(running.url)


@pytest.fixture
def api(account, monkeypatch):
    """The id of the API that the first machine has deployed."""
    for name, value in account.environment.items():
        monkeypatch.setenv(name, value)
    for patched in (PlanStage, ResultsRecorder):
        for name in ("execute", "record_results"):
            if hasattr(patched, name):
                monkeypatch.setattr(patched, name, getattr(patched, name))
    gateway = boto3.session.Session().client("apigateway")
    made = gateway.create_rest_api(name="rp-mw")["id"]
    root = gateway.get_resources(restApiId=made)["items"][0]["id"]
    gateway.put_method(restApiId=made, resourceId=root, httpMethod="GET", authorizationType="NONE")
    gateway.put_integration(restApiId=made, resourceId=root, httpMethod="GET", type="MOCK")
    TypedAWSClient(botocore.session.get_session()).deploy_rest_api(made, "dev", xray=False)
    yield made
    for item in gateway.get_rest_apis()["items"]:
        gateway.delete_rest_api(restApiId=item["id"])


@pytest.fixture(autouse=True)
def bucket(account):
    account.client("s3").create_bucket(Bucket=BUCKET)
    yield
    account.client("s3").delete_object(Bucket=BUCKET, Key="deployed/dev.json")


def kept(account, api):
    record = {"schema_version": "2.0", "resources": [{"name": "rest_api", "rest_api_id": api}]}
    artifacts.keep_record(account.client("s3"), BUCKET, "dev", json.dumps(record))


class Machine:
    """A copy of a project on which `chalice deploy` has started: its record has been read."""

    def __init__(self, folder):
        self.folder = folder
        (folder / ".chalice").mkdir(exist_ok=True)
        (folder / ".chalice" / "config.json").write_text('{"version": "2.0", "app_name": "rp-mw"}')
        factory = CLIFactory(str(folder))
        self._deployer = factory.create_default_deployer(
            botocore.session.get_session(), factory.create_config_obj("dev"), UI()
        )

    def knows_the_api(self):
        """Whether Chalice would update the API, not create one."""
        plan = self._deployer._plan_stage
        plan.execute([])
        return plan._remote_state.resource_exists(
            RestAPI("rest_api", swagger_doc={}, minimum_compression="", api_gateway_stage="dev",
                    endpoint_type="EDGE", lambda_function=None)
        )  # fmt: skip


def test_a_machine_without_a_record_takes_the_buckets(account, api, tmp_path):
    kept(account, api)
    machine = Machine(tmp_path)
    chalice_record.plan_by_shared_record("dev", BUCKET, tmp_path)
    assert machine.knows_the_api()


def test_a_machine_whose_record_is_old_takes_the_buckets(account, api, tmp_path):
    (tmp_path / ".chalice" / "deployed").mkdir(parents=True)
    old = {"schema_version": "2.0", "resources": [{"name": "rest_api", "rest_api_id": "gone"}]}
    artifacts.record_file(tmp_path, "dev").write_text(json.dumps(old))
    kept(account, api)
    machine = Machine(tmp_path)
    chalice_record.plan_by_shared_record("dev", BUCKET, tmp_path)
    assert machine.knows_the_api()


def test_without_a_record_here_or_there_an_api_of_no_tag_is_refused(account, api, tmp_path):
    Machine(tmp_path)
    with pytest.raises(SystemExit, match="would make a second API"):
        chalice_record.plan_by_shared_record("dev", f"{BUCKET}-missing", tmp_path)


def test_what_an_ended_deployment_has_made_is_found_without_a_record(account, api, tmp_path):
    """It was ended between making the API and recording it: the API has its tag, and no stage."""
    gateway, functions = account.client("apigateway"), account.client("lambda")
    gateway.delete_rest_api(restApiId=api)
    begun = gateway.create_rest_api(name="rp-mw", tags={"stage": "dev"})["id"]
    queue = account.client("sqs").create_queue(QueueName="rp-mw-later-dev")["QueueUrl"]
    arn = account.client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    functions.create_function(
        FunctionName="rp-mw-dev-later",
        Runtime="python3.11",
        Role="arn:aws:iam::000000000000:role/none",
        Handler="app.later",
        Code={"ZipFile": b"PK\x05\x06" + b"\0" * 18},
    )
    made = functions.create_event_source_mapping(
        FunctionName="rp-mw-dev-later", EventSourceArn=arn["Attributes"]["QueueArn"]
    )
    machine = Machine(tmp_path)
    chalice_record.plan_by_shared_record("dev", BUCKET, tmp_path)
    assert machine.knows_the_api()
    found = chalice_record.completed({"resources": []}, "dev")["resources"]
    assert begun in {resource.get("rest_api_id") for resource in found}
    (source,) = [resource for resource in found if resource["name"] == "later-sqs-event-source"]
    assert source["event_uuid"] == made["UUID"]
    assert chalice_record.completed({"resources": []}, "prod")["resources"] == []
