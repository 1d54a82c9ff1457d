"""The stage as it is deployed, both ways, on the engine that runs the packaged functions.

Over a data stack each, the functions of stage `dev` are a stack, those of `staging` Chalice's.
IAM is recorded by the engine and not enforced: `test_permissions` holds calls against policies.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import requests

from chalicelib.once.lanes import LANES
from local import aligned
from local.deploy import bundle, data, deployment, ways
from local.stack import environment, resources
from local.stack.engine import EngineError
from local.stack.lambda_events import schedule_event
from local.vendors import aloware
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from ops.stage.template import COMPOSITE

pytestmark = pytest.mark.deployed
WAYS = ("stack", "direct")
STAGES = {"stack": "dev", "direct": "staging"}
CONFIG = json.loads((Path(__file__).parents[2] / ".chalice" / "config.json").read_text())
ROLES = {"api_handler": "api", "post_facts": "facts"}
"""What a deployment calls a function, where that is not its handler's name."""
CONFIGURED = {ROLES.get(name, name): name for name in CONFIG["lambda_functions"]}
HANDLERS = {"api": "app.app"} | {
    role: f"app.{name}" for role, name in CONFIGURED.items() if role != "api"
}
SUFFIXES = {role: f"-{name}" if role != "api" else "" for role, name in CONFIGURED.items()}
OF_NO_STAGE = frozenset(
    {
        *("bedrock:InvokeModel", "bedrock:ApplyGuardrail", "cloudwatch:GetMetricData"),
        "secretsmanager:BatchGetSecretValue",
        "ses:SendEmail",
        *("xray:PutTelemetryRecords", "xray:PutTraceSegments"),
    }
)
"""Actions whose resources belong to no stage."""
SCHEDULES = {"reconcile": "rate(5 minutes)", "facts": "rate(1 minute)"}


@pytest.fixture(scope="module")
def vendor():
    with SimulatedRichpanel() as running:
        yield running


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with deployment.engine(log=tmp_path_factory.mktemp("engine") / "log") as running:
        yield running


@pytest.fixture(scope="module")
def projects(tmp_path_factory, vendor):
    archive = {"FACTS_REPORT": "archive"}  # there is no dataset, for which facts would wait
    variables = environment.vendors(richpanel_url=vendor.base_url) | archive
    return {
        way: bundle.project(tmp_path_factory.mktemp(way), stage, variables)
        for way, stage in STAGES.items()
    }


@pytest.fixture(scope="module")
def stack_deployment(engine, projects):
    return ways.by_stack(engine, projects["stack"], _data(engine, STAGES["stack"]))


@pytest.fixture(scope="module")
def direct_deployment(engine, projects):
    return ways.direct(engine, projects["direct"], _data(engine, STAGES["direct"]))


def _data(engine, stage):
    return data.made(resources.Aws(engine.url), stage, resources.Secrets())


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


@pytest.fixture
def deployed(way, request):
    return request.getfixturevalue(
        {"stack": "stack_deployment", "direct": "direct_deployment"}[way]
    )


def post(deployed, body, *, token=None):
    return requests.post(
        f"{deployed.api_url}/webhook/richpanel",
        data=body if isinstance(body, str) else json.dumps(body),
        headers={
            "content-type": "application/json",
            "x-richpanel-webhook-token": token or deployed.stage.secrets.webhook_token,
        },
        timeout=60,
    )


# --- deployed resources ------------------------------------------------------------------------


@pytest.mark.parametrize("function", HANDLERS)
def test_a_function_matches_the_configuration(deployed, function):
    found = deployed.configuration(function)
    wanted = CONFIG["lambda_functions"][CONFIGURED[function]]
    stage = deployed.stage.name
    assert found["FunctionName"] == f"rp-mw-{stage}{SUFFIXES[function]}"
    assert found["Handler"] == HANDLERS[function]
    assert found["Runtime"] == f"python{sys.version_info.major}.{sys.version_info.minor}"
    assert found["MemorySize"] == wanted["lambda_memory_size"]
    assert found["Timeout"] == wanted["lambda_timeout"]


@pytest.mark.parametrize("function", HANDLERS)
def test_a_function_has_the_stages_environment(way, deployed, function):
    found = deployed.configuration(function)["Environment"]["Variables"]
    wanted = (
        CONFIG["environment_variables"] | CONFIG["stages"][STAGES[way]]["environment_variables"]
    )
    ours = {"RICHPANEL_REQUESTS_PER_30_S", "RELEASE", *bundle.VENDORS}
    assert {k: found[k] for k in wanted if k not in ours} == {
        k: v for k, v in wanted.items() if k not in ours
    }


