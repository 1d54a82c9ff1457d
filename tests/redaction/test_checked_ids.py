"""Identity numbers of digits by their groups and check digits."""

import pytest

from chalicelib.redaction.checked_ids import passes_verhoeff
from chalicelib.redaction.redactor import redact_explained

VALID = {
    "CH": "756.2461.7492.30",
    "CH, unbroken": "7568271598365",
    "BE": "89.05.01-991.10",
    "SE": "910118-7202",
    "IN": "5157 9972 6768",
}


@pytest.mark.parametrize("country", VALID)
def test_a_number_with_right_check_digits_needs_no_word(country):
    number = VALID[country]
    ((start, end, kind, evidence),) = redact_explained(f"here: {number} ok")[1]
    assert (start, end, kind) == (6, 6 + len(number), "identity")
    assert evidence == {"check digit": 8}


@pytest.mark.parametrize("country", VALID)
def test_one_with_a_wrong_check_digit_is_no_identity_number(country):
    number = VALID[country]
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert all(mask.kind != "identity" for mask in redact_explained(f"here: {wrong} ok")[1])


@pytest.mark.parametrize("word", ["order", "tracking number"])
def test_a_word_for_goods_is_believed(word):
    found = redact_explained(f"{word} 5157 9972 6768")[1]
    assert "identity" not in {mask.kind for mask in found}


def test_one_wrong_digit_or_two_swapped_never_pass():
    digits = "515799726768"
    assert passes_verhoeff(digits)
    for place, char in enumerate(digits):
        for other in set("0123456789") - {char}:
            assert not passes_verhoeff(digits[:place] + other + digits[place + 1 :])
    for place in range(len(digits) - 1):
        first, second = digits[place : place + 2]
        swapped = digits[:place] + second + first + digits[place + 2 :]
        assert first == second or not passes_verhoeff(swapped)
