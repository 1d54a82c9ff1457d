"""What is deployed, and what the code allows itself, is within what AWS accepts (`tests.rigs.aws_limits`)."""

from __future__ import annotations

import ast
import io
import json
import sys
import zipfile
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import distribution
from pathlib import Path

import pytest

from chalicelib.aws import queue as queues
from chalicelib.aws.dynamo import Table
from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.once import body, job, keys, later, plan
from chalicelib.outreach.door import router
from chalicelib.outreach.project import check
from chalicelib.settings import SYSTEMS
from chalicelib.support.configuration import versions
from local.deploy import bundle
from ops.stage import artifacts, config, runtime
from ops.stage.packages import LOCKS, locked_packages
from ops.stage.template import StageTemplate
from tests.rigs.aws_limits import LIMITS, in_the_model, runtime_ends
from tests.rigs.each_row import each_row
from tests.rigs.iam.stage_roles import ACCOUNT, IDENTITY, managed, stage_template
from tests.rigs.one_case import one_case
from tests.rigs.signing_example import python_example

ROOT = Path(__file__).parents[2]
SOURCES = ("app.py", "chalicelib", "console", "ops")
REGION = "ap-southeast-1"  # one of the longest names
QUEUE, TABLE, ROLE = "AWS::SQS::Queue", "AWS::DynamoDB::Table", "AWS::IAM::Role"
ALARM, COMPOSITE = "AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"
FUNCTION, API = "AWS::Serverless::Function", "AWS::Serverless::Api"
CONSOLE = {"ConsoleIssuer": "https://issuer.example", "ConsoleUrl": "https://console.example"}


@dataclass(frozen=True)
class Deployed:
    """What a stage's deployment makes, as its templates have it."""

    stage: str
    packaged: dict

    @cached_property
    def templates(self):
        """Every template, by its file's name; the packaged functions as ``sam.json``."""
        raw = {
            path.name: json.loads(path.read_text()) for path in (ROOT / ".chalice").glob("*.json")
        }
        found = {name: document for name, document in raw.items() if "Resources" in document}
        return {**found, "functions.json": self.packaged}

    @cached_property
    def functions(self):
        """The stage's functions and their APIs."""
        values = {"Stage": self.stage, "Release": "r" * 40, **CONSOLE}
        return StageTemplate(self.packaged, values, account=ACCOUNT, region=REGION)

    def named(self, kind, name):
        """The lengths of a property of all resources of a kind."""
        for resource in self.of(kind):
            if name in resource.properties:
                yield resource.logical_id, len(resource.properties[name])

    def of(self, kind):
        """Resources of a kind, resolved."""
        return stage_template(self.stage).resources(kind)

    def lambdas(self):
        """The functions' properties, by logical id."""
        for name, resource in self.packaged["Resources"].items():
            if resource["Type"] == FUNCTION:
                yield name, resource["Properties"]

    def sources(self):
        """Event sources with their function's timeout, queue and name."""
        by_name = {
            resource.properties["QueueName"]: resource.properties for resource in self.of(QUEUE)
        }
        for name, function in self.lambdas():
            for event in function.get("Events", {}).values():
                if event["Type"] == "SQS":
                    queue = event["Properties"]["Queue"]["Fn::Sub"].rpartition(":")[2]
                    yield name, event["Properties"], function["Timeout"], by_name[queue]

    def dead_letters(self):
        """Each queue with dead letters, and the queue that has them."""
        by_arn = {
            resource.properties["QueueName"]: resource.properties for resource in self.of(QUEUE)
        }
        for resource in self.of(QUEUE):
            if "RedrivePolicy" in resource.properties:
                arn = resource.properties["RedrivePolicy"]["deadLetterTargetArn"]
                yield resource.properties, by_arn[arn.rpartition(":")[2]]


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    """A stage's deployment, packaged once."""
    project, known = bundle.sources(tmp_path_factory.mktemp("project")), {}

    def of(stage):
        if stage not in known:
            out = bundle.package(project, stage)
            known[stage] = Deployed(stage, json.loads((out / "sam.json").read_text()))
        return known[stage]

    return of


MEASURES = {}


def measures(limit):
    """The function that finds, for a stage, every place a limit applies to, with its value."""

    def kept(found):
        MEASURES[limit] = found
        return found

    return kept


