"""What `ops setup` is given in the tests, and its printed pastes carried out at the simulated vendors."""

import json
from pathlib import Path

import requests

from local import company
from local.vendors import powerbi as powerbi_vendor
from local.vendors import richpanel as richpanel_vendor
from local.vendors import twilio as twilio_vendor
from local.vendors.aloware import Aloware
from local.vendors.hubspot import CLIENT_SECRET, HubSpot

SECRETS = {
    "RP_KEY": richpanel_vendor.API_KEY,
    "HUBSPOT_SECRET": CLIENT_SECRET,
    "POWERBI_SECRET": powerbi_vendor.CLIENT_SECRET,
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
