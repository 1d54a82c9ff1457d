"""Which permission an AWS call needs, and whether a policy grants that and no more.

`needs` turns one recorded call into IAM action and resource pairs; `compare` holds them against a
role's policy in both directions: what is missing breaks production, what is unused is a door left
open.  `Policy` judges single calls.  Resources are compared by what follows region and account:
``table/rp_mw_idempotency-dev``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

SECRET_SUFFIX = "-AbCdEf"
"""Secrets Manager ends every ARN with six characters of its own."""

ANY_ACCOUNT = "?" * 12
"""A bucket's name ends with the account, because all accounts share one space of bucket names."""

SENDER_IDENTITY = "ses/identity/company.example"
"""The identity in the parameter `SenderIdentities` of the invented company's stage."""

WITHOUT_RESOURCES = frozenset(
    {
        "cloudwatch:GetMetricData",
        "secretsmanager:BatchGetSecretValue",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }
)
"""Actions that AWS authorizes for all resources only."""

USED_BY_LAMBDA = frozenset(
    {
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
    }
)
"""Actions of the Lambda service in a function's name, which no call of ours shows."""


RESOURCES = Path(__file__).parents[2] / ".chalice" / "resources.json"
POLICIES: Mapping[str, Mapping[str, Any]] = {
    policy["PolicyName"].removesuffix("_handler").replace("_", "-"): policy["PolicyDocument"]
    for resource in json.loads(RESOURCES.read_text())["Resources"].values()
    if resource.get("Type") == "AWS::IAM::Role"
    for policy in resource["Properties"]["Policies"]
}
"""The policy of each function's role, by the function: ``api``, ``worker``, ``post-facts``, ..."""


@dataclass(frozen=True, slots=True)
class Call:
    """One AWS call as seen at the wire: botocore's service and operation names, its parameters."""

    service: str
    operation: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class Permission:
    """An IAM action on a resource, e.g. ``dynamodb:Query`` on ``dynamodb/table/t/index/i``."""

    action: str
    resource: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What calls need and a policy lacks, and what a policy grants and no call needs."""

    missing: tuple[Permission, ...]
    unused: tuple[Permission, ...]


class Policy:
    """A function's policy in one stage, as IAM judges by it."""

    def __init__(self, document: Mapping[str, Any], stage: str) -> None:
        self._granted = frozenset(grants(document, stage))

    def allows(self, call: Call) -> bool:
        """Whether everything that a call needs is granted."""
        return all(any(_covers(grant, need) for grant in self._granted) for need in needs(call))


def compare(policy: Mapping[str, Any], stage: str, calls: Iterable[Call]) -> Comparison:
    """Hold the calls of one function against its policy."""
    granted = set(grants(policy, stage))
    needed = {need for call in calls for need in needs(call)}
    missing = {need for need in needed if not any(_covers(grant, need) for grant in granted)}
    unused = {
        grant
        for grant in granted
        if grant.action not in USED_BY_LAMBDA and not any(_covers(grant, need) for need in needed)
    }
    return Comparison(missing=tuple(sorted(missing)), unused=tuple(sorted(unused)))


def grants(policy: Mapping[str, Any], stage: str) -> Iterator[Permission]:
    """Every action and resource pair a policy allows in one stage.

    Raises:
        ValueError: the policy holds something that this check does not understand.
    """
    for statement in policy["Statement"]:
        if statement["Effect"] != "Allow" or statement.keys() - _UNDERSTOOD:
            raise ValueError(f"the policy's {statement.get('Sid')} is not a plain Allow")
        for action in _as_list(statement["Action"]):
            for resource in _as_list(statement["Resource"]):
                is_all = action in WITHOUT_RESOURCES and resource == "*"
                yield Permission(action, "*" if is_all else _resource(resource, stage))