# --- CloudFormation ---------------------------------------------------------------------------


@measures("template before there is a bucket")
def _first_templates(stage):
    """What is made before the data stack goes through a bucket."""
    for name in stage.templates.keys() - {"resources.json", "functions.json"}:
        yield name, len(json.dumps(stage.templates[name], separators=(",", ":")))


@measures("template in a bucket")
def _templates(stage):
    for name, template in stage.templates.items():
        yield name, len(json.dumps(template, indent=2))


@measures("resources of a template")
def _resources(stage):
    """AWS SAM makes at most four of an event: its rule or source, right, deployment, stage."""
    for name, template in stage.templates.items():
        events = sum(len(function.get("Events", {})) for _, function in stage.lambdas())
        more = 4 * events if name == "functions.json" else 0
        yield name, len(template["Resources"]) + more


@measures("parameters of a template")
def _parameters(stage):
    for name, template in stage.templates.items():
        yield name, len(template.get("Parameters", {}))


@measures("value of a parameter")
def _values(stage):
    """Thirty companies' identities."""
    yield "SenderIdentities", len(",".join([IDENTITY] * 30))


@measures("outputs of a template")
def _outputs(stage):
    for name, template in stage.templates.items():
        yield name, len(template.get("Outputs", {}))


@measures("logical id")
def _logical_ids(stage):
    for template in stage.templates.values():
        yield from ((name, len(name)) for name in template["Resources"])


@measures("description of a template")
def _descriptions(stage):
    for name, template in stage.templates.items():
        yield name, len(template.get("Description", "").encode())


# --- IAM --------------------------------------------------------------------------------------


def _size(document):
    """IAM does not count white space."""
    return len(json.dumps(document, separators=(",", ":")))


@measures("managed policy")
def _managed(stage):
    yield from ((name, _size(document)) for name, document in managed(stage.stage).items())


@measures("inline policies of a role")
def _inline(stage):
    for role in stage.of(ROLE):
        documents = [policy["PolicyDocument"] for policy in role.properties["Policies"]]
        yield role.logical_id, sum(map(_size, documents))


@measures("trust policy")
def _trust(stage):
    for role in stage.of(ROLE):
        yield role.logical_id, _size(role.properties["AssumeRolePolicyDocument"])


@measures("role name")
def _roles(stage):
    return stage.named(ROLE, "RoleName")


@measures("policy name")
def _policies(stage):
    yield from ((name, len(name)) for name in managed(stage.stage))


# --- Lambda -----------------------------------------------------------------------------------


@measures("environment of a function")
def _environments(stage):
    """With all systems named, and the identities of twenty companies."""
    more = {"SENDER_IDENTITIES": ",".join([IDENTITY] * 20), "SYSTEMS": ",".join(SYSTEMS)}
    for name, function in stage.lambdas():
        found = stage.functions.resolved(function["Environment"]["Variables"])
        yield name, config.environment_bytes({**found, **more})


@measures("timeout of a function")
def _timeouts(stage):
    yield from ((name, function["Timeout"]) for name, function in stage.lambdas())


@measures("memory of a function")
def _memory(stage):
    yield from ((name, function["MemorySize"]) for name, function in stage.lambdas())


@measures("layers of a function")
def _layers(stage):
    for name, function in stage.lambdas():
        _, with_console, _ = function.get("Layers", {"Fn::If": ["", [], []]})["Fn::If"]
        yield name, len(with_console)


def _shipped(what):
    """The files that a lock names and the project's own, by name, with their contents."""
    own = {"functions": ("app.py", "chalicelib"), "console layer": ("console", "ops", ".chalice")}
    for package in locked_packages(ROOT / LOCKS[what]):
        for file in distribution(package.name).files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                yield str(file), file.read_binary()
    for tree in own[what]:
        for path in [ROOT / tree, *(ROOT / tree).rglob("*")]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_bytes()


@cache
def _zipped(what):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        for name, content in _shipped(what):
            target.writestr(name, content)
    return len(packed.getvalue())


@measures("code in a request, zipped")
def _code(stage):
    yield "functions", _zipped("functions")


