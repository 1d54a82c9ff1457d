"""Outreach rules: hand-off rules, quiet hours, WhatsApp's 24-hour window; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record

WHATSAPP_WINDOW = timedelta(hours=24)
"""Free text is allowed only this long after the recipient's last message."""


def is_held(record: Record, rule: str) -> bool:
    """Whether a project's hand-off rule holds a message for a person.

    Args:
        record: holds the rule's three settings and the recipient.
        rule: ``auto_queue_initial_message`` or ``auto_queue_reply_message``.  With both of its
            lists empty it holds every message, else those to the listed recipients.
    """
    if record.item.get(rule) is not True:
        return False
    numbers = record.item.get(f"{rule}_from_number") or []
    emails = [str(one).lower() for one in record.item.get(f"{rule}_from_email") or []]
    if not numbers and not emails:
        return True
    return record.primary_channel in (emails if record.channel == Channel.EMAIL else numbers)


def quiet_until(record: Record, now: datetime) -> datetime | None:
    """When quiet hours end, if the recipient has them now.

    ``quiet_hours`` of the project: ``{"from": "21:00", "until": "08:00", "zone": "Europe/London",
    "channels": ["sms", "whatsapp"]}``; the recipient's own zone takes precedence.  An invalid
    setting means no quiet hours.
    """
    setting = record.item.get("quiet_hours")
    if not isinstance(setting, Mapping):
        return None
    channels = setting.get("channels")
    if isinstance(channels, list) and record.channel.value not in channels:
        return None
    start, end = _clock_time(setting.get("from")), _clock_time(setting.get("until"))
    zone = _zone(record.item.get("recipient_timezone")) or _zone(setting.get("zone"))
    if start is None or end is None or zone is None or start == end:
        return None
    here = now.astimezone(zone)
    clock = here.time()
    is_quiet = start <= clock < end if start < end else clock >= start or clock < end
    if not is_quiet:
        return None
    day = here.date() if clock < end else here.date() + timedelta(days=1)
    return datetime.combine(day, end, tzinfo=zone).astimezone(UTC)


def window_is_open(record: Record, now: datetime) -> bool:
    """Whether WhatsApp accepts free text now."""
    last = record.last_inbound_at
    return last is not None and now - last < WHATSAPP_WINDOW


def _clock_time(text: Any) -> time | None:  # noqa: ANN401 - whatever the project's item holds
    try:
        return time.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _zone(name: Any) -> ZoneInfo | None:  # noqa: ANN401 - whatever the item holds
    if not isinstance(name, str) or not name:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError
        return None
    except KeyError:
        return None
