"""The evaluator answers as IAM does: each row is a rule of the IAM User Guide.

The rows without variables were also compared, with thousands of random policies, with the simulator
`@cloud-copilot/iam-simulate`, which needs Node and is therefore no part of the tests.
"""

import pytest

from tests.rigs.each_row import each_row
from tests.rigs.iam.authorization import Decision, Principal, Request, decide
from tests.rigs.iam.service_reference import details, fills, knows_resources, takes

QUEUE = "arn:aws:sqs:us-east-1:111111111111:rp-mw-events-dev.fifo"
ROLE = "arn:aws:iam::111111111111:role/rp-mw-dev-worker"
USER = "arn:aws:iam::111111111111:user/jo"
BOUNDARY = "arn:aws:iam::111111111111:policy/rp-mw-dev-boundary"
ALLOWED, NOT_ALLOWED, DENIED = Decision


def document(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def allow(action="sqs:SendMessage", resource=QUEUE, **more):
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(**changes):
    return allow(**changes) | {"Effect": "Deny"}


def when(operator, key, value):
    return {"Condition": {operator: {key: value}}}


@each_row(
    ("statements", "context", "expected"),
    [
        ([], {}, NOT_ALLOWED),
        ([allow()], {}, ALLOWED),
        ([allow("SQS:sendmessage")], {}, ALLOWED),
        ([allow("sqs:Send*")], {}, ALLOWED),
        ([allow("sqs:Receive*")], {}, NOT_ALLOWED),
        ([allow(resource=QUEUE.upper())], {}, NOT_ALLOWED),
        ([allow(resource=QUEUE.replace("events", "??????"))], {}, ALLOWED),
        ([allow(resource=QUEUE.replace("events", "?"))], {}, NOT_ALLOWED),
        ([allow("*", "*"), deny()], {}, DENIED),
        ([{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}], {}, ALLOWED),
        ([{"Effect": "Allow", "NotAction": "sqs:*", "Resource": "*"}], {}, NOT_ALLOWED),
        ([{"Effect": "Allow", "Action": "*", "NotResource": QUEUE}], {}, NOT_ALLOWED),
        ([{"Effect": "Deny", "Action": "*", "NotResource": "arn:aws:s3:::x"}], {}, DENIED),
        ([allow(**when("StringEquals", "aws:ResourceTag/stage", "dev"))], {}, NOT_ALLOWED),
        (
            [allow(**when("StringEquals", "aws:ResourceTag/stage", ["qa", "dev"]))],
            {"aws:ResourceTag/stage": ("dev",)},
            ALLOWED,
        ),
        (
            [allow(**when("StringEquals", "aws:ResourceTag/stage", "d*"))],
            {"aws:ResourceTag/stage": ("dev",)},
            NOT_ALLOWED,
        ),
        (
            [allow(**when("StringLike", "AWS:resourcetag/stage", "d*"))],
            {"aws:ResourceTag/stage": ("dev",)},
            ALLOWED,
        ),
        ([allow(**when("StringNotEquals", "aws:ResourceTag/stage", "prod"))], {}, ALLOWED),
        ([allow(**when("StringEqualsIfExists", "aws:ResourceTag/stage", "dev"))], {}, ALLOWED),
        ([allow(**when("Null", "aws:ResourceTag/stage", "true"))], {}, ALLOWED),
        ([allow(**when("Null", "aws:ResourceTag/stage", "false"))], {}, NOT_ALLOWED),
        (
            [allow(**when("ForAllValues:StringEquals", "aws:TagKeys", ["stage", "owner"]))],
            {"aws:TagKeys": ("stage", "cost")},
            NOT_ALLOWED,
        ),
        ([allow(**when("ForAllValues:StringEquals", "aws:TagKeys", "stage"))], {}, ALLOWED),
        ([allow(**when("ForAnyValue:StringEquals", "aws:TagKeys", "stage"))], {}, NOT_ALLOWED),
        (
            [allow(**when("ForAnyValue:StringEquals", "aws:TagKeys", "stage"))],
            {"aws:TagKeys": ("stage", "cost")},
            ALLOWED,
        ),
        (
            [allow(**when("ArnLike", "iam:PermissionsBoundary", BOUNDARY.replace("dev", "*")))],
            {"iam:PermissionsBoundary": (BOUNDARY,)},
            ALLOWED,
        ),
        (
            [allow(**when("ArnLike", "iam:PermissionsBoundary", "arn:*boundary"))],
            {"iam:PermissionsBoundary": (BOUNDARY,)},
            NOT_ALLOWED,
        ),
        ([allow(resource=QUEUE.replace("dev", "${aws:PrincipalTag/stage}"))], {}, ALLOWED),
        ([allow(resource=QUEUE.replace("dev", "${aws:PrincipalTag/team}"))], {}, NOT_ALLOWED),
        ([allow(resource=QUEUE.replace("dev", "${aws:PrincipalTag/team, 'dev'}"))], {}, ALLOWED),
        ([allow(resource=QUEUE.replace("events", "${*}"))], {}, NOT_ALLOWED),
        (
            [allow(**when("StringNotEquals", "aws:ResourceTag/stage", "${aws:PrincipalTag/team}"))],
            {"aws:ResourceTag/stage": ("dev",)},
            NOT_ALLOWED,
        ),
        (
            [
                allow(
                    Condition={
                        "StringEquals": {"aws:ResourceTag/stage": "dev"},
                        "Bool": {"aws:SecureTransport": "true"},
                    }
                )
            ],
            {"aws:ResourceTag/stage": ("dev",), "aws:SecureTransport": ("false",)},
            NOT_ALLOWED,
        ),
    ],
)
def test_a_policy_answers_as_iam_does(statements, context, expected):
    who = Principal(ROLE, (document(*statements),), tags={"stage": "dev"})
    assert decide(who, Request("sqs:SendMessage", QUEUE, context)) is expected


@pytest.mark.parametrize(
    ("arn", "policy", "boundary", "on", "expected"),
    [
        (ROLE, [allow()], [allow("sqs:*", "*")], None, ALLOWED),
        (ROLE, [allow()], [allow("s3:*", "*")], None, NOT_ALLOWED),
        (ROLE, [], [allow("sqs:*", "*")], None, NOT_ALLOWED),
        (ROLE, [allow()], [allow("*", "*"), deny()], None, DENIED),
        (ROLE, [], None, {"AWS": ROLE}, ALLOWED),
        (ROLE, [], [allow("s3:*", "*")], {"AWS": ROLE}, NOT_ALLOWED),
        (USER, [], [allow("s3:*", "*")], {"AWS": USER}, ALLOWED),
        (ROLE, [], None, {"AWS": "111111111111"}, NOT_ALLOWED),
        (ROLE, [], None, {"Service": "ses.amazonaws.com"}, NOT_ALLOWED),
        ("ses.amazonaws.com", [], None, {"Service": "ses.amazonaws.com"}, ALLOWED),
    ],
)
def test_boundary_and_resource_policy_count_as_iam_counts_them(arn, policy, boundary, on, expected):
    who = Principal(
        arn,
        (document(*policy),) if policy else (),
        document(*boundary) if boundary else None,
    )
    resources = document(allow() | {"Principal": on}) if on else None
    assert decide(who, Request("sqs:SendMessage", QUEUE), resources) is expected


def test_a_deny_of_the_resource_ends_it():
    who = Principal(ROLE, (document(allow("*", "*")),))
    on = document(deny() | {"Principal": "*"})
    assert decide(who, Request("sqs:SendMessage", QUEUE), on) is DENIED


@pytest.mark.parametrize(
    "policy",
    [
        {"Version": "2008-10-17", "Statement": [allow()]},
        document(allow() | {"Effect": "allow"}),
        document(allow(Conditions={})),
        document(allow(**when("DateLessThan", "aws:CurrentTime", "2026-01-01"))),
    ],
)
def test_what_the_evaluator_does_not_know_is_an_error(policy):
    with pytest.raises(ValueError, match=r"version|understood|known"):
        decide(Principal(ROLE, (policy,)), Request("sqs:SendMessage", QUEUE))


def test_the_reference_knows_actions_resources_and_condition_keys():
    with pytest.raises(ValueError, match="no action"):
        details("sqs:SendMessages")
    assert takes("sqs:SendMessage", QUEUE)
    assert not takes("sqs:SendMessage", ROLE)
    assert takes("apigateway:PATCH", "arn:aws:apigateway:us-east-1::/restapis/a/stages/dev")
    assert not knows_resources("lambda:CreateEventSourceMapping")
    assert fills("lambda:CreateEventSourceMapping", "lambda:FunctionArn")
    assert fills("iam:PutRolePolicy", "iam:PermissionsBoundary")
    assert not fills("iam:PassRole", "iam:PermissionsBoundary")
