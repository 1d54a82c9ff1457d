"""What a field of a request is: by its name, its declaration, and the field that names its kind."""

import pytest

from chalicelib.outreach.project.ai_config import DataField
from chalicelib.outreach.writing.field_meaning import meaning_of, roles_of_name


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("deposit_amount", {"deposit"}),
        ("balanceDue", {"balance", "deadline"}),
        ("delivery_date", {"delivery"}),
        ("order_number", {"order"}),
        ("colour", set()),
    ],
)
def test_a_fields_name_gives_its_roles(name, roles):
    assert roles_of_name(name) == roles


def test_a_declared_name_is_english():
    schema = DataField(description="the number of the car in our stock")
    assert meaning_of(("stock_number",), schema, {}, "").roles == frozenset()
    assert meaning_of(("stock_number",), None, {}, "").roles == {"floor"}  # German for a floor


@pytest.mark.parametrize(
    ("name", "description", "unit", "currency"),
    [
        ("term_months", "the term of the loan, in months", "month", ""),
        ("weekly_hours", "the hours of work in a week", "hour", ""),
        ("order_number", "the number of the order", "", ""),
        ("deposit", "the deposit for the reservation", "", "EUR"),
        ("monthly_payment", "the monthly payment", "", "EUR"),
    ],
)
def test_a_span_or_a_number_is_no_sum(name, description, unit, currency):
    found = meaning_of((name,), DataField(description=description), {}, "EUR")
    assert (found.unit, found.currency) == (unit, currency)


def test_a_field_of_the_kind_says_what_the_field_beside_it_is():
    beside = {"appointment": "2026-12-11", "appointment_type": "check-up"}
    assert "check_up" in meaning_of(("appointment",), None, beside, "").nearest