@pytest.mark.parametrize("function", HANDLERS)
def test_a_functions_role_has_the_policy_of_this_stage_and_account(deployed, function):
    """Nothing is left for CloudFormation to fill in, which IAM would refuse."""
    iam = deployed.aws.client("iam")
    role = deployed.configuration(function)["Role"].rsplit("/", 1)[-1]
    (name,) = iam.list_role_policies(RoleName=role)["PolicyNames"]
    document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    text = document if isinstance(document, str) else json.dumps(document)
    assert "Fn::" not in text
    assert "${" not in text
    resources_named = [
        statement["Resource"]
        for statement in json.loads(text)["Statement"]
        if not OF_NO_STAGE.issuperset(_as_list(statement["Action"]))
    ]
    assert all(deployed.stage.name in json.dumps(resource) for resource in resources_named)
    assert f":{deployed.aws.account}:" in text


def _as_list(value):
    return value if isinstance(value, list) else [value]


def test_every_route_has_its_declared_throttle(deployed):
    raw = json.loads((Path(__file__).parents[2] / ".chalice" / "functions.json").read_text())
    declared = raw["Resources"]["RestAPI"]["Properties"]["MethodSettings"]
    stage = deployed.aws.client("apigateway").get_stage(
        restApiId=deployed.api_url.rsplit("/", 2)[-2], stageName=deployed.stage.name
    )
    found = {
        path.replace("~1", "/").lstrip("/"): (
            settings["throttlingRateLimit"],
            settings["throttlingBurstLimit"],
        )
        for path, settings in stage["methodSettings"].items()
    }
    assert found == {
        f"{limits['ResourcePath']}/{limits['HttpMethod']}".replace("~1", "/").lstrip("/"): (
            limits["ThrottlingRateLimit"],
            limits["ThrottlingBurstLimit"],
        )
        for limits in declared
    }


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_a_lane_feeds_its_worker_one_message_at_a_time(deployed, lane):
    (mapping,) = [
        mapping
        for mapping in deployed.mappings()
        if mapping["EventSourceArn"] == deployed.stage.lane_arn(lane)
    ]
    assert mapping["EventSourceArn"].endswith(f":{lane.queue(deployed.stage.name)}")
    assert mapping["FunctionArn"].endswith(f":{deployed.functions[lane.handler]}")
    assert mapping["BatchSize"] == 1
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 2}
    assert mapping["State"] == "Enabled"


def test_every_queue_that_a_function_reads_has_its_mapping_and_no_other_has_one(deployed):
    arns = {deployed.stage.lane_arn(lane): lane.handler for lane in LANES}
    arns[deployed.stage.queue_arns["LaterQueue"]] = "later"
    stage = f"-{deployed.stage.name}"
    found = {
        mapping["EventSourceArn"]: (mapping["FunctionArn"].rpartition(":")[2], mapping["State"])
        for mapping in deployed.mappings()
        if stage in mapping["EventSourceArn"]
    }
    assert found == {arn: (deployed.functions[name], "Enabled") for arn, name in arns.items()}


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_a_lane_dead_letters_a_message(deployed, lane):
    attributes = deployed.aws.client("sqs").get_queue_attributes(
        QueueUrl=deployed.stage.lane_url(lane), AttributeNames=["All"]
    )["Attributes"]
    redrive = json.loads(attributes["RedrivePolicy"])
    assert (
        int(attributes["VisibilityTimeout"]) >= 6 * deployed.configuration(lane.handler)["Timeout"]
    )
    assert int(redrive["maxReceiveCount"]) == 10
    dead = f":{lane.dead_letter_queue(deployed.stage.name)}"
    assert redrive["deadLetterTargetArn"].endswith(dead)


@pytest.mark.parametrize("function", SCHEDULES)
def test_a_schedule_calls_its_function(deployed, function):
    events = deployed.aws.client("events")
    arn = deployed.configuration(function)["FunctionArn"]
    names = events.list_rule_names_by_target(TargetArn=arn)["RuleNames"]
    (rule,) = [events.describe_rule(Name=name) for name in names]
    assert (rule["ScheduleExpression"], rule["State"]) == (SCHEDULES[function], "ENABLED")


def test_the_fact_writer_has_the_created_archive_bucket(deployed):
    bucket = f"rp-mw-facts-{deployed.stage.name}-{deployed.aws.account}"
    variables = deployed.configuration("facts")["Environment"]["Variables"]
    assert variables["FACTS_BUCKET"] == bucket
    assert "FACTS_BUCKET" not in deployed.configuration("worker")["Environment"]["Variables"]
    block = deployed.aws.client("s3").get_public_access_block(Bucket=bucket)
    assert set(block["PublicAccessBlockConfiguration"].values()) == {True}


