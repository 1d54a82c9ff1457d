"""The data stack on the engine: made from nothing, from what failed, and from what was left behind."""

import json

import pytest

from ops.session import OpsError
from ops.stage import access_stack, data_stack, stack, stack_states
from ops.stage.template import StageTemplate

NAME = stack.data_stack("dev")
LEDGER = "rp_mw_idempotency-dev"
FAILS = {
    "Parameters": {},
    "Resources": {
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "rp-mw-dev-alarms"}},
        "Queue": {
            "Type": "AWS::SQS::Queue",
            "DependsOn": "Topic",
            "Properties": {"VisibilityTimeout": 99_999_999},
        },
    },
}


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def by(aws):
    """The deployer, by an access stack."""
    access_stack.make(aws, access_stack.declared("dev", aws.account, "us-east-1"))
    return access_stack.deployer("dev", aws.account, "us-east-1")


@pytest.fixture
def client(aws):
    return aws.client("cloudformation")


def apply(aws, by):
    template = StageTemplate.load("dev", account=aws.account, region="us-east-1")
    return data_stack.make(aws, template, by).did


def tables(aws):
    return aws.client("dynamodb").list_tables()["TableNames"]


def reviewed(client):
    client.create_change_set(
        StackName=NAME,
        ChangeSetName="never-carried-out",
        ChangeSetType="CREATE",
        TemplateBody=json.dumps(FAILS),
    )


def failed(client, on_failure):
    client.create_stack(StackName=NAME, TemplateBody=json.dumps(FAILS), OnFailure=on_failure)
    with pytest.raises(Exception, match="terminal failure"):
        stack_states.wait(client, "stack_create_complete", NAME)


@pytest.mark.parametrize(
    ("begin", "status"),
    [
        (lambda _client: None, stack_states.ABSENT),
        (reviewed, "REVIEW_IN_PROGRESS"),
        (lambda client: failed(client, "ROLLBACK"), "ROLLBACK_COMPLETE"),
        (lambda client: failed(client, "DO_NOTHING"), "CREATE_FAILED"),
    ],
    ids=["nothing", "a change set", "rolled back", "left as it failed"],
)
def test_the_stack_is_made_from_every_beginning(aws, by, client, begin, status):
    begin(client)
    assert stack_states.status(client, NAME) == status
    assert apply(aws, by) == stack.CREATED
    assert LEDGER in tables(aws)
    assert apply(aws, by) == stack.UNCHANGED


@pytest.mark.parametrize("is_whole", [True, False], ids=["all", "without one"])
def test_a_deleted_stack_leaves_tables_and_queues_and_the_next_one_takes_them_back(
    aws, by, client, is_whole
):
    apply(aws, by)
    dynamodb, key = aws.client("dynamodb"), {"event_id": {"S": "kept"}}
    dynamodb.put_item(TableName=LEDGER, Item=key)
    sqs = aws.client("sqs")
    queue = sqs.get_queue_url(QueueName="rp-mw-later-dev")["QueueUrl"]
    sqs.send_message(QueueUrl=queue, MessageBody="waits")
    client.delete_stack(StackName=NAME)
    archive, s3 = f"rp-mw-facts-dev-{aws.account}", aws.client("s3")
    s3.put_object(Bucket=archive, Key="kept", Body=b"kept")
    stack_states.wait(client, "stack_delete_complete", NAME)
    assert LEDGER in tables(aws)
    if not is_whole:
        sqs.delete_queue(QueueUrl=queue)
    assert apply(aws, by) == stack.UPDATED
    assert apply(aws, by) == stack.UNCHANGED
    events = [
        stackevent["ResourceStatus"]
        for stackevent in client.describe_stack_events(StackName=NAME)["StackEvents"]
    ]
    assert "IMPORT_COMPLETE" in events
    assert s3.get_object(Bucket=archive, Key="kept")["Body"].read() == b"kept"
    assert ("Messages" in sqs.receive_message(QueueUrl=queue)) == is_whole
    assert "Item" in dynamodb.get_item(TableName=LEDGER, Key=key)


