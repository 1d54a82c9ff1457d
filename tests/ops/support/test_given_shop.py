"""A line's orders, read by the worker's own client."""

from datetime import UTC, datetime

import pytest

from chalicelib.errors import TransientError
from ops.support.decide_lines import GivenOrder
from ops.support.given_shop import OnlyOrder, StillClock, shop_of

CLOCK = StillClock(datetime(2026, 11, 24, 10, tzinfo=UTC))
JO = "jo@example.com"


def given(name="#1042", email=JO, **more):
    return GivenOrder(name=name, email=email, **more)


def test_an_order_is_found_with_or_without_its_sign():
    shop = shop_of([given("1042"), given("#1043")], CLOCK)
    assert shop.find_order("1042", requester_email=JO).order.name == "#1042"
    assert shop.find_order("7", requester_email=JO).reason == "not_found"
    assert shop.find_order("1043", requester_email="al@example.com").reason == "not_theirs"


def test_a_shop_that_cannot_be_read_is_one_that_is_down():
    with pytest.raises(TransientError):
        shop_of(None, CLOCK).find_order("1042", requester_email=JO)


@pytest.mark.parametrize(
    ("orders", "name"),
    [
        ([given()], "#1042"),
        ([given(email="JO@example.com"), given("#7", "al@example.com")], "#1042"),
        ([given(), given("#7")], None),
        ([given(email=None)], None),
        (None, None),
    ],
)
def test_the_only_order_of_the_customer_is_the_linked_one(orders, name):
    linked = OnlyOrder(shop_of(orders, CLOCK), orders, JO).linked_order("c1")
    assert (linked.name if linked else None) == name