def needs(call: Call) -> Iterator[Permission]:
    """The permissions one call takes.

    Raises:
        ValueError: the operation is not known here; add its line.
    """
    match call.service:
        case "dynamodb":
            yield from _dynamodb(call)
        case "sqs":
            queue = call.params.get("QueueName") or call.params["QueueUrl"].rsplit("/", 1)[-1]
            action = call.operation.removesuffix("Batch")
            yield Permission(f"sqs:{action}", f"sqs/{queue}")
        case "ssm":
            names = call.params.get("Names") or [call.params["Name"]]
            for name in names:
                yield Permission(f"ssm:{call.operation}", f"ssm/parameter{name}")
        case "secretsmanager" if call.operation == "BatchGetSecretValue":
            yield Permission("secretsmanager:BatchGetSecretValue", "*")
            for secret in call.params["SecretIdList"]:
                resource = f"secretsmanager/secret:{secret}{SECRET_SUFFIX}"
                yield Permission("secretsmanager:GetSecretValue", resource)
        case "secretsmanager":
            secret = call.params.get("SecretId") or call.params["Name"]
            resource = f"secretsmanager/secret:{secret}{SECRET_SUFFIX}"
            yield Permission(f"secretsmanager:{call.operation}", resource)
        case "lambda":
            function = call.params["FunctionName"]
            yield Permission("lambda:InvokeFunction", f"lambda/function:{function}")
        case "cloudwatch":
            yield Permission(f"cloudwatch:{call.operation}", "*")
        case "ses":
            yield Permission(f"ses:{call.operation}", SENDER_IDENTITY)
            name = call.params["ConfigurationSetName"]
            yield Permission(f"ses:{call.operation}", f"ses/configuration-set/{name}")
        case "bedrock" if "guardrailIdentifier" in call.params:
            guardrail = call.params["guardrailIdentifier"]
            yield Permission(f"bedrock:{call.operation}", f"bedrock/guardrail/{guardrail}")
        case "bedrock":
            model = str(call.params["modelId"])
            kind = "inference-profile" if model.startswith("us.") else "foundation-model"
            yield Permission(f"bedrock:{call.operation}", f"bedrock/{kind}/{model}")
        case "s3" if call.operation == "ListObjectsV2":
            yield Permission("s3:ListBucket", f"s3/{call.params['Bucket']}")
        case "s3":
            resource = f"s3/{call.params['Bucket']}/{call.params['Key']}"
            which = "Version" if "VersionId" in call.params else ""
            yield Permission(f"s3:{call.operation}{which}", resource)
        case _:
            raise ValueError(f"no permission is known for {call.service}:{call.operation}")


def _dynamodb(call: Call) -> Iterator[Permission]:
    params = call.params
    match call.operation:
        case "BatchGetItem" | "BatchWriteItem":
            yield from (_on_table(call.operation, table) for table in params["RequestItems"])
        case "TransactWriteItems" | "TransactGetItems":
            yield from _transaction(params["TransactItems"])
        case "ExecuteStatement":
            yield _partiql(params["Statement"])
        case "BatchExecuteStatement":
            yield from (_partiql(statement["Statement"]) for statement in params["Statements"])
        case "ListTagsOfResource":
            yield _on_table(call.operation, params["ResourceArn"])
        case "Query" | "Scan" if "IndexName" in params:
            resource = f"{params['TableName']}/index/{params['IndexName']}"
            yield _on_table(call.operation, resource)
        case _:
            yield _on_table(call.operation, params["TableName"])


def _transaction(items: Iterable[Mapping[str, Any]]) -> Iterator[Permission]:
    for item in items:
        for verb, request in item.items():
            action = "ConditionCheckItem" if verb == "ConditionCheck" else f"{verb}Item"
            yield _on_table(action, request["TableName"])


def _partiql(statement: str) -> Permission:
    found = _PARTIQL.match(statement)
    if found is None:
        raise ValueError("a PartiQL statement names no table")
    verb = found["verb"].split()[0].capitalize()
    return _on_table(f"PartiQL{verb}", found["table"])


def _on_table(action: str, table: str) -> Permission:
    return Permission(f"dynamodb:{action}", f"dynamodb/table/{table.rsplit(':table/', 1)[-1]}")


def _covers(grant: Permission, need: Permission) -> bool:
    return fnmatchcase(need.action, grant.action) and fnmatchcase(need.resource, grant.resource)


def _resource(value: Mapping[str, str] | str, stage: str) -> str:
    if value == {"Ref": "SenderIdentities"}:
        return SENDER_IDENTITY
    text = value if isinstance(value, str) else value["Fn::Sub"]
    text = text.replace("${Stage}", stage)
    bucket = _BUCKET.fullmatch(text)
    if bucket is not None:
        name = bucket["name"].replace("${AWS::AccountId}", ANY_ACCOUNT)
        return f"s3/{name}{bucket['objects'] or ''}"
    model = _MODEL.fullmatch(text)
    if model is not None:
        return f"bedrock/{model['rest']}"
    found = _ARN.fullmatch(text)
    if found is None:
        raise ValueError("a policy's resource is not an exact ARN")
    return f"{found['service']}/{found['rest']}"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_UNDERSTOOD = frozenset({"Sid", "Effect", "Action", "Resource"})
_ARN = re.compile(
    r"arn:\$\{AWS::Partition\}:(?P<service>[a-z]+):\$\{AWS::Region\}:\$\{AWS::AccountId\}:(?P<rest>[^$]+)"
)
_MODEL = re.compile(r"arn:\$\{AWS::Partition\}:bedrock:\*::(?P<rest>foundation-model/\*)")
"""Bedrock's own models belong to no account, and a profile sends to those of several regions."""
_BUCKET = re.compile(
    r"arn:\$\{AWS::Partition\}:s3:::(?P<name>[a-z0-9-]+\$\{AWS::AccountId\})(?P<objects>/\*)?"
)
_PARTIQL = re.compile(
    r'\s*(?P<verb>INSERT\s+INTO|UPDATE|DELETE\s+FROM|SELECT\b.*?\bFROM)\s+"?(?P<table>[^\s".]+)',
    re.IGNORECASE | re.DOTALL,
)