def test_mail_arrives_by_its_topic_and_failures_are_kept(deployed):
    stage, account = deployed.stage.name, deployed.aws.account
    topic = f"arn:aws:sns:us-east-1:{account}:rp-mw-mail-{stage}"
    sns = deployed.aws.client("sns")
    (subscribed,) = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    assert (subscribed["Protocol"], subscribed["Endpoint"]) == (
        "lambda",
        deployed.configuration("mail")["FunctionArn"],
    )
    assert "ses.amazonaws.com" in sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"]
    kept = deployed.aws.client("lambda").get_function_event_invoke_config(
        FunctionName=deployed.functions["mail"], Qualifier="$LATEST"
    )
    assert kept["MaximumRetryAttempts"] == 2
    assert kept["DestinationConfig"]["OnFailure"]["Destination"].endswith(
        f":rp-mw-mail-failures-{stage}"
    )
    assert f"rp-mw-{stage}" in str(deployed.aws.client("sesv2").list_configuration_sets())


def test_tracing_matches_the_stage(way, deployed):
    wanted = "Active" if CONFIG["stages"][STAGES[way]].get("xray") else "PassThrough"
    found = deployed.configuration("worker").get("TracingConfig", {"Mode": "PassThrough"})
    assert found["Mode"] == wanted


def test_every_alarm_exists_and_notifies_the_topic(deployed):
    cloudwatch = deployed.aws.client("cloudwatch")
    stage = deployed.stage.name
    raw = json.loads((Path(__file__).parents[2] / ".chalice" / "resources.json").read_text())
    kinds = {"AWS::CloudWatch::Alarm": "MetricAlarm", COMPOSITE: "CompositeAlarm"}
    declared = [resource for resource in raw["Resources"].values() if resource.get("Type") in kinds]
    pages = cloudwatch.get_paginator("describe_alarms")
    listed = pages.paginate(AlarmNamePrefix=f"rp-mw-{stage}-", AlarmTypes=list(kinds.values()))
    answer = listed.build_full_result()
    found = [*answer["MetricAlarms"], *answer["CompositeAlarms"]]
    assert len(found) == len(declared) > 15
    watched = {
        compositealarm["AlarmRule"].split('"')[1] for compositealarm in answer["CompositeAlarms"]
    }
    assert watched
    for alarm in found:
        if alarm["AlarmName"] in watched:
            assert not alarm["AlarmActions"]
            continue
        assert [alarmaction.rsplit(":", 1)[-1] for alarmaction in alarm["AlarmActions"]] == [
            f"rp-mw-{stage}-alarms"
        ]
    body = cloudwatch.get_dashboard(DashboardName=f"rp-mw-{stage}")["DashboardBody"]
    assert f"rp-mw/{stage}" in body


# --- behaviour ---------------------------------------------------------------------------------


def test_the_deployed_routes_answer(deployed):
    health = requests.get(f"{deployed.api_url}/health", timeout=60)
    assert (health.status_code, health.json()["stage"]) == (200, deployed.stage.name)
    refused = post(deployed, {"ticket_id": "1"}, token="wrong")
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token")
    broken = post(deployed, '{"message": "where')
    assert (broken.status_code, broken.json()["code"]) == (400, "invalid_json")


def test_a_webhook_reaches_richpanel_through_the_deployed_worker_once(way, deployed, vendor):
    ticket = f"{way}-1042"
    vendor.add_ticket(ticket, comments=[{"body": "Where is my order?", "id": "c-1"}])
    for _ in range(3):
        answer = post(deployed, {"ticket_id": ticket, "message_id": "c-1"})
        assert answer.json() == {"status": "accepted", "event_id": f"evt:rp:{ticket}:c-1"}
    deployed.wait_until_quiet()
    assert {"mw-processed", "mw-routing-applied"} <= vendor.tags_of(ticket)
    assert set(vendor.effects_of(ticket, "tag_added").values()) == {1}
    lines = deployed.log_lines("worker")
    assert {line["env"] for line in lines if "env" in line} == {deployed.stage.name}
    assert "worker.processed" in {line.get("event") for line in lines}


def test_the_deployed_reconciliation_finds_a_lost_webhook(way, deployed, vendor):
    ticket = f"{way}-lost"
    vendor.add_ticket(ticket, comments=[{"body": "I want a refund", "id": "c-1"}])
    assert deployed.tick()["requeued"] >= 1
    deployed.wait_until_quiet()
    assert "mw-processed" in vendor.tags_of(ticket)


