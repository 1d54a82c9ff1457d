"""The promises of docs/redaction.md, tried from outside."""

import json

import pytest

from tests.outside.running import WRITTEN_BY_A_MODEL
from tests.outside.tickets import opens

SECRETS = {
    "an address as written": ("asked by jo.quag@private.example today", "quag"),
    "an address spelled out": ("asked by jo dot quag at private dot example", "quag"),
    "an address in a link": ("see mailto:jo.quag%40private.example", "quag"),
    "a phone number": ("asked on 212-555-0142", "212-555"),
    "a phone number in Arabic digits": ("call ٢١٢٥٥٥٠١٤٢", "٢١٢٥٥٥"),
    "a card": ("card 4111-1111-1111-1111", "4111"),
    "a bank account": ("to DE89 3704 0044 0532 0130 00", "3704"),
    "a social security number": ("SSN 536-22-8765", "536-22"),
    "a tracking number": ("parcel 1Z999AA10123456784", "999AA"),
    "a password": ("her password: quagquag1", "quag"),
    "a street address": ("send it to 12 Quagmire Street, Springfield, IL 62704", "Quagmire"),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_what_identifies_a_person_is_masked_however_it_is_spelled(stack, kind):
    typed, secret = SECRETS[kind]
    event = f"evt:rp:{opens(stack, 'I want to return my shoes.')}:c-1"
    stack.ops("replay", event, "--because", typed, "--yes")
    shown = json.dumps(stack.ops("journal", event, "--json").data, ensure_ascii=False)
    assert "***" in shown or "[ADDRESS]" in shown
    assert secret not in shown


def test_a_harmless_sentence_stays_as_it_was_typed(stack):
    event = f"evt:rp:{opens(stack, 'I want to return my shoes.')}:c-1"
    typed = "12 tickets on 2026-11-24 at 10:40, 3.50 USD each, release 1.20.3, HTTP 503"
    stack.ops("replay", event, "--because", typed, "--yes")
    assert typed in json.dumps(stack.ops("journal", event, "--json").data)


def test_a_vendors_refusal_that_quotes_a_person_is_in_no_log_and_no_explanation(stack):
    before, quoted = (
        len(stack.output.read_text()),
        "bad jo.quag@private.example, 4111 1111 1111 1111",
    )
    stack.richpanel.fails(status=400, operation="add_tags", body={"error": quoted})
    ticket = opens(stack, "I want to return my shoes.")
    stack.twilio.fails(status=400, body={"code": 21211, "message": quoted, "status": 400})
    to = stack.tel()
    stack.start(to)
    shown = [stack.ops("explain", one).out for one in (ticket, to)]
    assert "refused" in shown[0]
    assert "refused" in shown[1]
    for text in (*shown, stack.output.read_text()[before:]):
        assert "quag" not in text
        assert "4111 1111" not in text


def test_explaining_a_ticket_shows_none_of_its_text(stack):
    ticket = opens(stack, "I want to return my quagmire to Ms Quagwell.", subject="Quagshoe")
    shown = stack.ops("explain", ticket, "--json").out
    assert "return_request" in shown
    assert "quag" not in shown.lower()


def test_a_language_model_sees_no_card_account_password_or_strangers_address(stack):
    said = _said_to_the_model(
        stack,
        "Card 4111 1111 1111 1111, mail jo.quag@private.example, call 212-555-0142, password: quagquag1",
        project_data={"iban": "DE89370400440532013000", "note": "PIN 4821"},
    )
    assert "<redacted>" in said
    for secret in ("4111", "quag", "212-555", "DE8937", "4821"):
        assert secret not in said


def test_a_language_model_sees_the_first_name_and_neither_last_name_nor_number(stack):
    name = {"recipient_first_name": "Zebedee", "recipient_last_name": "Quagmireson"}
    to = stack.tel()
    said = _said_to_the_model(stack, "Is the office open?", to=to, recipient_data=name)
    assert "Zebedee" in said
    assert "Quagmireson" not in said
    assert to.lstrip("+") not in said


def test_order_numbers_and_links_reach_the_model_as_they_were_written(stack):
    text = f"My order is #47{stack.number():05}, see https://shop.example/orders"
    assert text in _said_to_the_model(stack, text)


def _said_to_the_model(stack, text, *, to=None, **changes):
    """A recipient of the project that a model writes for says this: all that the vendor was sent."""
    to = to or stack.tel()
    before = max((one["number"] for one in stack.openai.requests()), default=0)
    stack.start(to, company_data={"project_id": WRITTEN_BY_A_MODEL}, **changes)
    stack.says(to, text)
    sent = stack.openai.requests(after=before)
    assert len(sent) > 1
    return json.dumps([one["body"] for one in sent], ensure_ascii=False)
