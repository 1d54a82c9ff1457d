"""A second company on the same stage, with its own key, senders, Twilio account and mail domain."""

import json

import pytest

from local import company
from local.vendors import twilio as twilio_vendor
from tests.rigs.outreach import MAIL

COMPANY_ID = "ci-bbb-002"
PROJECT_ID = "pi-bbb-002"
API_KEY = "neighbour-router-key"
WHATSAPP_NUMBER = "+15550109051"
SMS_NUMBER = "+15550109052"
EMAIL = "hello@neighbour.example"
ACCOUNT_SID = "AC" + "0" * 31 + "2"
AUTH_TOKEN = "neighbours-twilio-token"
TWILIO = {
    "twilio_account_sid": ACCOUNT_SID,
    "twilio_auth_token": AUTH_TOKEN,
    "twilio_template_sid": twilio_vendor.TEMPLATE_SID,
}


def project(**changes):
    """The neighbour's `company-data` item."""
    own = company.project("dev", company_id=COMPANY_ID, project_id=PROJECT_ID, **changes)
    own |= {"company_name": "Lettuce Recruitment", "project_name": "Salad"}
    channels = own["channel_config"]
    name = "ai-multi-comms/{}-credentials/lettuce/salad/twilio-dev"
    channels["whatsapp"] |= {
        "company_whatsapp_number": WHATSAPP_NUMBER,
        "whatsapp_credentials_id": name.format("whatsapp"),
    }
    channels["sms"] |= {
        "company_sms_number": SMS_NUMBER,
        "sms_credentials_id": name.format("sms"),
    }
    channels["email"] |= {"company_email": EMAIL}
    return own


class Neighbour:
    """What the second company does."""

    def __init__(self, outreach):
        self.outreach = outreach
        self.project = project()
        channels = self.project["channel_config"]
        twilio = json.dumps(TWILIO)
        company.put_secrets(
            outreach.stage,
            {
                "rp-mw/dev/router/api_keys": json.dumps(
                    {
                        company.COMPANY_ID: {"api_keys": [company.API_KEY]},
                        COMPANY_ID: {"api_keys": [API_KEY]},
                    }
                ),
                "rp-mw/dev/twilio/webhook_tokens": json.dumps(
                    {
                        twilio_vendor.ACCOUNT_SID: [twilio_vendor.AUTH_TOKEN],
                        ACCOUNT_SID: [AUTH_TOKEN],
                    }
                ),
                channels["whatsapp"]["whatsapp_credentials_id"]: twilio,
                channels["sms"]["sms_credentials_id"]: twilio,
            },
        )
        outreach.twilio.accounts[ACCOUNT_SID] = AUTH_TOKEN
        outreach.ses.verified.add(EMAIL.rpartition("@")[2])
        company.put_project(outreach.stage, self.project)

    def request(self, request_id, channel, recipient, **changes):
        """A body of a start in the neighbour's own name."""
        own = {"company_id": COMPANY_ID, "project_id": PROJECT_ID}
        changes["company_data"] = own | changes.get("company_data", {})
        return company.request(request_id, channel, recipient, **changes)

    def start(
        self, request_id="own1", channel="whatsapp", recipient=None, *, given=None, **changes
    ):
        """Start a conversation with the neighbour's key; `given` is its conversation's id."""
        recipient = recipient or (MAIL if channel == "email" else "+15550100001")
        body = self.request(request_id, channel, recipient, **changes)
        if given is not None:
            body = {"frontend_payload": body, "conversation_data": {"conversation_id": given}}
        return self.outreach.post(body, key=API_KEY)


@pytest.fixture
def neighbour(outreach):
    made = Neighbour(outreach)
    yield made
    outreach.twilio.accounts.pop(ACCOUNT_SID)
    outreach.ses.verified.discard(EMAIL.rpartition("@")[2])
