"""An order as a line of `support decide` describes it."""

import pytest
from pydantic import ValidationError

from chalicelib.support.orders.given_order import given_order
from chalicelib.support.orders.order_answers import NoAnswer, proven_answers
from chalicelib.support.orders.order_question import Question
from tests.rigs.each_row import each_row
from tests.rigs.orders import ADA, NOW

PARCEL = {
    "created_at": "2026-11-16T09:00:00Z",
    "shipment_status": "IN_TRANSIT",
    "estimated_delivery_at": None,
    "tracking": [{"company": "UPS", "number": "1Z5550001", "url": None}],
    "events": [{"status": "IN_TRANSIT", "at": "2026-11-17T09:00:00Z"}],
}
LINE = {
    "name": "#1042",
    "email": ADA,
    "created_at": "2026-11-13T09:00:00Z",
    "cancelled_at": None,
    "financial_status": "PAID",
    "fulfillment_status": "FULFILLED",
    "country": "US",
    "tags": [],
    "shipping_method": "Standard",
    "holds": [],
    "refunds": [],
    "returns": [],
    "disputes": [],
    "fulfillments": [PARCEL],
}


def answered(**changes):
    order = given_order(LINE | changes, "orders[0]")
    return proven_answers((order,), Question.STATUS, NOW, requester=ADA)


def test_an_order_of_a_line_is_answered():
    (answer,) = answered()
    assert answer.template_id == "t_order_status_verified"


@each_row(
    ("changes", "reason"),
    [
        ({"disputes": [{"status": "NEEDS_RESPONSE"}]}, "order_disputed"),
        ({"disputes": ["UNDER_REVIEW"]}, "order_disputed"),
        ({"returns": [{"status": "OPEN"}]}, "order_return_in_progress"),
        ({"returns": [{}]}, "order_unknown:returns"),
        ({"holds": [{"reason": "OTHER"}]}, "order_on_hold"),
        ({"refunds": [{"amount": 5}]}, "order_partly_refunded"),
        ({"disputes": None}, "order_unknown:disputes"),
        ({"holds": None}, "order_unknown:holds"),
        ({"country": None}, "order_unknown:country"),
        ({"fulfillments": None}, "order_unknown:fulfillments"),
        ({"fulfillments": [PARCEL | {"shipment_status": None}]}, "order_unknown:shipment_status"),
        ({"fulfillments": [PARCEL | {"events": None}]}, "order_unknown:events"),
    ],
)
def test_what_a_line_says_or_does_not_know_leads_to_a_person(changes, reason):
    found = answered(**changes)
    assert isinstance(found, NoAnswer)
    assert found.reason == reason


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"colour": "red"}, ("colour",)),
        ({"created_at": "yesterday"}, ("created_at",)),
        ({"created_at": "2026-11-13T09:00:00"}, ("created_at",)),
        ({"fulfillments": [PARCEL | {"weight": 3}]}, ("fulfillments", 0, "weight")),
    ],
)
def test_a_wrong_field_is_named_without_its_value(changes, place):
    with pytest.raises(ValidationError) as refused:
        given_order(LINE | changes)
    (error,) = refused.value.errors()
    assert error["loc"] == place
    assert "yesterday" not in str(refused.value)
