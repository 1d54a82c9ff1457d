"""What a message needs is read before the last look at the lease."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from chalicelib.clock import iso
from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.outreach.actions import Loaded, SendText
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.sending import Sender
from chalicelib.outreach.twilio.client import Credentials
from local import company
from tests.rigs.fakes import ManualClock

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FREE, TEMPLATE = Draft(text="Thank you"), Draft(variables={"1": "Jo"})


def record(channel):
    config = company.project("dev")["channel_config"][channel]
    return Record(
        {
            "channel_method": channel,
            "channel_config": config,
            "primary_channel": "+15550140000",
            "opaque_id": "o1",
            "last_inbound_at": iso(NOW),
        }
    )


def prepare(channel, written, credentials):
    twilio = SimpleNamespace(credentials=credentials)
    sender = Sender(None, None, twilio, None, ManualClock(NOW), public_base_url="https://x.example")
    sender.prepare([SendText("o1", "e1", loaded=Loaded(record(channel), written))])


@pytest.mark.parametrize(
    ("channel", "written"), [("sms", FREE), ("whatsapp", FREE), ("whatsapp", TEMPLATE)]
)
def test_a_texts_credentials_are_read_before_it_is_sent(channel, written):
    read = []

    def credentials(secret_id):
        read.append(secret_id)
        return Credentials("AC1", "token", "HX1")

    prepare(channel, written, credentials)
    (secret_id,) = read
    assert secret_id in record(channel).channel_config.values()


@pytest.mark.parametrize("error", [UnavailableError("secret_unreadable"), PermanentError("s", "r")])
def test_credentials_that_cannot_be_read_stop_a_text_before_it_leaves(error):
    def credentials(secret_id):
        raise error

    with pytest.raises(type(error)):
        prepare("sms", FREE, credentials)
