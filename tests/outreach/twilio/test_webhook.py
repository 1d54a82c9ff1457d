"""Twilio's signature by the vendor's published vectors, and the jobs made of its posts."""

import base64
import hashlib
import hmac
from urllib.parse import urlencode

import pytest

from chalicelib.errors import RequestError, SignatureError, TooLargeError
from chalicelib.once.door import InboundRequest
from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach.twilio import webhook as twilio_webhook

OPAQUE = OpaqueIds(b"k")
SID = "SM" + "a" * 32
URL = "https://mycompany.com/myapp.php?foo=1&bar=2"
FORM = [
    ("CallSid", "CA1234567890ABCDE"),
    ("Digits", "1234"),
    ("From", "+14158675309"),
    ("To", "+18005551212"),
    ("Caller", "+14158675309"),
]
TWICE = [("Sid", "CA123"), ("SidAccount", "AC123"), ("Digits", "5678"), ("Digits", "1234")]


def signature(form, url, tokens=("12345",)):
    values = {}
    for name, value in form:
        values.setdefault(name, set()).add(value)
    text = url + "".join(n + v for n in sorted(values) for v in sorted(values[n]))
    return base64.b64encode(hmac.new(tokens[0].encode(), text.encode(), hashlib.sha1).digest())


@pytest.mark.parametrize(
    ("form", "expected"),
    [(FORM, b"RSOYDt4T1cUTdK1PDd93/VVr8B8="), (TWICE, b"IK+Dwps556ElfBT0I3Rgjkr1wJU=")],
)
def test_the_published_signature_vectors_are_valid(form, expected):
    assert signature(form, URL) == expected
    named = [*form, ("AccountSid", "")]  # the vectors name no account
    headers = {"x-twilio-signature": signature(named, URL).decode()}
    twilio_webhook.verify(headers, urlencode(named).encode(), URL, {"": ("new", "12345")})


@pytest.mark.parametrize("tokens", [{}, {"": ()}, {"": ("other",)}])
def test_without_the_accounts_own_token_every_signature_is_refused(tokens):
    headers = {"x-twilio-signature": signature(FORM, URL).decode()}
    with pytest.raises(SignatureError):
        twilio_webhook.verify(headers, urlencode(FORM).encode(), URL, tokens)


def test_another_accounts_token_signs_nothing_for_this_one():
    form = [*FORM, ("AccountSid", "AC1")]
    headers = {"x-twilio-signature": signature(form, URL).decode()}
    body = urlencode(form).encode()
    twilio_webhook.verify(headers, body, URL, {"AC1": ("12345",), "AC2": ("67890",)})
    with pytest.raises(SignatureError):
        twilio_webhook.verify(headers, body, URL, {"AC1": ("67890",), "AC2": ("12345",)})


def test_blank_values_are_signed_and_the_urls_fragment_is_not():
    form = [*FORM, ("AccountSid", "AC1"), ("Body", "")]
    headers = {"x-twilio-signature": signature(form, URL).decode()}
    body = urlencode(form).encode()
    twilio_webhook.verify(headers, body, f"{URL}#rc=2&rp=all", {"AC1": ("12345",)})
    with pytest.raises(SignatureError):
        twilio_webhook.verify(headers, body.replace(b"&Body=", b""), URL, {"AC1": ("12345",)})


def test_the_secret_maps_an_account_to_its_active_tokens_and_nothing_else_counts():
    assert twilio_webhook.auth_tokens('{"AC1": ["a", "b"], "AC2": "c", "AC3": 7}') == {
        "AC1": ("a", "b"),
        "AC2": ("c",),
    }
    assert twilio_webhook.auth_tokens("token") == {}


def request(**form):
    return InboundRequest({}, urlencode(form).encode(), "2026-11-20T09:00:00.000Z", "d")


def heard(body, **more):
    form = {"MessageSid": SID, "From": "+15550100001", "To": "+15550109002", "Body": body}
    return twilio_webhook.parse_message(request(**form, **more), OPAQUE)


