"""Shopify's responses, which usually report errors with status 200."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.errors import AuthError, TransientError
from chalicelib.support.orders.shopify import Shopify
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.vendor_server import Vendor


@pytest.fixture
def shop(vendor: Vendor, clock: ManualClock, log: RecordingLog) -> Shopify:
    client = VendorClient(
        api=VendorApi(provider="shopify", base_url=vendor.url, authorize=lambda _refresh: {}),
        clock=clock,
        log=log,
        rate_limit=RateLimit(provider="shopify", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("shopify", clock, failures_to_open=100),
    )
    return Shopify(client=client, clock=clock, api_version="2026-10")


def orders(*nodes: dict[str, Any], **more: Any) -> Any:
    return does.answer(200, {"data": {"orders": {"nodes": list(nodes)}}, **more})


def failed(code: str, *nodes: dict[str, Any], **more: Any) -> Any:
    return orders(*nodes, errors=[{"message": "no", "extensions": {"code": code}}], **more)


def test_only_the_order_of_this_number_and_this_customer_is_found(shop: Shopify, vendor: Vendor):
    near = {"name": "#10010", "email": "ada@x.example"}
    other, theirs = ({"name": "#1001", "email": f"{name}@x.example"} for name in ("bo", "Ada"))
    vendor.will(orders(near), orders(near, other), orders(near, other, theirs))

    found = [shop.find_order("1001", requester_email="ada@X.example") for _ in range(3)]

    assert [one.reason for one in found] == ["not_found", "not_theirs", ""]
    assert found[2].order is not None
    assert found[2].order.name == "#1001"


def test_protected_fields_that_are_null_say_that_access_is_denied(shop: Shopify, vendor: Vendor):
    """An answer that could not be read would be asked for again and again, without an alarm."""
    vendor.will(failed("ACCESS_DENIED", {"id": "gid://1", "name": None, "email": None}))

    with pytest.raises(AuthError, match="access_denied"):
        shop.find_order("1001", requester_email="ada@x.example")


def test_a_short_throttle_is_waited_out(shop: Shopify, vendor: Vendor, clock: ManualClock):
    cost = {"requestedQueryCost": 150, "throttleStatus": {"currentlyAvailable": 50}}
    short = {"cost": {**cost, "throttleStatus": {"currentlyAvailable": 50, "restoreRate": 50}}}
    long = {"cost": {**cost, "throttleStatus": {"currentlyAvailable": 50, "restoreRate": 10}}}
    vendor.will(failed("THROTTLED", extensions=short), orders())
    assert shop.find_order("1001", requester_email="ada@x.example").reason == "not_found"
    assert clock.elapsed == 2

    vendor.will(failed("THROTTLED", extensions=long))
    with pytest.raises(TransientError) as caught:
        shop.find_order("1001", requester_email="ada@x.example")
    assert (caught.value.reason, caught.value.retry_after) == ("throttled", 10)
