"""The promises of docs/redaction.md, tried from outside."""

import json

import pytest

from tests.outside.conversations import AI, started
from tests.outside.running import FIRST, WRITTEN_BY_A_MODEL
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
    "a card's check number": ("the cvv is 4821", "4821"),
    "a card's expiry": ("card 4111-1111-1111-1111 04/27 today", "04/27"),
    "a check number without its word": ("card 4111-1111-1111-1111 482 today", "482 today"),
    "a card among words for goods": ("paid for the item with 4111111111111111", "411111"),
    "a phone number after a common word": ("please call instead 4155550134", "415555"),
    "a dictated phone number": ("call four one five five five five oh one three four", "five five"),
    "a date of birth": ("she was born on 04/05/1987", "1987"),
    "a Brazilian CPF": ("the CPF is 529.982.247-25", "529.982"),
    "an Italian codice fiscale": ("CF RSSMRA85T10A562S", "MRA85"),
    "a tracking number in groups": ("tracking number 1234 56789", "56789"),
    "a one-time code before its word": ("482193 is my code", "482193"),
    "a one-time code": ("her one-time code is 482193", "482193"),
    "a bearer token": ("sent Bearer quag7Hs82kdLq0sPz7YhQ2w", "quag7"),
    "a key of AWS": ("with AKIAQUAGQ3EXAMPLE7Q2 yesterday", "QUAGQ3"),
    "a tracking link": ("see https://www.ups.com/track?tracknum=1Z999AA10123456784", "999AA"),
    "an order number": ("for order #4711882", "4711"),
    "a post box": ("to PO Box 4711, Springfield", "4711"),
    "a national insurance number": ("NI number AB 12 34 56 C", "12 34 56"),
    "a long number": ("it was 73920184 or so", "7392"),
    "a street address": ("send it to 12 Quagmire Street, Springfield, IL 62704", "Quagmire"),
}


IN_EACH_RUN = ("a phone number", "a card", "a password", "a street address")
"""Kinds that every run tries from outside. The redactor's own tests try all kinds in every run."""


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in IN_EACH_RUN else pytest.mark.long) for kind in SECRETS],
)
def test_what_identifies_a_person_is_masked_however_it_is_spelled(stack, kind):
    typed, secret = SECRETS[kind]
    event = f"evt:rp:{opens(stack, 'I want to return my shoes.')}:c-1"
    stack.ops("replay", event, "--because", typed, "--yes")
    shown = json.dumps(stack.ops("journal", event, "--json").data, ensure_ascii=False)
    assert "***" in shown or "[ADDRESS]" in shown
    assert secret not in shown


def test_a_harmless_sentence_stays_as_it_was_typed(stack):
    event = f"evt:rp:{opens(stack, 'I want to return my shoes.')}:c-1"
    typed = (
        "12 tickets on 2026-11-24 at 10:40, 3.50 USD each, release 1.20.3, HTTP 503 of 10.20.30.40,"
        " see 123e4567-e89b-42d3-a456-426614174000, in 2019, 2020, 2021 and 2022, sizes 36, 38, 40, 42,"
        " pages 952-1024, 08.15-16.15, SKU 12345678, 120 x 80 x 40 cm"
    )
    stack.ops("replay", event, "--because", typed, "--yes")
    assert typed in json.dumps(stack.ops("journal", event, "--json").data)


def test_a_vendors_refusal_that_quotes_a_person_is_in_no_log_and_no_explanation(stack):
    before, quoted = (
        len(stack.output.read_text()),
        "bad jo.quag@private.example, 4111 1111 1111 1111",
    )
    stack.richpanel.fails(status=400, operation="add_tags", times=None, body={"error": quoted})
    ticket = opens(stack, "I want to return my shoes.")
    stack.twilio.fails(status=400, body={"code": 21211, "message": quoted, "status": 400})
    to = stack.tel()
    stack.start(to)
    shown = [stack.ops("explain", asked).out for asked in (ticket, to)]
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


@pytest.mark.parametrize("has_mail", [False, True])
def test_a_strangers_number_in_a_text_is_masked_for_the_model_and_the_recipients_own_is_left(
    stack, has_mail
):
    to = stack.tel()
    more = {"recipient_email": stack.mail()} if has_mail else {}
    text = f"Call my sister on 212-555-0142, and me on {to}"
    said = _said_to_the_model(stack, text, to=to, recipient_data=more)
    assert "212-555" not in said
    assert f"and me on {to}" in said


def test_a_strangers_number_and_address_in_an_e_mail_are_masked_for_the_model_and_own_ones_left(
    stack,
):
    mail, own = stack.mail(), "+1 555 010 9000"
    before = _asked_before(stack)
    stack.start(mail, "email", company_data={"project_id": WRITTEN_BY_A_MODEL})
    (opening,) = stack.mails_to(mail)
    text = f"Ask jo.quag@private.example or 212-555-0142, not me at {mail} or you on {own}"
    stack.writes(mail, opening["reply_to"], text)
    said = _sent_since(stack, before)
    assert "quag" not in said
    assert "212-555" not in said
    assert f"not me at {mail}" in said
    assert own in said


