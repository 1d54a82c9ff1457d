"""Secrets that people paste, and national identity numbers."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction import redact, redact_mapping
from tests.rigs.each_row import each_row
from tests.rigs.properties import FEW

CODE_WORDS = st.sampled_from(
    ["cvv", "CVV2", "cvc2", "security code", "Security code is", "código de seguridad", "codigo de seguridad es",
     "Prüfziffer", "Kartenprüfnummer:", "Sicherheitscode", "card verification value", "PIN", "código de seguridad:"]
)  # fmt: skip
ONE_TIME = st.sampled_from(
    ["verification code", "Your OTP is", "one-time code:", "código de verificación", "Bestätigungscode", "login code is",
     "SMS-Code", "2FA code:", "TAN:", "your code:", "Ihr Code lautet", "tu código es"]
)  # fmt: skip


@FEW
@given(CODE_WORDS, st.from_regex(r"[0-9]{3,4}", fullmatch=True))
def test_a_security_code_is_masked_in_every_wording(words, code):
    assert redact(f"my {words} {code}, thanks") == f"my {words} ***, thanks"


@FEW
@given(ONE_TIME, st.from_regex(r"[0-9]{4,8}|[0-9]{3} [0-9]{3}", fullmatch=True))
def test_a_one_time_code_is_masked(words, code):
    assert redact(f"{words} {code}.") == f"{words} ***."


LETTERS = string.ascii_letters + string.digits
SECRETS = st.text(LETTERS, min_size=36, max_size=36).filter(lambda t: any(map(str.isdigit, t)))


@FEW
@given(SECRETS, st.sampled_from(
    ["Bearer {}", "ghp_{}", "sk_live_{}", "sk-proj-{}", "xoxb-{}", "glpat-{}", "npm_{}", "api_key={}", "secret: {}",
     "token eyJ{0}.eyJ{0}.{0}", "my password is {}", "Passwort: {}", "contraseña es {}"]
))  # fmt: skip
def test_a_pasted_secret_is_masked(secret, shape):
    redacted = redact(f"here: {shape.format(secret)} ok")
    assert not any(secret[i : i + 5] in redacted for i in range(len(secret) - 4)), redacted
    assert redacted.endswith(" ok")


@FEW
@given(st.text(string.ascii_uppercase + string.digits, min_size=16, max_size=16).filter(lambda t: any(map(str.isdigit, t))))  # fmt: skip
def test_an_aws_access_key_is_masked(tail):
    assert redact(f"key AKIA{tail} leaked") == "key *** leaked"


@pytest.mark.parametrize(
    "text",
    ["my password is not working", "I forgot my password", "password reset", "the key is under the mat",
     "Bearer of good news", "error code 404", "discount code SAVE10", "scikit: sk-learn-something-with-words",
     "mi clave no funciona"],
)  # fmt: skip
def test_a_sentence_about_a_secret_stays(text):
    assert redact(text) == text


@FEW
@given(st.from_regex(r"[A-CEGHJ-PR-TW-Z]E [0-9]{2} [0-9]{2} [0-9]{2} [A-D]", fullmatch=True))
def test_a_national_insurance_number_is_masked(number):
    kept = number.replace(" ", "")
    assert redact(f"NI {number} ok") == f"NI ***{kept[-4:]} ok"


DATES = st.dates().map(lambda day: f"{day:%y%m%d}")


@FEW
@given(st.from_regex(r"[A-Z]{4}", fullmatch=True), DATES, st.from_regex(r"[HM][A-Z]{5}[0-9A-Z][0-9]", fullmatch=True),
       st.from_regex(r"[A-Z0-9]{3}", fullmatch=True))  # fmt: skip
def test_curp_and_rfc_are_masked(name, day, tail, key):
    assert redact(f"CURP {name}{day}{tail}") == f"CURP ***{tail[-4:]}"
    assert redact(f"RFC: {name}{day}{key}") == f"RFC: ***{day[-1]}{key}"


def test_a_social_security_number_read_by_a_scanner_is_masked():
    assert redact("SSN 418-71-3S3O, phone") == "SSN ***3S3O, phone"


@FEW
@given(st.text(LETTERS, min_size=24, max_size=60).filter(lambda t: any(map(str.isdigit, t))))
def test_a_whatsapp_message_id_is_masked(tail):
    assert redact(f"about wamid.{tail}== please") == "about *** please"


@each_row(
    ("key", "value", "masked"),
    [
        ("name", "Ana García", "***"),
        ("name", "Anna", "***"),
        ("name", "worker.skipped", "worker.skipped"),
        ("name", "F_Tickets", "F_Tickets"),
        ("birthday", "1990-01-02", "***"),
        ("dob", 631152000, "***"),
        ("reason", "Anna has moved", "***"),
        ("reason", "fail:http_400", "fail:http_400"),
        ("refund_reason", "he is ill", "***"),
        ("description", "for my wife Eva", "***"),
        ("title", "Lost parcel of Eva", "***"),
        ("preview", "Hi, I am Eva", "***"),
        ("cvv2", 123, "***"),
        ("security_code", "123", "***"),
        ("curp", "GOMC900101HDFLRR09", "***RR09"),
        ("passport_number", "C01X0006H", "***006H"),
        ("steuer_id", "50618324391", "***4391"),
        ("drivers_license", "D1234562", "***4562"),
        ("license_plate", "LB07 SEO", "***"),
    ],
)
def test_a_key_that_holds_words_about_a_person_is_masked(key, value, masked):
    assert redact_mapping({key: value}) == {key: masked}
