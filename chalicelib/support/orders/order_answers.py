"""What may be said about up to three orders, each value with the facts that prove it; pure.

A question is answered only if every order asked about is the customer's own, paid, without trouble
(`order_checks`) and in time.  A date of arrival is only given if the carrier gives one; else the
shop's window from dispatch is given.  Facts are paths into the orders, such as
``orders[0].fulfillments[0].shipment_status``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from chalicelib.support import reasons as why
from chalicelib.support.orders import order_checks, shipments
from chalicelib.support.orders.dates import date_in_words
from chalicelib.support.orders.delivery_time import DEFAULT_CALENDAR, DeliveryCalendar
from chalicelib.support.orders.order_question import Question
from chalicelib.support.orders.order_rules import order_rules
from chalicelib.support.orders.shipments import ParcelJudge, ProvenValue
from chalicelib.support.orders.shop_order import Order

MAX_ORDERS = 3
LOOKUP_MISSING = frozenset(
    {
        *("order_id", "created_at", "dispatched_at"),
        *("shipping_method_bucket", "tracking_or_shipping_method"),
    }
)
"""The facts that `NoAnswer.missing` may name."""

TemplateValue = ProvenValue | str | None | Sequence[Mapping[str, ProvenValue | None]]


@dataclass(frozen=True, slots=True)
class TemplateAnswer:
    """A template for a paragraph of a reply, and its values, each with the facts that prove it.

    Attributes:
        orders: the orders that the paragraph is about, each by the prefix of its facts' paths, e.g.
            ``orders[0]``.
    """

    template_id: str
    values: Mapping[str, TemplateValue] = field(repr=False)
    orders: Mapping[str, Order] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a question about orders gets no automatic answer: a reason, and the facts that the shop lacks."""

    reason: str
    missing: tuple[str, ...] = ()


def proven_answers(
    orders: Sequence[Order],
    question: Question,
    now: datetime,
    *,
    requester: str | None,
    language: Literal["en", "es"] = "en",
    calendar: DeliveryCalendar = DEFAULT_CALENDAR,
) -> tuple[TemplateAnswer, ...] | NoAnswer:
    """An answer about each order, with the facts that prove it.

    If a person must answer about one of them, a single `NoAnswer` is returned for all.

    Args:
        orders: the orders that the customer asks about, in that order.
        question: what the customer asks about them.
        now: the time of the answer.
        requester: the customer's e-mail address.
        language: the answer's language.
        calendar: the shop's calendar.
    """
    if not 0 < len(orders) <= MAX_ORDERS:
        return NoAnswer(why.TOO_MANY_ORDERS)
    answers = []
    for number, order in enumerate(orders):
        path = order.path or f"orders[{number}]"
        answer = _Asked(order, path, question, ParcelJudge(now, calendar, language)).answer(
            requester
        )
        if isinstance(answer, NoAnswer):
            return answer
        answers.append(replace(answer, orders={path: order}))
    return tuple(answers)


