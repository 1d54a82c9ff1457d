"""A line's orders, as the worker finds them."""

import pytest

from chalicelib.errors import TransientError
from chalicelib.support.orders.given_order import GivenOrder
from ops.support.given_shop import GivenShop
from tests.ops.support.test_decide import ORDER

JO = "jo@example.com"


def given(name="#1042", email=JO):
    return GivenOrder.model_validate(ORDER | {"name": name, "email": email})


def test_an_order_is_found_with_or_without_its_sign():
    shop = GivenShop([given("1042"), given("#1043")], JO)
    assert shop.find_order("1043", requester_email=JO).order.path == "orders[1]"
    assert shop.find_order("1042", requester_email=JO).order.name == "1042"
    assert shop.find_order("7", requester_email=JO).reason == "not_found"
    assert shop.find_order("1043", requester_email="al@example.com").reason == "not_theirs"


def test_a_shop_that_cannot_be_read_is_one_that_is_down():
    with pytest.raises(TransientError):
        GivenShop(None, JO).find_order("1042", requester_email=JO)


@pytest.mark.parametrize(
    ("orders", "number"),
    [
        ([given()], "1042"),
        ([given(email="JO@example.com"), given("#7", "al@example.com")], "1042"),
        ([given(), given("#7")], None),
        ([given(email=None)], None),
        (None, None),
    ],
)
def test_the_only_order_of_the_customer_is_the_linked_one(orders, number):
    assert GivenShop(orders, JO).linked_order("c1") == number
