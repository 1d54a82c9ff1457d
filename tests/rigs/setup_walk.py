"""What `ops setup` is given in the tests, and its printed pastes carried out at the simulated vendors."""

import json
import re
from pathlib import Path

import requests

from local import company
from local.stack import environment
from local.vendors import onelake as onelake_vendor
from local.vendors import powerbi as powerbi_vendor
from local.vendors import richpanel as richpanel_vendor
from local.vendors import twilio as twilio_vendor
from local.vendors.aloware import Aloware
from local.vendors.hubspot import CLIENT_SECRET, HubSpot

SECRETS = {
    "RP_KEY": richpanel_vendor.API_KEY,
    "HUBSPOT_SECRET": CLIENT_SECRET,
    "POWERBI_SECRET": powerbi_vendor.CLIENT_SECRET,
    "FABRIC_SECRET": onelake_vendor.CLIENT_SECRET,
    "TWILIO_CREDENTIALS": json.dumps(
        {
            "twilio_account_sid": twilio_vendor.ACCOUNT_SID,
            "twilio_auth_token": twilio_vendor.AUTH_TOKEN,
            "twilio_template_sid": twilio_vendor.TEMPLATE_SID,
        }
    ),
}
"""What a person would type, by the environment variable that the answers name."""
RECIPIENT = "+15550100001"


def vendors(richpanel, twilio, powerbi):
    """Variables that point to the simulated vendors."""
    return {
        "RICHPANEL_BASE_URL": richpanel.base_url,
        "RICHPANEL_REQUESTS_PER_30_S": "50",
        "TWILIO_BASE_URL": twilio.base_url,
        "POWERBI_BASE_URL": powerbi.url,
        "POWERBI_TOKEN_URL": powerbi.token_url,
        "POWERBI_TENANT_ID": powerbi_vendor.TENANT,
        "POWERBI_CLIENT_ID": powerbi_vendor.CLIENT_ID,
        "POWERBI_WORKSPACE_ID": powerbi_vendor.WORKSPACE,
    }


def mirrored(onelake):
    """Variables of facts that go to a dataset and to OneLake."""
    return {"FACTS_REPORT": "powerbi,onelake", **environment.onelake(onelake)}


def answers(folder: Path, stage: str, account: str, variables) -> Path:
    """The file of answers; it names no secret's value."""
    item = company.project(stage)
    (folder / "company.json").write_text(json.dumps(item))
    channels = item["channel_config"]
    credentials = (
        channels["whatsapp"]["whatsapp_credentials_id"],
        channels["sms"]["sms_credentials_id"],
    )
    lines = [
        'systems = ["support", "outreach", "facts"]',
        'way = "direct"',
        f'account = "{account}"',
        'alarm_email = "night@example.com"',
        'company = "company.json"',
        "[variables]",
        *(f"{name} = {json.dumps(value)}" for name, value in variables.items()),
        "[secrets]",
        '"richpanel/api_key" = "RP_KEY"',
        '"hubspot/client_secret" = "HUBSPOT_SECRET"',
        '"powerbi/client_secret" = "POWERBI_SECRET"',
        *(['"fabric/client_secret" = "FABRIC_SECRET"'] if "FACTS_REPORT" in variables else ()),
        *(f'"{one}" = "TWILIO_CREDENTIALS"' for one in credentials),
    ]
    file = folder / "answers.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def secret(aws, secret_id):
    """A secret's value, as the command of a paste prints it."""
    return aws.client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"]


def headers(aws, paste):
    """A paste's headers, as the person who enters them has read their secrets."""
    found = {}
    for name, value in paste["headers"].items():
        before, mark, secret_id = value.partition("secret:")
        found[name] = before + secret(aws, secret_id) if mark else value
    return found


