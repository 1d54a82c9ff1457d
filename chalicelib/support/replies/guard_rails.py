"""Everything that forbids an automatic reply, in the order of the checks; pure.

A refusal is a fixed reason and the tags that it adds to the ticket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import timedelta

from chalicelib.errors import SettingsError
from chalicelib.once import reasons as core
from chalicelib.once.allowances import Limit
from chalicelib.once.ports import Switches
from chalicelib.support import reasons as why
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.decision import REPEATED_COMPLAINT, Decision
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.own_words import own_part
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.support.tickets import Ticket
from chalicelib.support_settings import SupportSettings
from chalicelib.vendors.machine_mail import is_machine_mail

ANSWERED_TAG = "mw-auto-replied"
ESCALATED_TAG = "mw-escalated-human"
STATUS_SUPPRESSED_TAG = "mw-order-status-suppressed"
REPLY_SUPPRESSED_TAG = "mw-auto-reply-suppressed"
LOOKUP_FAILED_TAG = "mw-order-lookup-failed"
LOOKUP_MISSING_TAG = "mw-order-lookup-missing:{}"

MAX_WRITES_PER_EVENT = 3
CONVERSATION_LIMITS = (
    Limit(why.LIMIT_TICKET, 1, timedelta(minutes=10)),
    Limit(why.LIMIT_CONVERSATION, 3, timedelta(hours=24)),
)
ANSWER_LIMITS = CONVERSATION_LIMITS[1:]
"""Limits of the reply to an answer that we asked for: it may follow within the ten minutes."""
SAME_TEXT = (Limit(why.SAME_TEXT, 1, timedelta(days=7)),)
"""Limit of equal texts of one customer, over all tickets: a repeated text may be a machine's."""
STOPPED = (Limit(why.CUSTOMER_STOPPED, 1, timedelta(days=7)),)
"""After a repeated text, nothing of the customer's is answered automatically for this time."""
CUSTOMER_LIMITS = (Limit(why.LIMIT_CUSTOMER, 5, timedelta(hours=24)),)

_HANDED_OVER = frozenset({ESCALATED_TAG, ATTENTION_TAG})
_ANSWERED_ALREADY_TAG = "mw-skip-followup-after-auto-reply"
_ANSWERED_TAGS = frozenset({ANSWERED_TAG, _ANSWERED_ALREADY_TAG})
"""Either tag says that the ticket had its automatic answer: people may have removed the other."""
_E_MAIL_CHANNELS = frozenset({"email", "e-mail", "mail"})


@dataclass(frozen=True, slots=True)
class Policy:
    """The deployment's settings for automatic replies.

    Attributes:
        is_outbound_enabled: replies may be sent at all; off by default.
        templates: ids of the templates that may be sent.
        author_id: the vendor's user id of the bot; without one nothing is sent.
        emails: addresses that may get replies, in lower case.
        domains: domains, all of whose addresses may get replies.
        requires_allow_list: no reply is sent while `emails` and `domains` are both empty.
        closes_tickets: a reply that settles its question closes the ticket; off by default.
    """

    is_outbound_enabled: bool = False
    templates: frozenset[str] = frozenset()
    author_id: str | None = None
    emails: frozenset[str] = field(default=frozenset(), repr=False)
    domains: frozenset[str] = frozenset()
    requires_allow_list: bool = True
    signature: str = "Customer Support"
    closes_tickets: bool = False

    def allows(self, email: str | None) -> bool:
        """Whether an address may get replies: it or its domain is on an allow-list.

        Where both lists are empty, every address may if no list is required, else none.
        """
        if not self.emails and not self.domains:
            return not self.requires_allow_list
        address = (email or "").strip().lower()
        return address in self.emails or address.rpartition("@")[2] in self.domains


