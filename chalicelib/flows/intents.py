"""Keyword classifier: which of the intents a support message has, by tables of words.

Words are matched on word boundaries ("plate" is not "late", "discharge" is not "charge").  The
first table row that matches wins; rows stand in order of how much harm a miss would do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chalicelib.keys import normalised

DEFAULT_INTENT = "unknown_other"


@dataclass(frozen=True, slots=True)
class Classified:
    """An intent with how sure the tables are of it, 0 to 1."""

    intent: str
    confidence: float


def classify(text: str) -> Classified:
    """The intent of a message by the tables alone."""
    message = normalised(text)
    if not message:
        return Classified(DEFAULT_INTENT, 0.0)
    for intent, pattern, also in _RULES:
        if pattern.search(message) and (also is None or also.search(message)):
            return Classified(intent, 0.9)
    return Classified(DEFAULT_INTENT, 0.4)


def order_number(text: str) -> str | None:
    """The likeliest order number in a message: named as one, then most digits, then first."""
    message = normalised(text)
    named = _NAMED_ORDER.search(message)
    if named:
        return named.group(1) or named.group(2)
    bare = [found for found in _BARE_ORDER.findall(message) if not _DATE.fullmatch(found)]
    return max(bare, key=len) if bare else None


def _any_of(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(phrases) + r")(?!\w)")


_SHIPPING_WORDS = (
    "where(?:'s| is| are) my (?:order|package|parcel|stuff)",
    "(?:order|shipping|delivery) status",
    "status of my order",
    "track",
    "tracking",
    "tracked",
    "shipment",
    "shipping",
    "shipped",
    "delivered",
    "delivery",
    "arrive",
    "arrives",
    "arrived",
    "package",
    "parcel",
    "eta",
    "late",
    "delay",
    "delayed",
    "never arrived",
)
_NAMED_ORDER = re.compile(
    r"order\s*(?:number|no\.?|id|#)?\s*[:#]?\s*#?(\d{3,20})(?!\w)|(?<!\w)#(\d{6,10})(?!\w)"
)
_BARE_ORDER = re.compile(r"(?<![\w.,:/-])(\d{6,8})(?![\w:/-])")
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_ORDER_MENTIONED = re.compile(r"order\s*(?:number|no\.?|id|#)?\s*[:#]?\s*#?\d{3,20}|#\d{6,10}")

_GOODS = _any_of("delivered", "package", "parcel", "order")

_RULES: tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...] = (
    ("fraud_suspected", _any_of("fraud", "fraudulent"), None),
    (
        "chargeback_dispute",
        _any_of(
            "chargebacks?",
            "charge back",
            "disput(?:e|ed|ing)",
            "bank reversed",
            "scam",
            "scammed",
            "scammers?",
        ),
        None,
    ),
    (
        "technical_support",
        _any_of(
            "log ?in",
            "sign in",
            "password",
            "(?:site|website) error",
            "(?:app )?crash(?:es|ed|ing)?",
            "bugs?",
            "not working",
            "errors?",
        ),
        None,
    ),
    ("cancel_subscription", _any_of("subscriptions?", "unsubscribe"), None),
    (
        "billing_issue",
        _any_of(
            "charge",
            "charged",
            "charges",
            "billing",
            "billed",
            "payments?",
            "invoices?",
            "unauthorized",
        ),
        None,
    ),
    (
        "address_change_order_edit",
        _any_of(
            "(?:change|update) (?:my |the |our )?(?:shipping |delivery )?address",
            "address change",
            "shipping address",
            "delivery address",
        ),
        None,
    ),
    (
        "order_status_delivery_issue",
        _any_of(
            "delivered but",
            "delivered and not",
            "not received",
            "(?:marked|says|shows)(?: as)? delivered",
            "(?:missing|lost) (?:package|parcel)",
            "stolen",
            "porch pirates?",
        ),
        _GOODS,
    ),
    ("order_status_tracking", _any_of(*_SHIPPING_WORDS), _ORDER_MENTIONED),
    ("exchange_request", _any_of("exchang(?:e|es|ing)", "swap"), None),
    ("refund_request", _any_of("refund(?:s|ed)?", "money back"), None),
    ("return_request", _any_of("return", "returns", "returning", "rma"), None),
    ("cancel_order", _any_of("cancel (?:my |the |this )?order", "stop (?:the )?shipment"), None),
    (
        "shipping_delay_not_shipped",
        _any_of(
            "label created",
            "not shipped",
            "no movement",
            "pre-shipment",
        ),
        None,
    ),
    ("order_status_tracking", _any_of(*_SHIPPING_WORDS), None),
)