@pytest.mark.parametrize(
    ("given", "count"), [("2", 2), ("", 0), ("-1", 0), ("two", 0), ("9" * 5000, 0)]
)
def test_media_are_counted_only_if_the_count_is_a_number(given, count):
    assert heard("see this", NumMedia=given).media_count == count


@pytest.mark.parametrize(
    "text",
    [
        *("STOP", " stop ", "Stop.", "unsubscribe", "END", "'Stop!'", '"quit"'),
        *("stopall", "cancel", "revoke", "optout"),
    ],
)
def test_a_keyword_alone_is_a_stop(text):
    assert heard(text).opt_out == "stop"


@pytest.mark.parametrize("text", ["START", "Yes!", "unstop"])
def test_another_keyword_alone_is_a_start(text):
    assert heard(text).opt_out == "start"


@pytest.mark.parametrize("text", ["please stop calling it a CV", "the end is near", "in help", ""])
def test_a_sentence_with_a_keyword_is_no_stop(text):
    assert heard(text).opt_out is None


def test_twilios_own_opt_out_type_takes_precedence():
    assert heard("arrêt", OptOutType="STOP").opt_out == "stop"
    assert heard("help", OptOutType="HELP").opt_out == "help"
    assert heard("stop", OptOutType="OTHER").opt_out is None


@pytest.mark.parametrize(
    ("text", "whatsapp", "declared", "answers"),
    [
        ("STOP", False, {}, True),
        ("STOP", True, {}, False),
        ("BAJA", False, {}, False),
        ("BAJA", False, {"OptOutType": "STOP"}, True),
        ("help", False, {}, True),
        ("ayuda", False, {}, False),
        ("Hello", False, {}, False),
    ],
)
def test_who_answers_a_keyword(text, whatsapp, declared, answers):
    sender = "whatsapp:+15550100001" if whatsapp else "+15550100001"
    form = {"MessageSid": SID, "From": sender, "To": "+15550109002", "Body": text, **declared}
    asked = InboundRequest({}, urlencode(form).encode(), "2026-11-20T09:00:00.000Z", "d-1")
    assert twilio_webhook.parse_message(asked, OPAQUE).carrier_answers is answers


def test_a_text_is_cut_to_a_messages_length_and_a_huge_post_refused():
    assert len(heard("x" * 5000).text) == 4096
    with pytest.raises(TooLargeError):
        heard("x" * 64 * 1024)


def test_the_ledgers_ids_of_a_message_are_opaque():
    job = heard("hello")
    assert job.event_key == f"evt:reply:sms:{SID}"
    assert "555" not in job.conversation_id
    assert job.group == ("pair", "+15550109002", "+15550100001")


@pytest.mark.parametrize("sid", ["", "SM1", "x" * 34])
def test_a_post_without_a_message_id_is_refused(sid):
    with pytest.raises(RequestError):
        twilio_webhook.parse_message(request(MessageSid=sid, From="+1", To="+2"), OPAQUE)


def receipt(status, cid=f"{'a' * 32}.{'b' * 32}", **more):
    form = {"MessageSid": SID, "MessageStatus": status, "From": "+1", "To": "+2"}
    return twilio_webhook.parse_receipt(request(**form, **more), {"cid": cid})


def test_statuses_before_sending_are_ignored():
    assert receipt("queued") is None
    assert receipt("sending") is None


def test_a_receipt_has_a_rank_and_its_messages_id():
    ranks = [receipt(status).rank for status in ("sent", "delivered", "undelivered")]
    assert ranks == sorted(ranks)
    job = receipt("failed", ErrorCode="21610")
    assert (job.reason, job.opts_out, job.entry_id) == ("21610", True, "b" * 32)
    other = receipt("failed", ErrorCode="30003")
    assert (other.reason, other.opts_out) == ("30003", False)
    assert receipt("delivered", ErrorCode="0").reason is None


def test_a_read_receipt_is_recognised_by_its_event_type():
    assert (receipt("delivered", EventType="READ").status, receipt("read").rank) == ("read", 4)


def test_a_query_that_is_not_ours_is_refused():
    with pytest.raises(RequestError):
        receipt("sent", cid="1.2")