@measures("layer in a request, zipped")
def _layer(stage):
    yield "console layer", _zipped("console layer")


@measures("code and layers, unzipped")
def _unzipped(stage):
    yield "console", sum(len(content) for what in LOCKS for _, content in _shipped(what))


@measures("body of a request to a function")
def _event_bodies(stage):
    """As base64, in JSON."""
    yield from ((door, most * 4 / 3 + 64 * 1024) for door, most in DOORS.items())


@measures("function name")
def _function_names(stage):
    for name, function in stage.lambdas():
        yield name, len(stage.functions.resolved(function["FunctionName"]))


@measures("functions that may loop without end")
def _loops(stage):
    """Lambda's own stop is left on; the bound of ours comes long before it."""
    for name, function in stage.lambdas():
        yield name, function.get("RecursiveLoop", "Terminate") != "Terminate"


@measures("rounds of a function in a chain")
def _rounds(stage):
    """A job's first round, then one for each copy; `tests/outside/test_architecture.py` counts them."""
    yield "worker", 1 + later.MOST_ROUNDS


# --- Lambda and SQS ---------------------------------------------------------------------------


@measures("batch of a FIFO event source")
def _batches(stage):
    yield from ((name, source["BatchSize"]) for name, source, _, queue in stage.sources())


@measures("batching window of a FIFO event source")
def _windows(stage):
    for name, source, _, queue in stage.sources():
        if queue.get("FifoQueue"):
            yield name, source["MaximumBatchingWindowInSeconds"]


@measures("concurrency of an event source")
def _concurrency(stage):
    for name, source, _, _ in stage.sources():
        yield name, source["ScalingConfig"]["MaximumConcurrency"]


@measures("visibility of an event source")
def _visibility(stage):
    """Lambda refuses less than one; six are advised."""
    yield from (
        (name, queue["VisibilityTimeout"] / timeout) for name, _, timeout, queue in stage.sources()
    )


@measures("receives before a dead letter")
def _receives(stage):
    for name, _, _, queue in stage.sources():
        yield name, queue["RedrivePolicy"]["maxReceiveCount"]


# --- SQS --------------------------------------------------------------------------------------


@measures("queue name")
def _queue_names(stage):
    return stage.named(QUEUE, "QueueName")


@measures("FIFO queues without .fifo")
def _fifo_names(stage):
    for queue in stage.of(QUEUE):
        is_named = queue.properties["QueueName"].endswith(".fifo")
        yield queue.logical_id, is_named != bool(queue.properties.get("FifoQueue"))


class _Client:
    """Keeps the parameters of calls."""

    def __init__(self):
        self.calls = []

    def get_queue_url(self, QueueName):  # noqa: N803 - boto3's
        return {"QueueUrl": QueueName}

    def send_message(self, **sent):
        self.calls.append(sent)
        return {"MessageId": "1"}

    def batch_write_item(self, **sent):
        self.calls.append(sent)
        return {}

    def batch_get_item(self, **sent):
        self.calls.append(sent)
        return {"Responses": {}}


class _Unsealed:
    def sealed(self, text, **_):
        return text


def _sent(make, **how):
    client = _Client()
    make(client).put("{}", **how)
    return client.calls


@measures("delay of a message")
def _delays(stage):
    made = _sent(
        lambda client: queues.SqsDelayQueue(client, "later", _Unsealed()),
        delay_seconds=later.MAX_DELAY_SECONDS,
    )
    yield from (("later", message["DelaySeconds"]) for message in made)


@measures("delays of messages to FIFO queues")
def _fifo_delays(stage):
    made = _sent(
        lambda client: queues.SqsOutbox(client, lambda lane: "events.fifo", _Unsealed()),
        group_id="g",
        deduplication_id="d",
    )
    yield from (("lane", "DelaySeconds" in message) for message in made)
    yield "later", config.configured(stage.stage)["LATER_QUEUE_NAME"].endswith(".fifo")


@measures("visibility of a queue")
def _queue_visibility(stage):
    for queue in stage.of(QUEUE):
        yield queue.logical_id, queue.properties.get("VisibilityTimeout", 30)
    yield "defer", queues.MAX_VISIBILITY_SECONDS


