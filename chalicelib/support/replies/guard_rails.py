"""Everything that forbids an automatic reply, in the order in which it is asked; pure.

Each refusal is a fixed reason and the tags it leaves on the ticket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from chalicelib.once.ports import Switches
from chalicelib.support.actions import ATTENTION_TAG
from chalicelib.support.decision import Decision
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.message import is_auto_reply
from chalicelib.support.limits import Limit
from chalicelib.support.tickets import Ticket

ANSWERED_TAG = "mw-auto-replied"
ESCALATED_TAG = "mw-escalated-human"
STATUS_SUPPRESSED_TAG = "mw-order-status-suppressed"
REPLY_SUPPRESSED_TAG = "mw-auto-reply-suppressed"
LOOKUP_FAILED_TAG = "mw-order-lookup-failed"
LOOKUP_MISSING_TAG = "mw-order-lookup-missing:{}"

MAX_WRITES_PER_EVENT = 3
CONVERSATION_LIMITS = (
    Limit("limit_ticket_10m", 1, timedelta(minutes=10)),
    Limit("limit_conversation_24h", 3, timedelta(hours=24)),
)
ANSWER_LIMITS = CONVERSATION_LIMITS[1:]
"""Of the one reply that our own question asked for: it may come within the ten minutes."""
CUSTOMER_LIMITS = (Limit("limit_customer_24h", 5, timedelta(hours=24)),)

_HANDED_OVER = frozenset({ESCALATED_TAG, ATTENTION_TAG})
_E_MAIL_CHANNELS = frozenset({"email", "e-mail", "mail"})


@dataclass(frozen=True, slots=True)
class Policy:
    """What a deployment allows.

    Attributes:
        is_outbound_enabled: replies may be considered at all; off until a deployment says so.
        templates: those that may go out; any other is as good as not there.
        author_id: the vendor's user id of the bot; without one nothing is sent.
        emails: addresses that may be written to, in lower case.
        domains: likewise, everybody under them.
        requires_allow_list: with both lists empty nobody may be written to.
    """

    is_outbound_enabled: bool = False
    templates: frozenset[str] = frozenset()
    author_id: str | None = None
    emails: frozenset[str] = field(default=frozenset(), repr=False)
    domains: frozenset[str] = frozenset()
    requires_allow_list: bool = True
    signature: str = "Customer Support"

    def allows(self, email: str | None) -> bool:
        """The address is on an allow-list, or there is none and none is required."""
        if not self.emails and not self.domains:
            return not self.requires_allow_list
        address = (email or "").strip().lower()
        return address in self.emails or address.rpartition("@")[2] in self.domains


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is sent, and what the ticket shows of it."""

    reason: str
    tags: tuple[str, ...] = ()


def by_switches(switches: Switches, policy: Policy, decision: Decision) -> Refusal | None:
    """Refusals that need no look at anything; in these nobody is called."""
    if not policy.is_outbound_enabled:
        return Refusal("outbound_disabled")
    if switches.kill_switch:
        return Refusal("kill_switch")
    if switches.shadow_mode:
        return Refusal("shadow")
    if switches.safe_mode:
        return suppressed("safe_mode", decision)
    if not switches.automation_enabled:
        return suppressed("automation_disabled", decision)
    return None


def by_message(inquiry: Inquiry, decision: Decision) -> Refusal | None:
    """Refusals that the message itself explains."""
    if not (inquiry.text or "").strip():
        return suppressed("no_text", decision)
    subject = inquiry.ticket.subject if inquiry.ticket else ""
    if is_auto_reply(inquiry.text or "", subject):
        return suppressed("auto_responder", decision)
    if not decision.may_answer:
        return suppressed(decision.reasons[-1] if decision.reasons else "not_sure", decision)
    return None


def by_ticket(inquiry: Inquiry, ticket: Ticket, decision: Decision) -> Refusal | None:
    """Refusals that the ticket explains: closed, escalated, or answered before."""
    known = inquiry.state
    if known is not None and known.risk_flags:
        return suppressed("risk_flag", decision)
    if ticket.tags & _HANDED_OVER:
        return suppressed("escalated", decision)
    if not ticket.is_open:
        return Refusal("ticket_closed", ("mw-skip-order-status-closed",))
    if ANSWERED_TAG in ticket.tags and decision.pending is None:
        return Refusal("answered_automatically", ("mw-skip-followup-after-auto-reply",))
    if inquiry.has_newer_reply:
        return suppressed("answered_by_operator", decision)
    if inquiry.has_newer_question:
        return suppressed("newer_message", decision)
    return None


def overtaken(inquiry: Inquiry, ticket: Ticket) -> str | None:
    """Why a reply that was decided before is not right any more.

    The tag that our own failure left forbids nothing here: whoever has that event go on knows it.
    Nor does what the customer wrote since: that has an event of its own, which waits behind this.
    """
    if not ticket.is_open or inquiry.has_newer_reply:
        return "superseded"
    return "escalated" if ESCALATED_TAG in ticket.tags else None


def by_policy(ticket: Ticket, policy: Policy, decision: Decision) -> Refusal | None:
    """Refusals of this deployment."""
    if (ticket.channel or "email").strip().lower() not in _E_MAIL_CHANNELS:
        return suppressed("channel_not_supported", decision)
    if not policy.allows(ticket.customer_email):
        return Refusal("not_on_allow_list", ("mw-outbound-blocked-allowlist",))
    if not policy.author_id:
        return Refusal(
            "missing_bot_author", ("mw-outbound-blocked-missing-bot-author", ESCALATED_TAG)
        )
    return None


def suppressed(reason: str, decision: Decision, *more: str) -> Refusal:
    """A refusal with the tag that its kind of reply leaves."""
    if decision.is_about_order_status:
        return Refusal(reason, (*more, STATUS_SUPPRESSED_TAG))
    return Refusal(reason, (*more, REPLY_SUPPRESSED_TAG))


def lookup_failed(reason: str, decision: Decision, missing: tuple[str, ...] = ()) -> Refusal:
    """The order could not be found or shows too little."""
    tags = (LOOKUP_FAILED_TAG, *(LOOKUP_MISSING_TAG.format(one) for one in missing))
    return suppressed(reason, decision, *tags)


TEMPLATE_OF: Mapping[str, str] = {
    "delivered_not_received": "t_delivered_not_received_intake",
    "missing_items_in_shipment": "t_missing_items_intake",
    "wrong_item_received": "t_wrong_item_intake",
    "damaged_item": "t_damaged_item_intake",
    "cancel_order": "t_cancel_order_ack_intake",
    "address_change_order_edit": "t_address_change_ack_intake",
    "cancel_subscription": "t_cancel_subscription_ack_intake",
    "billing_issue": "t_billing_issue_intake",
    "return_request": "t_return_request_intake",
    "exchange_request": "t_exchange_request_intake",
    "refund_request": "t_refund_request_intake",
    "technical_support": "t_technical_support_intake",
    "promo_discount_issue": "t_promo_discount_info",
    "pre_purchase_question": "t_pre_purchase_info",
    "influencer_marketing_inquiry": "t_influencer_inquiry_route",
}
"""Tier 1: what acknowledges an intent and asks for what the team will need."""
