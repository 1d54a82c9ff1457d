"""The policies of people and functions say what AWS understands, fit, and stay within the boundary."""

import json

import pytest

from local.stack.engine import REGION
from tests.rigs.iam.authorization import Decision, Principal, Request, decide
from tests.rigs.iam.policy_language import condition_keys, listed, statements
from tests.rigs.iam.service_reference import covered, fills, knows_resources, takes
from tests.rigs.iam.stage_roles import ACCOUNT, function, managed, stage_template

STAGES = ("dev", "staging", "prod")
INLINE_CHARACTERS, MANAGED_CHARACTERS = 10_240, 6_144
"""What IAM takes, without white space: a role's inline policies together, and one managed policy."""
OF_NO_STAGE = {
    "bedrock:ApplyGuardrail",
    "bedrock:InvokeModel",
    "cloudformation:CreateChangeSet",  # of the transform, which is AWS's
    "cloudwatch:DescribeAlarms",
    "cloudwatch:GetMetricData",
    "cloudwatch:GetMetricStatistics",
    "lambda:GetAccountSettings",
    "lambda:GetEventSourceMapping",
    "lambda:ListEventSourceMappings",
    "logs:DescribeIndexPolicies",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "ses:DescribeConfigurationSet",
    "ses:GetAccount",
    "ses:GetEmailIdentity",
    "ses:SendEmail",
    "apigateway:GET",
    "secretsmanager:BatchGetSecretValue",  # each secret of the batch is asked by its own name
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}
"""Actions whose statement need not name a stage: their resource is shared by all, or they only read."""

TRANSFORM = f"arn:aws:cloudformation:{REGION}:aws:transform/Serverless-2016-10-31"
"""What a change set with AWS SAM in it needs: in CloudFormation's own guide, not in the reference."""


def functions(stage):
    for resource in stage_template(stage).resources("AWS::IAM::Role"):
        yield resource.properties["RoleName"].removeprefix(f"rp-mw-{stage}-")


FUNCTIONS = tuple(functions("dev"))


def documents(stage):
    yield from managed(stage).items()
    for name in functions(stage):
        yield name, function(stage, name).policies[0]


def in_stages(test):
    return pytest.mark.parametrize("stage", STAGES)(test)


def samples(pattern):
    """ARNs that a pattern covers; a log group's wildcard stands for its streams."""
    sample = pattern.replace("*", "x").replace("?", "x")
    yield sample
    if pattern.endswith("*"):
        yield sample.removesuffix("x") + "log-stream:x"
        yield sample + ":log-stream:x"


@in_stages
def test_a_policy_has_the_size_that_iam_takes(stage):
    size = {
        name: len(json.dumps(document, separators=(",", ":")))
        for name, document in documents(stage)
    }
    most = dict.fromkeys(managed(stage), MANAGED_CHARACTERS)
    assert {k: v for k, v in size.items() if v > most.get(k, INLINE_CHARACTERS)} == {}


@in_stages
def test_every_statement_names_actions_resources_and_keys_that_aws_has(stage):
    """A resource that an action does not take, or a key that it does not fill, allows nothing."""
    wrong = []
    for name, document in documents(stage):
        for statement in statements(document):
            actions, resources = listed(statement["Action"]), listed(statement.get("Resource", "*"))
            if resources == [TRANSFORM]:
                continue
            if name.endswith("-deploy-boundary"):
                kept = [action for action in actions if "*" not in action]
                wrong += [
                    (name, action, "covers nothing") for action in actions if not _covered(action)
                ]
                actions = [action for pattern in actions for action in _covered(pattern)]
            else:
                kept = actions
                wrong += [(name, action, "a wildcard") for action in actions if "*" in action]
            for action in kept:
                fitting = resources == ["*"] or any(
                    takes(action, sample) for resource in resources for sample in samples(resource)
                )
                if not (fitting if knows_resources(action) else "*" in resources):
                    wrong.append((name, action, "no resource that it takes"))
                wrong += [
                    (name, action, key)
                    for key in condition_keys(statement)
                    if not fills(action, key)
                ]
            wrong += [
                (name, resource, "of no action")
                for resource in resources
                if resource != "*"
                and not any(
                    takes(action, sample) for action in actions for sample in samples(resource)
                )
            ]
    assert wrong == [], "\n".join(map(str, wrong))


def _covered(pattern):
    service, _, name = pattern.partition(":")
    return covered(service, name)


@in_stages
def test_every_statement_is_of_its_stage_alone(stage):
    others = set(STAGES) - {stage}
    for name, document in documents(stage):
        for statement in statements(document):
            if statement["Effect"] == "Deny":
                continue
            text = json.dumps([statement["Resource"], statement.get("Condition", {})])
            assert not any(other in text for other in others), (name, statement["Sid"])
            if not OF_NO_STAGE.issuperset(listed(statement["Action"])):
                is_named = all(stage in resource for resource in listed(statement["Resource"]))
                is_asked = stage in json.dumps(statement.get("Condition", {}))
                assert is_named or is_asked, (name, statement["Sid"])


@in_stages
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_may_do_within_its_boundary_all_that_its_policy_allows(stage, name):
    who, checked = function(stage, name), 0
    assert who.boundary == managed(stage)[f"rp-mw-{stage}-boundary"]
    for statement in statements(who.policies[0]):
        for action in listed(statement["Action"]):
            for resource in listed(statement["Resource"]):
                sample = resource if resource == "*" else resource.replace("*", "x")
                request = Request(action, sample.replace("?", "x"))
                assert decide(who, request) is Decision.ALLOWED, str(request)
                checked += 1
    assert checked >= 5


def test_the_boundary_holds_a_role_that_is_allowed_everything():
    everything = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
    }
    worst = Principal("arn:aws:iam::1:role/x", (everything,), managed("dev")["rp-mw-dev-boundary"])
    for action, resource in (
        ("iam:CreateUser", f"arn:aws:iam::{ACCOUNT}:user/x"),
        ("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/x"),
        ("lambda:UpdateFunctionCode", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:rp-mw-dev"),
        ("dynamodb:DeleteItem", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/conversations-dev"),
        ("dynamodb:GetItem", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/conversations-prod"),
        ("sqs:ReceiveMessage", f"arn:aws:sqs:{REGION}:{ACCOUNT}:rp-mw-events-prod.fifo"),
        ("s3:PutObject", f"arn:aws:s3:::rp-mw-artifacts-dev-{ACCOUNT}-{REGION}/code.zip"),
        ("ssm:PutParameter", f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/rp-mw/dev/kill_switch"),
    ):
        assert takes(action, resource), action
        assert decide(worst, Request(action, resource)) is Decision.NOT_ALLOWED, action
