"""An order in the format of ``support decide``: exactly these fields, null where unknown.

Lists of holds, refunds, returns and disputes contain statuses as texts, or objects with ``status`` or
``reason``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from chalicelib.support.orders.shop_order import CarrierEvent, Order, Shipment, Tracking


def _status(given: object) -> object:
    if isinstance(given, dict):
        said = given.get("status", given.get("reason"))
        return said if isinstance(said, str) else "UNKNOWN"
    return given


def _usual(at: datetime) -> datetime:
    """Return a time of a year that calendars can handle in every zone; any other raises `ValueError`."""
    if at.year not in _YEARS:
        raise ValueError(f"a year from {_YEARS.start} to {_YEARS.stop - 1}")
    return at


_YEARS = range(1970, 2101)
GivenTime = Annotated[AwareDatetime, AfterValidator(_usual)]
"""A time with its zone, of a year from 1970 to 2100."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


_Statuses = tuple[Annotated[str, BeforeValidator(_status)], ...]


class _GivenTracking(_Part):
    company: str | None = None
    number: str | None = Field(default=None, repr=False)
    url: str | None = Field(default=None, repr=False)


class _GivenEvent(_Part):
    status: str | None
    at: GivenTime | None = None


class _GivenShipment(_Part):
    created_at: GivenTime | None
    shipment_status: str | None
    estimated_delivery_at: GivenTime | None = None
    tracking: tuple[_GivenTracking, ...] | None = ()
    events: tuple[_GivenEvent, ...] | None = ()


class GivenOrder(_Part):
    """An order as it is given in the input of the command ``support decide``."""

    name: str = Field(repr=False)
    email: str | None = Field(repr=False)
    created_at: GivenTime | None
    cancelled_at: GivenTime | None
    financial_status: str | None
    fulfillment_status: str | None
    country: str | None
    tags: tuple[str, ...] | None
    shipping_method: str | None
    holds: _Statuses | None
    refunds: _Statuses | None
    returns: _Statuses | None
    disputes: _Statuses | None
    fulfillments: tuple[_GivenShipment, ...] | None


def given_order(raw: Mapping[str, Any], path: str = "") -> Order:
    """The order that an input line of ``support decide`` describes.

    Args:
        raw: an entry of the line's ``orders``.
        path: the path under which proofs name the order, e.g. ``orders[1]``.

    Raises:
        pydantic.ValidationError: a field is missing or wrong; the message names it, never its
            value.
    """
    given = GivenOrder.model_validate(raw)
    parcels = given.fulfillments
    plain: dict[str, Any] = {name: getattr(given, name) for name in _PLAIN}
    return Order(
        **plain,
        fulfillments=None if parcels is None else tuple(_shipment(parcel) for parcel in parcels),
        path=path,
    )


def _shipment(given: _GivenShipment) -> Shipment:
    created: datetime | None = given.created_at
    return Shipment(
        created_at=created,
        shipment_status=given.shipment_status,
        estimated_delivery_at=given.estimated_delivery_at,
        tracking=None
        if given.tracking is None
        else tuple(
            Tracking(tracking.company, tracking.number, tracking.url) for tracking in given.tracking
        ),
        events=None
        if given.events is None
        else tuple(CarrierEvent(event.status, event.at) for event in given.events),
    )


_PLAIN = tuple(name for name in GivenOrder.model_fields if name != "fulfillments")
