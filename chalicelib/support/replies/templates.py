"""Every text that may reach a customer, as mustache templates; a model never writes one.

A missing optional value is left out with its sentence; a missing required value is an error, and
nothing is sent.  Bodies are plain text, so nothing is escaped; a value is one line without control
characters, and a URL must be http(s).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chalicelib.support.replies.template_texts import CLOSING, TEXTS

if TYPE_CHECKING:
    import pystache

MAX_VALUE_CHARACTERS = 300
MAX_NAME_CHARACTERS = 40
SHARED_VALUES = frozenset({"support_signature", "reference"})
"""Values that every text may use."""


NONE_CHANGED: Mapping[str, Any] = MappingProxyType({})


class TemplateError(Exception):
    """The template is unknown, disabled or lacks a required value; the message holds no values."""


@dataclass(frozen=True, slots=True)
class Template:
    """One template and the values it takes.

    Attributes:
        tier: the `decision.Tier` it belongs to, as a number.
        closes: the ticket is closed after it.
        is_enabled: may be sent at all; tier 0 never is, whatever the settings.
    """

    id: str
    tier: int
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset({"first_name"})
    closes: bool = False
    is_enabled: bool = True


def render(
    template_id: str,
    values: Mapping[str, str | None],
    *,
    reference: str,
    signature: str,
    language: str = "en",
    texts: Mapping[str, Mapping[str, str]] = NONE_CHANGED,
    closings: Mapping[str, str] = NONE_CHANGED,
) -> str:
    """The text for a customer.

    Args:
        template_id: one of `CATALOGUE`.
        values: by name; values the template does not declare are ignored.
        reference: by which the reply is found by read-back.
        signature: who signs.
        language: falls back to English.
        texts: in place of the built-in ones, by template and language.
        closings: in place of the built-in end of every text, by language.

    Raises:
        TemplateError: the text must not be sent.
    """
    template = CATALOGUE.get(template_id)
    if template is None or not template.is_enabled:
        raise TemplateError(f"{template_id} is not to be sent")
    known = {name: _clean(name, values.get(name)) for name in template.required | template.optional}
    missing = sorted(name for name in template.required if not known[name])
    if missing:
        raise TemplateError(f"{template_id} lacks {', '.join(missing)}")
    written = {**TEXTS.get(template_id, {}), **texts.get(template_id, {})}
    spoken = language if language in written else "en"
    body, closing = written[spoken], {**CLOSING, **closings}[spoken]
    context = {**known, "support_signature": _line(signature), "reference": reference}
    text: str = _renderer().render(f"{body.strip()}\n\n{closing.strip()}\n", context)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _renderer() -> pystache.Renderer:
    """Imported for the first text rendered, to keep cold starts short."""
    import pystache  # noqa: PLC0415 - see above

    return pystache.Renderer(escape=lambda text: text, missing_tags="strict")


def _clean(name: str, value: str | None) -> str | None:
    if not value:
        return None
    line = _line(value)
    if name.endswith("_url"):
        return line if _ADDRESS.fullmatch(line) else None
    if name == "first_name":
        first = line.split(" ")[0]
        return first if _NAME.fullmatch(first) and len(first) <= MAX_NAME_CHARACTERS else None
    return line[:MAX_VALUE_CHARACTERS]


def _line(value: str) -> str:
    printable = "".join(one if one.isprintable() else " " for one in value)
    return re.sub(r"\s+", " ", printable).strip()


_ADDRESS = re.compile(r"https?://[^\s<>\"']{4,500}")
_NAME = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]*)*")  # noqa: RUF001 - in names

_INTAKES = (
    "t_order_status_ask_order_number",
    "t_delivered_not_received_intake",
    "t_missing_items_intake",
    "t_wrong_item_intake",
    "t_damaged_item_intake",
    "t_cancel_order_ack_intake",
    "t_address_change_ack_intake",
    "t_cancel_subscription_ack_intake",
    "t_billing_issue_intake",
    "t_return_request_intake",
    "t_exchange_request_intake",
    "t_refund_request_intake",
    "t_technical_support_intake",
    "t_promo_discount_info",
    "t_pre_purchase_info",
    "t_influencer_inquiry_route",
)
_NEVER = ("t_chargeback_neutral_ack", "t_legal_threat_ack", "t_harassment_ack", "t_fraud_ack")

CATALOGUE: Mapping[str, Template] = {
    one.id: one
    for one in (
        Template(
            "t_order_status_verified",
            tier=2,
            required=frozenset({"order_id", "order_status"}),
            optional=frozenset(
                {
                    "first_name",
                    "fulfillment_status",
                    "tracking_url",
                    "tracking_number",
                    "tracking_company",
                    "status_url",
                }
            ),
        ),
        Template(
            "t_shipping_delay_verified",
            tier=2,
            required=frozenset({"order_id", "order_status", "fulfillment_status"}),
            optional=frozenset({"first_name", "order_created_at", "support_hours_note"}),
        ),
        Template(
            "t_order_eta_no_tracking_verified",
            tier=2,
            required=frozenset({"order_id", "shipping_bucket", "eta_remaining_human"}),
            optional=frozenset({"first_name", "order_created_at"}),
            closes=True,
        ),
        *(Template(name, tier=1) for name in _INTAKES),
        *(Template(name, tier=0, is_enabled=False) for name in _NEVER),
        Template("t_unknown_ack", tier=1, is_enabled=False),
    )
}
"""Every template by its id."""
