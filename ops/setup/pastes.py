"""What a person must enter at the vendors, exactly, because no API of theirs can set it.

A secret's value is never printed.  The command that shows the value is printed instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.outreach.channels import SES
from chalicelib.outreach.twilio.door import MESSAGE_PATH
from chalicelib.support.webhook import TOKEN_HEADER
from ops.companies import senders
from ops.session import Session

BODY = (
    '{"ticket_id": "{{ticket.id}}", "ticket_url": "{{ticket.url}}", "trigger": "customer_message"}'
)
"""The body of Richpanel's HTTP target; without the customer's text, which Richpanel does not escape."""


@dataclass(frozen=True, slots=True)
class Paste:
    """One thing to enter by hand.

    Attributes:
        name: the entry's name.
        where: the place in the vendor's interface.
        address: the URL, domain or ARN to enter there.
        headers: values by header; ``secret:`` precedes the name of the secret that holds a value.
        body: the exact text to paste.
        then: what else to choose or do there.
    """

    name: str
    system: str
    where: str
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    then: str = ""


def every(session: Session) -> Iterator[Paste]:
    """Yield everything to enter for the systems that the stage runs."""
    settings = session.services.settings
    base, stage = settings.public_base_url, session.stage
    if "support" in settings.systems:
        yield from _support(base, stage)
    if "outreach" in settings.systems:
        yield from _outreach(session, base, stage)
    if "facts" in settings.systems:
        yield from _facts(settings, base, stage)


def secret(stage: str, name: str) -> str:
    """The placeholder ``secret:<name>`` for a secret's value in a header."""
    return f"secret:rp-mw/{stage}/{name}"


def shown(value: str) -> str:
    """A header's value for a person; a secret's is the command that prints it."""
    before, mark, name = value.partition("secret:")
    if not mark:
        return value
    return (
        f"{before}$(aws secretsmanager get-secret-value --secret-id {name}"
        " --query SecretString --output text)"
    )


def _support(base: str, stage: str) -> Iterator[Paste]:
    yield Paste(
        "richpanel target",
        "support",
        "Richpanel: Settings, Integrations, HTTP Targets; method POST",
        f"{base}/webhook/richpanel",
        {
            TOKEN_HEADER: secret(stage, "richpanel/webhook_token"),
            "content-type": "application/json",
        },
        BODY,
    )
    yield Paste(
        "richpanel rule",
        "support",
        "Richpanel: Settings, Automation, Tagging rules, first in the list",
        then="fires when a customer starts a conversation or sends a message; its one action is the"
        " target; skip all subsequent rules is off",
    )
    yield Paste(
        "richpanel routing",
        "support",
        "Richpanel: Settings, Automation, Assignment rules",
        then="one rule for each route-... tag: fires when the tag is added, moves the ticket to its"
        " team; python -m ops support-tags lists the tags",
    )


def _outreach(session: Session, base: str, stage: str) -> Iterator[Paste]:
    yield Paste(
        "channel router",
        "outreach",
        "the Channel Router's settings, for each company",
        f"{base}/initiate-conversation",
        {"x-api-key": secret(stage, "router/api_keys"), "content-type": "application/json"},
        then="the key is the first of the company's api_keys in that secret",
    )
    yield Paste(
        "twilio webhook",
        "outreach",
        "Twilio: each number, messaging service and WhatsApp sender; A message comes in, POST",
        f"{base}{MESSAGE_PATH}#rc=5&rp=all",
        then="opt-out handling as opt_out_answers in company-data says: python -m ops doctor",
    )
    domains = sorted(
        {
            use.address.rpartition("@")[2]
            for project in senders.projects(session)
            for use in senders.uses(project)
            if use.channel.traits.carrier is SES
        }
    )
    account, region = session.identity.account, session.client("sts").meta.region_name
    yield Paste(
        "ses domain",
        "outreach",
        "Amazon SES: Identities, Create identity, Domain, Easy DKIM; its records into the domain's DNS",
        ", ".join(domains) or "<each company's domain>",
        then="then SENDER_IDENTITIES: "
        + ",".join(f"arn:aws:ses:{region}:{account}:identity/{domain}" for domain in domains),
    )
    yield Paste(
        "ses production",
        "outreach",
        "Amazon SES: Account dashboard, Request production access",
        then="until then SES sends to verified addresses only",
    )
    yield Paste(
        "ses replies",
        "outreach",
        "Amazon SES: Email receiving, a receipt rule for the domain, action SNS, encoding Base64;"
        " the domain's MX record is SES's inbound endpoint",
        f"arn:aws:sns:{region}:{account}:rp-mw-mail-{stage}",
    )


def _facts(settings: Any, base: str, stage: str) -> Iterator[Paste]:  # noqa: ANN401 - settings
    yield Paste(
        "aloware webhook",
        "facts",
        "Aloware: Integrations, Webhooks; every communication event",
        f"{base}/webhook/aloware",
        {"authorization": f"Bearer {secret(stage, 'aloware/webhook_token')}"},
    )
    yield Paste(
        "hubspot webhook",
        "facts",
        "HubSpot: the app, Webhooks; target URL, then the subscriptions object.creation of tickets"
        " and e-mails",
        settings.hubspot_webhook_url or f"{base}/webhook/hubspot",
    )
    if "onelake" in settings.facts_report:
        yield Paste(
            "fabric database",
            "facts",
            "Fabric: a workspace on a capacity, New item, Mirrored database (open mirroring); then the"
            " tenant setting that lets service principals use Fabric's APIs, and the workspace's"
            " access: Contributor for an application of Microsoft Entra with a client secret",
            then=f"tenant {settings.fabric_tenant_id or '<tenant>'}, client"
            f" {settings.fabric_client_id or '<client>'}, workspace"
            f" {settings.fabric_workspace_id or '<workspace>'}, mirrored database"
            f" {settings.fabric_database_id or '<database>'}: both ids are in the landing zone's URL",
        )
    if "powerbi" in settings.facts_report:
        yield Paste(
            "entra application",
            "facts",
            "Microsoft Entra: App registrations, New; a client secret; then Power BI: the tenant"
            " setting that lets service principals use its APIs, and the workspace's access: Member",
            then=f"tenant {settings.powerbi_tenant_id or '<tenant>'}, client"
            f" {settings.powerbi_client_id or '<client>'}, workspace"
            f" {settings.powerbi_workspace_id or '<workspace>'}",
        )
