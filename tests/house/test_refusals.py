"""What no role may do: calls across stages and kinds, each with the reason why it must be refused.

Every row is a call that AWS has, on a resource that it takes, with keys that it fills: a row that AWS
could never see would prove nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from local.stack.engine import REGION
from ops import roles
from tests.rigs.each_row import each_row
from tests.rigs.iam.authorization import Request, may
from tests.rigs.iam.aws_calls import arn_of
from tests.rigs.iam.service_reference import fills, knows_resources, takes
from tests.rigs.iam.stage_roles import ACCOUNT, deployer, function, person

EVERYTHING = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}


@dataclass(frozen=True)
class Refusal:
    """A call that must be refused.

    Attributes:
        who: a stage, and a role or a function of it: ``dev viewer``, ``prod worker``; ``dev deployer``
            is the deployer with policies that allow everything, held by its boundary alone.
        action: as IAM has it.
        place: ``service/rest``, or a whole ARN, or ``*``.
        why: what would go wrong.
        given: condition keys of the request.
    """

    who: str
    action: str
    place: str
    why: str
    given: dict[str, str] = field(default_factory=dict)

    def request(self):
        arn = self.place if self.place.startswith("arn:") else arn_of(self.place, ACCOUNT)
        return Request(self.action, arn, {key: (value,) for key, value in self.given.items()})

    def principal(self):
        stage, _, name = self.who.partition(" ")
        if name == "deployer":
            return replace(deployer(stage), policies=(EVERYTHING,))
        return (person if name in roles.ROLES else function)(stage, name)


def iam(rest):
    return f"arn:aws:iam::{ACCOUNT}:{rest}"


def gateway(path):
    return f"arn:aws:apigateway:{REGION}::{path}"


def boundary(stage):
    return {"iam:PermissionsBoundary": iam(f"policy/rp-mw-{stage}-boundary")}


def of_function(stage):
    return {"lambda:FunctionArn": arn_of(f"lambda/function:rp-mw-{stage}-worker", ACCOUNT)}


LANES = ("events", "outreach", "email", "facts", "companies")
TAKE = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility")
HIDES = "who receives or hides a message stops the stage; who deletes it loses the event"
VIEWER = (
    *(
        Refusal("dev viewer", action, f"sqs/rp-mw-{lane}-dev.fifo", HIDES)
        for lane in LANES
        for action in TAKE
    ),
    *(Refusal("dev viewer", action, "sqs/rp-mw-later-dev", HIDES) for action in TAKE),
    *(Refusal("dev viewer", action, "sqs/rp-mw-events-dlq-dev.fifo", HIDES) for action in TAKE),
    *(Refusal("dev viewer", action, "sqs/rp-mw-mail-failures-dev", HIDES) for action in TAKE),
    Refusal("dev viewer", "sqs:SendMessage", "sqs/rp-mw-events-dev.fifo", "a job is an act"),
    Refusal("dev viewer", "sqs:PurgeQueue", "sqs/rp-mw-events-dev.fifo", "all events at once"),
    Refusal("dev viewer", "dynamodb:PutItem", "dynamodb/table/conversations-dev", "it reads"),
    Refusal(
        "dev viewer", "dynamodb:UpdateItem", "dynamodb/table/rp_mw_idempotency-dev", "it reads"
    ),
    Refusal(
        "dev viewer",
        "dynamodb:GetItem",
        "dynamodb/table/rp_mw_console_sessions-dev",
        "a session's row would make the console take the viewer for its person",
    ),
    Refusal(
        "dev viewer", "dynamodb:Scan", "dynamodb/table/conversations-prod", "another stage's people"
    ),
    Refusal(
        "dev viewer",
        "ssm:PutParameter",
        "ssm/parameter/rp-mw/dev/kill_switch",
        "a switch is an operator's",
    ),
    Refusal(
        "dev viewer",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:rp-mw/dev/richpanel/api_key-AbCdEf",
        "a vendor's key acts without the ledger",
    ),
    Refusal(
        "dev viewer",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:rp-mw/dev/router/api_keys-AbCdEf",
        "it would speak as a company",
    ),
    Refusal(
        "dev viewer",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:rp-mw/prod/keys/ids-AbCdEf",
        "another stage's key",
    ),
    *(
        Refusal(
            "dev viewer",
            "secretsmanager:GetSecretValue",
            f"secretsmanager/secret:rp-mw/dev/keys/{purpose}-AbCdEf",
            "it would forge what that key signs",
        )
        for purpose in ("jobs", "unsubscribe", "tool_results", "share")
    ),
    Refusal(
        "dev viewer",
        "s3:GetObject",
        f"s3/rp-mw-facts-dev-{ACCOUNT}/a",
        "the archive is an operator's",
    ),
    Refusal(
        "dev viewer", "lambda:InvokeFunction", "lambda/function:rp-mw-dev-worker", "invoking acts"
    ),
)
OPERATOR = (
    *(
        Refusal(
            "dev operator",
            "secretsmanager:GetSecretValue",
            f"secretsmanager/secret:rp-mw/dev/keys/{purpose}-AbCdEf",
            "it would forge a person's link, or a company's result",
        )
        for purpose in ("unsubscribe", "tool_results")
    ),
    Refusal(
        "dev operator",
        "secretsmanager:PutSecretValue",
        "secretsmanager/secret:rp-mw/dev/keys/jobs-AbCdEf",
        "a key of its own choice would seal any job",
    ),
    *(
        Refusal("dev operator", action, f"sqs/rp-mw-{lane}-dev.fifo", HIDES)
        for lane in LANES
        for action in TAKE[:2]
    ),
    *(
        Refusal("dev operator", action, place, "another stage's rows")
        for action in ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
        for place in (
            "dynamodb/table/rp_mw_idempotency-prod",
            "dynamodb/table/conversations-prod",
            "dynamodb/table/rp_mw_audit_actions-staging",
        )
    ),
    *(
        Refusal("dev operator", action, "sqs/rp-mw-events-dlq-prod.fifo", "another stage's letters")
        for action in TAKE
    ),
    Refusal("dev operator", "sqs:SendMessage", "sqs/rp-mw-events-prod.fifo", "a job of prod"),
    Refusal(
        "dev operator",
        "ssm:PutParameter",
        "ssm/parameter/rp-mw/prod/kill_switch",
        "prod stops, or starts",
    ),
    Refusal(
        "dev operator",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:rp-mw/prod/richpanel/api_key-AbCdEf",
        "prod's vendor",
    ),
    Refusal(
        "dev operator",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:ai-multi-comms/sms-credentials/acme/twilio-prod-AbCdEf",
        "prod's numbers",
    ),
    Refusal(
        "dev operator",
        "secretsmanager:PutSecretValue",
        "secretsmanager/secret:rp-mw/dev/richpanel/api_key-AbCdEf",
        "keys are an administrator's",
    ),
    Refusal(
        "dev operator", "dynamodb:PutItem", "dynamodb/table/company-data-dev", "companies likewise"
    ),
    Refusal(
        "dev operator",
        "dynamodb:DeleteItem",
        "dynamodb/table/conversations-dev",
        "erasing is an administrator's",
    ),
    Refusal(
        "dev operator", "dynamodb:DeleteTable", "dynamodb/table/conversations-dev", "all at once"
    ),
    Refusal("dev operator", "iam:CreateRole", iam("role/rp-mw-dev-x"), "no IAM", boundary("dev")),
    Refusal(
        "dev operator", "iam:PutRolePolicy", iam("role/rp-mw-dev-worker"), "no IAM", boundary("dev")
    ),
    Refusal("dev operator", "iam:CreateUser", iam("user/x"), "no IAM"),
    Refusal("dev operator", "iam:CreateAccessKey", iam("user/x"), "no IAM"),
    Refusal("dev operator", "iam:GetRolePolicy", iam("role/rp-mw-prod-worker"), "prod's role"),
    Refusal(
        "dev operator", "sts:AssumeRole", iam("role/rp-mw-dev-worker"), "a role is a function's"
    ),
    Refusal(
        "dev operator",
        "logs:GetLogEvents",
        "logs/log-group:/aws/lambda/rp-mw-prod-worker:log-stream:x",
        "prod's logs",
    ),
    Refusal(
        "dev operator",
        "lambda:UpdateFunctionCode",
        "lambda/function:rp-mw-dev-worker",
        "code is deployed",
    ),
    Refusal(
        "dev operator",
        "lambda:GetFunctionConfiguration",
        "lambda/function:rp-mw-prod-worker",
        "prod's settings",
    ),
    Refusal("dev operator", "s3:GetObject", f"s3/rp-mw-facts-prod-{ACCOUNT}/a", "prod's facts"),
    Refusal(
        "dev operator",
        "s3:GetObject",
        f"s3/rp-mw-artifacts-prod-{ACCOUNT}-{REGION}/deployed/prod.json",
        "prod's record",
    ),
    Refusal(
        "dev operator",
        "sns:Subscribe",
        "sns/rp-mw-mail-dev",
        "every e-mail",
        {"sns:Protocol": "email"},
    ),
)
WIDER = "whatever that policy allows, past every boundary"
ADMINISTRATOR = (
    Refusal("dev administrator", "iam:CreateRole", iam("role/rp-mw-dev-x"), WIDER),
    Refusal(
        "dev administrator",
        "iam:CreateRole",
        iam("role/rp-mw-dev-x"),
        "a boundary that is none",
        {"iam:PermissionsBoundary": "arn:aws:iam::aws:policy/AdministratorAccess"},
    ),
    Refusal(
        "dev administrator",
        "iam:CreateRole",
        iam("role/rp-mw-dev-x"),
        "prod's boundary lets a role of dev into prod",
        boundary("prod"),
    ),
    Refusal(
        "dev administrator", "iam:CreateRole", iam("role/rp-mw-prod-x"), "prod's", boundary("dev")
    ),
    Refusal(
        "dev administrator", "iam:CreateRole", iam("role/admin"), "no stage's", boundary("dev")
    ),
    Refusal(
        "dev administrator",
        "iam:PutRolePolicy",
        iam("role/rp-mw-dev-x"),
        "of a role that has no boundary",
    ),
    Refusal(
        "dev administrator",
        "iam:PutRolePolicy",
        iam("role/rp-mw-prod-worker"),
        "prod's role",
        boundary("prod"),
    ),
    Refusal(
        "dev administrator",
        "iam:AttachRolePolicy",
        iam("role/rp-mw-dev-worker"),
        WIDER,
        boundary("dev") | {"iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess"},
    ),
    Refusal(
        "dev administrator",
        "iam:AttachRolePolicy",
        iam("role/rp-mw-dev-worker"),
        "no managed policy at all: a function's role has its own",
        boundary("dev") | {"iam:PolicyARN": iam("policy/rp-mw-dev-administrator")},
    ),
    Refusal("dev administrator", "iam:AttachUserPolicy", iam("user/jo"), WIDER),
    Refusal("dev administrator", "iam:PutUserPolicy", iam("user/jo"), WIDER),
    Refusal(
        "dev administrator",
        "iam:DeleteRolePermissionsBoundary",
        iam("role/rp-mw-dev-worker"),
        "a role without its boundary",
        boundary("dev"),
    ),
    Refusal(
        "dev administrator",
        "iam:PutRolePermissionsBoundary",
        iam("role/rp-mw-dev-worker"),
        "a wider boundary",
        {"iam:PermissionsBoundary": "arn:aws:iam::aws:policy/AdministratorAccess"},
    ),
    Refusal(
        "dev administrator",
        "iam:UpdateAssumeRolePolicy",
        iam("role/rp-mw-dev-worker"),
        "others, even of another account, would be the function",
        boundary("dev"),
    ),
    *(
        Refusal("dev administrator", action, iam(f"policy/rp-mw-dev-{name}"), WIDER)
        for action in ("iam:CreatePolicyVersion", "iam:SetDefaultPolicyVersion", "iam:DeletePolicy")
        for name in ("boundary", "administrator")
    ),
    Refusal("dev administrator", "iam:CreatePolicy", iam("policy/rp-mw-dev-x"), WIDER),
    Refusal(
        "dev administrator",
        "iam:PassRole",
        iam("role/rp-mw-dev-worker"),
        "only Lambda runs our code",
        {"iam:PassedToService": "ec2.amazonaws.com"},
    ),
    Refusal(
        "dev administrator",
        "iam:PassRole",
        iam("role/rp-mw-prod-worker"),
        "prod's role under dev's code",
        {"iam:PassedToService": "lambda.amazonaws.com"},
    ),
    Refusal(
        "dev administrator",
        "iam:PassRole",
        iam("role/admin"),
        "an account's role under dev's code",
        {"iam:PassedToService": "lambda.amazonaws.com"},
    ),
    Refusal("dev administrator", "sts:AssumeRole", iam("role/rp-mw-prod-worker"), "prod's role"),
    Refusal(
        "dev administrator",
        "sns:Subscribe",
        "sns/rp-mw-mail-prod",
        "prod's e-mails",
        {"sns:Protocol": "lambda"},
    ),
    Refusal(
        "dev administrator",
        "sns:Subscribe",
        "sns/rp-mw-mail-dev",
        "every e-mail, to a mailbox",
        {"sns:Protocol": "email", "sns:Endpoint": "jo@example.com"},
    ),
    Refusal(
        "dev administrator",
        "sns:Subscribe",
        "sns/rp-mw-mail-dev",
        "every e-mail, to a function of no stage",
        {"sns:Protocol": "lambda", "sns:Endpoint": arn_of("lambda/function:x", ACCOUNT)},
    ),
    Refusal("dev administrator", "sns:SetTopicAttributes", "sns/rp-mw-mail-prod", "its policy"),
    Refusal("dev administrator", "sns:SetTopicAttributes", "sns/rp-mw-prod-alarms", "silence"),
    Refusal(
        "dev administrator",
        "cloudformation:DeleteStack",
        "cloudformation/stack/rp-mw-prod/i",
        "all",
    ),
    Refusal(
        "dev administrator",
        "cloudformation:CreateChangeSet",
        "cloudformation/stack/rp-mw-prod/i",
        "prod's",
    ),
    Refusal(
        "dev administrator",
        "cloudformation:ExecuteChangeSet",
        "cloudformation/stack/rp-mw-prod/i",
        "prod's",
    ),
    Refusal(
        "dev administrator", "cloudformation:DeleteStack", "cloudformation/stack/x/i", "others'"
    ),
    *(
        Refusal("dev administrator", "s3:DeleteBucket", f"s3/rp-mw-{name}", "the data in it")
        for name in (
            f"facts-prod-{ACCOUNT}",
            f"artifacts-prod-{ACCOUNT}-{REGION}",
            f"facts-dev-{ACCOUNT}",
        )
    ),
    Refusal(
        "dev administrator",
        "s3:PutObject",
        f"s3/rp-mw-artifacts-prod-{ACCOUNT}-{REGION}/stacks/1/code.zip",
        "code that prod runs",
    ),
    Refusal(
        "dev administrator", "s3:PutBucketPolicy", f"s3/rp-mw-facts-dev-{ACCOUNT}", "to anyone"
    ),
    Refusal(
        "dev administrator",
        "s3:PutBucketPublicAccessBlock",
        f"s3/rp-mw-facts-prod-{ACCOUNT}",
        "open",
    ),
    Refusal("dev administrator", "s3:CreateBucket", "s3/anything", "no stage's"),
    Refusal(
        "dev administrator", "lambda:UpdateFunctionCode", "lambda/function:rp-mw-prod", "prod's"
    ),
    Refusal(
        "dev administrator",
        "lambda:AddPermission",
        "lambda/function:rp-mw-prod-mail",
        "anyone could invoke it",
    ),
    Refusal(
        "dev administrator",
        "lambda:PublishLayerVersion",
        "lambda/layer:rp-mw-prod-console",
        "prod's",
    ),
    Refusal(
        "dev administrator",
        "lambda:CreateEventSourceMapping",
        "*",
        "prod's function would read a queue of dev's choice",
        of_function("prod"),
    ),
    Refusal(
        "dev administrator",
        "lambda:DeleteEventSourceMapping",
        "lambda/event-source-mapping:00000000-0000-0000-0000-000000000000",
        "prod's queue stands still",
        of_function("prod"),
    ),
    Refusal(
        "dev administrator",
        "apigateway:DELETE",
        gateway("/restapis/abc"),
        "prod's API",
        {"aws:ResourceTag/stage": "prod"},
    ),
    Refusal(
        "dev administrator",
        "apigateway:PUT",
        gateway("/restapis/abc"),
        "another API's routes: it has no tag",
    ),
    Refusal(
        "dev administrator",
        "apigateway:PATCH",
        gateway("/restapis/abc/stages/prod"),
        "prod's throttles",
        {"aws:ResourceTag/stage": "prod"},
    ),
    Refusal(
        "dev administrator",
        "apigateway:DELETE",
        gateway("/apis/abc"),
        "prod's console",
        {"aws:ResourceTag/stage": "prod"},
    ),
    Refusal("dev administrator", "apigateway:POST", gateway("/restapis"), "an API of no stage"),
    Refusal(
        "dev administrator",
        "apigateway:PUT",
        gateway(f"/tags/arn%3Aaws%3Aapigateway%3A{REGION}%3A%3A%2Frestapis%2Fabc"),
        "prod's API, once it is tagged as dev's, would be dev's",
        {"aws:RequestTag/stage": "dev"},
    ),
    Refusal("dev administrator", "apigateway:POST", gateway("/apikeys"), "not ours"),
    Refusal(
        "dev administrator", "events:PutTargets", "events/rule/rp-mw-prod-x", "prod's schedule"
    ),
    Refusal("dev administrator", "events:PutRule", "events/rule/other", "no stage's"),
    Refusal(
        "dev administrator", "cloudwatch:DeleteAlarms", "cloudwatch/alarm:rp-mw-prod-x", "silence"
    ),
    Refusal(
        "dev administrator",
        "logs:PutRetentionPolicy",
        "logs/log-group:/aws/lambda/rp-mw-prod-worker:log-stream:",
        "prod's logs would be gone in a day",
    ),
    Refusal(
        "dev administrator",
        "logs:DeleteLogGroup",
        "logs/log-group:/aws/lambda/rp-mw-dev-worker:log-stream:",
        "what was done",
    ),
    Refusal(
        "dev administrator", "sqs:SetQueueAttributes", "sqs/rp-mw-events-prod.fifo", "its policy"
    ),
    Refusal("dev administrator", "sqs:AddPermission", "sqs/rp-mw-events-dev.fifo", "to anyone"),
    Refusal("dev administrator", "sqs:DeleteQueue", "sqs/rp-mw-events-dev.fifo", "all events"),
    Refusal(
        "dev administrator", "dynamodb:DeleteTable", "dynamodb/table/conversations-dev", "all rows"
    ),
    Refusal(
        "dev administrator", "dynamodb:UpdateTable", "dynamodb/table/conversations-prod", "prod's"
    ),
    Refusal(
        "dev administrator",
        "dynamodb:DeleteItem",
        "dynamodb/table/conversations-prod",
        "prod's people",
    ),
    Refusal(
        "dev administrator",
        "secretsmanager:PutSecretValue",
        "secretsmanager/secret:rp-mw/prod/richpanel/api_key-AbCdEf",
        "prod's vendor",
    ),
    *(
        Refusal(
            "dev administrator",
            f"secretsmanager:{action}",
            "secretsmanager/secret:rp-mw/dev/keys/ids-AbCdEf",
            "what was done and who said STOP would be forgotten",
        )
        for action in ("DeleteSecret", "PutSecretValue", "UpdateSecret", "UpdateSecretVersionStage")
    ),
    Refusal(
        "dev administrator",
        "secretsmanager:GetSecretValue",
        "secretsmanager/secret:rp-mw/prod/keys/jobs-AbCdEf",
        "it would seal jobs of prod",
    ),
    Refusal(
        "dev administrator", "ses:DeleteEmailIdentity", "ses/identity/a.example", "an account's"
    ),
    Refusal("dev administrator", "kms:ScheduleKeyDeletion", "kms/key/abc", "none of ours"),
    Refusal(
        "staging administrator", "iam:CreateRole", iam("role/rp-mw-dev-x"), "dev's", boundary("dev")
    ),
    Refusal(
        "prod administrator",
        "cloudformation:DeleteStack",
        "cloudformation/stack/rp-mw-dev/i",
        "dev's",
    ),
)
NOT_ITS_TABLE = "a table that it does not use"
NOT_ITS_SECRET = "a secret that it does not use"
FUNCTIONS = (
    Refusal(
        "dev worker", "dynamodb:GetItem", "dynamodb/table/QuillIdempotencyLedger-dev", NOT_ITS_TABLE
    ),
    Refusal("dev worker", "dynamodb:PutItem", "dynamodb/table/company-data-dev", NOT_ITS_TABLE),
    Refusal("dev worker", "dynamodb:GetItem", "dynamodb/table/rp_mw_idempotency-prod", "prod's"),
    Refusal("dev worker", "sqs:ReceiveMessage", "sqs/rp-mw-events-prod.fifo", "prod's queue"),
    Refusal("dev worker", "sqs:ReceiveMessage", "sqs/rp-mw-outreach-dev.fifo", "another lane"),
    Refusal("dev worker", "sqs:SendMessage", "sqs/rp-mw-email-dev.fifo", "another lane"),
    Refusal("dev worker", "ses:SendEmail", "ses/identity/company.example", "it sends no e-mail"),
    Refusal(
        "dev facts_worker", "dynamodb:GetItem", "dynamodb/table/conversations-dev", NOT_ITS_TABLE
    ),
    Refusal(
        "dev facts_worker",
        "dynamodb:PutItem",
        "dynamodb/table/rp_mw_idempotency-dev",
        NOT_ITS_TABLE,
    ),
    Refusal(
        "dev post_facts", "dynamodb:GetItem", "dynamodb/table/conversations-dev", NOT_ITS_TABLE
    ),
    Refusal("dev post_facts", "s3:PutObject", f"s3/rp-mw-facts-prod-{ACCOUNT}/a", "prod's archive"),
    Refusal(
        "dev post_facts", "s3:DeleteObject", f"s3/rp-mw-facts-prod-{ACCOUNT}/a", "prod's archive"
    ),
    Refusal(
        "dev mail", "dynamodb:Scan", "dynamodb/table/conversations-dev", "it reads single rows"
    ),
    Refusal("dev mail", "dynamodb:PutItem", "dynamodb/table/company-data-dev", "it reads it"),
    Refusal("dev later", "dynamodb:GetItem", "dynamodb/table/rp_mw_idempotency-dev", NOT_ITS_TABLE),
    Refusal("dev later", "sqs:SendMessage", "sqs/rp-mw-events-prod.fifo", "prod's queue"),
    Refusal(
        "dev api_handler", "dynamodb:Scan", "dynamodb/table/conversations-dev", "the public door"
    ),
    Refusal(
        "dev api_handler",
        "dynamodb:GetItem",
        "dynamodb/table/rp_mw_console_sessions-dev",
        NOT_ITS_TABLE,
    ),
    Refusal("dev api_handler", "sqs:ReceiveMessage", "sqs/rp-mw-events-dev.fifo", "it only sends"),
    Refusal(
        "dev api_handler", "ssm:PutParameter", "ssm/parameter/rp-mw/dev/kill_switch", "it obeys"
    ),
    Refusal(
        "dev console",
        "ssm:PutParameter",
        "ssm/parameter/rp-mw/dev/safe_mode",
        "on the command line",
    ),
    Refusal(
        "dev console", "dynamodb:DeleteItem", "dynamodb/table/conversations-dev", "it erases no one"
    ),
    Refusal("dev console", "sqs:DeleteMessage", "sqs/rp-mw-events-dev.fifo", HIDES),
    Refusal(
        "dev reconcile", "dynamodb:PutItem", "dynamodb/table/conversations-dev", "it only reads"
    ),
    Refusal(
        "dev ticket_texts",
        "dynamodb:GetItem",
        "dynamodb/table/rp_mw_idempotency-dev",
        "it reads no table",
    ),
    Refusal(
        "dev ticket_texts", "sqs:SendMessage", "sqs/rp-mw-events-dev.fifo", "it starts nothing"
    ),
    Refusal(
        "dev console", "lambda:InvokeFunction", "lambda/function:rp-mw-dev-worker", "it asks one"
    ),
    Refusal(
        "dev worker",
        "lambda:InvokeFunction",
        "lambda/function:rp-mw-dev-ticket_texts",
        "people ask",
    ),
    Refusal(
        "dev companies_worker",
        "ses:SendEmail",
        "ses/identity/company.example",
        "it posts to companies",
    ),
    *(
        Refusal(
            f"dev {name}",
            "secretsmanager:GetSecretValue",
            f"secretsmanager/secret:{secret}-AbCdEf",
            NOT_ITS_SECRET,
        )
        for name, secret in (
            ("api_handler", "rp-mw/dev/richpanel/api_key"),
            ("api_handler", "rp-mw/dev/openai/api_key"),
            ("api_handler", "rp-mw/dev/console/client_secret"),
            ("worker", "rp-mw/dev/router/api_keys"),
            ("worker", "rp-mw/dev/twilio/webhook_tokens"),
            ("worker", "ai-multi-comms/sms-credentials/acme/twilio-dev"),
            ("email_worker", "rp-mw/dev/richpanel/api_key"),
            ("outreach_worker", "rp-mw/dev/richpanel/api_key"),
            ("api_handler", "rp-mw/dev/keys/share"),
            ("worker", "rp-mw/dev/keys/unsubscribe"),
            ("worker", "rp-mw/dev/keys/tool_results"),
            ("worker", "rp-mw/prod/keys/jobs"),
            ("email_worker", "rp-mw/dev/keys/tool_results"),
            ("companies_worker", "rp-mw/dev/keys/unsubscribe"),
            ("console", "rp-mw/dev/keys/unsubscribe"),
            ("console", "rp-mw/dev/keys/tool_results"),
            ("post_facts", "rp-mw/dev/keys/jobs"),
            ("facts_worker", "rp-mw/dev/keys/ids"),
            ("post_facts", "rp-mw/dev/richpanel/api_key"),
            ("mail", "rp-mw/dev/router/api_keys"),
            ("later", "rp-mw/dev/keys/ids"),
            ("reconcile", "rp-mw/dev/openai/api_key"),
            ("companies_worker", "rp-mw/dev/richpanel/api_key"),
            ("console", "rp-mw/dev/richpanel/api_key"),
            ("ticket_texts", "rp-mw/dev/openai/api_key"),
            ("ticket_texts", "rp-mw/dev/keys/ids"),
            ("worker", "rp-mw/prod/richpanel/api_key"),
        )
    ),
)
ACCESS = "who may change what holds them is held by nothing"
OF_THE_DEPLOYER = {"logs:DeleteLogGroup"}
"""What an administrator has only through the deployer: a stack that is deleted takes its logs along."""
DEPLOYER = (
    *(
        replace(refusal, who="dev deployer")
        for refusal in ADMINISTRATOR
        if refusal.who == "dev administrator" and refusal.action not in OF_THE_DEPLOYER
    ),
    *(
        Refusal("dev deployer", action, iam(f"policy/rp-mw-dev-{name}"), ACCESS)
        for action in ("iam:CreatePolicyVersion", "iam:DeletePolicyVersion")
        for name in ("deploy-boundary", "resources", "deployment", "operator")
    ),
    *(
        Refusal("dev deployer", action, iam(f"role/rp-mw/rp-mw-dev-{name}"), ACCESS, given)
        for action, given in (
            (
                "iam:AttachRolePolicy",
                {"iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess"},
            ),
            ("iam:DeleteRolePermissionsBoundary", {}),
            ("iam:PutRolePolicy", {}),
            ("iam:UpdateAssumeRolePolicy", {}),
            ("iam:PassRole", {"iam:PassedToService": "lambda.amazonaws.com"}),
        )
        for name in ("deploy", "administrator")
    ),
    Refusal("dev deployer", "iam:CreateUser", iam("user/x"), "none of ours"),
    Refusal("dev deployer", "iam:CreateAccessKey", iam("user/x"), "none of ours"),
    Refusal("dev deployer", "sts:AssumeRole", iam("role/rp-mw/rp-mw-dev-operator"), "a person's"),
    Refusal(
        "dev deployer",
        "cloudformation:DeleteStack",
        "cloudformation/stack/rp-mw-dev-access/i",
        ACCESS,
    ),
    Refusal("dev deployer", "dynamodb:Scan", "dynamodb/table/conversations-dev", "it reads no row"),
    Refusal(
        "dev deployer", "dynamodb:PutItem", "dynamodb/table/company-data-dev", "nor writes one"
    ),
    Refusal("dev deployer", "sqs:ReceiveMessage", "sqs/rp-mw-events-dev.fifo", HIDES),
    Refusal("dev deployer", "sqs:SendMessage", "sqs/rp-mw-events-dev.fifo", "a job is an act"),
    Refusal("dev deployer", "s3:GetObject", f"s3/rp-mw-facts-dev-{ACCOUNT}/a", "the archive"),
    Refusal(
        "dev deployer", "lambda:InvokeFunction", "lambda/function:rp-mw-dev-worker", "invoking acts"
    ),
    Refusal(
        "dev deployer",
        "lambda:CreateFunctionUrlConfig",
        "lambda/function:rp-mw-dev-console",
        "a door without its locks",
    ),
    *(
        Refusal(
            "dev deployer", f"secretsmanager:{action}", f"secretsmanager/secret:{name}", "a secret"
        )
        for action in ("GetSecretValue", "PutSecretValue", "DeleteSecret")
        for name in ("rp-mw/dev/keys/jobs-AbCdEf", "rp-mw/dev/richpanel/api_key-AbCdEf")
    ),
    Refusal(
        "dev deployer", "ssm:PutParameter", "ssm/parameter/rp-mw/dev/kill_switch", "an operator's"
    ),
)
REFUSALS = (*VIEWER, *OPERATOR, *ADMINISTRATOR, *FUNCTIONS, *DEPLOYER)


@each_row("row", REFUSALS)
def test_a_role_may_not(row):
    request = row.request()
    assert re.sub(r"\W", "", row.why)
    if knows_resources(row.action):
        assert takes(row.action, request.resource), "AWS knows no such call"
    else:
        assert request.resource == "*"
    assert [key for key in row.given if not fills(row.action, key)] == []
    assert not may(row.principal(), request), row.why


def test_there_are_enough_of_them_and_of_every_kind():
    assert len(set(map(str, REFUSALS))) == len(REFUSALS) >= 280
    assert min(map(len, (VIEWER, OPERATOR, ADMINISTRATOR, FUNCTIONS, DEPLOYER))) >= 30