@measures("retention of a message")
def _retention(stage):
    for queue in stage.of(QUEUE):
        yield queue.logical_id, queue.properties["MessageRetentionPeriod"]


@measures("message")
def _messages(stage):
    yield "job", job.MAX_MESSAGE_BYTES


@measures("group id")
def _groups(stage):
    yield "group", len(keys.OpaqueIds(b"k" * 32).fifo_group("g" * 500, "é" * 500))


@measures("deduplication id")
def _deduplication(stage):
    yield "event", len(keys.fifo_deduplication_id("e" * 500, "é" * 500))


@measures("dead letters of another kind than their queue")
def _kinds(stage):
    for queue, dead in stage.dead_letters():
        yield queue["QueueName"], queue.get("FifoQueue") != dead.get("FifoQueue")


@measures("dead letters kept for less than their queue's messages")
def _kept(stage):
    """A standard queue's letter keeps the time of its message."""
    for queue, dead in stage.dead_letters():
        periods = [either["MessageRetentionPeriod"] for either in (queue, dead)]
        yield queue["QueueName"], periods[0] > periods[1]


# --- API Gateway ------------------------------------------------------------------------------

DOORS = {
    "any": body.MAX_BYTES,
    "aloware": aloware_webhook.MAX_BODY_BYTES,
    "hubspot": hubspot_webhook.MAX_BODY_BYTES,
    "router": router.MAX_BODY_BYTES,
}
"""The largest bodies that the doors take."""


@measures("timeout behind the API")
def _api_timeout(stage):
    yield "api_handler", dict(stage.lambdas())["APIHandler"]["Timeout"]


@measures("timeout behind the console's API")
def _console_timeout(stage):
    yield "console", dict(stage.lambdas())["Console"]["Timeout"]


@measures("resources of the API")
def _paths(stage):
    for name, resource in stage.packaged["Resources"].items():
        if resource["Type"] == API:
            paths = resource["Properties"]["DefinitionBody"]["paths"]
            parts = {path[: at + 1] for path in paths for at, it in enumerate(path) if it == "/"}
            yield name, len(parts | paths.keys())


@measures("routes of the console's API")
def _routes(stage):
    kinds = Counter(resource["Type"] for resource in stage.packaged["Resources"].values())
    yield "console", kinds["AWS::ApiGatewayV2::Route"]


@measures("body of a request")
def _bodies(stage):
    return DOORS.items()


@measures("headers of a request")
def _headers(stage):
    """The most that a signed request needs, and as much again from what it passes on the way."""
    own = {"x-api-key": "k" * 256, "idempotency-key": "i" * 256, "authorization": "b" * 2_000}
    made = python_example()(
        "PUT",
        "/desk",
        {**own, "x-person-assertion": "p" * router.MAX_PROOF_CHARACTERS},
        query=[(f"name{number}", "v" * 100) for number in range(8)],
        body=b"{}",
        key_id="k" * 64,
        secret="c2VjcmV0",
    )
    yield "signed", 2 * sum(len(name) + len(value) for name, value in made.items())


# --- DynamoDB ---------------------------------------------------------------------------------


@measures("item")
def _items(stage):
    yield "company", check.MOST_BYTES
    yield "plan", plan.MAX_BYTES
    yield "configuration", versions.MAX_BYTES


@measures("local indexes of a table")
def _local(stage):
    for table in stage.of(TABLE):
        yield table.logical_id, len(table.properties.get("LocalSecondaryIndexes", []))


@measures("global indexes of a table")
def _global(stage):
    for table in stage.of(TABLE):
        yield table.logical_id, len(table.properties.get("GlobalSecondaryIndexes", []))


@measures("table name")
def _tables(stage):
    return stage.named(TABLE, "TableName")


@measures("writes of a batch")
def _batch_writes(stage):
    client = _Client()
    Table(client, "t").put_all([{"k": str(number)} for number in range(130)])
    yield from (("put_all", len(call["RequestItems"]["t"])) for call in client.calls)


@measures("reads of a batch")
def _batch_reads(stage):
    client = _Client()
    Table(client, "t").get_all([{"k": str(number)} for number in range(130)])
    yield from (("get_all", len(call["RequestItems"]["t"]["Keys"])) for call in client.calls)


