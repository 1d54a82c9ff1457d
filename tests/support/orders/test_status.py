"""The answer that an order's state allows, and the link to its carrier."""

from datetime import UTC, datetime

import pytest

from chalicelib.support.orders.shop_order import Order
from chalicelib.support.orders.status import NoAnswer, TemplateAnswer, carrier_link, order_answer

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday


def test_a_preorder_ships_after_45_days():
    order = Order("#1", created_at=NOW, shipping_method="Standard", is_preorder=True)
    result = order_answer(order, "order_status_tracking", NOW)
    assert isinstance(result, TemplateAnswer)
    assert result.values["eta_remaining_human"] == "in 34 to 36 business days"


def test_no_status_is_reported_for_an_order_without_a_time():
    result = order_answer(Order("#1", shipping_method="Standard"), "order_status_tracking", NOW)
    assert result == NoAnswer("lookup_incomplete", ("created_at",))


@pytest.mark.parametrize(
    ("intent", "status", "template"),
    [
        ("shipping_delay_not_shipped", "", "t_shipping_delay_verified"),
        ("shipping_delay_not_shipped", "label printed", "t_shipping_delay_verified"),
        ("shipping_delay_not_shipped", "fulfilled", None),
        ("order_status_tracking", "unfulfilled", "t_order_eta_no_tracking_verified"),
        ("order_status_tracking", "fulfilled", "t_order_eta_no_tracking_verified"),
        ("order_status_tracking", "ready for pickup", None),
    ],
)
def test_the_reply_for_an_untracked_order_states_only_what_its_status_supports(
    intent, status, template
):
    """Never "not shipped" for a shipped order, nor an arrival date for a delivered one."""
    order = Order("#1", created_at=NOW, fulfillment_status=status, shipping_method="Standard")
    result = order_answer(order, intent, NOW)
    if template is None:
        assert result == NoAnswer("nothing_to_follow")
    else:
        assert isinstance(result, TemplateAnswer)
        assert result.template_id == template


def test_a_tracked_order_is_answered_with_its_tracking():
    order = Order("#1", NOW, fulfillment_status="in transit", tracking_number="ZZ1")
    result = order_answer(order, "shipping_delay_not_shipped", NOW)
    assert isinstance(result, TemplateAnswer)
    assert result.template_id == "t_order_status_verified"


@pytest.mark.parametrize(
    ("company", "number", "link"),
    [
        ("FedEx Home", "7712", "https://www.fedex.com/fedextrack/?trknbr=7712"),
        ("USPS", "9400", "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400"),
        ("ups ground", "1Z9", "https://www.ups.com/track?tracknum=1Z9"),
        ("DHL Express", "42", "https://www.dhl.com/en/express/tracking.html?AWB=42"),
        ("Pigeon", "42", None),
        (None, "42", None),
        ("UPS", None, None),
        ("UPS", "42&to=elsewhere.example", None),
    ],
)
def test_a_known_carriers_number_can_be_followed(company, number, link):
    assert carrier_link(Order(name="#1", tracking_company=company, tracking_number=number)) == link
