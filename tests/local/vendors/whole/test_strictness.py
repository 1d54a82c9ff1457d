"""What the simulated vendors refuse as the real ones do, by their SDKs and descriptions."""

import boto3
import pytest
import requests
from botocore.exceptions import ClientError

from local.vendors import openai as openai_vendor
from local.vendors import twilio as twilio_vendor
from local.vendors.ses import SimulatedSes

SENDER, RECIPIENT = "replies@company.example", "j.doe@example.com"


@pytest.fixture
def send(ses):
    client = boto3.client(
        "sesv2",
        endpoint_url=ses.base_url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )

    def send(*, to=RECIPIENT, **changes):
        text = {"Data": "Hello"}
        whole = {
            "FromEmailAddress": SENDER,
            "Destination": {"ToAddresses": [to]},
            "Content": {"Simple": {"Subject": text, "Body": {"Text": text}}},
            **changes,
        }
        return client.send_email(**whole)["MessageId"]

    return send


def test_ses_knows_its_configuration_sets(send):
    assert send(ConfigurationSetName="rp-mw-dev")
    with pytest.raises(ClientError, match="NotFoundException"):
        send(ConfigurationSetName="rp-mw-typo")


@pytest.mark.parametrize(
    "to", ["nobody", "a@b", "a b@example.com", "<j@example.com>", "@example.com"]
)
def test_ses_refuses_what_is_no_address(send, ses, to):
    with pytest.raises(ClientError, match="BadRequestException"):
        send(to=to)
    assert ses.emails == ()


def test_ses_in_the_sandbox_sends_to_verified_recipients_only(send, ses):
    ses.set_modes(sandbox=True)
    with pytest.raises(ClientError, match="MessageRejected"):
        send()
    assert send(to="someone@company.example")


def test_another_account_has_other_identities_and_sets():
    with SimulatedSes(verified={"other.example"}, configuration_sets={"other"}) as ses:
        assert (ses.verified, ses.configuration_sets) == ({"other.example"}, {"other"})


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"max_output_tokens": 15}, "integer_below_min_value"),
        ({"max_output_tokens": "16"}, "invalid_type"),
        ({"max_tokens": 100}, "unknown_parameter"),
        ({"thread_id": "t"}, "unknown_parameter"),
        ({"input": [{"role": "bot", "content": "x"}]}, "invalid_value"),
        ({"input": [{"role": "user", "content": "x", "name": "y"}]}, "unknown_parameter"),
        ({"input": [{"role": "user", "content": 7}]}, "invalid_type"),
        ({"reasoning": {"effort": "maximum"}}, "invalid_value"),
    ],
)
def test_openai_refuses_a_parameter_that_is_unknown_or_out_of_range(openai, changes, code):
    answer = ask(openai, changes)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("role", ["user", "assistant", "system", "developer"])
def test_openai_takes_every_role_and_the_least_of_tokens(openai, role):
    message = {"role": role, "content": "x"}
    assert ask(openai, {"input": [message], "max_output_tokens": 16}).status_code == 200


def ask(openai, changes):
    body = {"model": openai_vendor.MODELS[0], "input": "Hello", **changes}
    headers = {"authorization": f"Bearer {openai_vendor.API_KEY}"}
    return requests.post(f"{openai.url}/v1/responses", json=body, headers=headers, timeout=60)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "app.example.com/status",
        "ftp://app.example.com/status",
        "https:///status",
        "https://app.example.com",
        "https://my_app.example.com/status",
        "https://app.example.com/status?cid=a b",
        "https://app.example.com/status?cid=%zz",
        "https://app.example.com/" + "x" * 4000,
    ],
)
def test_twilio_refuses_a_callback_that_is_no_whole_url(twilio, url):
    answer = text(twilio, url)
    assert (answer.status_code, answer.json()["code"]) == (400, 21609)
    assert twilio.messages == ()


def test_twilio_takes_a_callback_with_a_query(twilio):
    assert (
        text(twilio, "https://app.example.com/api/webhook/twilio/status?cid=a.b").status_code == 201
    )


def text(twilio, callback):
    account = twilio_vendor.ACCOUNT_SID
    form = {"To": "+15550100001", "From": "+15550109002", "Body": "Hi", "StatusCallback": callback}
    return requests.post(
        f"{twilio.url}/2010-04-01/Accounts/{account}/Messages.json",
        data=form,
        auth=(account, twilio_vendor.AUTH_TOKEN),
        timeout=60,
    )
