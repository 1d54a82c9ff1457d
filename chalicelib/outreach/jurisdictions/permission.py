"""Whether an unsolicited message may be sent; pure.

Every jurisdiction that the recipient may be in must allow the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.consents import GivenConsent
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions import rulebook
from chalicelib.outreach.jurisdictions.opening_hours import free_from, open_from
from chalicelib.outreach.jurisdictions.recipient_place import RecipientPlace
from chalicelib.outreach.jurisdictions.rulebook import (
    JurisdictionRule,
    RequiredWord,
    TemplateCategory,
)

_PASSING_KINDS = ("hours", "no_holidays", "cap")
"""Kinds of rules whose refusal ends by itself after a time."""
_TURNS = 200
"""Limit of steps in the search: the end of one rule's refusal may fall into another's."""
_WIDEST = (ContactPurpose.TRANSACTIONAL, ContactPurpose.SERVICE, ContactPurpose.MARKETING)
"""Purposes in order: a consent for a purpose also covers the purposes before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendFacts:
    """The facts about one message by which the legal rules decide whether it may be sent.

    Attributes:
        place: where the recipient may be.
        at: when the message would be sent.
        consents: the recipient's consents, for any channel and purpose.
        sent_at: when the company's unsolicited messages reached the recipient, within the longest
            cap.
        words: the required words that the message will have.
        template: WhatsApp's category of the template; None where unknown.
        is_opening: the first message; only it needs the required words.
        is_customer: the recipient has bought from the company.
    """

    place: RecipientPlace
    channel: Channel
    purpose: ContactPurpose
    at: datetime
    consents: Sequence[GivenConsent] = ()
    sent_at: Sequence[datetime] = ()
    words: frozenset[RequiredWord] = frozenset()
    template: TemplateCategory | None = None
    is_opening: bool = True
    is_customer: bool = False


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether the legal rules allow a message, and if not, why and until when.

    Attributes:
        why: a reason code for each kind of refusal; lasting refusals come first.
        rules: the ids of the rules that refuse.
        stamps: the rule files that were applied, with their versions.
        next_at: the first time at which all rules allow the message; None where it is allowed now,
            and where waiting does not help.
    """

    allowed: bool
    why: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    stamps: tuple[str, ...] = field(default=())
    next_at: datetime | None = None


def may_send(facts: SendFacts) -> Permission:
    """Whether the legal rules allow a message, which rules refuse it, and from when on it is allowed."""
    stamps = tuple(
        jurisdiction.stamp for jurisdiction in rulebook.jurisdictions_in(facts.place.regions)
    )
    asked = rules_for(facts.place, facts.channel, facts.purpose)
    refusing = [(rule, code) for rule in asked if (code := _refusal(rule, facts))]
    if not refusing:
        return Permission(allowed=True, stamps=stamps)
    refusing.sort(key=lambda refusal: refusal[0].kind in _PASSING_KINDS)
    return Permission(
        allowed=False,
        why=tuple(dict.fromkeys(code for _, code in refusing)),
        rules=tuple(rule.id for rule, _ in refusing),
        stamps=stamps,
        next_at=_next_at(facts, asked),
    )


def rules_for(
    place: RecipientPlace, channel: Channel, purpose: ContactPurpose
) -> list[JurisdictionRule]:
    """The legal rules of each jurisdiction that a recipient may be in, for a channel and a purpose."""
    return [
        rule
        for jurisdiction in rulebook.jurisdictions_in(place.regions)
        for rule in jurisdiction.rules
        if channel in rule.requirement.channels and purpose in rule.requirement.purposes
    ]


def longest_window(rules: Sequence[JurisdictionRule]) -> timedelta | None:
    """The longest time over which the rules' frequency caps count messages; None where no rule has a cap."""
    hours = [rule.requirement.cap.hours for rule in rules if rule.requirement.cap]
    return timedelta(hours=max(hours)) if hours else None


def _refusal(rule: JurisdictionRule, facts: SendFacts) -> str | None:
    """The code of a legal rule's refusal of a message; None where the rule allows it."""
    wanted = rule.requirement
    match rule.kind:
        case "words":
            is_kept = not facts.is_opening or set(wanted.words or ()) <= facts.words
        case "templates":
            is_kept = _category(facts) in (wanted.templates or ())
        case "consent" if wanted.consent and wanted.consent.except_customers and facts.is_customer:
            is_kept = True
        case "consent":
            given = _consents(facts)
            if any(not _is_expired(consent, facts.at) for consent in given):
                return None
            return reasons.CONSENT_EXPIRED if given else reasons.CONSENT_MISSING
        case "consent_days":
            oldest = facts.at - timedelta(days=wanted.consent_days or 0)
            given = _consents(facts)
            is_kept = not given or any(consent.given_at > oldest for consent in given)
        case _:
            is_kept = _allows_from(rule, facts, facts.at) == facts.at
    return None if is_kept else rule.code


def _allows_from(rule: JurisdictionRule, facts: SendFacts, at: datetime) -> datetime | None:
    """The first time from `at` on that a rule on hours, holidays or frequency allows.

    None where hours or holidays allow none in three weeks.  With several time zones it may hold for
    the first refusing zone only: the caller asks again from it.
    """
    wanted = rule.requirement
    if wanted.cap is not None:
        window = timedelta(hours=wanted.cap.hours)
        within = sorted(sent_at for sent_at in facts.sent_at if at - window < sent_at)
        if len(within) < wanted.cap.messages:
            return at
        return within[-wanted.cap.messages] + window
    for zone in facts.place.zones:
        allowed = (
            open_from(at, rule.open_hours, zone)
            if rule.kind == "hours"
            else free_from(at, rule.holidays.has, zone)
        )
        if allowed != at:
            return allowed
    return at


def _next_at(facts: SendFacts, asked: Sequence[JurisdictionRule]) -> datetime | None:
    """The first time at which every legal rule allows the message; None where no such time is found."""
    passing = [rule for rule in asked if rule.kind in _PASSING_KINDS]
    at = facts.at
    for _ in range(_TURNS):
        found = [_allows_from(rule, facts, at) for rule in passing]
        later = [time for time in found if time is not None and time > at]
        if None in found:
            return None
        if not later:
            then = replace(facts, at=at)
            return None if any(_refusal(rule, then) for rule in asked) else at
        at = max(later)
    return None


def _category(facts: SendFacts) -> TemplateCategory:
    """The template's category; where unknown, the one that WhatsApp requires for the message's purpose."""
    if facts.template is not None:
        return facts.template
    is_marketing = facts.purpose is ContactPurpose.MARKETING
    return TemplateCategory.MARKETING if is_marketing else TemplateCategory.UTILITY


def _consents(facts: SendFacts) -> list[GivenConsent]:
    """The recipient's consents for the message's channel that cover its purpose."""
    wanted = _WIDEST.index(facts.purpose)
    return [
        consent
        for consent in facts.consents
        if consent.channel is facts.channel and _WIDEST.index(consent.purpose) >= wanted
    ]


def _is_expired(consent: GivenConsent, at: datetime) -> bool:
    return consent.expires_at is not None and consent.expires_at <= at
