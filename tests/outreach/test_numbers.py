"""Forms of one phone number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach import numbers

PAIRS = [
    ("+5215512345678", "+525512345678"),
    ("+5511981234567", "+551181234567"),
    ("+5491123456789", "+541123456789"),
]


@pytest.mark.parametrize(("longer", "shorter"), PAIRS)
def test_both_forms_are_one_telephone(longer, shorter):
    assert numbers.spellings(longer) == (longer, shorter)
    assert numbers.spellings(shorter) == (shorter, longer)
    assert numbers.is_same(longer, shorter)


@pytest.mark.parametrize(
    "address",
    [
        "+551132345678",  # a landline of Sao Paulo
        "+5511932345678",  # without the 9 it would be that landline's
        "+15550100001",
        "+447700900123",
        "+52155123456",
        "j.doe@example.com",
        "",
    ],
)
def test_any_other_address_has_one_form(address):
    assert numbers.spellings(address) == (address,)


@given(st.from_regex(r"\A\+5[245]\d{8,12}\Z"))
def test_the_forms_of_a_number_are_the_same_set_from_each_of_them(number):
    found = numbers.spellings(number)
    assert len(found) == len(set(found)) <= 2
    assert all(set(numbers.spellings(form)) == set(found) for form in found)