def test_a_call_received_at_the_deployed_route_is_archived_by_the_deployed_writer(deployed):
    token = deployed.stage.secrets.aloware_token
    for delivery in aloware.six_deliveries():
        answer = requests.post(
            f"{deployed.api_url}/webhook/aloware",
            data=json.dumps(delivery),
            headers={"authorization": f"Bearer {token}", "content-type": "application/json"},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text
    deployed.wait_until_quiet()
    result = deployed.invoke("facts", schedule_event())
    bucket = deployed.configuration("facts")["Environment"]["Variables"]["FACTS_BUCKET"]
    archived = deployed.aws.client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])
    assert archived, result


def test_an_inbound_e_mail_reaches_the_deployed_worker(deployed):
    """This conversation was never started, so the event ends with a reason.

    The function is called as its topic would call it: this engine takes what is published and
    calls no function of a packaged stage.  That the topic is subscribed is a test of its own.
    """
    with SimulatedSes() as vendor:
        came = vendor.inbound("j.doe@example.com", "hello@company.example", "Yes please")
    deployed.invoke("mail", came)
    deployment.wait_for(lambda: replies(deployed), "the worker to know the reply")
    deployed.wait_until_quiet()
    (row,) = replies(deployed)
    assert (row["source"], row["status"]) == ("ses_inbound", "skipped")
    assert row["reason"] == "unknown_sender"
    assert "ingress.accepted" in {line.get("event") for line in deployed.log_lines("mail")}


def replies(deployed):
    """Rows of messages that came in by e-mail."""
    rows = aligned.rows(deployed.stage.aws, deployed.stage.tables["IdempotencyTable"])
    return [row for row in rows if row["event_id"].startswith("evt:reply:email:")]


def test_a_worker_with_another_stages_queue_refuses_to_start(stack_deployment, direct_deployment):
    """A prod queue with dev tables: the variables' names do not fit, nothing is touched."""
    client = stack_deployment.aws.client("lambda")
    name = stack_deployment.functions["reconcile"]
    before = stack_deployment.configuration("reconcile")["Environment"]
    wrong = {**before["Variables"], "QUEUE_NAME": "rp-mw-events-staging.fifo"}
    client.update_function_configuration(FunctionName=name, Environment={"Variables": wrong})
    try:
        with pytest.raises(RuntimeError, match=r"QUEUE_NAME not of stage dev|SettingsError"):
            stack_deployment.tick()
    finally:
        client.update_function_configuration(FunctionName=name, Environment=before)
    assert stack_deployment.tick()["listing"] == "complete"


# --- again, and the other way -------------------------------------------------------------------


def test_a_redeployed_stage_keeps_its_data(engine, way, deployed, projects):
    table = deployed.stage.tables["IdempotencyTable"]
    dynamodb = deployed.aws.client("dynamodb")
    dynamodb.put_item(TableName=table, Item={"event_id": {"S": "kept"}})
    if way == "stack":
        again = ways.by_stack(
            engine, projects[way], deployed.stage, parameters={"Release": "second"}
        )
        health = requests.get(f"{again.api_url}/health", timeout=60).json()
        assert health["release"] == "second"
    else:
        again = ways.direct(engine, projects[way], deployed.stage)
        assert requests.get(f"{again.api_url}/health", timeout=60).json()["status"] == "ok"
    kept = dynamodb.get_item(TableName=table, Key={"event_id": {"S": "kept"}})
    dynamodb.delete_item(TableName=table, Key={"event_id": {"S": "kept"}})
    assert "Item" in kept
    assert again.functions == deployed.functions
    sources = [mapping["EventSourceArn"] for mapping in again.mappings()]
    assert sources.count(deployed.stage.queue_arn) == 1


def test_chalice_deploy_refuses_a_stage_whose_functions_are_a_stacks(
    engine, stack_deployment, projects
):
    with pytest.raises(EngineError, match="has the functions of stage dev"):
        ways.direct(engine, projects["stack"], stack_deployment.stage)
    assert (
        len([m for m in stack_deployment.mappings() if ":rp-mw-events-dev" in m["EventSourceArn"]])
        == 1
    )


def test_chalice_deploy_refuses_an_unprovisioned_stage(engine, projects):
    nothing = resources.Stage("prod", resources.Aws(engine.url), resources.Secrets(), {}, {}, {})
    with pytest.raises(EngineError, match="Provision it first"):
        ways.direct(engine, projects["direct"], nothing)


def test_a_stack_refuses_a_stage_whose_functions_chalice_has_made(
    engine, direct_deployment, projects
):
    with pytest.raises(EngineError, match="chalice deploy has made the functions"):
        ways.by_stack(engine, projects["direct"], direct_deployment.stage)
