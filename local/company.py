"""An invented company on a local stage: its projects, keys and vendor secrets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeSerializer

from chalicelib.outreach import senders
from chalicelib.outreach.channels import CREDENTIALS_FIELD_OF, Channel
from chalicelib.outreach.company_events.endpoint import secret_id
from chalicelib.outreach.project.project import Project
from local.vendors import openai as openai_vendor
from local.vendors import twilio as twilio_vendor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from local.stack.resources import Stage

COMPANY_ID = "ci-aaa-001"
PROJECT_ID = "pi-aaa-001"
MODEL_PROJECT_ID = "pi-aaa-002"
COMPANY_NAME = "Cucumber Recruitment"
BEGINNING = "News for you!"
"""What the second project's model begins its messages with, as its instructions say."""
CHANNELS = ("whatsapp", "sms", "email")
API_KEY = "local-router-key"
AGENT_KEY, LEAD_KEY = "local-desk-agent-key", "local-desk-lead-key"
WHATSAPP_NUMBER = "+15550109001"
SMS_NUMBER = "+15550109002"
EMAIL = "replies@company.example"
PUBLIC_URL = "https://router.company.example/api"


def project(stage: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - attributes of an item
    """The `company-data` item."""
    name = "ai-multi-comms/{}-credentials/cucumber/clarify-cv/twilio-" + stage
    return {
        "company_id": COMPANY_ID,
        "project_id": PROJECT_ID,
        "company_name": COMPANY_NAME,
        "project_name": "Clarify CV",
        "project_status": "active",
        "allowed_channels": list(CHANNELS),
        "rate_limits": {
            "requests_per_minute": 60,
            "requests_per_day": 2000,
            "concurrent_conversations": 30,
            "max_message_length": 4096,
        },
        "company_rep": {"company_rep_1": "Ana"},
        "auto_queue_initial_message": False,
        "auto_queue_reply_message": False,
        "company_contact": "+1 555 010 9000",
        "company_address": "1 Main Street, Springfield, IL 62701, USA",
        "answering": {"quiet_period_seconds": 0},  # the tests that are about it set one
        "quiet_hours": False,  # the demo and the tests run at any hour
        "jurisdictions": {"enforced": False},  # likewise
        "channel_config": {
            "whatsapp": {
                "company_whatsapp_number": WHATSAPP_NUMBER,
                "whatsapp_credentials_id": name.format("whatsapp"),
                "template_opt_out": "text",
            },
            "sms": {
                "company_sms_number": SMS_NUMBER,
                "sms_credentials_id": name.format("sms"),
            },
            "email": {
                "company_email": EMAIL,
                "email_from_name": "Cucumber Recruitment",
                "default_subject_line": "About your application",
            },
        },
        **changes,
    }


def create(stage: Stage, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - attributes of an item
    """Write the company's item and every secret that outreach reads; returns the item."""
    item = project(stage.name, **changes)
    put_project(stage, item)
    twilio = json.dumps(
        {
            "twilio_account_sid": twilio_vendor.ACCOUNT_SID,
            "twilio_auth_token": twilio_vendor.AUTH_TOKEN,
            "twilio_template_sid": twilio_vendor.TEMPLATE_SID,
        }
    )
    made = Project(item)
    put_secrets(
        stage,
        {
            f"rp-mw/{stage.name}/router/api_keys": json.dumps(
                {COMPANY_ID: {"api_keys": [API_KEY]}}
            ),
            f"rp-mw/{stage.name}/twilio/webhook_tokens": json.dumps(
                {twilio_vendor.ACCOUNT_SID: [twilio_vendor.AUTH_TOKEN]}
            ),
            **{made.secret_name(channel): twilio for channel in CREDENTIALS_FIELD_OF},
        },
    )
    return item


def open_desk(stage: Stage) -> None:
    """Give the company's desk its keys, beside the Router's."""
    desk = {"agent": [AGENT_KEY], "lead": [LEAD_KEY]}
    keys = {COMPANY_ID: {"api_keys": [API_KEY], "desk_keys": desk}}
    put_secrets(stage, {f"rp-mw/{stage.name}/router/api_keys": json.dumps(keys)})


def put_signing_secret(stage: Stage, secret: str) -> None:
    """Give the company a secret that signs its events."""
    name = secret_id(stage.name, COMPANY_ID)
    put_secrets(stage, {name: json.dumps({"signing_secrets": [secret]})})


def create_written_by_model(stage: Stage, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - attributes of an item
    """Create a second project, whose messages a language model writes; returns its item."""
    item = project(
        stage.name,
        project_id=MODEL_PROJECT_ID,
        project_name="Job Offers",
        ai_config={
            **ai_config_of_models(stage.name),
            "writer": {
                "instructions": f'You talk about job offers. Begin every message with "{BEGINNING}"',
                "persona": "Mia",
                "knowledge": [{"id": "hours", "text": "The office is open from 9:00 to 17:00."}],
                "allowed_links": ["jobs.company.example"],
            },
        },
        **changes,
    )
    put_project(stage, item)
    put_model_keys(stage)
    return item


def put_model_keys(stage: Stage) -> None:
    """Create the keys that `ai_config_of_models` names."""
    secret = json.dumps({"ai_api_key": openai_vendor.API_KEY})
    put_secrets(stage, dict.fromkeys(_key_names(stage.name).values(), secret))


def ai_config_of_models(stage_name: str) -> dict[str, Any]:
    """`ai_config` of a project for which OpenAI writes."""
    keys = _key_names(stage_name).items()
    return {"openai_config": {key: {"api_key_reference": name} for key, name in keys}}


def _key_names(stage_name: str) -> dict[str, str]:
    return {
        channel: f"ai-multi-comms/openai-api-key/{channel}-{stage_name}" for channel in CHANNELS
    }


def put_project(stage: Stage, item: Mapping[str, Any]) -> None:
    """Write a `company-data` item, and its senders' rows of the map."""
    put_rows(stage, [item, *sender_rows(item)])


def put_rows(stage: Stage, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write items of `company-data` as they are."""
    serialize = TypeSerializer().serialize
    for row in rows:
        stage.aws.client("dynamodb").put_item(
            TableName=stage.tables["CompanyDataTable"],
            Item={name: serialize(value) for name, value in row.items()},
        )


def sender_rows(
    item: Mapping[str, Any], account: str = twilio_vendor.ACCOUNT_SID
) -> list[dict[str, Any]]:
    """The rows of the map of senders for a project whose texts go by one Twilio account."""
    rows, made = [], Project(item)
    for channel in Channel:
        address = made.sender(channel)
        if address:
            row = {**senders.key(address), "owner_company_id": made.company_id, "claim_id": "1"}
            rows.append(row | ({"account_sid": account} if channel in CREDENTIALS_FIELD_OF else {}))
    return rows


def put_secrets(stage: Stage, values: Mapping[str, str]) -> None:
    """Create or update secrets."""
    client = stage.aws.client("secretsmanager")
    for name, value in values.items():
        try:
            client.create_secret(Name=name, SecretString=value)
        except client.exceptions.ResourceExistsException:
            client.put_secret_value(SecretId=name, SecretString=value)


def request(
    request_id: str,
    channel: str,
    recipient: str,
    **changes: Any,  # noqa: ANN401 - of any section
) -> dict[str, Any]:
    """A body of `POST /initiate-conversation`; changes are merged into its sections."""
    field = "recipient_email" if channel == "email" else "recipient_tel"
    body: dict[str, Any] = {
        "company_data": {"company_id": COMPANY_ID, "project_id": PROJECT_ID},
        "recipient_data": {
            "recipient_first_name": "Jo",
            field: recipient,
            "comms_consent": True,
        },
        "project_data": {"job_ref": "JR123"},
        "request_data": {
            "request_id": request_id,
            "channel_method": channel,
            "initial_request_timestamp": "2026-11-20T09:00:00.000Z",
        },
    }
    for section, fields in changes.items():
        body[section] = {**body[section], **fields}
    return body
