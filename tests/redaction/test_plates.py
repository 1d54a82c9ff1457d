"""Plates of vehicles, and codes that look like them."""

import pytest

from chalicelib.redaction import redact, redact_explained
from tests.rigs.each_row import each_row

PLATES = {
    "UK": "LB07 SEO",
    "DE": "B-MW 1234",
    "FR": "AB-123-CD",
    "ES": "1234 BCD",
    "IT": "FG123HJ",
    "PT": "12-AB-34",
    "NL": "XX-99-YY",
    "BE": "1-ABC-123",
    "BR": "BRA2E19",
    "IN": "MH 12 AB 1234",
}
ONLY_NAMED = {"US": "7ABC123", "PL": "WA 12345", "SE": "ABC 123", "CH": "ZH 445566"}
WORDS = ["license plate", "number plate:", "Kennzeichen", "ma plaque c'est", "matrícula", "la targa è", "kenteken"]  # fmt: skip


@each_row("plate", [*PLATES.values(), *ONLY_NAMED.values()])
@each_row("word", WORDS)
def test_a_plate_after_a_word_for_it_is_masked_whole(word, plate):
    assert redact(f"hello, {word} {plate}, thanks") == f"hello, {word} ***, thanks"


@pytest.mark.parametrize("plate", PLATES.values())
def test_a_national_form_is_masked_after_a_vehicle(plate):
    text = f"I parked my car ({plate}) here"
    assert redact(text) == "I parked my car (***) here"
    (mask,) = redact_explained(text)[1]
    assert (mask.kind, mask.evidence) == ("plate", {"word near": 3})


@pytest.mark.parametrize("plate", PLATES.values())
def test_the_same_letters_and_digits_stay_with_a_word_for_goods(plate):
    for text in (f"product code {plate}", f"my car needs part no. {plate}", f"a bolt {plate}"):
        assert "plate" not in {mask.kind for mask in redact_explained(text)[1]}


@pytest.mark.parametrize(
    "text",
    ["Kennzeichen bis um 10 da", "my plates broke, set of 24", "a car at 10 am", "the van is due by 3 pm",
     "een doos van AB12 CDE", "wir kommen mit dem Auto um 10"],
)  # fmt: skip
def test_words_of_a_sentence_are_no_plate(text):
    assert redact(text) == text


def test_a_plate_with_two_words_for_it_and_a_vehicle_is_masked_alone():
    text = "mein Auto hat das Kennzeichen B-MW 1234, Zimmer 2 bitte"
    assert redact(text) == "mein Auto hat das Kennzeichen ***, Zimmer 2 bitte"