def carry_out(aws, pastes, richpanel):
    """Enter what is printed, and let one real message come in at every system."""
    target = pastes["richpanel target"]
    richpanel.add_ticket("1043", comments=[{"body": "I want a refund", "id": "c-1"}])
    body = target["body"].replace("{{ticket.id}}", "1043").replace("{{ticket.url}}", "")
    answered = requests.post(target["address"], data=body, headers=headers(aws, target), timeout=60)
    assert answered.status_code == 200, answered.text

    router = pastes["channel router"]
    keys = json.loads(headers(aws, router)["x-api-key"])[company.COMPANY_ID]["api_keys"]
    started = requests.post(
        router["address"],
        json=company.request("req-1", "sms", RECIPIENT),
        headers={"x-api-key": keys[0]},
        timeout=60,
    )
    assert started.status_code == 200, started.text

    paste = pastes["aloware webhook"]
    token = headers(aws, paste)["authorization"].removeprefix("Bearer ")
    sender = Aloware(paste["address"], token=token)
    sender.call()
    assert set(sender.answers) == {200}
    address = pastes["hubspot webhook"]["address"]
    assert HubSpot(address, address, SECRETS["HUBSPOT_SECRET"]).deliver([_ticket_made()]) == 1


def reply(pastes, twilio):
    """The recipient answers the message, by the address that Twilio was given."""
    address = pastes["twilio webhook"]["address"].partition("#")[0]
    posted = twilio.inbound(RECIPIENT, company.SMS_NUMBER, "Yes please", url=address)
    assert posted.send() == 200


def _ticket_made():
    return {
        "eventId": 1,
        "subscriptionType": "object.creation",
        "objectTypeId": "0-5",
        "objectId": 77,
        "occurredAt": 1_763_600_000_000,
        "sourceId": "userId:5001",
        "attemptNumber": 0,
    }


def described(aws, config):
    """What a setup has made: everything but rows, generated values, times, and the account's number."""
    found = {
        "config": json.loads(config.read_text()),
        "stacks": _stacks(aws.client("cloudformation")),
        "tables": _tables(aws.client("dynamodb")),
        "queues": _queues(aws.client("sqs")),
        "roles": _roles(aws.client("iam")),
        "parameters": _parameters(aws.client("ssm")),
        "secrets": sorted(
            one["Name"] for one in aws.client("secretsmanager").list_secrets()["SecretList"]
        ),
        "buckets": sorted(one["Name"] for one in aws.client("s3").list_buckets()["Buckets"]),
        "subscriptions": sorted(
            (one["TopicArn"], one["Endpoint"])
            for one in aws.client("sns").list_subscriptions()["Subscriptions"]
        ),
        "functions": {
            one["FunctionName"]: (one["CodeSha256"], one["Environment"]["Variables"])
            for one in aws.client("lambda").list_functions()["Functions"]
        },
        "alarms": sorted(
            one["AlarmName"] for one in aws.client("cloudwatch").describe_alarms()["MetricAlarms"]
        ),
        "keys of the company": len(
            json.loads(secret(aws, "rp-mw/dev/router/api_keys"))[company.COMPANY_ID]["api_keys"]
        ),
    }
    text = json.dumps(found, default=str, sort_keys=True).replace(aws.account, "<account>")
    return json.loads(re.sub(r"127\.0\.0\.1:\d+", "<address>", text))


def _stacks(client):
    return {
        one["StackName"]: (
            one["StackStatus"],
            sorted((each["ParameterKey"], each["ParameterValue"]) for each in one["Parameters"]),
            client.get_template(StackName=one["StackName"])["TemplateBody"],
        )
        for one in client.describe_stacks()["Stacks"]
    }


def _tables(client):
    kept = ("KeySchema", "AttributeDefinitions", "DeletionProtectionEnabled")
    tables = {}
    for name in client.list_tables()["TableNames"]:
        table = client.describe_table(TableName=name)["Table"]
        indexes = sorted(one["IndexName"] for one in table.get("GlobalSecondaryIndexes", []))
        ttl = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        tables[name] = ([table.get(one) for one in kept], indexes, ttl)
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
    for one in client.list_roles()["Roles"]:
        name = one["RoleName"]
        inline = {
            policy: client.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            for policy in client.list_role_policies(RoleName=name)["PolicyNames"]
        }
        attached = client.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
        roles[name] = (one["AssumeRolePolicyDocument"], inline, attached)
    return roles


def _parameters(client):
    pages = client.get_paginator("describe_parameters").paginate()
    names = [one["Name"] for page in pages for one in page["Parameters"]]
    return {one: client.get_parameter(Name=one)["Parameter"]["Value"] for one in names}
