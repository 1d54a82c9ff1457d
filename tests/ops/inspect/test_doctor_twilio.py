"""`ops doctor` and Twilio: where messages are posted, and who answers opt-outs."""

import pytest

from local import company
from ops.inspect.doctor_twilio import twilio
from ops.session import Session

DOOR = f"{company.PUBLIC_URL}/webhook/twilio"


@pytest.fixture
def checked(outreach, monkeypatch):
    """The findings about Twilio, by check, with the number's address as given."""
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)

    def check(url):
        outreach.twilio.numbers.clear()  # the server outlives a test
        if url is not None:
            outreach.twilio.numbers[company.SMS_NUMBER] = url
        return {
            finding.check: (finding.result, finding.detail) for finding in twilio(Session("dev"))
        }

    return check


@pytest.mark.parametrize(
    ("url", "result", "said"),
    [
        (f"{DOOR}#rc=5&rp=all", "ok", ""),
        (DOOR, "warn", "#rc=5&rp=all"),
        (f"{DOOR}#rc=1&rp=all", "warn", "#rc=5&rp=all"),
        ("https://other.example/webhook/twilio#rc=5&rp=all", "warn", "not posted to"),
        ("", "warn", "not posted to"),
        (None, "fail", "no such number"),
    ],
)
def test_the_address_of_a_number_is_compared(checked, url, result, said):
    found = checked(url)["twilio webhook"]
    assert found[0] == result
    assert said in found[1]
    assert company.SMS_NUMBER not in found[1]


def test_a_twilio_that_cannot_be_asked_is_a_warning(outreach, checked):
    outreach.twilio.fault("status", operation="read_number", status=503, times=20)
    assert checked(DOOR)["twilio webhook"][0] == "warn"


def test_who_must_answer_opt_outs_is_a_manual_check(outreach, checked):
    assert "must be on" in checked(DOOR)["twilio opt-outs"][1]
    config = outreach.project["channel_config"]
    own = {**config, "sms": {**config["sms"], "opt_out_answers": "own"}}
    outreach.set_project(channel_config=own)
    assert "must be off" in checked(DOOR)["twilio opt-outs"][1]
