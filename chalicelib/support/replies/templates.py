"""Every text that may reach a customer, as mustache templates; a model never writes one.

A missing optional value is left out with its sentence; a missing required value is an error, and
nothing is sent.  Bodies are plain text, so nothing is escaped; a value is one line without control
characters, and a URL must be http(s).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chalicelib.support.orders.order_answers import TemplateAnswer, TemplateValue
from chalicelib.support.orders.shipments import ProvenValue
from chalicelib.support.replies.proofs import Proof, ProofMarks
from chalicelib.support.replies.template_texts import CLOSING, TEXTS

if TYPE_CHECKING:
    import pystache

MAX_VALUE_CHARACTERS = 300
MAX_NAME_CHARACTERS = 40
SHARED_VALUES = frozenset({"support_signature", "reference"})
"""Values that every text may use."""


NONE_CHANGED: Mapping[str, Any] = MappingProxyType({})


class TemplateError(Exception):
    """A reply must not be sent: its template is unknown or disabled, or lacks a required value.

    The message shows no values.
    """


@dataclass(frozen=True, slots=True)
class Template:
    """One template for replies, and the names of the values that it takes.

    Attributes:
        tier: number of the `decision.Tier` whose messages the template answers.
        closes: the ticket may be closed after a reply with this template.
        is_enabled: the template may be sent at all; one of tier 0 never is, whatever the settings.
    """

    id: str
    tier: int
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset({"first_name"})
    closes: bool = False
    is_enabled: bool = True


@dataclass(frozen=True, slots=True)
class ReplyText:
    """The text of a reply, and the proof of its sentences about orders."""

    text: str = field(repr=False)
    proof: tuple[Proof, ...] = field(default=(), repr=False)


def render(
    *paragraphs: TemplateAnswer,
    first_name: str | None = None,
    reference: str,
    signature: str,
    language: str = "en",
    texts: Mapping[str, Mapping[str, str]] = NONE_CHANGED,
    closings: Mapping[str, str] = NONE_CHANGED,
) -> ReplyText:
    """Render the text of a reply from its templates and values.

    Args:
        paragraphs: for each paragraph a template of `CATALOGUE` and its values; values that the
            template does not declare are ignored.
        first_name: the customer's first name.
        reference: the reference by which read-back finds the reply.
        signature: the name with which the text is signed.
        language: the text's language; English where a template lacks it.
        texts: the shop's own texts, which replace built-in ones, by template and language.
        closings: the shop's own last lines, which replace the built-in ones, by language.

    Raises:
        TemplateError: the text must not be sent.
    """
    marks = ProofMarks()
    shared = {"support_signature": _line(signature), "reference": reference}
    bodies, spoken = [], language
    for paragraph in paragraphs:
        template = CATALOGUE.get(paragraph.template_id)
        if template is None or not template.is_enabled:
            raise TemplateError(f"{paragraph.template_id} is not to be sent")
        written = {**TEXTS.get(template.id, {}), **texts.get(template.id, {})}
        spoken = language if language in written else "en"
        known = _declared_values(template, {"first_name": first_name, **paragraph.values}, marks)
        bodies.append(_renderer().render(written[spoken].strip(), {**known, **shared}).strip())
    closing = _renderer().render({**CLOSING, **closings}[spoken].strip(), shared)
    text = re.sub(r"\n{3,}", "\n\n", f"{joined_paragraphs(bodies)}\n\n{closing}").strip() + "\n"
    return ReplyText(*marks.read(text))


def joined_paragraphs(bodies: Sequence[str]) -> str:
    """The rendered paragraphs as one text.

    A first or last line that all paragraphs have, such as the greeting, appears once.
    """
    if len(bodies) == 1:
        return bodies[0]
    lines = [body.splitlines() for body in bodies]
    same_start, same_end = (len({line[at] for line in lines}) == 1 for at in (0, -1))
    last = len(lines) - 1
    kept = (
        line[1 if same_start and n else 0 : -1 if same_end and n != last else None]
        for n, line in enumerate(lines)
    )
    return "\n\n".join("\n".join(line).strip() for line in kept)


def _declared_values(
    template: Template, values: Mapping[str, TemplateValue], marks: ProofMarks
) -> Mapping[str, object]:
    """The values that a template declares, cleaned, and marked where facts prove them (`proofs.ProofMarks`).

    Raises:
        TemplateError: a required value is missing.
    """
    known = {
        name: _value(name, values.get(name), marks)
        for name in template.required | template.optional
    }
    missing = sorted(name for name in template.required if not known[name])
    if missing:
        raise TemplateError(f"{template.id} lacks {', '.join(missing)}")
    return known


def _value(name: str, value: TemplateValue, marks: ProofMarks) -> object:
    if isinstance(value, ProvenValue):
        cleaned = _clean(name, value.text)
        return marks.marked(cleaned, value.facts) if cleaned else None
    if value is None or isinstance(value, str):
        return _clean(name, value)
    return [{key: _value(key, inner, marks) for key, inner in row.items()} for row in value]


@cache
def _renderer() -> pystache.Renderer:
    """The mustache renderer; it is made for the first text, to keep cold starts short."""
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
    printable = "".join(character if character.isprintable() else " " for character in value)
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
    template.id: template
    for template in (
        Template(
            "t_order_status_verified",
            tier=2,
            required=frozenset({"order_id", "order_status"}),
            optional=frozenset(
                {
                    "first_name",
                    "fulfillment_status",
                    "estimated_delivery",
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
            optional=frozenset(
                {"first_name", "order_created_at", "handling_time", "support_hours_note"}
            ),
        ),
        Template(
            "t_order_eta_no_tracking_verified",
            tier=2,
            required=frozenset({"order_id", "shipping_bucket", "eta_remaining_human"}),
            optional=frozenset({"first_name", "order_created_at", "handling_time"}),
            closes=True,
        ),
        Template(
            "t_order_parcels_verified",
            tier=2,
            required=frozenset({"order_id", "order_status", "parcel_count", "parcels"}),
            optional=frozenset(
                {
                    "first_name",
                    "fulfillment_status",
                    "estimated_delivery",
                    "tracking_url",
                    "tracking_number",
                    "tracking_company",
                }
            ),
        ),
        *(Template(name, tier=1) for name in _INTAKES),
        *(Template(name, tier=0, is_enabled=False) for name in _NEVER),
        Template("t_unknown_ack", tier=1, is_enabled=False),
    )
}
"""Every template by its id."""
