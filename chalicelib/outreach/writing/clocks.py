"""The clock of a conversation: the time zones of its recipient and of its company."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from chalicelib.outreach import time_zones
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.writing.moments import LocalClock

_UTC = ZoneInfo("UTC")


def clock_of(record: Record, settings: WriterSettings, now: datetime) -> LocalClock:
    """The time now in the zones of recipient and company; for an unknown zone the other's, else UTC."""
    own = time_zones.by_name(record.item.get("recipient_timezone"))
    place = time_zones.by_name(settings.time_zone)
    return LocalClock(now, own or place or _UTC, place or own or _UTC)
