"""How long a recipient may wait for a person: a project's target, counted in its business hours; pure.

Example of the setting, which a conversation copies as it is opened::

    handoff_target   {"minutes": 30, "from": "09:00", "until": "17:30", "zone": "Europe/London",
                      "days": [1, 2, 3, 4, 5]}

Without ``from`` and ``until`` every hour counts, without ``days`` (Monday is 1) every day.  A project
without a target has none; one that cannot be read is refused by `company put`, and is none here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from chalicelib.outreach import time_zones

SETTING = "handoff_target"
MOST_MINUTES = 14 * 24 * 60
_EVERY_DAY = frozenset(range(1, 8))
_MOST_DAYS = 400
"""Days looked at: beyond the longest target with one business minute a day there is none."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target.

    Attributes:
        opens, closes: of a business day; the same time for the whole day.
        days: ISO weekdays.
    """

    minutes: int
    opens: time
    closes: time
    zone: ZoneInfo
    days: frozenset[int]

    def due(self, since: datetime) -> datetime | None:
        """When who waits since a time has waited too long; None where no business day comes."""
        left = timedelta(minutes=self.minutes)
        first = since.astimezone(self.zone).date() - timedelta(days=1)  # a night shift's
        for number in range(_MOST_DAYS):
            opens, closes = self._hours(first + timedelta(days=number))
            begins = max(opens, since)
            if closes <= begins:
                continue
            if begins + left <= closes:
                return begins + left
            left -= closes - begins
        return None

    def _hours(self, day: date) -> tuple[datetime, datetime]:
        """When a day's business hours begin and end, in UTC; both the same on other days."""
        opens = datetime.combine(day, self.opens, tzinfo=self.zone).astimezone(UTC)
        if day.isoweekday() not in self.days:
            return opens, opens
        until = day if self.opens < self.closes else day + timedelta(days=1)
        return opens, datetime.combine(until, self.closes, tzinfo=self.zone).astimezone(UTC)


def target_of(project: Mapping[str, Any]) -> Target | None:
    """The target of a project, or of a conversation that has copied it; None where there is none."""
    setting = project.get(SETTING)
    if not isinstance(setting, Mapping):
        return None
    minutes, days = setting.get("minutes"), setting.get("days")
    opens, closes = _clock_time(setting.get("from")), _clock_time(setting.get("until"))
    zone = time_zones.named(setting.get("zone") or "UTC")
    if not isinstance(minutes, int) or not 0 < minutes <= MOST_MINUTES:
        return None
    if zone is None or opens is None or closes is None:
        return None
    if days is not None and not (isinstance(days, list) and set(days) <= _EVERY_DAY and days):
        return None
    wanted = _EVERY_DAY if days is None else frozenset(int(one) for one in days)
    return Target(minutes, opens, closes, zone, wanted)


def _clock_time(text: Any) -> time | None:  # noqa: ANN401 - whatever the project's item holds
    try:
        return time() if text is None else time.fromisoformat(text)
    except (TypeError, ValueError):
        return None
