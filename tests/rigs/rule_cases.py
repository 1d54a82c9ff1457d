"""For each rule of each jurisdiction a message that it refuses and the nearest one that it allows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.consents import GivenConsent
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions.permission import SendFacts
from chalicelib.outreach.jurisdictions.recipient_place import of_number, of_region
from chalicelib.outreach.jurisdictions.rulebook import RequiredWord, TemplateCategory

SMS, WHATSAPP, EMAIL = Channel.SMS, Channel.WHATSAPP, Channel.EMAIL
ZONES = {
    "us": "America/New_York",
    "us-fl": "America/New_York",
    "us-ok": "America/Chicago",
    "us-wa": "America/Los_Angeles",
    "us-ca": "America/Los_Angeles",
    "ca": "America/Toronto",
    "gb": "Europe/London",
    "de": "Europe/Berlin",
    "fr": "Europe/Paris",
    "es": "Europe/Madrid",
    "mx": "America/Mexico_City",
    "br": "America/Sao_Paulo",
}


def at(text, region):
    """A local time of a region."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(ZONES[region])).astimezone(UTC)


def consent(channel=SMS, purpose=ContactPurpose.MARKETING, days=1, *, now=None, **more):
    """A consent that was given so many days ago."""
    now = now or datetime(2026, 11, 25, 17, tzinfo=UTC)
    fields = {"expires_at": None, "source": "form", "form": "apply", "version": "1", **more}
    given_at = now - timedelta(days=days)
    return GivenConsent(channel=channel, purpose=purpose, given_at=given_at, **fields)


def facts(region, channel=SMS, when="2026-11-25T12:00", **changes):
    """A marketing opening on a Wednesday at noon that breaks no rule."""
    now = at(when, region)
    own = {
        "place": of_region(region, ZoneInfo(ZONES[region])),
        "channel": channel,
        "purpose": ContactPurpose.MARKETING,
        "at": now,
        "consents": (consent(channel, now=now),),
        "words": frozenset(RequiredWord),
    }
    return SendFacts(**{**own, **changes})


def hours(region, refused, allowed, channel=SMS):
    return facts(region, channel, refused), facts(region, channel, allowed)


def without_consent(region, channel=SMS, **allowed):
    """A message without consent, and the same with consent or with the changes in `allowed`."""
    refused = facts(region, channel, consents=())
    return refused, replace(refused, **allowed) if allowed else facts(region, channel)


def without(word, region, channel=SMS):
    full = facts(region, channel)
    return replace(full, words=frozenset(RequiredWord) - {word}), full


def crowded(region):
    """A message after three others within 24 hours, and one after two."""
    now = facts(region).at
    sent = [now - timedelta(hours=n) for n in (1, 2, 23)]
    return facts(region, sent_at=sent), facts(
        region, sent_at=[*sent[:2], now - timedelta(hours=24)]
    )


def template(region, category, other):
    return (
        facts(region, WHATSAPP, template=category),
        facts(region, WHATSAPP, **other),
    )


SERVICE = {"purpose": ContactPurpose.SERVICE, "template": TemplateCategory.UTILITY}
CUSTOMER = {"is_customer": True}
OLD, NEW = (consent(days=n, now=at("2026-11-25T12:00", "fr")) for n in (1096, 1094))
CASES = {
    "worldwide:whatsapp-opt-in": (
        facts("gb", WHATSAPP, consents=(consent(SMS),), **SERVICE),
        facts("gb", WHATSAPP, **SERVICE),
    ),
    "worldwide:whatsapp-category": template("gb", TemplateCategory.UTILITY, {"template": None}),
    "us-federal:calling-hours": hours("us", "2026-11-25T21:00", "2026-11-25T20:59"),
    "us-federal:text-consent": without_consent("us"),
    "us-federal:text-words": without(RequiredWord.RATES, "us"),
    "us-federal:mail-words": without(RequiredWord.POSTAL_ADDRESS, "us", EMAIL),
    "us-federal:whatsapp-marketing": template("us", None, SERVICE),
    "us-fl:calling-hours": hours("us-fl", "2026-11-25T20:00", "2026-11-25T19:59"),
    "us-fl:frequency": crowded("us-fl"),
    "us-fl:text-consent": without_consent("us-fl"),
    "us-ok:calling-hours": hours("us-ok", "2026-11-25T07:59", "2026-11-25T08:00"),
    "us-ok:frequency": crowded("us-ok"),
    "us-ok:text-consent": without_consent("us-ok"),
    "us-wa:calling-hours": hours("us-wa", "2026-11-25T20:30", "2026-11-25T19:30"),
    "us-wa:identity": without(RequiredWord.IDENTITY, "us-wa"),
    "us-wa:text-consent": without_consent("us-wa"),
    "us-ca:text-consent": (facts("us-ca", consents=()), facts("us-ca", consents=(), **CUSTOMER)),
    "us-ca:opt-out": without(RequiredWord.OPT_OUT, "us-ca"),
    "ca:calling-hours": hours("ca", "2026-11-28T18:00", "2026-11-27T18:00"),
    "ca:consent": (facts("ca", EMAIL, consents=(), **CUSTOMER), facts("ca", EMAIL)),
    "ca:words": without(RequiredWord.POSTAL_ADDRESS, "ca"),
    "gb:text-hours": hours("gb", "2026-11-28T08:30", "2026-11-27T08:30"),
    "gb:consent": without_consent("gb", **CUSTOMER),
    "gb:words": without(RequiredWord.IDENTITY, "gb", EMAIL),
    "de:consent": without_consent("de", EMAIL, **CUSTOMER),
    "de:words": without(RequiredWord.OPT_OUT, "de"),
    "fr:text-hours": hours("fr", "2026-11-29T12:00", "2026-11-28T12:00"),
    "fr:public-holidays": hours("fr", "2026-04-06T12:00", "2026-04-07T12:00"),  # Easter Monday
    "fr:consent": without_consent("fr"),
    "fr:consent-age": (facts("fr", consents=(OLD,)), facts("fr", consents=(OLD, NEW))),
    "fr:words": without(RequiredWord.OPT_OUT, "fr"),
    "es:calling-hours": hours("es", "2026-11-28T12:00", "2026-11-27T12:00"),
    "es:public-holidays": hours("es", "2026-10-12T12:00", "2026-10-13T12:00"),
    "es:consent": without_consent("es", EMAIL),
    "es:words": without(RequiredWord.IDENTITY, "es"),
    "mx:text-consent": without_consent("mx"),
    "mx:words": without(RequiredWord.POSTAL_ADDRESS, "mx"),
    "br:calling-hours": hours("br", "2026-11-28T16:00", "2026-11-28T15:59"),
    "br:public-holidays": hours("br", "2026-04-03T12:00", "2026-04-02T12:00"),  # Good Friday
    "br:consent": without_consent("br", WHATSAPP),
    "br:words": without(RequiredWord.OPT_OUT, "br"),
}
"""By rule: refused, allowed; the second may still be refused by another rule of the place."""
UNCERTAIN = of_number("+15550100001")
"""Of a number whose area code is none."""
