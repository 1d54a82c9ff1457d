"""The number of the order that Richpanel has linked to a ticket.

Vendor facts (developer.richpanel.com/reference): ``GET /v1/order/{conversationId}`` returns
``{"orderId", "appClientId"}``, or ``{}`` when none is linked.  What Richpanel knows about the order
itself is not requested: it lacks the country, holds, disputes and returns that an answer depends on.
"""

from __future__ import annotations

from urllib.parse import quote

from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.rate_limit import Urgency

_DEADLINE_SECONDS = 10.0


class RichpanelOrders:
    """Asks Richpanel for the order that is linked to a ticket; a `LinkedOrders`."""

    def __init__(self, client: VendorClient) -> None:
        self._client = client

    def linked_order(self, conversation_id: str) -> str | None:
        """The number, without ``#``, of the order linked to a ticket, by one GET; None when none is."""
        path = f"/v1/order/{quote(conversation_id, safe='')}"
        call = Call("read_order_link", "GET", path, is_repeatable=True, urgency=Urgency.HIGH)
        link = self._client.send(call, deadline_seconds=_DEADLINE_SECONDS)
        order_id = link.get("orderId")
        if isinstance(order_id, int) and not isinstance(order_id, bool):
            return str(order_id)
        return order_id.strip().lstrip("#") or None if isinstance(order_id, str) else None
