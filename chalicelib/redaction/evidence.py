"""What speaks for and against masking a number, in one table.

The weights of all signs are added; a number is masked if the sum is not negative.  So a check digit
outweighs a word for goods, and a word for goods outweighs the mere length of a phone number.
"""

from collections.abc import Iterable
from enum import Enum


class Sign(Enum):
    """One reason for or against masking a number: the code that `redact_explained` shows, and its weight."""

    # for an identifier
    FORM = "form", 9  # a form that nothing else has: an e-mail address, an IBAN, a UPS number
    PLUS_SIGN = "plus sign", 9
    CHECK_DIGIT = "check digit", 8  # of a payment card, with the prefix of a brand
    SHORT_CHECK_DIGIT = "short check digit", 2  # of 13 digits, as catalogue numbers also have
    WORD_BEFORE = "word before", 6  # such as "order", with only filler words between
    WORD_NEAR = "word near", 3  # in the same sentence
    BESIDE_A_CARD = "beside a card", 6
    GROUPS = "groups", 4  # written in the groups of such numbers
    TEN_DIGITS = "ten digits", 3
    TRUNK_ZERO = "trunk zero", 3
    CARRIER_LENGTH = "carrier length", 2
    SEVEN_DIGITS = "seven digits", 2
    # for a harmless number
    CATALOGUE_WORD = "catalogue word", -9  # the number belongs to the word: SKU, item no.
    THING_BEFORE = "thing before", -4  # "page 12345678": a word for goods, without "no."
    TIME_IN_A_KEY = "time in a key", -13
    DATE_OR_BOOK = "date or book", -6
    TIME_WORD = "time word", -6
    UNIT = "unit", -6
    AMOUNT_WORD = "amount word", -5

    def __init__(self, code: str, weight: int) -> None:
        self.code = code
        self.weight = weight


def is_masked(signs: Iterable[Sign]) -> bool:
    """Whether the weights of these signs add up to masking a number: their sum is zero or more."""
    return sum(sign.weight for sign in signs) >= 0