def policy_of(settings: SupportSettings) -> Policy:
    """The `Policy` that the deployment's settings describe.

    Raises:
        SettingsError: an enabled template does not exist.
    """
    unknown = sorted(settings.templates - CATALOGUE.keys())
    if unknown:
        raise SettingsError(f"TEMPLATES_ENABLED names {', '.join(unknown)}")
    return Policy(
        is_outbound_enabled=settings.outbound_enabled,
        templates=settings.templates,
        author_id=settings.bot_agent_id or None,
        emails=settings.allow_emails,
        domains=settings.allow_domains,
        requires_allow_list=settings.require_allow_list,
        signature=settings.signature,
        closes_tickets=settings.close_after_reply,
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a message gets no automatic reply, and the tags that show this on the ticket.

    Attributes:
        is_momentary: the cause is temporary: the reply is tried again as long as it still applies.
    """

    reason: str
    tags: tuple[str, ...] = ()
    is_momentary: bool = False


_CLOSED = Refusal(why.TICKET_CLOSED, ("mw-skip-order-status-closed",))
_ANSWERED = Refusal(why.ANSWERED, (_ANSWERED_ALREADY_TAG,))
_NOT_ALLOWED = Refusal(why.NOT_ON_ALLOW_LIST, ("mw-outbound-blocked-allowlist",))
_NO_AUTHOR = Refusal(
    why.MISSING_BOT_AUTHOR, ("mw-outbound-blocked-missing-bot-author", ESCALATED_TAG)
)


def every_refusal(decision: Decision, missing: AbstractSet[str]) -> tuple[Refusal, ...]:
    """Example refusals that together have every set of tags that a refusal can add to a ticket.

    Args:
        decision: the decision on the message.
        missing: every fact that an order can lack.
    """
    failed = lookup_failed_refusal(why.LOOKUP_INCOMPLETE, decision, tuple(sorted(missing)))
    return (
        _CLOSED,
        _ANSWERED,
        _NOT_ALLOWED,
        _NO_AUTHOR,
        suppressed_refusal(why.NO_TEXT, decision),
        failed,
    )


def shadow_reason(
    switches: Switches, policy: Policy, rules: Rules, decision: Decision
) -> str | None:
    """The reason why answers to this message stay in shadow: they are judged, but not sent.

    Returns None where answers are sent.
    """
    if not policy.is_outbound_enabled:
        return why.OUTBOUND_DISABLED
    if switches.shadow_mode:
        return core.SHADOW
    return None if rules.answers(decision.route, decision.intent) else why.NOT_SWITCHED_ON


def refusal_by_switches(
    switches: Switches, shadowed: str | None, decision: Decision
) -> Refusal | None:
    """The refusal of a reply by the operators' switches, before any vendor is called.

    It is None where the switches allow a reply.  In shadow (judged, not sent) the switch that turns
    automation off refuses nothing, as on a new stage shadow is on and automation is off.
    """
    if switches.kill_switch:
        return Refusal(core.KILL_SWITCH)
    if switches.safe_mode:
        return Refusal(shadowed) if shadowed else suppressed_refusal(core.SAFE_MODE, decision)
    if not switches.automation_enabled and not shadowed:
        return suppressed_refusal(core.AUTOMATION_DISABLED, decision)
    return None


HOLDING_REASONS = frozenset(
    {
        *(why.NOT_ON_ALLOW_LIST, why.MISSING_BOT_AUTHOR, core.AUTOMATION_DISABLED),
        *(why.OUTBOUND_DISABLED, core.SHADOW, why.NOT_SWITCHED_ON),
    }
)
"""Reasons that keep an answer in shadow if nothing else speaks against it."""


def holding_reasons(
    switches: Switches, ticket: Ticket, policy: Policy, shadowed: str
) -> tuple[str, ...]:
    """The settings because of which an answer in shadow (judged, not sent) is not sent, as reason codes.

    They are the allow-list, a missing author, and automation that is off; last, why shadow is on.
    """
    found = [refusal.reason for refusal in _by_recipient(ticket, policy)]
    if not switches.automation_enabled:
        found.append(core.AUTOMATION_DISABLED)
    return (*found, shadowed)


def refusal_by_own_answer(ticket: Ticket | None, decision: Decision) -> Refusal | None:
    """The refusal of a second automatic answer on a ticket that had one; else None.

    It is also None where the message answers our question, or the ticket is closed, handed over to
    a person, or about a grave matter; then later checks decide.
    """
    if ticket is None or not ticket.is_open or decision.pending is not None:
        return None
    if not ticket.tags & _ANSWERED_TAGS or ticket.tags & _HANDED_OVER:
        return None
    if decision.risk_flags - {REPEATED_COMPLAINT}:
        return None
    return _ANSWERED


def refusal_by_shadow_answer(inquiry: Inquiry, event_key: str) -> Refusal | None:
    """The refusal of a second answer in shadow (judged, not sent) on a ticket; None for a first one.

    Table B has the earlier decisions in shadow.
    """
    known = inquiry.state.decisions if inquiry.state else ()
    is_answered = any(
        decision["decision"] == "answer" and decision["event"] != event_key for decision in known
    )
    return _ANSWERED if is_answered else None


def refusal_by_message(inquiry: Inquiry, decision: Decision) -> Refusal | None:
    """The refusal of a reply by the message: it is empty, automatic, or may not be answered.

    It is None where the message may be answered.
    """
    if not (inquiry.text or "").strip():
        return suppressed_refusal(why.NO_TEXT, decision)
    if _is_by_machine(inquiry):
        return suppressed_refusal(why.AUTO_RESPONDER, decision)
    if not decision.may_answer:
        return suppressed_refusal(
            decision.reasons[-1] if decision.reasons else why.NOT_SURE, decision
        )
    return None


def _is_by_machine(inquiry: Inquiry) -> bool:
    ticket, comment = inquiry.ticket, inquiry.comment
    sender = comment.sender if comment else None
    return is_machine_mail(
        own_part(inquiry.text or ""),
        ticket.subject if ticket else "",
        sender=sender or (ticket.customer_email if ticket else None),
        headers=comment.headers if comment else None,
    )


def refusal_by_ticket(inquiry: Inquiry, ticket: Ticket, decision: Decision) -> Refusal | None:
    """The refusal of a reply by its ticket: of a grave matter, escalated, closed, or with a newer comment.

    It is None where the ticket allows a reply.
    """
    known = inquiry.state
    if known is not None and known.risk_flags:
        return suppressed_refusal(why.RISK_FLAG, decision)
    if ticket.tags & _HANDED_OVER:
        return suppressed_refusal(why.ESCALATED, decision)
    if not ticket.is_open:
        return _CLOSED
    if inquiry.has_newer_reply:
        return suppressed_refusal(why.ANSWERED_BY_OPERATOR, decision)
    if inquiry.has_newer_question:
        return suppressed_refusal(why.NEWER_MESSAGE, decision)
    return None


def reason_overtaken(inquiry: Inquiry, ticket: Ticket) -> str | None:
    """The reason why a planned reply no longer applies, by its ticket as it is now; None where it still does.

    A reply no longer applies on a ticket that is closed, was answered by an operator, or is
    escalated.  The tag of a failed event is no reason: the operator who resumes the event knows of
    it.  A newer message of the customer is no reason either: its own event waits until this reply's
    event has ended.
    """
    if not ticket.is_open or inquiry.has_newer_reply:
        return why.SUPERSEDED
    return why.ESCALATED if ESCALATED_TAG in ticket.tags else None


def reason_withdrawn(inquiry: Inquiry, ticket: Ticket) -> str | None:
    """The reason why a reply that was put off until its ticket was routed no longer applies.

    It is None where the reply still applies.  The reasons are those of `overtaken`, an automatic
    answer on the ticket, and a newer message of the customer, which may have changed everything.
    """
    if ticket.tags & _ANSWERED_TAGS:
        return why.ANSWERED
    if inquiry.has_newer_question:
        return why.NEWER_MESSAGE
    return reason_overtaken(inquiry, ticket)


def refusal_by_policy(ticket: Ticket, policy: Policy, decision: Decision) -> Refusal | None:
    """The refusal of a reply by the deployment's settings: channel, allow-list, author.

    It is None where the settings allow a reply.
    """
    return refusal_by_channel(ticket, decision) or next(_by_recipient(ticket, policy), None)


def refusal_by_channel(ticket: Ticket, decision: Decision) -> Refusal | None:
    """The refusal of a reply on any channel but e-mail; None for e-mail."""
    if (ticket.channel or "email").strip().lower() not in _E_MAIL_CHANNELS:
        return suppressed_refusal(why.CHANNEL_NOT_SUPPORTED, decision)
    return None


def _by_recipient(ticket: Ticket, policy: Policy) -> Iterator[Refusal]:
    if not policy.allows(ticket.customer_email):
        yield _NOT_ALLOWED
    if not policy.author_id:
        yield _NO_AUTHOR


def suppressed_refusal(reason: str, decision: Decision, *more: str) -> Refusal:
    """A refusal with this reason, and with the tag for a reply about an order's status or for any other."""
    if decision.is_about_order_status:
        return Refusal(reason, (*more, STATUS_SUPPRESSED_TAG))
    return Refusal(reason, (*more, REPLY_SUPPRESSED_TAG))


def lookup_interrupted_refusal(reason: str) -> Refusal:
    """A refusal because the order cannot be looked up at the moment; the reply is tried again later."""
    return Refusal(f"{why.LOOKUP_FAILED}{reason}", (LOOKUP_FAILED_TAG,), is_momentary=True)


def lookup_failed_refusal(
    reason: str, decision: Decision, missing: tuple[str, ...] = ()
) -> Refusal:
    """A refusal because the order was not found, or because facts about it are missing.

    A tag is added for each missing fact.
    """
    tags = (LOOKUP_FAILED_TAG, *(LOOKUP_MISSING_TAG.format(fact) for fact in missing))
    return suppressed_refusal(reason, decision, *tags)


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
"""Tier 1: the template that acknowledges an intent and asks for the details its team needs."""