@measures("consistent reads of a global index")
def _index_reads(stage):
    """An index of its table's own partition key could be read consistently; none is."""
    for tree in SOURCES:
        for path in [ROOT / tree, *(ROOT / tree).rglob("*.py")]:
            if path.suffix != ".py":
                continue
            for call in ast.walk(ast.parse(path.read_text())):
                names = (
                    {keyword.arg for keyword in call.keywords}
                    if isinstance(call, ast.Call)
                    else set()
                )
                if "IndexName" in names:
                    yield str(path.relative_to(ROOT)), "ConsistentRead" in names


# --- CloudWatch, EventBridge, S3, SNS, Secrets Manager ----------------------------------------


@measures("alarm name")
def _alarms(stage):
    yield from stage.named(ALARM, "AlarmName")
    yield from stage.named(COMPOSITE, "AlarmName")


@measures("alarm description")
def _alarm_descriptions(stage):
    yield from stage.named(ALARM, "AlarmDescription")
    yield from stage.named(COMPOSITE, "AlarmDescription")


@measures("window of an alarm")
def _alarm_windows(stage):
    """Seven days where a period is an hour or more: none is that long."""
    for alarm in stage.of(ALARM):
        yield alarm.logical_id, alarm.properties["Period"] * alarm.properties["EvaluationPeriods"]


@measures("rule of an alarm of alarms")
def _alarm_rules(stage):
    return stage.named(COMPOSITE, "AlarmRule")


def _widgets(stage):
    for dashboard in stage.of("AWS::CloudWatch::Dashboard"):
        yield dashboard.logical_id, json.loads(dashboard.properties["DashboardBody"])["widgets"]


@measures("widgets of the dashboard")
def _dashboard(stage):
    yield from ((name, len(widgets)) for name, widgets in _widgets(stage))


@measures("metrics of a widget")
def _metrics(stage):
    for name, widgets in _widgets(stage):
        yield from ((name, len(widget["properties"].get("metrics", []))) for widget in widgets)


@measures("log group name")
def _groups_of_logs(stage):
    return stage.named("AWS::Logs::LogGroup", "LogGroupName")


@measures("name of a schedule's rule")
def _rules(stage):
    """As `chalice deploy` names it; CloudFormation makes up its own."""
    for name, function in stage.lambdas():
        for event in function.get("Events", {}).values():
            if event["Type"] == "Schedule":
                handler = function["Handler"].removeprefix("app.")
                yield name, len(f"rp-mw-{stage.stage}-{handler}-event")


@measures("bucket name")
def _buckets(stage):
    yield from stage.named("AWS::S3::Bucket", "BucketName")
    yield "artifacts", len(artifacts.name(stage.stage, ACCOUNT, REGION))


@measures("topic name")
def _topics(stage):
    return stage.named("AWS::SNS::Topic", "TopicName")


@measures("secret name")
def _secrets(stage):
    for name in stage_template(stage.stage).metadata["Secrets"]:
        yield name, len(f"rp-mw/{stage.stage}/{name}")


# --- the table --------------------------------------------------------------------------------


@one_case("stage", config.stages())
@each_row("limit", list(LIMITS))
def test_what_is_deployed_is_within_the_limit(limit, stage, deployed):
    row, found = LIMITS[limit], list(MEASURES[limit](deployed(stage)))
    assert found, "nothing is measured"
    assert [measure for measure in found if not row.least <= measure[1] <= row.most] == [], (
        row.source
    )


def test_every_limit_is_measured_and_has_its_page():
    assert MEASURES.keys() == LIMITS.keys()
    assert all(row.source.startswith("https://docs.aws.amazon.com/") for row in LIMITS.values())


@each_row("limit", [name for name, row in LIMITS.items() if row.model])
def test_a_limit_is_the_sdks_own(limit):
    assert in_the_model(*LIMITS[limit].model) == LIMITS[limit].most


def test_the_runtimes_ends_are_those_of_the_linter():
    """The linter's releases follow AWS's page; `make update` brings them."""
    ours = {name: tuple(end) for name, end in runtime.ENDS.items()}
    assert {name: runtime_ends()[name] for name in ours} == ours
    assert runtime.name() in ours
    assert f"python{sys.version_info.major}.{sys.version_info.minor}" == runtime.name()
