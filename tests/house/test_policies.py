"""The policies name exact resources, and the check that compares them with real calls can fail."""

from __future__ import annotations

from typing import Any

import pytest

from ops.stage.template import StageTemplate
from tests.rigs.each_row import each_row
from tests.rigs.policies import (
    POLICIES,
    SENDER_IDENTITY,
    WITHOUT_RESOURCES,
    Call,
    Permission,
    compare,
    grants,
    needs,
)

TABLE = "rp_mw_idempotency-dev"
COMPANIES_OWN = {
    "secretsmanager/secret:ai-multi-comms/whatsapp-credentials/*/twilio-dev-??????",
    "secretsmanager/secret:ai-multi-comms/sms-credentials/*/twilio-dev-??????",
    "secretsmanager/secret:ai-multi-comms/openai-api-key/*-dev-??????",
    "secretsmanager/secret:rp-mw/dev/companies/*/webhook-??????",
}
"""Named after companies, which come and go without a deployment."""
MODELS = {f"bedrock/{kind}/*" for kind in ("foundation-model", "inference-profile", "guardrail")}
"""These belong to no stage, and an operator chooses one without a deployment of policies."""


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_policy_names_exact_actions_and_resources(policy: dict[str, Any]):
    for grant in grants(policy, "dev"):
        assert "*" not in grant.action
        if grant.action in WITHOUT_RESOURCES:
            continue
        if grant.resource not in COMPANIES_OWN:
            assert "*" not in grant.resource.removesuffix(":*").removesuffix("/*")
        assert grant.resource.endswith(":*") == grant.action.startswith("logs:")
        in_buckets = grant.action.startswith("s3:")
        assert grant.resource.endswith("/*") <= (in_buckets or grant.resource in MODELS)


@each_row("stage", ["dev", "staging", "prod"])
@each_row("policy", POLICIES.values())
def test_every_resource_of_a_policy_belongs_to_its_stage(policy: dict[str, Any], stage: str):
    assert all(
        stage in grant.resource
        for grant in grants(policy, stage)
        if grant.resource not in {*COMPANIES_OWN, *MODELS, SENDER_IDENTITY}
        and grant.action not in WITHOUT_RESOURCES
    )


def test_a_stage_sends_only_as_the_identities_that_its_deployment_names(monkeypatch):
    """No wildcard, and none by default: a dev stage cannot send as prod."""
    statements = POLICIES["email-worker"]["Statement"]
    sending = [
        statement["Resource"] for statement in statements if statement["Action"] == "ses:SendEmail"
    ]
    configuration_set, identities = sending
    assert configuration_set["Fn::Sub"].endswith(":configuration-set/rp-mw-${Stage}")
    assert identities == {"Ref": "SenderIdentities"}

    def allowed():
        template = StageTemplate.load("dev", account="1" * 12, region="us-east-1")
        return template.resolved(identities)

    assert allowed() == ["arn:aws:ses:us-east-1:000000000000:identity/none.invalid"]
    names = [
        f"arn:aws:ses:us-east-1:{'1' * 12}:identity/{domain}"
        for domain in ("a.example", "b.example")
    ]
    given = {"SENDER_IDENTITIES": ", ".join(names)}
    monkeypatch.setattr("ops.stage.config.configured", lambda _stage: given)
    assert allowed() == names


def test_no_function_may_use_a_key_of_its_own_account():
    """Everything is encrypted with AWS's own keys, which need no permission."""
    actions = {grant.action for policy in POLICIES.values() for grant in grants(policy, "dev")}
    assert not [action for action in actions if action.startswith("kms:")]
    assert {action for action in actions if action.startswith("ses:")} == {"ses:SendEmail"}


def test_the_public_api_may_not_read_vendor_secrets_or_search_other_tables():
    allowed = set(grants(POLICIES["api"], "dev"))
    secrets = {g.resource for g in allowed if g.action == "secretsmanager:GetSecretValue"}
    searches = {"dynamodb:Query", "dynamodb:Scan", "dynamodb:BatchGetItem"}

    assert secrets == {
        "secretsmanager/secret:rp-mw/dev/richpanel/webhook_token-??????",
        *(
            f"secretsmanager/secret:rp-mw/dev/keys/{purpose}-??????"
            for purpose in ("ids", "jobs", "unsubscribe", "tool_results")
        ),
        "secretsmanager/secret:rp-mw/dev/router/api_keys-??????",
        "secretsmanager/secret:rp-mw/dev/twilio/webhook_tokens-??????",
        "secretsmanager/secret:rp-mw/dev/aloware/webhook_token-??????",
        "secretsmanager/secret:rp-mw/dev/hubspot/client_secret-??????",
    }
    desks = "dynamodb/table/conversations-dev"
    searched = {(g.action, g.resource) for g in allowed if g.action in searches}
    assert searched == {
        ("dynamodb:Query", desks),  # by a partition's key
        ("dynamodb:Query", f"{desks}/index/created-at-index"),  # likewise, in the order of time
        ("dynamodb:BatchGetItem", desks),
        ("dynamodb:BatchGetItem", "dynamodb/table/rp_mw_idempotency-dev"),
    }
    journal = [g.action for g in allowed if "table/rp_mw_audit" in g.resource]
    assert journal == ["dynamodb:PutItem"], "it enters acts, and reads none"


