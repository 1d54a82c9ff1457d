"""What a setup has made in an account."""

import json
import re

from local import company
from local.acceptance.entering import secret


def described(aws, config):
    """Everything that a setup has made, without rows, generated values, times and the account's number."""
    found = {
        "config": json.loads(config.read_text()),
        "stacks": _stacks(aws.client("cloudformation")),
        "tables": _tables(aws.client("dynamodb")),
        "queues": _queues(aws.client("sqs")),
        "roles": _roles(aws.client("iam")),
        "parameters": _parameters(aws.client("ssm")),
        "secrets": sorted(
            secret["Name"] for secret in aws.client("secretsmanager").list_secrets()["SecretList"]
        ),
        "buckets": sorted(bucket["Name"] for bucket in aws.client("s3").list_buckets()["Buckets"]),
        "subscriptions": sorted(
            (subscription["TopicArn"], subscription["Endpoint"])
            for subscription in aws.client("sns").list_subscriptions()["Subscriptions"]
        ),
        "functions": {
            function["FunctionName"]: (function["CodeSha256"], function["Environment"]["Variables"])
            for function in aws.client("lambda").list_functions()["Functions"]
        },
        "alarms": sorted(
            alarm["AlarmName"]
            for alarm in aws.client("cloudwatch").describe_alarms()["MetricAlarms"]
        ),
        "keys of the company": len(
            json.loads(secret(aws, "rp-mw/dev/router/api_keys"))[company.COMPANY_ID]["api_keys"]
        ),
    }
    text = json.dumps(found, default=str, sort_keys=True).replace(aws.account, "<account>")
    return json.loads(re.sub(r"127\.0\.0\.1:\d+", "<address>", text))


def _stacks(client):
    return {
        stack["StackName"]: (
            stack["StackStatus"],
            sorted(
                (parameter["ParameterKey"], parameter["ParameterValue"])
                for parameter in stack["Parameters"]
            ),
            client.get_template(StackName=stack["StackName"])["TemplateBody"],
        )
        for stack in client.describe_stacks()["Stacks"]
    }


def _tables(client):
    kept = ("KeySchema", "AttributeDefinitions", "DeletionProtectionEnabled")
    tables = {}
    for name in client.list_tables()["TableNames"]:
        table = client.describe_table(TableName=name)["Table"]
        indexes = sorted(index["IndexName"] for index in table.get("GlobalSecondaryIndexes", []))
        ttl = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        tables[name] = ([table.get(field) for field in kept], indexes, ttl)
    return tables


def _queues(client):
    queues = {}
    for url in client.list_queues()["QueueUrls"]:
        attributes = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        queues[url.rpartition("/")[2]] = {
            name: value
            for name, value in attributes.items()
            if not name.startswith("Approximate") and not name.endswith("Timestamp")
        }
    return queues


def _roles(client):
    roles = {}
    for role in client.list_roles()["Roles"]:
        name = role["RoleName"]
        inline = {
            policy: client.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            for policy in client.list_role_policies(RoleName=name)["PolicyNames"]
        }
        attached = client.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
        roles[name] = (role["AssumeRolePolicyDocument"], inline, attached)
    return roles


def _parameters(client):
    pages = client.get_paginator("describe_parameters").paginate()
    names = [parameter["Name"] for page in pages for parameter in page["Parameters"]]
    return {name: client.get_parameter(Name=name)["Parameter"]["Value"] for name in names}
