"""What a misspelt word is read as, and which words are left as they are."""

import pytest

from chalicelib.support.intents.message_reading import read
from chalicelib.support.intents.spelling import corrected, is_real


@pytest.mark.parametrize(
    ("word", "right"),
    [("refnud", "refund"), ("trakcing", "tracking"), ("laywer", "lawyer"), ("cancle", "cancel")],
)
def test_a_slip_is_mended(word, right):
    assert corrected(word) == right


@pytest.mark.parametrize(
    "word",
    ["layer", "threats", "socks", "cooks", "picks", "beach", "lunch", "maria", "powder", "queen"],
)
def test_a_real_word_is_not_read_as_another_one(word):
    assert is_real(word)
    assert corrected(word) == word


@pytest.mark.parametrize(
    "text",
    [
        "This fabric layer is great",
        "No threats, just treats",
        "The cooks love these socks",
        "Maria picks the silver one",
    ],
)
def test_a_harmless_message_of_real_words_is_not_called_grave(text):
    reading = read(text)
    assert not reading.risks | reading.suspected
