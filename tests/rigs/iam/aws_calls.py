"""The requests that IAM authorizes for one call of botocore: actions, ARNs and condition keys.

Where a call's permission has the call's own name and one resource, a line of `_RESOURCES` says which
parameter names it.  A call that is not known here raises: its line is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from local.stack.engine import REGION
from tests.rigs.iam.authorization import Request
from tests.rigs.policies import Call, needs

Params = Mapping[str, Any]
NEEDS_NOTHING = frozenset({"sts:GetCallerIdentity"})
"""Calls that need no permission: any principal may ask who it is."""
SERVICES = {"sesv2": "ses", "bedrock-runtime": "bedrock", "secrets-manager": "secretsmanager"}
"""Services of botocore whose actions have another prefix."""
FINE = frozenset({"bedrock", "dynamodb", "secretsmanager", "sqs", "ssm"})
"""Services whose calls `needs` takes apart."""
RENAMED = {
    "s3:HeadBucket": "s3:ListBucket",
    "s3:ListObjectsV2": "s3:ListBucket",
    "s3:ListObjectVersions": "s3:ListBucketVersions",
    "s3:GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "s3:PutBucketEncryption": "s3:PutEncryptionConfiguration",
    "s3:GetPublicAccessBlock": "s3:GetBucketPublicAccessBlock",
    "s3:PutPublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "s3:HeadObject": "s3:GetObject",
}
"""Calls whose action has another name."""
_VERBS = {
    "Create": "POST",
    "Delete": "DELETE",
    "Get": "GET",
    "Put": "PUT",
    "Update": "PATCH",
    "Tag": "PUT",
    "Import": "POST",
}


_AN_ACCOUNT = re.compile(r"[0-9]{12}")


def requests(
    service: str, operation: str, params: Params, account: str, *, stage: str
) -> Iterator[Request]:
    """What IAM is asked for one call; an engine's account, which each test has of its own, is `account`.

    Args:
        service: as botocore calls it.
        operation: likewise: ``PutItem``.
        params: of the call, as the caller gave them.
        account: whose call it is.
        stage: what the APIs and roles that the call names are tagged with, and bounded by, and the
            stage of the function whose event source it names by an id.

    Raises:
        ValueError: the call is not known here; add its line.
    """
    for request in _requests(service, operation, params, account, stage):
        context = {
            key: tuple(_AN_ACCOUNT.sub(account, value) for value in values)
            for key, values in request.context.items()
        }
        yield Request(request.action, _AN_ACCOUNT.sub(account, request.resource), context)


def _requests(
    service: str, operation: str, params: Params, account: str, stage: str
) -> Iterator[Request]:
    prefix = SERVICES.get(service, service)
    name = f"{prefix}:{operation}"
    if name in NEEDS_NOTHING:
        return
    if prefix in FINE or (prefix == "s3" and "Key" in params):
        for need in needs(Call(prefix, operation, params)):
            yield Request(need.action, arn_of(need.resource, account), _tags(params))
    elif name == "ses:SendEmail":
        for need in needs(Call("ses", operation, params)):
            yield Request(need.action, arn_of(need.resource, account))
    elif prefix in ("apigateway", "apigatewayv2"):
        yield _gateway(operation, params, stage)
    else:
        resource = _resource(name, params, account)
        context = _tags(params) | _context(name, params, account, stage)
        yield Request(RENAMED.get(name, name), resource, context)
        given = _PASSED.get(prefix)
        if given and given in params:
            passed = {"iam:PassedToService": (f"{prefix}.amazonaws.com",)}
            yield Request("iam:PassRole", str(params[given]), passed)


def arn_of(place: str, account: str) -> str:
    """The ARN of ``service/rest``, as `tests.rigs.policies` writes resources."""
    if place == "*":
        return place
    service, _, rest = place.partition("/")
    if service == "s3":
        return f"arn:aws:s3:::{rest}"
    owner = "" if rest.startswith("foundation-model/") else account
    return f"arn:aws:{service}:{REGION}:{owner}:{rest}"


def _resource(name: str, params: Params, account: str) -> str:
    service = name.partition(":")[0]
    if name in _WITHOUT:
        return "*"
    for parameter, form in _RESOURCES[service].items():
        if parameter in params:
            value = form(params[parameter]) if callable(form) else form.format(params[parameter])
            return value if value.startswith("arn:") else _whole(service, value, account)
    raise ValueError(f"no resource is known for {name}")


def _whole(service: str, rest: str, account: str) -> str:
    region = "" if service == "iam" or rest.startswith("dashboard/") else REGION
    if service == "s3":
        return f"arn:aws:s3:::{rest}"
    return f"arn:aws:{service}:{region}:{account}:{rest}"


def _context(name: str, params: Params, account: str, stage: str) -> dict[str, tuple[str, ...]]:
    boundary = f"arn:aws:iam::{account}:policy/rp-mw-{stage}-boundary"
    match name:
        case "iam:CreateRole" | "iam:PutRolePermissionsBoundary":
            given = params.get("PermissionsBoundary")
            return {"iam:PermissionsBoundary": (given,)} if given else {}
        case "iam:PutRolePolicy" | "iam:DeleteRolePolicy":
            return {"iam:PermissionsBoundary": (boundary,)}
        case "lambda:CreateEventSourceMapping":
            return {"lambda:FunctionArn": (_function_arn(params["FunctionName"], account),)}
        case "lambda:UpdateEventSourceMapping":
            return {"lambda:FunctionArn": (_function_arn(f"rp-mw-{stage}-worker", account),)}
        case "sns:Subscribe":
            return {
                "sns:Protocol": (params["Protocol"],),
                "sns:Endpoint": (params["Endpoint"],),
            }
    return {}


def _function_arn(name: str, account: str) -> str:
    return name if name.startswith("arn:") else f"arn:aws:lambda:{REGION}:{account}:function:{name}"


def _tags(params: Params) -> dict[str, tuple[str, ...]]:
    given = params.get("Tags") or params.get("tags") or {}
    if isinstance(given, list):
        given = {tag["Key"]: tag["Value"] for tag in given}
    if not given:
        return {}
    found: dict[str, tuple[str, ...]] = {
        f"aws:RequestTag/{key}": (str(value),) for key, value in given.items()
    }
    return found | {"aws:TagKeys": tuple(given)}


def _gateway(operation: str, params: Params, stage: str) -> Request:
    verb = next(verb for beginning, verb in _VERBS.items() if operation.startswith(beginning))
    place = "/restapis"
    if "restApiId" in params:
        place += f"/{params['restApiId']}"
        below = next((part for key, part in _BELOW.items() if key in operation), "")
        place += f"/{below}" if below else ""
        if "stageName" in params and below == "stages":
            place += f"/{params['stageName']}"
    elif "resourceArn" in params:
        place = f"/tags/{quote(params['resourceArn'], safe='')}"
    context = _tags(params)
    if "restApiId" in params:
        context["aws:ResourceTag/stage"] = (stage,)
    return Request(f"apigateway:{verb}", f"arn:aws:apigateway:{REGION}::{place}", context)


_PASSED = {"cloudformation": "RoleARN", "lambda": "Role"}
"""By service, the parameter by which a call gives it a role."""
_BELOW = {"Stage": "stages", "Deployment": "deployments", "Resources": "resources"}
_WITHOUT = frozenset(
    {
        "cloudwatch:DescribeAlarms",
        "cloudwatch:GetMetricData",
        "cloudwatch:GetMetricStatistics",
        "lambda:CreateEventSourceMapping",
        "lambda:GetAccountSettings",
        "lambda:ListEventSourceMappings",
        "logs:DescribeLogGroups",
        "ses:GetAccount",
        "sns:Unsubscribe",
    }
)
"""Calls for which AWS knows no resource, or which ask about all of them."""
Form = str | Callable[[Any], str]
_RESOURCES: Mapping[str, Mapping[str, Form]] = {
    "cloudformation": {"StackName": "stack/{}/id"},
    "cloudwatch": {
        "AlarmName": "alarm:{}",
        "AlarmNames": lambda names: f"alarm:{names[0]}",
        "DashboardName": "dashboard/{}",
    },
    "events": {"Name": "rule/{}", "Rule": "rule/{}"},
    "iam": {"RoleName": "role/{}", "PolicyName": "policy/{}", "PolicyArn": "{}"},
    "lambda": {
        "FunctionName": lambda name: name if name.startswith("arn:") else f"function:{name}",
        "LayerName": "layer:{}",
        "Resource": "{}",
        "UUID": "event-source-mapping:{}",
    },
    "logs": {"logGroupName": "log-group:{}:log-stream:"},
    "s3": {"Bucket": "{}"},
    "ses": {"ConfigurationSetName": "configuration-set/{}", "EmailIdentity": "identity/{}"},
    "sts": {"RoleArn": "{}"},
    "sns": {"Name": "{}", "TopicArn": "{}", "SubscriptionArn": "{}"},
}
"""By service, the parameter that names the resource, and the end of its ARN."""