def test_the_function_of_mail_searches_no_table_and_writes_only_the_ledger_and_the_register():
    allowed = set(grants(POLICIES["mail"], "dev"))
    assert {(g.action, g.resource) for g in allowed if g.action.startswith("dynamodb:")} == {
        ("dynamodb:PutItem", "dynamodb/table/rp_mw_idempotency-dev"),
        ("dynamodb:GetItem", "dynamodb/table/company-data-dev"),
        ("dynamodb:BatchGetItem", "dynamodb/table/conversations-dev"),
        ("dynamodb:GetItem", "dynamodb/table/conversations-dev"),
        ("dynamodb:PutItem", "dynamodb/table/conversations-dev"),
        ("dynamodb:UpdateItem", "dynamodb/table/conversations-dev"),
    }


def test_no_function_may_delete_a_row():
    """Nothing is deleted: the ledger's rows leave by their time to live only."""
    allowed = [g for policy in POLICIES.values() for g in grants(policy, "dev")]

    assert not [g for g in allowed if g.action.startswith("dynamodb:") and "Delete" in g.action]
    batches = {g.resource for g in allowed if g.action == "dynamodb:BatchWriteItem"}
    assert batches == {  # it covers deleting too
        "dynamodb/table/rp_mw_audit_actions-dev",
        "dynamodb/table/QuillIdempotencyLedger-dev",
    }


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            Call("dynamodb", "UpdateItem", {"TableName": TABLE}),
            [Permission("dynamodb:UpdateItem", f"dynamodb/table/{TABLE}")],
        ),
        (
            Call("dynamodb", "Query", {"TableName": TABLE, "IndexName": "unfinished-index"}),
            [Permission("dynamodb:Query", f"dynamodb/table/{TABLE}/index/unfinished-index")],
        ),
        (
            Call("dynamodb", "BatchWriteItem", {"RequestItems": {"a": [], "b": []}}),
            [
                Permission("dynamodb:BatchWriteItem", "dynamodb/table/a"),
                Permission("dynamodb:BatchWriteItem", "dynamodb/table/b"),
            ],
        ),
        (
            Call(
                "dynamodb",
                "BatchExecuteStatement",
                {"Statements": [{"Statement": f"INSERT INTO \"{TABLE}\" VALUE {{'event_id': ?}}"}]},
            ),
            [Permission("dynamodb:PartiQLInsert", f"dynamodb/table/{TABLE}")],
        ),
        (
            Call("dynamodb", "ExecuteStatement", {"Statement": 'select * from "t"."i" where a=?'}),
            [Permission("dynamodb:PartiQLSelect", "dynamodb/table/t")],
        ),
        (
            Call(
                "dynamodb",
                "TransactWriteItems",
                {
                    "TransactItems": [
                        {"Put": {"TableName": "a"}},
                        {"ConditionCheck": {"TableName": "b"}},
                    ]
                },
            ),
            [
                Permission("dynamodb:PutItem", "dynamodb/table/a"),
                Permission("dynamodb:ConditionCheckItem", "dynamodb/table/b"),
            ],
        ),
        (
            Call(
                "dynamodb",
                "ListTagsOfResource",
                {"ResourceArn": f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}"},
            ),
            [Permission("dynamodb:ListTagsOfResource", f"dynamodb/table/{TABLE}")],
        ),
        (
            Call("sqs", "SendMessage", {"QueueUrl": "http://127.0.0.1:1/000000000000/q.fifo"}),
            [Permission("sqs:SendMessage", "sqs/q.fifo")],
        ),
        (
            Call("sqs", "GetQueueUrl", {"QueueName": "q.fifo"}),
            [Permission("sqs:GetQueueUrl", "sqs/q.fifo")],
        ),
        (
            Call("ssm", "GetParameters", {"Names": ["/rp-mw/dev/kill_switch"]}),
            [Permission("ssm:GetParameters", "ssm/parameter/rp-mw/dev/kill_switch")],
        ),
    ],
    ids=lambda value: value.operation if isinstance(value, Call) else "",
)
def test_a_call_needs_its_permission(call: Call, expected: list[Permission]):
    assert list(needs(call)) == expected


def test_an_unknown_service_is_rejected():
    with pytest.raises(ValueError, match="sns:Publish"):
        list(needs(Call("sns", "Publish")))


def test_a_call_without_permission_is_missing_and_a_permission_without_call_is_unused():
    arn = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/t-${Stage}"
    statement = {
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:PutItem"],
        "Resource": {"Fn::Sub": arn},
    }
    result = compare(
        {"Statement": [statement]},
        "dev",
        [
            Call("dynamodb", "GetItem", {"TableName": "t-dev"}),
            Call("dynamodb", "GetItem", {"TableName": "t-prod"}),
        ],
    )

    assert result.missing == (Permission("dynamodb:GetItem", "dynamodb/table/t-prod"),)
    assert result.unused == (Permission("dynamodb:PutItem", "dynamodb/table/t-dev"),)


def test_a_secret_is_matched_with_the_six_characters_its_arn_ends_with():
    secret = Call("secretsmanager", "GetSecretValue", {"SecretId": "rp-mw/dev/richpanel/api_key"})

    assert compare(POLICIES["worker"], "dev", [secret]).missing == ()
    assert compare(POLICIES["api"], "dev", [secret]).missing != ()


@pytest.mark.parametrize("change", [{"Effect": "Deny"}, {"Condition": {}}, {"Resource": "*"}])
def test_a_policy_the_check_does_not_understand_fails(change: dict[str, object]):
    statement = {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"} | change
    with pytest.raises(ValueError, match="policy"):
        list(grants({"Statement": [statement]}, "dev"))
