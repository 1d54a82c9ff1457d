"""The role that a command's help names is enough for what it does, and the one before it is not."""

import json
from fnmatch import fnmatchcase

import boto3
import pytest

from ops import roles
from ops.stage.policies import KIND
from ops.stage.template import StageTemplate
from tests.rigs.ops_cli import runner, typer_commands
from tests.rigs.policies import Call, needs

FINE = {"dynamodb", "sqs", "ssm", "secretsmanager"}
"""Services whose calls are compared with the resources too; of the others the action."""
SERVICES = {"sesv2": "ses"}
NEEDS_NOTHING = {"sts:GetCallerIdentity"}
ACTIONS = {
    "apigateway:GetRestApis": "apigateway:GET",
    "apigateway:GetStages": "apigateway:GET",
    "s3:HeadBucket": "s3:ListBucket",
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "s3:PutBucketEncryption": "s3:PutEncryptionConfiguration",
    "s3:GetPublicAccessBlock": "s3:GetBucketPublicAccessBlock",
    "s3:PutPublicAccessBlock": "s3:PutBucketPublicAccessBlock",
}
"""Calls whose permission has another name."""
READS = {
    "explain": ("explain", "1042"),
    "unfinished": ("unfinished",),
    "journal": ("journal", "--since", "1h"),
    "switch get": ("switch", "get", "--history"),
    "handoff list": ("handoff", "list"),
    "facts pending": ("facts", "pending"),
    "facts failed": ("facts", "failed"),
    "support-settings history": ("support-settings", "history"),
}
REPAIRS = {
    "doctor": ("doctor",),
    "console sessions": ("console", "sessions"),
    "switch set": ("switch", "set", "safe_mode", "true"),
    "reconcile": ("reconcile",),
    "replay": ("replay", "--status", "processed", "--since", "1h", "--yes"),
}
SETS_UP = {"provision": ("provision",)}


def granted(role, account):
    """Action and resource patterns of a role, with those of the roles before it."""
    template = StageTemplate.load("dev", account=account, region="us-east-1")
    upto = roles.ROLES[: roles.ROLES.index(role) + 1]
    for one in template.resources(KIND):
        if one.properties["ManagedPolicyName"].rpartition("-")[2] not in upto:
            continue
        for statement in one.properties["PolicyDocument"]["Statement"]:
            for arn in statement["Resource"]:
                service, _, rest = arn.partition("arn:aws:")[2].partition(":")
                place = "*" if arn == "*" else f"{service}/{rest.split(':', 2)[-1]}"
                for action in statement["Action"]:
                    yield action, place


def lacking(role, calls, account):
    """The calls that a role does not allow."""
    known = list(granted(role, account))
    found = set()
    for call in calls:
        name = f"{call.service}:{call.operation}"
        if name in NEEDS_NOTHING:
            continue
        if call.service in FINE and name != "sqs:ListQueues":
            wanted = [(one.action, one.resource) for one in needs(call)]
        else:
            wanted = [(ACTIONS.get(name, name), "")]
        for action, resource in wanted:
            if not any(
                fnmatchcase(action, one) and (not resource or fnmatchcase(resource, place))
                for one, place in known
            ):
                found.add(f"{action} {resource}")
    return found


def call_of(model, params):
    service = model.service_model.service_name
    return Call(SERVICES.get(service, service), model.name, dict(params))


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def calls(system, monkeypatch):
    """The AWS calls of the commands, as botocore is asked for them."""
    system.post(system.ticket("1042"))
    system.run()
    made = []
    session = boto3.Session()
    session.events.register(
        "provide-client-params",
        lambda params, model, **_: made.append(call_of(model, params)),
    )
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
    return made


def test_every_command_names_its_role():
    found = typer_commands()
    assert roles.NEEDS.keys() <= found.keys(), "no role for a command that is gone"
    assert set(roles.NEEDS.values()) <= set(roles.ROLES)
    for name, one in found.items():
        assert one.epilog == f"Needs the role {roles.of(name)}.", name


def test_a_policy_has_the_size_that_iam_takes():
    template = StageTemplate.load("prod", account="1" * 12, region="us-east-1")
    for one in template.resources(KIND):
        text = json.dumps(one.properties["PolicyDocument"], separators=(",", ":"))
        assert len(text) <= 6_144, one.logical_id


def test_a_commands_role_allows_what_it_calls_and_the_role_before_does_not(system, calls, capsys):
    """Reads are a viewer's; what writes, or asks a vendor, is not; nor is what makes resources."""
    run, account = runner(capsys), system.stage.aws.account
    for group in (READS, REPAIRS, SETS_UP):
        for name, arguments in group.items():
            calls.clear()
            said = run(*arguments)
            assert said.code in (0, 1), (name, said)
            assert calls, name
            role = roles.of(name)
            assert lacking(role, calls, account) == set(), name
            if role != roles.VIEWER:
                before = roles.ROLES[roles.ROLES.index(role) - 1]
                assert lacking(before, calls, account), f"{name} needs less than {role}"
