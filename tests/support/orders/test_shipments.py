"""The link to a parcel's carrier."""

import pytest

from chalicelib.support.orders.shipments import carrier_link
from chalicelib.support.orders.shop_order import Tracking


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
    assert carrier_link(Tracking(company, number)) == link
