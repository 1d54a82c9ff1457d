"""A message's credentials are read before the last check of the lease."""

from datetime import UTC, datetime

import pytest

from chalicelib.clock import iso
from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.outreach.channels import SEND_TEXT
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.sending.effects import Loaded, SendData, send_effect
from local import company

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FREE, TEMPLATE = Draft(text="Thank you"), Draft(variables={"1": "Jo"})


def record(channel):
    config = company.project("dev")["channel_config"][channel]
    return Record(
        {
            "channel_method": channel,
            "channel_config": config,
            "primary_channel": "+15550140000",
            "company_id": "co-1",
            "opaque_id": "o1",
            "last_inbound_at": iso(NOW),
        }
    )


def prepare(parts, channel, written):
    parts.clock.moment = NOW
    parts.texts.prepare(
        [send_effect(SEND_TEXT, "o1", "e1", SendData(Loaded(record(channel), written)))]
    )


@pytest.mark.parametrize(
    ("channel", "written"), [("sms", FREE), ("whatsapp", FREE), ("whatsapp", TEMPLATE)]
)
def test_a_texts_credentials_are_read_before_it_is_sent(
    outreach_parts, twilio_server, channel, written
):
    prepare(outreach_parts, channel, written)
    (secret_id,) = outreach_parts.secrets.reads
    assert secret_id in record(channel).channel_config.values()
    assert twilio_server.requests == []


@pytest.mark.parametrize(
    ("secret", "error"),
    [(UnavailableError("secret_unreadable"), UnavailableError), ("{}", PermanentError)],
)
def test_credentials_that_cannot_be_read_stop_a_text_before_it_leaves(
    outreach_parts, twilio_server, secret, error
):
    outreach_parts.secrets.texts = dict.fromkeys(outreach_parts.secrets.texts, secret)
    with pytest.raises(error):
        prepare(outreach_parts, "sms", FREE)
    assert twilio_server.requests == []
