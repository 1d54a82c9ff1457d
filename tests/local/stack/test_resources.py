"""The resources on an engine are those that `.chalice/resources.json` declares."""

import json

import pytest
from botocore.exceptions import ClientError

from chalicelib.once.keyring import KeyPurpose
from local.stack import creating, resources
from local.stack.engine import REGION
from ops.stage.template import TEMPLATE, StageTemplate, StageTemplateError
from tests.rigs.each_row import each_row


@pytest.fixture
def template(aws):
    return StageTemplate.load("dev", account=aws.account, region=REGION)


def _declared(template, kind):
    return {resource.logical_id: resource.properties for resource in template.resources(kind)}


def test_the_tables_are_those_declared_on_every_engine(ddb):
    template = StageTemplate.load("dev", account=ddb.aws.account, region=REGION)
    declared = _declared(template, "AWS::DynamoDB::Table")
    for name in ddb.tables.values():
        ttl = ddb.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        assert ttl["TimeToLiveStatus"] == "DISABLED", "a test's noon is over by an engine's clock"
    assert creating.tables(ddb.aws, template) == ddb.tables
    assert ddb.tables.keys() == declared.keys()
    for properties in declared.values():
        found = ddb.client.describe_table(TableName=properties["TableName"])["Table"]
        assert found["KeySchema"] == properties["KeySchema"]
        assert _by_name(found["AttributeDefinitions"]) == _by_name(
            properties["AttributeDefinitions"]
        )
        assert _indexes(found) == _indexes(properties)
        ttl = ddb.client.describe_time_to_live(TableName=properties["TableName"])
        wanted = properties.get("TimeToLiveSpecification", {})  # a company's settings never expire
        assert ttl["TimeToLiveDescription"].get("AttributeName") == wanted.get("AttributeName")
        status = "ENABLED" if wanted else "DISABLED"
        assert ttl["TimeToLiveDescription"]["TimeToLiveStatus"] == status
        tags = ddb.client.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"]
        assert {"Key": "stage", "Value": "dev"} in tags


def test_the_queues_are_those_declared(stage, template):
    sqs = stage.aws.client("sqs")
    declared = _declared(template, "AWS::SQS::Queue")
    assert stage.queues.keys() == declared.keys()
    for logical_id, properties in declared.items():
        url = stage.queues[logical_id]
        found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        for name, value in properties.items():
            if name in ("QueueName", "Tags"):
                continue
            assert _plain(found[name]) == _plain(value), name
        tags = {tag["Key"]: tag["Value"] for tag in properties["Tags"]}
        assert sqs.list_queue_tags(QueueUrl=url)["Tags"] == tags
        assert tags["stage"] == "dev"
        assert found["QueueArn"] == stage.queue_arns[logical_id]


def test_the_redrive_goes_to_the_dead_letter_queue(stage):
    sqs = stage.aws.client("sqs")
    found = sqs.get_queue_attributes(QueueUrl=stage.queue_url, AttributeNames=["RedrivePolicy"])
    policy = json.loads(found["Attributes"]["RedrivePolicy"])
    assert policy["deadLetterTargetArn"] == stage.queue_arns["EventsDeadLetterQueue"]
    assert int(policy["maxReceiveCount"]) == 10


def test_switches_and_secrets_exist(stage):
    ssm, secrets = stage.aws.client("ssm"), stage.aws.client("secretsmanager")
    names = [f"/rp-mw/dev/{name}" for name in template_switches()]
    found = {
        parameter["Name"]: parameter["Value"]
        for parameter in ssm.get_parameters(Names=names)["Parameters"]
    }
    assert found == {
        "/rp-mw/dev/kill_switch": "false",
        "/rp-mw/dev/safe_mode": "false",
        "/rp-mw/dev/automation_enabled": "true",
        "/rp-mw/dev/shadow_mode": "false",
    }
    token = secrets.get_secret_value(SecretId="rp-mw/dev/richpanel/webhook_token")
    assert token["SecretString"] == stage.secrets.webhook_token
    assert secrets.get_secret_value(SecretId="rp-mw/dev/richpanel/api_key")["SecretString"]
    assert stage.secrets.keys.keys() == set(KeyPurpose)
    stage.set_switch("kill_switch", "true")
    value = ssm.get_parameter(Name="/rp-mw/dev/kill_switch")["Parameter"]["Value"]
    assert value == "true"


def template_switches():
    return json.loads(TEMPLATE.read_text())["Metadata"]["Switches"]["FirstValues"]


