"""The simulated Twilio, with the vendor's own SDK as its client."""

from urllib.parse import parse_qsl

import pytest
from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.request_validator import RequestValidator
from twilio.rest import Client

from local.vendors.twilio import ACCOUNT_SID, AUTH_TOKEN, MAGIC, TEMPLATE_SID, SimulatedTwilio

TO, FROM = "+15550100001", "+15550109002"


class HereClient(TwilioHttpClient):
    """Sends requests for Twilio to the simulation."""

    def __init__(self, base_url):
        super().__init__(timeout=60)
        self.base_url = base_url

    def request(self, method, url, *arguments, **named):
        here = url.replace("https://api.twilio.com", self.base_url)
        return super().request(method, here, *arguments, **named)


@pytest.fixture
def twilio():
    with SimulatedTwilio() as running:
        yield running


@pytest.fixture
def client(twilio):
    made = Client(ACCOUNT_SID, AUTH_TOKEN, http_client=HereClient(twilio.base_url))
    yield made
    made.http_client.session.close()


def test_a_message_is_created_and_read_back_by_the_sdk(client):
    made = client.messages.create(to=TO, from_=FROM, body="Hello")
    assert made.sid.startswith("SM")
    assert (made.status, made.direction, made.num_segments) == ("queued", "outbound-api", "1")
    assert made.date_created.tzinfo is not None
    assert client.messages(made.sid).fetch().body == "Hello"


def test_a_template_is_rendered_with_its_variables(client):
    made = client.messages.create(
        to=f"whatsapp:{TO}",
        from_=f"whatsapp:{FROM}",
        content_sid=TEMPLATE_SID,
        content_variables='{"1": "Ana", "2": "Cucumber"}',
    )
    assert made.body == "Hello Ana, this is Cucumber. Reply to this message to talk to us."


def test_the_list_is_filtered_and_paged(client):
    for number in range(7):
        client.messages.create(to=TO, from_=FROM, body=f"number {number}")
    client.messages.create(to="+15550100002", from_=FROM, body="another")
    found = client.messages.list(to=TO, from_=FROM, page_size=3)
    assert [message.body for message in found] == [f"number {n}" for n in reversed(range(7))]


@pytest.mark.parametrize(("number", "code"), MAGIC.items())
def test_a_magic_number_is_refused_with_its_code(client, number, code):
    with pytest.raises(TwilioRestException) as refused:
        client.messages.create(to=number, from_=FROM, body="Hello")
    assert (refused.value.status, refused.value.code) == (400, code)


def test_a_wrong_token_is_401_with_code_20003(twilio):
    wrong = Client(ACCOUNT_SID, "wrong", http_client=HereClient(twilio.base_url))
    with pytest.raises(TwilioRestException) as refused:
        wrong.messages.create(to=TO, from_=FROM, body="Hello")
    assert (refused.value.status, refused.value.code) == (401, 20003)
    wrong.http_client.session.close()


def test_callbacks_and_inbound_messages_pass_the_sdks_signature_check(client, twilio):
    url = "https://router.company.example/api/webhook/twilio/status?cid=a.b"
    client.messages.create(to=TO, from_=FROM, body="Hello", status_callback=url)
    validator = RequestValidator(AUTH_TOKEN)
    inbound = twilio.inbound(TO, FROM, "Hi & bye", url="https://router.company.example/api/x")
    for post in [*twilio.callbacks(), inbound]:
        form = dict(parse_qsl(post.body.decode(), keep_blank_values=True))
        assert validator.validate(post.url, form, post.headers["X-Twilio-Signature"])


def test_free_text_outside_the_window_is_accepted_and_fails_later(client, twilio):
    url = "https://router.company.example/status"
    pair = {"to": f"whatsapp:{TO}", "from_": f"whatsapp:{FROM}"}
    client.messages.create(**pair, body="Hello", status_callback=url)
    (failed,) = twilio.callbacks()
    assert b"MessageStatus=failed" in failed.body
    assert b"ErrorCode=63016" in failed.body
    twilio.inbound(TO, FROM, "Hi", whatsapp=True, url=url)
    client.messages.create(**pair, body="Hello", status_callback=url)
    assert b"MessageStatus=sent" in twilio.callbacks()[0].body


def test_a_recipient_who_said_stop_is_refused_with_21610(client, twilio):
    twilio.inbound(TO, FROM, "STOP", url="https://router.company.example/x")
    with pytest.raises(TwilioRestException) as refused:
        client.messages.create(to=TO, from_=FROM, body="Hello")
    assert refused.value.code == 21610


def test_a_message_without_a_callback_url_gets_no_callback(client, twilio):
    made = client.messages.create(to=TO, from_=FROM, body="Hello")
    assert twilio.callbacks() == []
    assert client.messages(made.sid).fetch().status == "delivered"


def test_an_undelivered_message_shows_its_error_code_everywhere(client, twilio):
    twilio.set_modes(fates=["sent", "undelivered"])
    made = client.messages.create(
        to=TO, from_=FROM, body="Hello", status_callback="http://x.example/status"
    )
    assert b"ErrorCode=30003" in twilio.callbacks()[-1].body
    read = client.messages(made.sid).fetch()
    assert (read.status, read.error_code) == ("undelivered", 30003)


def test_an_account_does_not_see_another_accounts_messages():
    other = "AC" + "2" * 32
    with SimulatedTwilio(accounts={ACCOUNT_SID: AUTH_TOKEN, other: AUTH_TOKEN}) as both:
        ours, theirs = (
            Client(account, AUTH_TOKEN, http_client=HereClient(both.base_url))
            for account in (ACCOUNT_SID, other)
        )
        made = ours.messages.create(to=TO, from_=FROM, body="Hello")
        with pytest.raises(TwilioRestException) as refused:
            theirs.messages(made.sid).fetch()
        assert refused.value.status == 404
        for client in (ours, theirs):
            client.http_client.session.close()


@pytest.mark.parametrize("word", ["Unsubscribe", " CANCEL ", "quit"])
def test_every_stop_and_start_keyword_works(client, twilio, word):
    twilio.inbound(TO, FROM, word, url="https://router.company.example/x")
    with pytest.raises(TwilioRestException):
        client.messages.create(to=TO, from_=FROM, body="Hello")
    twilio.inbound(TO, FROM, "Yes", url="https://router.company.example/x")
    client.messages.create(to=TO, from_=FROM, body="Hello")


def test_an_inbound_picture_has_its_url(twilio):
    post = twilio.inbound(TO, FROM, "", media=2, url="https://router.company.example/x")
    form = dict(parse_qsl(post.body.decode(), keep_blank_values=True))
    assert form["NumMedia"] == "2"
    assert {"MediaUrl0", "MediaUrl1", "MediaContentType1"} <= set(form)