@dataclass(frozen=True, slots=True)
class _Asked:
    """An order that the customer asks about, with the question and what judges its times."""

    order: Order
    path: str
    question: Question
    time: ParcelJudge

    def answer(self, requester: str | None) -> TemplateAnswer | NoAnswer:
        order, now = self.order, self.time.now
        trouble = order_checks.trouble_of(order, requester)
        if trouble:
            return NoAnswer(trouble)
        if order.created_at is None or not order.name:
            missing = "order_id" if not order.name else "created_at"
            return NoAnswer(why.LOOKUP_INCOMPLETE, (missing,))
        sent = order.fulfillments or ()
        state = order_rules().fulfillment_status[order.fulfillment_status or ""].state
        if order.created_at > now or bool(sent) != (state == "sent"):
            return NoAnswer(why.ORDER_CONTRADICTORY)
        if not sent:
            return self._waiting(order.created_at)
        found = [self.time.parcel(order, n, parcel, self.path) for n, parcel in enumerate(sent)]
        for parcel in found:
            if isinstance(parcel, shipments.NotInTime):
                return NoAnswer(parcel.reason, parcel.missing)
        listed = [parcel for parcel in found if isinstance(parcel, shipments.ParcelInTime)]
        return self._several(listed) if len(listed) > 1 else self._sent(listed[0])

    def _waiting(self, created_at: datetime) -> TemplateAnswer | NoAnswer:
        """The answer for an order that was not sent yet: its handling time, and its delivery window.

        It is a refusal if the handling time is over, or if a window is needed and none is known.
        """
        order, time = self.order, self.time
        calendar, language = time.calendar, time.language
        placed = calendar.day_of_order(created_at)
        if order_checks.has_tag(order, order_rules().tags.preorder):
            return self._preordered(created_at)
        if calendar.business_days_after(placed, time.today) > calendar.handling_days:
            return NoAnswer(why.ORDER_NOT_SENT_IN_TIME)
        status = ("fulfillment_status", "fulfillments")
        days = calendar.handling_days
        values = self._values() | {
            "handling_time": ProvenValue(
                f"{days} {time.words_for_days(days)}", self._at("created_at", *status)
            )
        }
        if self.question is Question.NOT_SENT:
            row = order_rules().fulfillment_status[order.fulfillment_status or ""]
            state = ProvenValue(row.in_words(language), self._at(*status))
            return TemplateAnswer(
                "t_shipping_delay_verified", values | {"fulfillment_status": state}
            )
        window = calendar.window_of(order.shipping_method, order.country or "")
        if window is None:
            return NoAnswer(*time.reason_without_window(order))
        usual_time = f"{window.in_words(language)} {_FROM_LEAVING[language]}"
        waiting = {
            "shipping_bucket": ProvenValue(window.bucket, self._at("shipping_method", "country")),
            "eta_remaining_human": ProvenValue(
                f"{_IN[language]} {usual_time}", self._at("shipping_method", "country", *status)
            ),
        }
        return TemplateAnswer("t_order_eta_no_tracking_verified", values | waiting)

    def _preordered(self, created_at: datetime) -> TemplateAnswer | NoAnswer:
        """The answer for a pre-order.

        It is a refusal if the shop does not say how many days pre-orders take, or these days are
        over.
        """
        time, days = self.time, self.time.calendar.preorder_days
        if days is None or (time.today - time.calendar.today(created_at)).days > days:
            return NoAnswer(why.ORDER_PREORDERED)
        row = order_rules().fulfillment_status[self.order.fulfillment_status or ""]
        facts = self._at("fulfillment_status", "fulfillments", "tags")
        said = {
            "fulfillment_status": ProvenValue(row.in_words(time.language), facts),
            "handling_time": ProvenValue(
                f"{days} {_PLAIN_DAYS[time.language]}", self._at("created_at", "tags")
            ),
        }
        return TemplateAnswer("t_shipping_delay_verified", self._values() | said)

    def _sent(self, parcel: shipments.ParcelInTime) -> TemplateAnswer | NoAnswer:
        """The answer for an order sent in one parcel: its tracking, or its delivery window from dispatch.

        It is a refusal if the customer can track nothing and no window is known.
        """
        if parcel.has_tracking:
            status_url = self.order.status_url
            link = ProvenValue(status_url, self._at("status_url")) if status_url else None
            values = {**self._values(), **parcel.values, "status_url": link}
            return TemplateAnswer("t_order_status_verified", values)
        if parcel.state == "announced" or parcel.window is None:
            return NoAnswer(why.NOTHING_TO_FOLLOW)
        language = self.time.language
        left = f"{_SINCE[language]} {parcel.dispatched}{_WHEN_IT_LEFT[language]}"
        facts = self._at("shipping_method", "country")
        waiting = {
            "shipping_bucket": ProvenValue(parcel.window.bucket, facts),
            "eta_remaining_human": ProvenValue(
                f"{_IN[language]} {parcel.window.in_words(language)} {left}",
                (*facts, f"{self.path}.fulfillments[0].created_at"),
            ),
        }
        return TemplateAnswer("t_order_eta_no_tracking_verified", self._values() | waiting)

    def _several(self, listed: Sequence[shipments.ParcelInTime]) -> TemplateAnswer | NoAnswer:
        """The answer for an order sent in several parcels.

        It is a refusal unless every parcel is with the carrier and can be tracked.
        """
        if not all(parcel.state == "moving" and parcel.has_tracking for parcel in listed):
            return NoAnswer(why.ORDER_SEVERAL_SHIPMENTS)
        several: dict[str, TemplateValue] = {
            "parcel_count": ProvenValue(str(len(listed)), self._at("fulfillments")),
            "parcels": [parcel.values for parcel in listed],
        }
        return TemplateAnswer("t_order_parcels_verified", self._values() | several)

    def _values(self) -> dict[str, TemplateValue]:
        order, time = self.order, self.time
        paid = order_rules().financial_status[order.financial_status or ""]
        values: dict[str, TemplateValue] = {
            "order_id": ProvenValue(order.name, self._at("name", "email")),
            "order_status": ProvenValue(
                paid.in_words(time.language), self._at(*order_checks.CHECKED_FIELDS)
            ),
        }
        if order.created_at is not None:
            day = date_in_words(time.calendar.today(order.created_at), time.today, time.language)
            values["order_created_at"] = ProvenValue(day, self._at("created_at"))
        return values

    def _at(self, *names: str) -> tuple[str, ...]:
        return tuple(f"{self.path}.{name}" for name in names)


_IN = {"en": "in", "es": "en"}
_FROM_LEAVING = {"en": "from the day it leaves us", "es": "desde el día de su salida"}
_SINCE = {"en": "from", "es": "desde el"}
_WHEN_IT_LEFT = {"en": ", when it left us", "es": ", día de su salida"}
_PLAIN_DAYS = {"en": "days", "es": "días"}