def test_creating_a_stage_again_adds_only_what_is_missing(stage):
    dynamodb, sqs = stage.aws.client("dynamodb"), stage.aws.client("sqs")
    table = stage.tables["ConversationStateTable"]
    dynamodb.put_item(TableName=table, Item={"conversation_id": {"S": "1042"}})
    sqs.delete_queue(QueueUrl=stage.dead_letter_url)
    again = resources.create(stage.aws, "dev", given=stage.secrets)
    assert (again.tables, again.queues) == (stage.tables, stage.queues)
    assert dynamodb.scan(TableName=table)["Count"] == 1
    assert sqs.get_queue_url(QueueName="rp-mw-events-dlq-dev.fifo")["QueueUrl"]


def test_accounts_are_isolated(stage, ministack):
    other = resources.Aws(ministack.url, account="999999999999")
    assert other.client("dynamodb").list_tables()["TableNames"] == []
    with pytest.raises(ClientError, match="NonExistentQueue"):
        other.client("sqs").get_queue_url(QueueName="rp-mw-events-dev.fifo")
    other.close()


def test_a_stage_has_its_own_resource_names(aws):
    template = StageTemplate.load("prod", account=aws.account, region=REGION)
    tables = _declared(template, "AWS::DynamoDB::Table")
    assert tables["IdempotencyTable"]["TableName"] == "rp_mw_idempotency-prod"
    assert tables["IdempotencyTable"]["DeletionProtectionEnabled"] is True


@each_row(
    ("value", "expected"),
    [
        ({"Ref": "Stage"}, "dev"),
        ({"Ref": "Release"}, "unreleased"),
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Ref": "Queue"}, "q-dev.fifo"),
        ({"Fn::GetAtt": ["Queue", "Arn"]}, "arn:aws:sqs:us-east-1:1:q-dev.fifo"),
        (
            {"Fn::Sub": "${Queue.Arn}/${Stage}/${!Literal}"},
            "arn:aws:sqs:us-east-1:1:q-dev.fifo/dev/${Literal}",
        ),
        ({"Fn::Sub": ["${A}-b", {"A": {"Ref": "Stage"}}]}, "dev-b"),
        ({"Fn::GetAtt": "Table.Arn"}, "arn:aws:dynamodb:us-east-1:1:table/t-dev"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Stage"}]]}, "a-dev"),
        ({"Fn::If": ["IsDev", 1, 2]}, 1),
        ({"Fn::Not": [{"Condition": "IsDev"}]}, False),
        ({"Fn::And": [{"Condition": "IsDev"}, {"Fn::Equals": ["a", "a"]}]}, True),
        ({"Fn::Or": [{"Fn::Equals": ["a", "b"]}, {"Condition": "IsDev"}]}, True),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "Stage"}, "n"]}, 3),
        ([1, {"Ref": "AWS::NoValue"}], [1]),
        ({"a": {"Ref": "AWS::NoValue"}, "b": 2}, {"b": 2}),
    ],
)
def test_an_intrinsic_function_is_resolved(value, expected):
    assert _small().resolved(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"Fn::ImportValue": "x"},
        {"Ref": "Nothing"},
        {"Ref": "Group"},
        {"Fn::GetAtt": ["Queue", "QueueUrl"]},
        {"Fn::GetAtt": ["Nothing", "Arn"]},
    ],
)
def test_an_unknown_intrinsic_function_is_refused(value):
    with pytest.raises(StageTemplateError):
        _small().resolved(value)


def test_a_resource_whose_condition_fails_is_left_out():
    assert [resource.logical_id for resource in _small().resources("AWS::SQS::Queue")] == ["Queue"]


def _small():
    raw = {
        "Parameters": {"Stage": {}, "Release": {"Default": "unreleased"}},
        "Conditions": {
            "IsDev": {"Fn::Equals": [{"Ref": "Stage"}, "dev"]},
            "No": {"Fn::Equals": [1, 2]},
        },
        "Mappings": {"Sizes": {"dev": {"n": 3}}},
        "Resources": {
            "Queue": {
                "Type": "AWS::SQS::Queue",
                "Properties": {"QueueName": {"Fn::Sub": "q-${Stage}.fifo"}},
            },
            "Never": {"Type": "AWS::SQS::Queue", "Condition": "No", "Properties": {}},
            "Table": {
                "Type": "AWS::DynamoDB::Table",
                "Properties": {"TableName": {"Fn::Sub": "t-${Stage}"}},
            },
            "Group": {"Type": "AWS::Logs::LogGroup", "Properties": {}},
        },
    }
    return StageTemplate(raw, {"Stage": "dev"}, account="1", region="us-east-1")


def _by_name(definitions):
    return sorted(definitions, key=lambda definition: definition["AttributeName"])


def _indexes(table):
    names = ("IndexName", "KeySchema", "Projection")
    return sorted(
        (
            {name: index[name] for name in names}
            for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
            for index in table.get(kind, [])
        ),
        key=lambda index: index["IndexName"],
    )


def _plain(value):
    """Attributes are returned as strings; policies as JSON whose numbers may be strings."""
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, dict):
        return {name: str(member) for name, member in value.items()}
    return str(value).lower()
