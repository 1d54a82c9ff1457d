"""The data stack and the output of `chalice package` per stage: functions, permissions, queue, tables."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from cfnlint.api import lint_file

from chalicelib.once.lanes import LANES, Lane
from local.deploy import lint
from ops.stage import aws_models, packages, provenance

ROOT = Path(__file__).parents[2]
CHALICE = ROOT / ".chalice"
STAGES = ["dev", "staging", "prod"]
DAY = 86_400
FUNCTIONS = {
    "APIHandler": {"handler": "app.app", "timeout": 25},
    "Worker": {"handler": "app.worker", "timeout": 120},
    **{
        f"{lane.logical_id}Worker": {
            "handler": f"app.{lane.handler}",
            "timeout": 120,
        }
        for lane in LANES[1:]
    },
    "Reconcile": {"handler": "app.reconcile", "timeout": 240},
    "Mail": {"handler": "app.mail", "timeout": 25},
    "Later": {"handler": "app.later", "timeout": 25},
    "PostFacts": {"handler": "app.post_facts", "timeout": 240},
    "TicketTexts": {"handler": "app.ticket_texts", "timeout": 25},
    "Console": {"handler": "app.console", "timeout": 25},
}
ROLES = {
    "APIHandler": "ApiHandlerRole",
    "Worker": "WorkerRole",
    **{f"{lane.logical_id}Worker": f"{lane.logical_id}WorkerRole" for lane in LANES[1:]},
    "Reconcile": "ReconcileRole",
    "Mail": "MailRole",
    "Later": "LaterRole",
    "PostFacts": "PostFactsRole",
    "TicketTexts": "TicketTextsRole",
    "Console": "ConsoleRole",
}
NAMES = {
    "APIHandler": "",
    "Worker": "-worker",
    **{f"{lane.logical_id}Worker": f"-{lane.handler}" for lane in LANES[1:]},
    "Reconcile": "-reconcile",
    "PostFacts": "-post_facts",
    "Mail": "-mail",
    "Later": "-later",
    "TicketTexts": "-ticket_texts",
    "Console": "-console",
}
"""Functions are named as `chalice deploy` names them: alarms and log groups fit both ways."""

Template = dict[str, Any]


@pytest.fixture(scope="module", params=STAGES)
def stage(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def packaged(stage: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is packaged for a stage, once for all processes of the run, to be read only.

    Without third-party packages: the template does not depend on them.
    """
    of_run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        of_run = of_run.parent
    folder = of_run / f"packaged-{stage}"
    with (of_run / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            project = _project(tmp_path_factory.mktemp("project"), requirements="")
            shutil.move(_package(project, stage), folder)
    return folder


@pytest.fixture(scope="module")
def template(packaged: Path) -> Template:
    """The functions as packaged, and the data stack that they find by name, as one."""
    functions = json.loads((packaged / "sam.json").read_text())
    return _merged(_data(), functions)


def _data() -> Template:
    return json.loads((CHALICE / "resources.json").read_text())


def test_the_data_stack_knows_no_function():
    """It is made first, and alone: a template that is deployed as it is."""
    data = _data()
    known = data["Resources"].keys() | data["Parameters"].keys()
    text = json.dumps([data["Resources"], data["Outputs"]])
    used = {
        *re.findall(r'"Ref": "([^"]+)"', text),
        *re.findall(r'"Fn::GetAtt": \["([^"]+)"', text),
        *re.findall(r"\$\{([^!}.]+)[.}]", text),
    }

    assert {name for name in used - known if not name.startswith("AWS::")} == set()
    assert not _of_type(data, "AWS::Serverless::Function")
    assert not data["Resources"].keys() & _functions()["Resources"].keys(), "declared twice"


def test_a_failed_create_leaves_nothing_and_a_deleted_stack_leaves_what_holds_data():
    """Kept tables of fixed names would block the next create."""
    policies = {
        name: (resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy"))
        for name, resource in _data()["Resources"].items()
        if resource["Type"] in ("AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::S3::Bucket")
    }
    of_a_day = policies.pop("ConsoleSessionsTable")

    assert set(policies.values()) == {("RetainExceptOnCreate", "Retain")}
    assert of_a_day[0] == "Delete"


def _functions() -> Template:
    return json.loads((CHALICE / "functions.json").read_text())


def test_what_the_functions_name_is_declared_in_the_data_stack():
    """Nothing else ties the two: a customer would be the first to meet a name that only one of them has."""
    declared = {
        resource["Properties"][name]["Fn::Sub"]
        for resource in _data()["Resources"].values()
        for name in ("RoleName", "QueueName", "BucketName")
        if name in resource["Properties"]
    }
    named = {
        re.sub(r"^arn:.*:(role/)?", "", found)
        for resource in _functions()["Resources"].values()
        if "Type" not in resource
        for found in (
            resource["Properties"]["Role"]["Fn::Sub"],
            *(
                value["Fn::Sub"]
                for key, value in resource["Properties"]["Environment"]["Variables"].items()
                if key == "FACTS_BUCKET"
            ),
            *re.findall(r"arn:[^\"]+:sqs:[^\"]+", json.dumps(resource)),
        )
    }

    assert len(named) == 14
    assert named <= declared


def test_there_are_exactly_these_functions(template: Template):
    assert _of_type(template, "AWS::Serverless::Function").keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_its_handler_memory_and_timeout(template: Template, function: str):
    properties = template["Resources"][function]["Properties"]

    assert properties["Handler"] == FUNCTIONS[function]["handler"]
    assert properties["Timeout"] == FUNCTIONS[function]["timeout"]
    assert properties["MemorySize"] == 512
    assert properties["Runtime"] == f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_a_role_of_its_own_with_its_policy_and_nothing_else(
    template: Template, function: str
):
    resources = template["Resources"]
    role = resources[ROLES[function]]["Properties"]
    boundary = "arn:${AWS::Partition}:iam::${AWS::AccountId}:policy/rp-mw-${Stage}-boundary"

    arn = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/" + role["RoleName"]["Fn::Sub"]
    assert resources[function]["Properties"]["Role"] == {"Fn::Sub": arn}
    assert len(role["Policies"]) == 1
    assert "ManagedPolicyArns" not in role
    assert role["PermissionsBoundary"] == {"Fn::Sub": boundary}
    assert _of_type(template, "AWS::IAM::Role").keys() == set(ROLES.values())


def _policy(template: Template, function: str) -> dict[str, Any]:
    (policy,) = template["Resources"][ROLES[function]]["Properties"]["Policies"]
    return policy["PolicyDocument"]


def test_a_table_of_another_name_than_the_declared_one_is_not_packaged(tmp_path: Path):
    """Its function would have no permission for it, and the declared table would stay empty."""
    project = _project(tmp_path, requirements="")
    config = project / ".chalice" / "config.json"
    config.write_text(config.read_text().replace("QuillIdempotencyLedger-prod", "Facts-prod"))
    run = _run_chalice(project, "prod", tmp_path / "out")
    assert run.returncode != 0
    assert "DYNAMO_TABLE_NAME is Facts-prod" in run.stderr


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_the_same_complete_environment(template: Template, function: str):
    """Names in the environment are those of the resources, in every stage."""
    variables = template["Resources"][function]["Properties"]["Environment"]["Variables"]
    stage = variables["STAGE"]

    assert variables["IDEMPOTENCY_TABLE_NAME"] == _name(template, "IdempotencyTable", stage)
    assert variables["CONVERSATION_STATE_TABLE_NAME"] == _name(
        template, "ConversationStateTable", stage
    )
    assert variables["AUDIT_TRAIL_TABLE_NAME"] == _name(template, "AuditActionsTable", stage)
    assert variables["DYNAMO_TABLE_NAME"] == _name(template, "QuillLedgerTable", stage)
    assert variables["DYNAMO_TTL_DAYS"] == "14"
    assert variables["QUEUE_NAME"] == _name(template, "EventsQueue", stage)
    assert variables["LATER_QUEUE_NAME"] == _name(template, "LaterQueue", stage)
    assert variables["WEBHOOK_SECRET_ID"] == f"rp-mw/{stage}/richpanel/webhook_token"
    assert variables["RICHPANEL_API_KEY_SECRET_ID"] == f"rp-mw/{stage}/richpanel/api_key"
    assert variables["RICHPANEL_BASE_URL"] == "https://api.richpanel.com"
    assert variables["INGRESS_LEDGER"] == "false"
    assert variables["RELEASE"] == {"Ref": "Release"}


def test_no_stage_can_loosen_a_switch_or_carry_a_secret_in_its_environment():
    config = json.loads((CHALICE / "config.json").read_text())
    names = set(config["environment_variables"])
    for stage in config["stages"].values():
        names |= stage["environment_variables"].keys()

    assert not [name for name in names if name.lower() in _switches()]
    assert not [name for name in names if re.search("TOKEN$|KEY$|SECRET$|PASSWORD$", name)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_logs_to_a_group_with_a_retention(template: Template, function: str):
    """The group has the name that Lambda gives it anyway, and is there before the function."""
    assert "LoggingConfig" not in template["Resources"][function]["Properties"]
    properties = template["Resources"][_group(function)]["Properties"]

    name = f"rp-mw-${{Stage}}{NAMES[function]}"
    assert template["Resources"][function]["Properties"]["FunctionName"] == {"Fn::Sub": name}
    assert properties["LogGroupName"] == {"Fn::Sub": f"/aws/lambda/{name}"}
    assert properties["RetentionInDays"] == {"Fn::If": ["IsProd", 90, 14]}


def _group(function: str) -> str:
    return {"APIHandler": "ApiLogs"}.get(function, f"{function}Logs")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_traced_as_its_stage_and_may_always_send_traces(
    template: Template, function: str, stage: str
):
    """Lambda refuses a function whose tracing is on and whose role may not write segments."""
    policy = _policy(template, function)
    (statement,) = [
        statement for statement in policy["Statement"] if statement["Sid"] == "WriteTraces"
    ]
    assert statement["Resource"] == "*"

    stages = json.loads((CHALICE / "config.json").read_text())["stages"]
    assert template["Resources"][function]["Properties"]["Tracing"] == (
        "Active" if stages[stage].get("xray") else "PassThrough"
    )
    assert statement["Action"] == ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]


def test_no_stage_pays_for_traces_by_default():
    """A trace of each event costs as much as all of its computing."""
    stages = json.loads((CHALICE / "config.json").read_text())["stages"]
    assert {name: config.get("xray", False) for name, config in stages.items()} == dict.fromkeys(
        stages, False
    )


def test_the_queue_feeds_the_worker_one_message_at_a_time(template: Template, stage: str):
    """The queue's name is the packaged stage's: a stack of another stage may not read it.

    Lambda then refuses the event source, because the role's policy follows the stack's parameter,
    and a deployment with the wrong `Stage` is rolled back instead of eating another stage's queue.
    """
    worker = template["Resources"]["Worker"]
    (source,) = worker["Properties"]["Events"].values()
    arn = source["Properties"]["Queue"]["Fn::Sub"]

    assert source["Type"] == "SQS"
    assert arn.rsplit(":", 1)[-1] == _name(template, "EventsQueue", stage)
    assert source["Properties"]["BatchSize"] == 1
    assert source["Properties"]["MaximumBatchingWindowInSeconds"] == 0
    assert "FunctionResponseTypes" not in source["Properties"]
    concurrency = worker["Properties"]["Environment"]["Variables"]["WORKER_CONCURRENCY"]
    assert source["Properties"]["ScalingConfig"] == {"MaximumConcurrency": int(concurrency)}


@pytest.mark.parametrize("lane", LANES[1:], ids=lambda lane: lane.name)
def test_every_lane_is_a_queue_like_the_tickets_with_a_worker_of_its_own(
    template: Template, stage: str, lane: Lane
):
    worker = template["Resources"][f"{lane.logical_id}Worker"]
    (source,) = worker["Properties"]["Events"].values()
    queue = template["Resources"][f"{lane.logical_id}Queue"]["Properties"]
    dead = template["Resources"][f"{lane.logical_id}DeadLetterQueue"]["Properties"]
    tickets = template["Resources"]["EventsQueue"]["Properties"]

    assert source["Properties"]["Queue"]["Fn::Sub"].rsplit(":", 1)[-1] == lane.queue(stage)
    assert source["Properties"]["BatchSize"] == 1
    concurrency = worker["Properties"]["Environment"]["Variables"]["LANE_CONCURRENCY"]
    assert source["Properties"]["ScalingConfig"] == {"MaximumConcurrency": int(concurrency)}
    assert queue["QueueName"]["Fn::Sub"].replace("${Stage}", stage) == lane.queue(stage)
    assert dead["QueueName"]["Fn::Sub"].replace("${Stage}", stage) == lane.dead_letter_queue(stage)
    target = {"Fn::GetAtt": [f"{lane.logical_id}DeadLetterQueue", "Arn"]}
    assert queue["RedrivePolicy"] == {**tickets["RedrivePolicy"], "deadLetterTargetArn": target}
    own = {"QueueName", "RedrivePolicy"}
    assert {k: v for k, v in queue.items() if k not in own} == {
        k: v for k, v in tickets.items() if k not in own
    }


def test_short_waits_have_a_queue_and_a_function_of_their_own(template: Template, stage: str):
    later = template["Resources"]["Later"]
    (source,) = later["Properties"]["Events"].values()
    queue = template["Resources"]["LaterQueue"]["Properties"]
    dead = template["Resources"]["LaterDeadLetterQueue"]["Properties"]

    assert source["Type"] == "SQS"
    assert source["Properties"]["Queue"]["Fn::Sub"].rsplit(":", 1)[-1] == _name(
        template, "LaterQueue", stage
    )
    assert source["Properties"]["BatchSize"] == 1
    assert queue["VisibilityTimeout"] == 720 >= 6 * int(FUNCTIONS["Later"]["timeout"])
    assert queue["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["LaterDeadLetterQueue", "Arn"]},
        "maxReceiveCount": 10,
    }
    for either in (queue, dead):
        assert "FifoQueue" not in either
        assert either["MessageRetentionPeriod"] == DAY


def test_the_api_is_deployed_under_the_stages_name(template: Template, stage: str):
    """The 5xx alarm tells stages apart by it: all of them are called rp-mw in API Gateway."""
    api = template["Resources"]["RestAPI"]["Properties"]

    assert api["StageName"] == stage


def test_no_value_is_merged_into_two_intrinsic_functions(template: Template):
    """Merging adds keys: an intrinsic function next to the one Chalice wrote would break both."""

    def functions(value: Any) -> list[set[str]]:
        if isinstance(value, list):
            return [function for item in value for function in functions(item)]
        if not isinstance(value, dict):
            return []
        calls = {key for key in value if key.startswith("Fn::") or key == "Ref"}
        broken = [set(value)] if calls and len(value) > 1 else []
        return broken + [function for item in value.values() for function in functions(item)]

    assert functions(template["Resources"]) == []


def test_every_substituted_name_exists_in_the_template(template: Template):
    """Chalice's own log retention names a function that it calls differently a line later."""
    known = template["Resources"].keys() | template["Parameters"].keys()
    texts = re.findall(r'"Fn::Sub": "((?:[^"\\]|\\.)*)"', json.dumps(template["Resources"]))
    used = set(re.findall(r"\$\{([A-Za-z0-9]+)[}.]", " ".join(texts)))

    assert "Stage" in used
    assert used - known == set()
    assert "log_retention_in_days" not in (CHALICE / "config.json").read_text()


@pytest.mark.parametrize(
    ("override", "rule"),
    [
        (
            {
                "Worker": {
                    "Properties": {
                        "Events": {
                            "WorkerSqsEventSource": {
                                "Properties": {"Queue": {"Fn::GetAtt": ["EventsQueue", "Arn"]}}
                            }
                        }
                    }
                }
            },
            "E",
        ),
        ({"ApiLogs": {"Properties": {"LogGroupName": {"Fn::Sub": "/x/${ApiHandler}"}}}}, "E1019"),
    ],
    ids=["two functions merged into one value", "a name Chalice spells in two ways"],
)
def test_cfn_lint_catches_the_traps_of_merging(
    template: Template, stage: str, override: Template, rule: str, tmp_path: Path
):
    """A template of one function is enough here; `make check` lints the whole ones."""
    if stage != "dev":
        pytest.skip("one stage is enough")
    whole = {name: part for name, part in template.items() if name != "Outputs"}
    sound = whole | {"Resources": {name: template["Resources"][name] for name in LINTED}}

    assert not _errors(sound, tmp_path)
    found = _errors(_merged(sound, {"Resources": override}), tmp_path)
    assert any(error.startswith(rule) for error in found), found


LINTED = ("Worker", "WorkerRole", "WorkerLogs", "EventsQueue", "EventsDeadLetterQueue", "ApiLogs")


def _errors(template: Template, folder: Path) -> list[str]:
    """The rules of cfn-lint that a template breaks; a part of one leaves parameters unused."""
    (folder / "sam.json").write_text(json.dumps(template))
    found = [match.rule.id for match in lint_file(folder / "sam.json")]
    return [rule for rule in found if rule.startswith("E")]


@pytest.mark.long  # by the same linter; `make check` runs it
def test_make_check_names_what_cfn_lint_finds(tmp_path: Path):
    """`make check` lints the real templates, once for each stage."""
    project = lint.bundle.sources(tmp_path)
    path = project / ".chalice" / "resources.json"
    broken = json.loads(path.read_text())
    broken["Resources"]["ApiLogs"]["Properties"]["RetentionInDays"] = 15
    path.write_text(json.dumps(broken))

    assert any("15" in finding for finding in lint.data_findings(project))
    assert "python -m local.deploy.lint" in (ROOT / "Makefile").read_text()


def test_only_the_console_carries_its_layer_and_its_settings(template: Template):
    functions = _of_type(template, "AWS::Serverless::Function")

    for name, function in functions.items():
        variables = function["Properties"]["Environment"]["Variables"]
        own = {v for v in variables if v.startswith("CONSOLE_")} - {"CONSOLE_SESSIONS_TABLE_NAME"}
        assert ("Layers" in function["Properties"], bool(own)) == (name == "Console",) * 2
    assert functions["Console"]["Properties"]["Layers"] == {
        "Fn::If": ["HasConsole", [{"Ref": "ConsoleLayer"}], {"Ref": "AWS::NoValue"}]
    }
    assert "Events" not in functions["Console"]["Properties"]


def test_without_a_sign_in_provider_nothing_leads_to_the_console(template: Template):
    """Its function is always there, as Chalice makes it; what calls it is not."""
    resources = template["Resources"]
    assert template["Parameters"]["ConsoleIssuer"]["Default"] == ""
    kinds = {"AWS::ApiGatewayV2::", "AWS::Lambda::LayerVersion", "AWS::Lambda::Permission"}
    found = {
        name: resource.get("Condition")
        for name, resource in resources.items()
        if any(resource["Type"].startswith(kind) for kind in kinds) and "Console" in name
    }
    assert len(found) >= 6
    assert set(found.values()) == {"HasConsole"}


def test_the_consoles_api_is_throttled_and_may_call_the_console_only(template: Template):
    resources = template["Resources"]
    stage = resources["ConsoleStage"]["Properties"]
    permission = resources["ConsolePermission"]["Properties"]

    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] <= 50
    assert stage["RouteSettings"]["GET /sign-in"]["ThrottlingRateLimit"] <= 5
    assert permission["FunctionName"] == {"Ref": "Console"}
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${ConsoleApi}/*")


def test_sessions_expire_and_are_of_their_stage(template: Template, stage: str):
    properties = template["Resources"]["ConsoleSessionsTable"]["Properties"]

    assert _name(template, "ConsoleSessionsTable", stage) == f"rp_mw_console_sessions-{stage}"
    assert [key["AttributeName"] for key in properties["KeySchema"]] == ["session_id"]
    assert properties["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }
    assert properties["Tags"] == [{"Key": "stage", "Value": {"Ref": "Stage"}}]


def test_the_console_layer_lies_where_the_template_looks_for_it(packaged: Path, template: Template):
    """Its packages are left out here; what of the project the console imports is in it."""
    content = template["Resources"]["ConsoleLayer"]["Properties"]["Content"]
    python = packaged / content / "python"

    for path in ("console/deployed.py", "console/templates/layout.html", "ops/session.py"):
        assert (python / path).is_file()
    with zipfile.ZipFile(packaged / "deployment.zip") as bundle:
        assert not [name for name in bundle.namelist() if name.startswith(("console/", "ops/"))]


def test_every_module_ships_with_its_bytecode_in_bundle_and_layer(packaged: Path):
    """Nothing can write it where the functions run."""
    with zipfile.ZipFile(packaged / "deployment.zip") as bundle:
        names = set(bundle.namelist())
    layer = packaged / "console-layer"
    names |= {str(path.relative_to(layer)) for path in layer.rglob("*") if path.is_file()}
    modules = {name for name in names if name.endswith(".py")}

    assert len(modules) > 500
    assert {importlib.util.cache_from_source(name) for name in modules} <= names


def test_every_file_beside_a_module_is_deployed(packaged: Path):
    """Tables and models are read from there."""
    trees = (path for path in (ROOT / "chalicelib").rglob("*") if path.is_file())
    kept = {str(tree.relative_to(ROOT)) for tree in trees if "__pycache__" not in tree.parts}
    with zipfile.ZipFile(packaged / "deployment.zip") as bundle:
        assert kept - set(bundle.namelist()) == set()
    assert {name.rpartition(".")[2] for name in kept} == {"py", "toml", "bin"}


def test_reconciliation_runs_on_a_schedule(template: Template):
    (event,) = template["Resources"]["Reconcile"]["Properties"]["Events"].values()

    assert event["Type"] == "Schedule"
    assert re.fullmatch(r"(rate|cron)\(.+\)", event["Properties"]["Schedule"])


def test_the_queue_outlasts_a_long_outage_and_then_dead_letters(template: Template):
    queue = template["Resources"]["EventsQueue"]["Properties"]
    dead = template["Resources"]["EventsDeadLetterQueue"]["Properties"]
    variables = template["Resources"]["Worker"]["Properties"]["Environment"]["Variables"]

    assert queue["VisibilityTimeout"] == 720 >= 6 * int(FUNCTIONS["Worker"]["timeout"])
    assert queue["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["EventsDeadLetterQueue", "Arn"]},
        "maxReceiveCount": int(variables["MAX_RECEIVE_COUNT"]),
    }
    assert queue["MessageRetentionPeriod"] == dead["MessageRetentionPeriod"] == 14 * DAY
    for either in (queue, dead):
        assert either["FifoQueue"] is True
        assert either["ContentBasedDeduplication"] is False
        assert either["DeduplicationScope"] == "messageGroup"
        assert either["FifoThroughputLimit"] == "perMessageGroupId"
        assert either["SqsManagedSseEnabled"] is True


@pytest.mark.parametrize(
    ("table", "name", "keys", "ttl"),
    [
        ("IdempotencyTable", "rp_mw_idempotency", ["event_id"], "expires_at"),
        ("ConversationStateTable", "rp_mw_conversation_state", ["conversation_id"], "expires_at"),
        (
            "AuditActionsTable",
            "rp_mw_audit_actions",
            ["conversation_id", "ts_action_id"],
            "expires_at",
        ),
        ("QuillLedgerTable", "QuillIdempotencyLedger", ["pk"], "expiresAt"),
    ],
)
def test_a_table_has_its_keys_and_ttl_and_survives_the_stack(
    template: Template, stage: str, table: str, name: str, keys: list[str], ttl: str
):
    resource = template["Resources"][table]
    properties = resource["Properties"]

    assert _name(template, table, stage) == f"{name}-{stage}"
    assert [key["AttributeName"] for key in properties["KeySchema"]] == keys
    numbers = {"due_at"}
    assert all(
        attributedefinition["AttributeType"]
        == ("N" if attributedefinition["AttributeName"] in numbers else "S")
        for attributedefinition in properties["AttributeDefinitions"]
    )
    assert properties["TimeToLiveSpecification"] == {
        "AttributeName": ttl,
        "Enabled": True,
    }
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    only_in_prod = {"Fn::If": ["IsProd", True, False]}
    assert properties["DeletionProtectionEnabled"] == only_in_prod
    assert properties["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": only_in_prod
    }


def test_unfinished_and_stuck_rows_are_found_by_sparse_indexes(template: Template):
    assert _indexes(template, "IdempotencyTable") == [
        ("due-index", ("due_shard", "due_at"), "KEYS_ONLY"),
        ("stuck-index", ("stuck_shard", "stuck_by"), "KEYS_ONLY"),
    ]


def test_pending_facts_are_found_by_a_sparse_index_of_keys(template: Template):
    assert _indexes(template, "QuillLedgerTable") == [
        ("due-index", ("due_shard", "due_at"), "KEYS_ONLY"),
    ]


def _indexes(template: Template, table: str) -> list[tuple[str, tuple[str, ...], str]]:
    """Each index's name, its hash and range keys, and what it holds."""
    found = template["Resources"][table]["Properties"]["GlobalSecondaryIndexes"]
    for index in found:
        assert [key["KeyType"] for key in index["KeySchema"]] == ["HASH", "RANGE"]
    return [
        (
            index["IndexName"],
            tuple(key["AttributeName"] for key in index["KeySchema"]),
            index["Projection"]["ProjectionType"],
        )
        for index in found
    ]


def test_facts_are_posted_every_minute_and_archived_in_a_private_bucket(template: Template):
    function = template["Resources"]["PostFacts"]["Properties"]
    (event,) = function["Events"].values()
    bucket = template["Resources"]["FactsArchive"]["Properties"]

    assert event["Properties"]["Schedule"] == "rate(1 minute)"
    assert function["Environment"]["Variables"]["FACTS_BUCKET"] == bucket["BucketName"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["BucketEncryption"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_write_to_its_own_log_group_and_to_no_other(
    template: Template, function: str
):
    name = template["Resources"][_group(function)]["Properties"]["LogGroupName"]["Fn::Sub"]
    policy = _policy(template, function)
    allowed = [
        statement["Resource"]["Fn::Sub"].partition(":log-group:")[2]
        for statement in policy["Statement"]
        if "logs:PutLogEvents" in statement["Action"]
    ]

    assert allowed == [f"{name}:*"]


def test_every_table_and_queue_carries_its_stage_as_a_tag(template: Template):
    """The functions compare the tag with their own stage and refuse to start on another's."""
    kinds = ("AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::S3::Bucket")
    resources = [resource for kind in kinds for resource in _of_type(template, kind).values()]

    assert len(resources) == 21
    for resource in resources:
        assert {"Key": "stage", "Value": {"Ref": "Stage"}} in resource["Properties"]["Tags"]


def test_the_stage_of_a_stack_has_no_default(template: Template):
    assert template["Parameters"]["Stage"]["AllowedValues"] == STAGES
    assert "Default" not in template["Parameters"]["Stage"]
    assert template["Conditions"]["IsProd"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}


def test_a_new_stage_starts_in_shadow_and_no_deployment_moves_a_switch(template: Template):
    switches = template["Metadata"]["Switches"]["FirstValues"]

    assert switches == {
        "kill_switch": "false",
        "safe_mode": "false",
        "automation_enabled": "false",
        "shadow_mode": "true",
    }
    assert not _of_type(template, "AWS::SSM::Parameter")


@pytest.mark.long
def test_the_bundle_holds_what_the_functions_import_and_fits_a_direct_upload(tmp_path: Path):
    """Needs a package index: the only test that the network guard lets through."""
    requirements = (ROOT / "requirements.txt").read_text()
    project = _project(tmp_path, requirements=requirements)
    out = _package(project, "prod", offline=False)
    bundle = out / "deployment.zip"
    names = set(zipfile.ZipFile(bundle).namelist())
    tops = {name.split("/", 1)[0] for name in names}

    assert {"app.py", "chalicelib", "chalice", "boto3", "botocore", "pydantic", "requests"} <= tops
    assert not tops & {"console", "local", "ops", "tests", "bench", "moto", "ministack", "pytest"}
    shipped = re.findall(r"^([^/]+)\.dist-info/METADATA$", "\n".join(sorted(names)), re.MULTILINE)
    lock = packages.locked_packages(project / "requirements.txt")
    named = {(package.name.replace("-", "_"), package.version) for package in lock}
    assert {tuple(wheel.lower().rsplit("-", 1)) for wheel in shipped} == named
    listed = json.loads((out / provenance.PACKAGES_FILE).read_text())["components"]
    assert {component["name"] for component in listed} >= {component.name for component in lock}
    made = json.loads((out / provenance.ORIGIN_FILE).read_text())["subject"]
    digest = {"sha256": hashlib.sha256(bundle.read_bytes()).hexdigest()}
    assert {"name": "deployment.zip", "digest": digest} in made
    assert bundle.stat().st_size < 25_000_000
    assert not tops & {"pip", "setuptools", "wheel", "click", "inquirer"}  # Chalice's command line
    assert sum(entry.file_size for entry in zipfile.ZipFile(bundle).infolist()) < 60_000_000
    modules = {name for name in names if name.endswith(".py")}
    cached = {importlib.util.cache_from_source(name) for name in modules}
    assert cached <= names, "a module without bytecode"
    assert len(modules) <= 1_900
    services = {name.split("/")[2] for name in names if re.match("botocore/data/[^/]+/", name)}
    assert services == aws_models.SERVICES
    again = _package(project, "prod", offline=False) / bundle.name
    assert again.read_bytes() == bundle.read_bytes()


def _project(folder: Path, *, requirements: str) -> Path:
    ignored = shutil.ignore_patterns("deployments", "deployed", "venv", "__pycache__")
    shutil.copytree(CHALICE, folder / ".chalice", ignore=ignored)
    for package in ("chalicelib", "console", "ops"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    (folder / "console" / "requirements.txt").write_text("")
    for name in ("app.py", ".python-version"):
        shutil.copy(ROOT / name, folder)
    (folder / "requirements.txt").write_text(requirements)
    return folder


def _package(project: Path, stage: str, *, offline: bool = True) -> Path:
    out = project / f"out-{stage}"
    run = _run_chalice(project, stage, out, offline=offline)
    assert run.returncode == 0, run.stderr
    return out


def _run_chalice(
    project: Path, stage: str, out: Path, *, offline: bool = True
) -> subprocess.CompletedProcess[str]:
    dropped = ("AWS_", "PYTHONWARNINGS", "COVERAGE") + (() if offline else ("PYTHONPATH",))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    invented = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "invented",
        "AWS_SECRET_ACCESS_KEY": "invented",
    }
    return subprocess.run(
        [
            *(sys.executable, "-c", "import sys; from chalice.cli import main; sys.exit(main())"),
            *("package", "--stage", stage),
            *("--merge-template", ".chalice/functions.json", str(out)),
        ],
        cwd=project,
        env=kept | invented,
        capture_output=True,
        text=True,
        check=False,
    )


def _merged(base: Template, more: Template) -> Template:
    """As Chalice merges: dictionaries deeply, everything else replaced."""
    out = dict(base)
    for key, value in more.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = _merged(out[key], value) if both else value
    return out


def _of_type(template: Template, kind: str) -> dict[str, Any]:
    return {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] == kind
    }


def _name(template: Template, logical: str, stage: str) -> str:
    properties = template["Resources"][logical]["Properties"]
    name = properties.get("TableName") or properties.get("QueueName")
    return name["Fn::Sub"].replace("${Stage}", stage)


def _switches() -> set[str]:
    resources = json.loads((CHALICE / "resources.json").read_text())
    return set(resources["Metadata"]["Switches"]["FirstValues"])