def test_a_table_and_a_queue_that_a_person_has_deleted_are_made_again_and_the_rest_stays(
    aws, by, client
):
    apply(aws, by)
    dynamodb, sqs = aws.client("dynamodb"), aws.client("sqs")
    state, key = "rp_mw_conversation_state-dev", {"event_id": {"S": "kept"}}
    dynamodb.put_item(TableName=LEDGER, Item=key)
    roles = {role["RoleName"]: role["RoleId"] for role in aws.client("iam").list_roles()["Roles"]}
    dynamodb.update_table(TableName=state, DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName=state)
    dead = "rp-mw-companies-dlq-dev.fifo"
    sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=dead)["QueueUrl"])

    did = apply(aws, by)
    assert did.startswith(f"{stack.UPDATED}; made again, empty: ")
    assert state in did
    assert dead in did
    assert state in tables(aws)
    assert sqs.get_queue_url(QueueName=dead)["QueueUrl"]
    assert "Item" in dynamodb.get_item(TableName=LEDGER, Key=key)
    now = {role["RoleName"]: role["RoleId"] for role in aws.client("iam").list_roles()["Roles"]}
    assert now == roles
    assert apply(aws, by) == stack.UNCHANGED


def test_alarms_and_a_bucket_that_a_person_has_deleted_are_made_again(aws, by, client):
    apply(aws, by)
    cloudwatch, s3 = aws.client("cloudwatch"), aws.client("s3")
    archive = f"rp-mw-facts-dev-{aws.account}"
    s3.delete_bucket(Bucket=archive)
    gone = ["rp-mw-dev-queue-age-alone", "rp-mw-dev-queue-age", "rp-mw-dev-richpanel-down"]
    for name in gone:
        cloudwatch.delete_alarms(AlarmNames=[name])

    did = apply(aws, by)
    assert did.startswith(f"{stack.UPDATED}; made again, empty: {archive}; made again: ")
    assert all(name in did for name in gone)
    found = cloudwatch.describe_alarms(
        AlarmNames=gone, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    there = {alarm["AlarmName"] for alarm in (*found["MetricAlarms"], *found["CompositeAlarms"])}
    assert there == set(gone)
    s3.head_bucket(Bucket=archive)
    assert apply(aws, by) == stack.UNCHANGED


def test_a_value_that_is_not_given_again_is_kept(aws, by, client):
    """Such as the console's sign-in provider, which only its first deployment names."""
    template = {
        "Parameters": {
            "Stage": {"Type": "String"},
            "Issuer": {"Type": "String", "Default": "none"},
        },
        "Resources": {
            "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": {"Ref": "Issuer"}}}
        },
    }
    values = {"Stage": "dev", "Issuer": "mine"}
    assert stack.apply(aws, "s", template, values, by=by) == stack.CREATED
    assert stack.apply(aws, "s", template, {"Stage": "dev"}, by=by) == stack.UNCHANGED


def test_what_cannot_be_made_is_named(aws, by, client):
    with pytest.raises(OpsError, match="Queue"):
        stack.apply(aws, NAME, FAILS, {}, by=by)
    assert aws.client("sns").list_topics()["Topics"] == [], "rolled back"


def test_a_stack_refuses_functions_that_chalice_deploy_has_made(aws, client):
    """Two sets of functions would work on the same queues."""
    gateway = aws.client("apigateway")
    stack.refuse_chalices(aws, "dev")
    api = gateway.create_rest_api(name="rp-mw")["id"]
    root = gateway.get_resources(restApiId=api)["items"][0]["id"]
    gateway.put_method(restApiId=api, resourceId=root, httpMethod="GET", authorizationType="NONE")
    gateway.put_integration(restApiId=api, resourceId=root, httpMethod="GET", type="MOCK")
    gateway.create_deployment(restApiId=api, stageName="dev")
    with pytest.raises(OpsError, match="chalice delete --stage dev"):
        stack.refuse_chalices(aws, "dev")
    stack.refuse_chalices(aws, "staging")