def test_a_long_message_reaches_the_model_cut_at_2000_characters(stack):
    said = _said_to_the_model(stack, "Is it open? " + "word " * 400 + "near " * 5 + "quagmire")
    assert "Is it open?" in said
    assert "quagmire" not in said


HIDDEN = {
    "US": ("my social is 536-90-4399", "536-90"),
    "UK": ("my nhs number is 483 706 7662", "483 706"),
    "DE": ("Ausweisnummer LM4Z7V1562", "LM4Z7V"),
    "FR": ("numéro de sécu : 1 91 07 33 291 045 02", "33 291"),
    "ES": ("NIE Z-8651226-B", "8651226"),
    "IT": ("codice fiscale SMLRVG55A01L848D", "55A01"),
    "PT": ("O meu NIF é 201 062 046", "062 046"),
    "NL": ("Mijn BSN is 425 248 744", "248 744"),
    "BE": ("rijksregisternummer 89.05.01-991.10", "01-991"),
    "PL": ("pesel: 610614 07919", "07919"),
    "BR": ("CPF 913.858.390-90", "858.390"),
    "IN": ("Aadhaar 5157 9972 6768, PAN: BNZPM2501F", "9972"),
    "SE": ("personnummer 910118-7202", "910118"),
    "CH": ("AHV 756.2461.7492.30", "2461"),
}


def test_a_language_model_sees_no_identity_number_of_fourteen_countries(stack):
    texts, hidden = zip(*HIDDEN.values(), strict=True)
    said = _said_to_the_model(stack, ". ".join(texts))
    for secret in (*hidden, "BNZPM2501F"):
        assert secret not in said


def test_a_language_model_sees_no_plate_birth_date_or_password_of_a_sentence(stack):
    text = (
        "I park my van, YK19 FZE. Mein Kennzeichen ist B-MW 1234. Je suis née un 8 mars 1978."
        " My password is bluebird. Le mot de passe c'est papillon."
    )
    said = _said_to_the_model(stack, text)
    for secret in ("YK19", "FZE", "1234", "mars 1978", "bluebird", "papillon"):
        assert secret not in said


def test_appointments_prices_and_codes_of_goods_reach_the_model_as_they_were_written(stack):
    texts = (
        "Is my appointment on 12/03/2026 at 10:30?",
        "The part AB-123-CD for my car costs 89.90.",
        "Deliver it on 3 May 2026 with the voucher SAVE10.",
        "My password is not working.",
    )
    said = _said_to_the_model(stack, " ".join(texts))
    for text in texts:
        assert text in said


def test_a_companys_field_is_as_written_where_its_project_states_it_and_a_recipients_text_is_not(
    stack,
):
    street = "742 Evergreen Terrace, Springfield, IL 62704"
    writer = {"shown": {"as_written": ["shop_street"]}}
    project = stack.put_project(ai_config={**AI, "writer": writer}).project
    to, before = stack.tel(), _asked_before(stack)
    started(
        stack,
        to,
        company_data={"project_id": project},
        project_data={"shop_street": street, "home": "31 Quagmire Street, Springfield, IL 62704"},
    )
    stack.says(to, "The shop street: 12 Quagmire Street, Springfield, IL 62704")
    said = _sent_since(stack, before)
    assert street in said
    assert "Quagmire" not in said


def test_a_mask_in_a_draft_is_never_sent(stack):
    project = stack.put_project(ai_config=AI).project
    line = {
        "now": "2026-11-24T10:00:00Z",
        "recipient": {"first_name": "Jo", "language": "en", "time_zone": "Europe/London"},
        "project_data": {},
        "conversation": [{"from": "recipient", "at": "2026-11-24T10:00:00Z", "text": "Hello?"}],
    }
    masks = ("<redacted>", "***4567", "***-***-0142", "***@***", "[ADDRESS]", "redacted")
    texts = [f"Thanks, we have your number {mask}." for mask in masks]
    drafts = [
        {"id": f"d{n}", **line, "draft": {"text": text, "claims": None}}
        for n, text in enumerate(texts)
    ]
    arguments = ("writer", "check", FIRST.id, project, "--rules-only", "--json")
    printed = stack.ops(*arguments, typed="\n".join(map(json.dumps, drafts)))
    found = [json.loads(line) for line in printed.out.splitlines()]
    assert [verdict["verdict"] for verdict in found] == ["retry"] * len(masks)


def _said_to_the_model(stack, text, *, to=None, **changes):
    """All that the vendor is sent after a recipient, to whom a model writes, has said this."""
    to = to or stack.tel()
    before = _asked_before(stack)
    stack.start(to, company_data={"project_id": WRITTEN_BY_A_MODEL}, **changes)
    stack.says(to, text)
    return _sent_since(stack, before)


def _asked_before(stack):
    """The number of the model's newest request."""
    return max((request["number"] for request in stack.openai.requests()), default=0)


def _sent_since(stack, before):
    """All that the vendor was sent since then, at least an opening and an answer."""
    sent = stack.openai.requests(after=before)
    assert len(sent) > 1
    return json.dumps([request["body"] for request in sent], ensure_ascii=False)
