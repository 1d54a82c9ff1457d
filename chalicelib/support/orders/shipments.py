"""Whether a parcel is in time, and what may be said about it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from chalicelib.support import reasons as why
from chalicelib.support.orders.dates import date_in_words
from chalicelib.support.orders.delivery_time import (
    DeliveryCalendar,
    Window,
    words_for_business_days,
)
from chalicelib.support.orders.order_checks import unknown
from chalicelib.support.orders.order_rules import order_rules
from chalicelib.support.orders.shop_order import Order, Shipment, Tracking


@dataclass(frozen=True, slots=True)
class ProvenValue:
    """A value for a reply's text, and the facts that prove it."""

    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParcelInTime:
    """A parcel that is in time, so that a reply may speak of it.

    Attributes:
        state: ``moving``, ``announced`` or ``sent``, by ``order_rules.toml``.
        dispatched: the day of dispatch, as people write it.
        window: delivery window of the order's shipping method and country; None where none is
            known.
        values: the values for a reply's text.
    """

    state: str
    dispatched: str
    window: Window | None
    values: Mapping[str, ProvenValue | None]

    @property
    def has_tracking(self) -> bool:
        """Whether the customer can track the parcel, by a number or a link."""
        return bool(self.values["tracking_number"] or self.values["tracking_url"])


@dataclass(frozen=True, slots=True)
class NotInTime:
    """Why a person must answer about a parcel: it is late, in trouble, or not known well enough."""

    reason: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParcelJudge:
    """Judges whether parcels are in time, by the time `now` and the shop's calendar."""

    now: datetime
    calendar: DeliveryCalendar
    language: Literal["en", "es"]

    @property
    def today(self) -> date:
        """Today's date in the shop's time zone."""
        return self.calendar.today(self.now)

    def words_for_days(self, number: int) -> str:
        """The words for business days that follow a number, e.g. ``business days``."""
        return words_for_business_days(number, self.language)

    def parcel(
        self, order: Order, number: int, parcel: Shipment, path: str
    ) -> ParcelInTime | NotInTime:
        """Judge one parcel of an order: the values for a reply, or why a person must answer.

        Args:
            order: the parcel's order.
            number: the parcel's place among the order's parcels, from 0.
            parcel: the parcel as the shop shows it.
            path: the path under which proofs name the order, e.g. ``orders[0]``.
        """
        rows = order_rules().shipment_status
        row = rows.get(parcel.shipment_status or "")
        if row is None:
            return NotInTime(unknown("shipment_status"))
        if parcel.tracking is None or parcel.events is None:
            return NotInTime(unknown("tracking" if parcel.tracking is None else "events"))
        if len({tracking.number or tracking.url for tracking in parcel.tracking}) > 1:
            return NotInTime(why.ORDER_SEVERAL_SHIPMENTS)  # Shopify shows one state for all
        reported = [rows.get(event.status or "") for event in parcel.events]
        if None in reported:
            return NotInTime(unknown("events"))
        person = next(
            (row_found.person for row_found in (row, *reported) if row_found and row_found.person),
            "",
        )
        if person:
            return NotInTime(person)
        if parcel.created_at is None:
            return NotInTime(why.LOOKUP_INCOMPLETE, ("dispatched_at",))
        if parcel.created_at > self.now:
            return NotInTime(why.ORDER_CONTRADICTORY)
        window = self.calendar.window_of(order.shipping_method, order.country or "")
        late = self._lateness(order, parcel, parcel.created_at, row.state, window)
        if late is not None:
            return late
        at = f"{path}.fulfillments[{number}]"
        values = {
            "fulfillment_status": ProvenValue(
                row.in_words(self.language), (f"{at}.shipment_status", f"{at}.events")
            ),
            "estimated_delivery": self._estimate(parcel, at),
            **_tracking(parcel, at),
        }
        dispatched = date_in_words(
            self.calendar.today(parcel.created_at), self.today, self.language
        )
        return ParcelInTime(row.state, dispatched, window, values)

    def reason_without_window(self, order: Order) -> tuple[str, tuple[str, ...]]:
        """Why an order without a delivery window is left to a person: the reason, and the missing facts.

        No fact is missing for an order to a foreign country.
        """
        if order.country not in self.calendar.home_countries:
            return why.ORDER_ABROAD, ()
        missing = (
            "shipping_method_bucket" if order.shipping_method else "tracking_or_shipping_method"
        )
        return why.LOOKUP_INCOMPLETE, (missing,)

    def _lateness(
        self,
        order: Order,
        parcel: Shipment,
        created_at: datetime,
        state: str,
        window: Window | None,
    ) -> NotInTime | None:
        """Why a parcel is late or not known to be in time; None where it is in time."""
        times = order_rules().times
        estimate = parcel.estimated_delivery_at
        passed = self.calendar.business_days_after(self.calendar.today(created_at), self.today)
        if estimate is not None and self.calendar.today(estimate) < self.today:
            return NotInTime(why.DELIVERY_WINDOW_OVER)
        if state == "announced" and passed > times.announced_days:
            return NotInTime(why.ORDER_NOT_SENT_IN_TIME)
        if window is not None:
            return NotInTime(why.DELIVERY_WINDOW_OVER) if passed > window.high else None
        if order.country not in self.calendar.home_countries:
            return None if estimate is not None else NotInTime(why.ORDER_ABROAD)
        if parcel.first_tracking is None:
            return NotInTime(*self.reason_without_window(order))
        return NotInTime(why.DELIVERY_WINDOW_OVER) if passed > times.followed_days else None

    def _estimate(self, parcel: Shipment, at: str) -> ProvenValue | None:
        if parcel.estimated_delivery_at is None:
            return None
        day = date_in_words(
            self.calendar.today(parcel.estimated_delivery_at), self.today, self.language
        )
        return ProvenValue(day, (f"{at}.estimated_delivery_at",))


def carrier_link(tracking: Tracking) -> str | None:
    """The link by which a customer can track a parcel of a known carrier.

    None for any other carrier, and where the tracking number is missing or has other characters
    than letters and digits.
    """
    company = (tracking.company or "").lower()
    links = order_rules().carriers.items()
    link = next((link for name, link in links if name in company), None)
    if link is None or not tracking.number or not tracking.number.isalnum():
        return None
    return link + tracking.number


def _tracking(parcel: Shipment, at: str) -> dict[str, ProvenValue | None]:
    followed = parcel.first_tracking
    if followed is None:
        return dict.fromkeys(("tracking_number", "tracking_url", "tracking_company"))
    number, tracking = followed
    of = f"{at}.tracking[{number}]"
    url = tracking.url or carrier_link(tracking)
    link_facts = (f"{of}.url",) if tracking.url else (f"{of}.company", f"{of}.number")
    return {
        "tracking_number": _value(tracking.number, f"{of}.number"),
        "tracking_company": _value(tracking.company, f"{of}.company"),
        "tracking_url": ProvenValue(url, link_facts) if url else None,
    }


def _value(text: str | None, fact: str) -> ProvenValue | None:
    return ProvenValue(text, (fact,)) if text else None
