"""What speaks for and against masking a number, in one table.

The weights of all that is seen are added; a number is masked where the sum is not below zero. So a check
digit outweighs a word for goods, and a word for goods a number that only has the length of a phone's.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

WEIGHTS: Mapping[str, int] = MappingProxyType({
    # for an identifier
    "form": 9,  # nothing else is written so: an e-mail address, an IBAN, a parcel of UPS
    "plus sign": 9,
    "check digit": 8,  # of a payment card, with the prefix of a brand
    "short check digit": 2,  # the same with 13 digits, which catalogue numbers have too
    "word before": 6,  # such as "order", with nothing but filling words between
    "word near": 3,  # in the same sentence
    "beside a card": 6,
    "groups": 4,  # written in the groups of such numbers
    "ten digits": 3,
    "trunk zero": 3,
    "carrier length": 2,
    "seven digits": 2,
    # for a harmless number
    "catalogue word": -9,  # the number is the word's own: SKU, item no.
    "thing before": -4,  # "page 12345678": a word for goods right before, without "no."
    "time in a key": -13,
    "date or book": -6,
    "time word": -6,
    "unit": -6,
    "amount word": -5,
})  # fmt: skip


def is_masked(codes: Iterable[str]) -> bool:
    """Whether this evidence together speaks for masking; in doubt it does."""
    return sum(WEIGHTS[code] for code in codes) >= 0
