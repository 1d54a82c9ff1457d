"""Translates stored codes into plain words; pure.

An undeclared code is shown unchanged: codes are stored for years, and releases add some.
"""

from __future__ import annotations

from datetime import UTC, datetime

from chalicelib.clock import iso, parsed
from chalicelib.facts import reasons as facts
from chalicelib.once import reasons as core
from chalicelib.once.catalogue import Catalogue
from chalicelib.once.reasons import declared
from chalicelib.outreach import reasons as outreach
from chalicelib.outreach.twilio import codes
from chalicelib.support import reasons as support
from chalicelib.vendors import reasons as vendors

CATALOGUE = Catalogue(
    {**declared(core, vendors, outreach, support, facts), **codes.REASONS}, vendors.PROVIDERS
)
"""Every reason that any system stores."""
_TEAM = "route-"


def reason(code: str, provider: str = "") -> str:
    """A stored reason in plain words, followed by the code to search for.

    Args:
        code: the stored code.
        provider: the action's vendor, for a code that does not name it.
    """
    words = CATALOGUE.words(code, provider)
    return words if words == code else f"{words} ({code})"


def team(tag: str) -> str:
    """A route's tag as a team's name: ``route-returns-admin`` is *Returns admin*."""
    return tag.removeprefix(_TEAM).replace("-", " ").capitalize()


def subject(intent: str) -> str:
    """An intent as words: ``refund_request`` is *refund request*."""
    return intent.replace("_", " ")


def moment(iso_time: object) -> str:
    """A time as people say it: *Monday 23 November 2026, 10:02:07 UTC*."""
    at = parsed(iso_time if isinstance(iso_time, str) else None)
    if at is None:
        return "an unknown time"
    return f"{at.astimezone(UTC):%A} {at.day} {at.astimezone(UTC):%B %Y, %H:%M:%S} UTC"


def later(iso_time: object, after: object) -> str:
    """A time as "at 10:02:07" if on the same day as `after`, else "on" with the full date."""
    first, second = _utc(after), _utc(iso_time)
    if first and second and first.date() == second.date():
        return f"at {second:%H:%M:%S}"
    return f"on {moment(iso_time)}"


def epoch(seconds: object) -> str | None:
    """Epoch seconds as an ISO time; None for anything else."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return None
    return iso(datetime.fromtimestamp(seconds, UTC))


def _utc(iso_time: object) -> datetime | None:
    at = parsed(iso_time if isinstance(iso_time, str) else None)
    return at.astimezone(UTC) if at else None
