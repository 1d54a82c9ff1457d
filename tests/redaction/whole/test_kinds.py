"""How numbers and keys are classified: check digits, separators, and key names."""

import pytest

from chalicelib.redaction.cards import passes_luhn
from chalicelib.redaction.json_values import redact_mapping
from chalicelib.redaction.redactor import redact, redact_counted
from chalicelib.redaction.sheet import Kind
from tests.rigs.each_row import each_row


def kinds(text):
    return dict(redact_counted(text)[1])


@pytest.mark.parametrize("digits", ["4111111111111111", "378282246310005", "79927398713", "0"])
def test_a_check_digit_holds(digits):
    assert passes_luhn(digits)
    for other in "0123456789".replace(digits[-1], ""):
        assert not passes_luhn(digits[:-1] + other)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("IBAN DE8937 04004405 3201 3000", Kind.IBAN),
        ("at 123-45-6789 ok", Kind.SSN),
        ("at 123 45 6789 ok", Kind.SSN),
    ],
)
def test_an_account_number_is_recognised_by_its_form(text, kind):
    assert kinds(text) == {kind: 1}


def test_a_number_that_fails_its_check_is_no_account_but_still_masked():
    wrong = "IBAN DE8837 04004405 3201 3000"
    assert Kind.IBAN not in kinds(wrong)
    assert "0440" not in redact(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "at 123-45 6789 ok",
        "at 123 45-6789 ok",
        "at 123 - 45 6789 ok",
        "2 of 123-45 6789",
        "ssn 123.45-6789 ok",
        "ssn: 123/45 1999",
        "my social security number is 123.45 6789",
    ],
)
def test_a_social_security_number_is_recognised_with_mixed_separators(text):
    assert kinds(text) == {Kind.SSN: 1}
    assert "45" not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "rooms 123-45 2024",
        "on 550 12-1999 it was",
        "model 123-45 6789",
        "item W-123-45 6789",
        "from 100-99 1000 lumens",
        "lots 123-45 6789x",
        "in 100-20 3000-40",
        "paid 120.50-1000",
        "the social post of 120.50-1000",
    ],
)
def test_three_groups_of_digits_that_are_something_else_stay_readable(text):
    assert redact(text) == text


def test_a_long_name_before_the_at_sign_is_masked_with_its_address():
    assert redact(f"to {'x.' * 100}y@example.com now") == "to ***@*** now"


def test_a_word_of_hundreds_of_addresses_is_one_mask():
    assert redact(f"see {'ab@cd.example,' * 300} ok") == "see ***@*** ok"


@pytest.mark.parametrize(
    ("names", "value", "masked"),
    [
        ("first_name lastName fullname surname customer_name recipientName", "Anna", "***"),
        ("given_name familyName display_name contact_name buyerName sender_name", "Anna", "***"),
        ("cvv cvc password passwd secret token authorization apiKey pin otp", "abc", "***"),
        (
            "phone mobile cellphone tel fax msisdn whatsapp sms phone_numbers",
            "5550142",
            "***-***-0142",
        ),
        ("email mail recipient_email emailAddress", "a@b", "***@***"),
        ("address street addressLine postcode zip city", "Somewhere 1", "[ADDRESS]"),
        ("card iban ssn pan account card_number", "12345678", "***5678"),
        ("order invoice po order_number orderId", "12345678", "***5678"),
        ("tracking awb waybill shipment parcel trackingNumber", "12345678", "***"),
        ("message body text comment subject transcript note snippet", "words", "***"),
    ],
)
def test_a_key_name_decides_how_its_value_is_masked(names, value, masked):
    record = dict.fromkeys(names.split(), value)
    assert redact_mapping(record) == dict.fromkeys(record, masked)


@pytest.mark.parametrize("name", ["id", "number", "no", "name", "value", "code"])
def test_an_identifier_nested_under_a_key_is_masked_like_that_key(name):
    assert redact_mapping({"order": {name: 1234567}}) == {"order": {name: "***4567"}}
    assert redact_mapping({"order": {"state": "open"}}) == {"order": {"state": "open"}}


def test_forty_nesting_levels_are_kept_and_the_next_is_dropped():
    def nested(levels):
        value = "x"
        for _ in range(levels):
            value = [value]
        return value

    assert redact_mapping(nested(40)) == nested(40)
    assert redact_mapping(nested(41)) != nested(41)
    assert "x" not in str(redact_mapping(nested(41)))


@each_row(
    ("text", "redacted"),
    [
        ("ich bin am 3. Mai 1990 geboren", "ich bin am *** geboren"),
        ("my date of birth, it's 12 June 1979", "my date of birth, it's ***"),
        ("geliefert am 3. Mai 1990, geboren ist er woanders", None),
        ("exp: 2027-08, cc: 5542 2002 5401 5571", "exp: ***, cc: ***5571"),
        ("CB 4247-7598-5030-5786 fin 11/26", "CB ***5786 fin ***"),
        ("auth code is 09217", "auth code is ***"),
        ("the door code is 4590#, leave it", "the door code is ***#, leave it"),
        ("I got 118-203 as the verification code", "I got *** as the verification code"),
        ("CVC code 7 4 1", "CVC code ***"),
        ("Is the security code the 774 thing?", "Is the security code the *** thing?"),
        ("Bestellg. 77120", "Bestellg. ***7120"),
        ("son password account:+49 30 15101510, shall", "son password ***, shall"),
        ("numero d'ordine 879432 pezzi rotti", "numero d'ordine ***9432 pezzi rotti"),
        ("Trackingnummer - 6182 3243 8845 0411 4379!", "Trackingnummer - ***!"),
        ("IP e552:180b:1b28:7cde:9142:1bbd:d873:c33a.", None),
        ("5512093,12.50,2024-01-04\n", "***2093,12.50,2024-01-04\n"),
        ("order 55-1204 and 69338, thanks", "order ***1204 and ***9338, thanks"),
    ],
)
def test_what_strangers_wrote_is_masked_and_its_neighbours_stay(text, redacted):
    assert redact(text) == (text if redacted is None else redacted)
