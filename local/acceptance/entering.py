"""Supplies `ops setup` with answers for the simulated vendors, and enters its pastes there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import requests

from local import company
from local.stack import environment
from local.vendors import onelake as onelake_vendor
from local.vendors import powerbi as powerbi_vendor
from local.vendors import richpanel as richpanel_vendor
from local.vendors import twilio as twilio_vendor
from local.vendors.aloware import Aloware
from local.vendors.entra import TENANT
from local.vendors.hubspot import CLIENT_SECRET, HubSpot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local.vendors.twilio import SimulatedTwilio
    from ops.stage.provision import Clients

TIMEOUT_SECONDS = 60
RECIPIENT = "+15550100001"
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
"""The secrets that a person would type, by the environment variable that the answers name."""


class Tickets(Protocol):
    """A simulated Richpanel, wherever it runs."""

    def add_ticket(self, ticket_id: str, *, comments: list[dict[str, Any]]) -> object:
        """Add a ticket with its customer's comments."""


def variables(richpanel_url: str, twilio_url: str, powerbi_url: str) -> dict[str, str]:
    """The variables that point to simulated vendors."""
    return {
        "RICHPANEL_BASE_URL": richpanel_url,
        "RICHPANEL_REQUESTS_PER_30_S": "50",
        "TWILIO_BASE_URL": twilio_url,
        "POWERBI_BASE_URL": powerbi_url,
        "POWERBI_TOKEN_URL": f"{powerbi_url}/{TENANT}/oauth2/v2.0/token",
        "POWERBI_TENANT_ID": TENANT,
        "POWERBI_CLIENT_ID": powerbi_vendor.CLIENT_ID,
        "POWERBI_WORKSPACE_ID": powerbi_vendor.WORKSPACE,
    }


def mirrored(onelake: onelake_vendor.SimulatedOneLake) -> dict[str, str]:
    """The variables for facts that go to a dataset and to OneLake."""
    return {"FACTS_REPORT": "powerbi,onelake", **environment.onelake(onelake)}


def answers(
    folder: Path, stage: str, account: str, of_vendors: Mapping[str, str], *, way: str = "direct"
) -> Path:
    """Write the file of answers, which holds no secret's value; return its path."""
    item = company.project(stage)
    (folder / "company.json").write_text(json.dumps(item))
    channels = item["channel_config"]
    credentials = (
        channels["whatsapp"]["whatsapp_credentials_id"],
        channels["sms"]["sms_credentials_id"],
    )
    lines = [
        'systems = ["support", "outreach", "facts"]',
        f'way = "{way}"',
        f'account = "{account}"',
        'alarm_email = "night@example.com"',
        'company = "company.json"',
        "[variables]",
        *(f"{name} = {json.dumps(value)}" for name, value in of_vendors.items()),
        "[secrets]",
        '"richpanel/api_key" = "RP_KEY"',
        '"hubspot/client_secret" = "HUBSPOT_SECRET"',
        '"powerbi/client_secret" = "POWERBI_SECRET"',
        *(['"fabric/client_secret" = "FABRIC_SECRET"'] if "FACTS_REPORT" in of_vendors else ()),
        *(f'"{credential}" = "TWILIO_CREDENTIALS"' for credential in credentials),
    ]
    file = folder / "answers.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def secret(aws: Clients, secret_id: str) -> str:
    """A secret's value, as the command in a paste would print it."""
    found = aws.client("secretsmanager").get_secret_value(SecretId=secret_id)
    return str(found["SecretString"])


def headers(aws: Clients, paste: Mapping[str, Any]) -> dict[str, str]:
    """A paste's headers with the secrets' values filled in."""
    found = {}
    for name, value in paste["headers"].items():
        before, mark, secret_id = value.partition("secret:")
        found[name] = before + secret(aws, secret_id) if mark else value
    return found


def ticket(aws: Clients, pastes: Mapping[str, Any], richpanel: Tickets, ticket_id: str) -> None:
    """Let a customer write a ticket, and call the webhook that was entered at Richpanel.

    Raises:
        HTTPError: the request was not accepted.
    """
    richpanel.add_ticket(ticket_id, comments=[{"body": "I want a refund", "id": f"c-{ticket_id}"}])
    post(aws, pastes, ticket_id)


def post(aws: Clients, pastes: Mapping[str, Any], ticket_id: str) -> None:
    """Call the webhook that was entered at Richpanel, for a ticket.

    Raises:
        HTTPError: the request was not accepted.
    """
    target = pastes["richpanel target"]
    body = target["body"].replace("{{ticket.id}}", ticket_id).replace("{{ticket.url}}", "")
    requests.post(
        target["address"], data=body, headers=headers(aws, target), timeout=TIMEOUT_SECONDS
    ).raise_for_status()


def start(aws: Clients, pastes: Mapping[str, Any], request_id: str, to: str) -> None:
    """Start a conversation as the Router does.

    Raises:
        HTTPError: the request was not accepted.
    """
    router = pastes["channel router"]
    keys = json.loads(headers(aws, router)["x-api-key"])[company.COMPANY_ID]["api_keys"]
    requests.post(
        router["address"],
        json=company.request(request_id, "sms", to),
        headers={"x-api-key": keys[0]},
        timeout=TIMEOUT_SECONDS,
    ).raise_for_status()


def facts(aws: Clients, pastes: Mapping[str, Any]) -> None:
    """Send the events of a finished Aloware call and of a new HubSpot ticket.

    Raises:
        ValueError: an event was not accepted.
    """
    paste = pastes["aloware webhook"]
    token = headers(aws, paste)["authorization"].removeprefix("Bearer ")
    sender = Aloware(paste["address"], token=token)
    sender.call()
    address = pastes["hubspot webhook"]["address"]
    sent = HubSpot(address, address, SECRETS["HUBSPOT_SECRET"]).deliver([_ticket_made()])
    if set(sender.answers) != {200} or sent != 1:
        raise ValueError(f"Aloware's events got {sender.answers}, HubSpot's was sent {sent} times")


def carry_out(aws: Clients, pastes: Mapping[str, Any], richpanel: Tickets) -> None:
    """Use the printed pastes to send one real message to every system."""
    ticket(aws, pastes, richpanel, "1043")
    start(aws, pastes, "req-1", RECIPIENT)
    facts(aws, pastes)


def reply(pastes: Mapping[str, Any], twilio: SimulatedTwilio) -> None:
    """Send the recipient's reply to the address that was entered at Twilio.

    Raises:
        ValueError: the reply was not accepted.
    """
    address = pastes["twilio webhook"]["address"].partition("#")[0]
    status = twilio.inbound(RECIPIENT, company.SMS_NUMBER, "Yes please", url=address).send()
    if status != requests.codes.ok:
        raise ValueError(f"the reply got status {status}")


def _ticket_made() -> dict[str, Any]:
    return {
        "eventId": 1,
        "subscriptionType": "object.creation",
        "objectTypeId": "0-5",
        "objectId": 77,
        "occurredAt": 1_763_600_000_000,
        "sourceId": "userId:5001",
        "attemptNumber": 0,
    }
