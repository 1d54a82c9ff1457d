"""What CloudFormation asks of AWS to make a resource: from the permissions that AWS's own handlers name.

Each resource type has handlers that create, read, update and delete it, and its schema in the public
registry names the actions that they call.  The package `cfnlint` has those schemas:
https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
A handler's list is of everything that a resource of its type could ever have; `LEFT_OUT` says what ours
never have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import cfnlint

_SCHEMAS = Path(cfnlint.__file__).parent / "data" / "schemas"
_LOOKS = frozenset({"list"})
"""Handlers that no operation on a stack calls."""

LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "every key is AWS's own": ("kms:*",),
    "no stream, no import, no replica, no policy of its own, and no row is read": (
        "kinesis:*",
        "firehose:*",
        "dynamodb:AssociateTableReplica",
        "dynamodb:BatchWriteItem",
        "dynamodb:CreateTableReplica",
        "dynamodb:DeleteItem",
        "dynamodb:DeleteResourcePolicy",
        "dynamodb:DescribeImport",
        "dynamodb:DisableKinesisStreamingDestination",
        "dynamodb:EnableKinesisStreamingDestination",
        "dynamodb:GetItem",
        "dynamodb:ImportTable",
        "dynamodb:PutItem",
        "dynamodb:PutResourcePolicy",
        "dynamodb:Query",
        "dynamodb:Scan",
        "dynamodb:UpdateContributorInsights",
        "dynamodb:UpdateItem",
        "dynamodb:UpdateKinesisStreamingDestination",
        "iam:CreateServiceLinkedRole",
    ),
    "a bucket has encryption, ownership, tags, versions, and is closed; no more": (
        "s3tables:*",
        "s3:*Abac",
        "s3:*Metadata*",
        "s3:DeleteBucket?*",
        "s3:DeleteObject",
        "s3:GetBucketAcl",
        "s3:ListTagsForResource",
        "s3:PutAccelerateConfiguration",
        "s3:PutAnalyticsConfiguration",
        "s3:PutBucketAcl",
        "s3:PutBucketCORS",
        "s3:PutBucketLogging",
        "s3:PutBucketNotification",
        "s3:PutBucketObjectLockConfiguration",
        "s3:PutBucketReplication",
        "s3:PutBucketWebsite",
        "s3:PutIntelligentTieringConfiguration",
        "s3:PutInventoryConfiguration",
        "s3:PutLifecycleConfiguration",
        "s3:PutMetricsConfiguration",
        "s3:PutObjectAcl",
        "s3:PutObjectLockConfiguration",
        "s3:PutReplicationConfiguration",
        "s3:REST.PUT.OBJECT",
        "s3:TagResource",
        "s3:UntagResource",
    ),
    "a role has one inline policy, a boundary and its trust, and keeps them": (
        "iam:AttachRolePolicy",
        "iam:DeleteRolePermissionsBoundary",
        "iam:DetachRolePolicy",
        "iam:UpdateAssumeRolePolicy",
    ),
    "a log group has a time of retention and tags": (
        "logs:AssociateKmsKey",
        "logs:CreateLogDelivery",
        "logs:CreateLogStream",
        "logs:DeleteDataProtectionPolicy",
        "logs:DeleteIndexPolicy",
        "logs:DeleteResourcePolicy",
        "logs:DescribeLogStreams",
        "logs:DisassociateKmsKey",
        "logs:PutBearerTokenAuthentication",
        "logs:PutDataProtectionPolicy",
        "logs:PutIndexPolicy",
        "logs:PutLogEvents",
        "logs:PutLogGroupDeletionProtection",
        "logs:PutResourcePolicy",
    ),
    "a topic has a policy and tags, and is subscribed to beside it": (
        "sns:PutDataProtectionPolicy",
        "sns:SetSubscriptionAttributes",
        "iam:GetRole of AWS::SNS::*",
    ),
    "a set of SES has events, and no options": ("ses:PutConfigurationSet*",),
    "a function has no network, no file system, no scaling, no signing and no runtime of its own": (
        "ec2:*",
        "elasticfilesystem:*",
        "s3files:*",
        "lambda:AssociateRuntimeAlias",
        "lambda:DeleteFunctionCodeSigningConfig",
        "lambda:DeleteFunctionConcurrency",
        "lambda:GetCodeSigningConfig",
        "lambda:PassCapacityProvider",
        "lambda:PublishVersion",
        "lambda:PutFunctionCodeSigningConfig",
        "lambda:PutFunctionConcurrency",
        "lambda:PutFunctionRecursionConfig",
        "lambda:PutFunctionScalingConfig",
        "lambda:PutRuntimeManagementConfig",
    ),
    "only functions have tags, of what Lambda has": (
        "lambda:TagResource of AWS::Lambda::EventSourceMapping",
        "lambda:UntagResource of AWS::Lambda::EventSourceMapping",
        "lambda:ListTags of AWS::Lambda::EventSourceMapping",
    ),
    "a rule, a topic's subscription, and an API's integration act as no role": (
        "iam:PassRole of AWS::Events::Rule",
        "iam:PassRole of AWS::SNS::*",
        "iam:PassRole of AWS::S3::Bucket",
        "iam:PassRole of AWS::SES::*",
        "iam:PassRole of AWS::ApiGateway*",
    ),
    "an API has no policy, and its document is in the template": (
        "apigateway:UpdateRestApiPolicy",
        "s3:getObject",
        "s3:GetObject of AWS::ApiGateway::RestApi",
        "s3:GetObject of AWS::DynamoDB::Table",
    ),
    "tags of an HTTP API are set by the actions of its own verbs": (
        "apigateway:TagResource",
        "apigateway:UntagResource",
    ),
    "the shield is a REST API's": (
        "amplify:*",
        "apprunner:*",
        "appsync:*",
        "bedrock-agentcore:*",
        "cognito-idp:*",
        "elasticloadbalancing:*",
        "payments:*",
        "wafv2:*PermissionPolicy",
    ),
    "what another type's line has": (
        "logs:*RetentionPolicy of AWS::DynamoDB::Table",
        "logs:*Log* of AWS::DynamoDB::Table",
        "s3:ListBucket of AWS::DynamoDB::Table",
        "sns:Subscribe of AWS::SNS::Topic",
        "sns:Unsubscribe of AWS::SNS::Topic",
    ),
}
"""Actions of the handlers that no resource of a stage needs, by the reason; ``of`` names a type."""


@cache
def handlers(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The actions of a resource type, by handler: create, read, update, delete.

    Raises:
        KeyError: AWS has no such type.
    """
    found = json.loads((_SCHEMAS / "providers" / "us-east-1.json").read_text())[kind]
    schema = json.loads((_SCHEMAS / "resources" / f"{found}.json").read_text())
    return {
        name: tuple(handler["permissions"])
        for name, handler in schema.get("handlers", {}).items()
        if name not in _LOOKS
    }


def needed(kind: str, *, is_deleted: bool = True) -> Iterator[str]:
    """The actions that making and changing a resource of ours takes, and deleting it where `is_deleted`."""
    for name, actions in handlers(kind).items():
        if name != "delete" or is_deleted:
            yield from (action for action in actions if left_out(kind, action) is None)


def left_out(kind: str, action: str) -> str | None:
    """The pattern that leaves an action out; None where it is needed."""
    for patterns in LEFT_OUT.values():
        for pattern in patterns:
            wanted, _, of = pattern.partition(" of ")
            if fnmatchcase(action, wanted) and fnmatchcase(kind, of or "*"):
                return pattern
    return None
