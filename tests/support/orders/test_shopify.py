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

    assert [lookup.reason for lookup in found] == ["not_found", "not_theirs", ""]
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


# --- what an order is -------------------------------------------------------------------------


def found(shop, vendor, **node):
    vendor.will(orders({"name": "#1001", "email": "ada@x.example"} | node))
    return shop.find_order("1001", requester_email="ada@x.example").order


def test_what_an_answer_lacks_is_unknown(shop: Shopify, vendor: Vendor):
    order = found(shop, vendor, fulfillments={"nodes": []}, risk=[])
    unknown = ("country", "holds", "refunds", "returns", "disputes", "tags", "risk", "is_edited")
    assert {getattr(order, name) for name in (*unknown, "fulfillments")} == {None}


def test_a_cancelled_parcel_is_left_out_and_a_failed_one_says_so(shop: Shopify, vendor: Vendor):
    parcels = [
        {"status": status, "displayStatus": "IN_TRANSIT"}
        for status in ("CANCELLED", "SUCCESS", "FAILURE")
    ]
    order = found(shop, vendor, fulfillments=parcels)
    assert [fulfillment.shipment_status for fulfillment in order.fulfillments] == [
        "IN_TRANSIT",
        "FAILURE",
    ]


def test_the_newest_event_tells_when_a_parcel_will_arrive(shop: Shopify, vendor: Vendor):
    events = {
        "nodes": [
            {"status": "IN_TRANSIT", "happenedAt": "2026-11-17T09:00:00Z"},
            {"status": "CONFIRMED", "estimatedDeliveryAt": "2026-11-20T09:00:00Z"},
        ]
    }
    parcel = {"status": "SUCCESS", "displayStatus": "IN_TRANSIT", "events": events}
    (shipment,) = found(shop, vendor, fulfillments=[parcel]).fulfillments
    assert [event.status for event in shipment.events] == ["IN_TRANSIT", "CONFIRMED"]
    assert shipment.estimated_delivery_at.day == 20


def test_lines_that_were_changed_are_seen_by_their_number_or_by_the_edit(
    shop: Shopify, vendor: Vendor
):
    same = {"subtotalLineItemsQuantity": 2, "currentSubtotalLineItemsQuantity": 2}
    fewer = same | {"currentSubtotalLineItemsQuantity": 1}
    seen = [
        found(shop, vendor, edited=edited, **lines).is_edited
        for edited, lines in ((False, same), (True, same), (False, fewer))
    ]
    assert seen == [False, True, True]


def test_holds_are_known_only_where_every_fulfilment_order_is_shown(shop: Shopify, vendor: Vendor):
    free = {"status": "OPEN", "fulfillmentHolds": []}
    held = {"status": "ON_HOLD", "fulfillmentHolds": [{"reason": "OTHER"}]}
    seen = [
        found(shop, vendor, fulfillmentOrders={"nodes": nodes}).holds
        for nodes in ([free], [free, held], [], [free] * 5, [{"status": "OPEN"}])
    ]
    assert seen == [(), ("OTHER",), None, None, None]


def test_of_an_order_in_so_many_parcels_not_all_are_known(shop: Shopify, vendor: Vendor):
    assert found(shop, vendor, fulfillments=[{"status": "SUCCESS"}] * 5).fulfillments is None


def test_a_denied_field_is_the_reason_and_another_error_beside_it_is_an_error(
    shop: Shopify, vendor: Vendor
):
    denied = {"extensions": {"code": "ACCESS_DENIED"}, "path": ["orders", "nodes", 0, "disputes"]}
    vendor.will(does.answer(200, {"data": None, "errors": [denied]}))
    found = shop.find_order("1001", requester_email="ada@x.example")
    assert (found.order, found.reason) == (None, "order_unknown:disputes")

    other = denied | {"path": ["orders", "nodes", 0, "email"]}
    vendor.will(does.answer(200, {"data": None, "errors": [denied, other]}))
    with pytest.raises(AuthError, match="access_denied"):
        shop.find_order("1001", requester_email="ada@x.example")
