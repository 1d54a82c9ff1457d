"""How long a recipient may wait for a person: a project's target, counted in its business hours; pure.

Example of the setting, which a conversation copies as it is opened::

    handoff_target   {"minutes": 30, "from": "09:00", "until": "17:30", "zone": "Europe/London",
                      "days": [1, 2, 3, 4, 5]}

Without ``from`` and ``until`` every hour counts, without ``days`` (Monday is 1) every day.  A project
without a target has none; one that cannot be read is refused by `company put`, and is none here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, ValidationError

from chalicelib.outreach import time_zones

MOST_MINUTES = 14 * 24 * 60
_MOST_DAYS = 400
"""Days looked at: beyond the longest target with one business minute a day there is none."""


def _clock_time(text: str) -> str:
    try:
        time.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a time like 21:00") from None
    return text


def _zone(text: str) -> str:
    if time_zones.by_name(text) is None:
        raise ValueError("must be a zone like Europe/London")
    return text


_ClockTime = Annotated[str, AfterValidator(_clock_time)]
_Day = Annotated[StrictInt, Field(ge=1, le=7)]


class HandoffTarget(BaseModel):
    """The time within which a person is to answer a hand-off, in business hours.

    Attributes:
        minutes: business minutes until an answer is late.
        from_: when a business day begins; where it equals `until`, the day lasts 24 hours.
        until: when it ends; where earlier than `from_`, on the next day.
        zone: time zone of both.
        days: ISO weekdays (Monday is 1); None for every day.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    minutes: Annotated[StrictInt, Field(gt=0, le=MOST_MINUTES)]
    from_: _ClockTime = Field("00:00", alias="from")
    until: _ClockTime = "00:00"
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    days: Annotated[list[_Day], Field(min_length=1)] | None = None

    def due(self, since: datetime) -> datetime | None:
        """The time at which an answer becomes late for a recipient who has waited since the given time.

        None where that time lies more than 400 days ahead.
        """
        left = timedelta(minutes=self.minutes)
        zone = ZoneInfo(self.zone)
        # A night shift begins on the day before.
        first = since.astimezone(zone).date() - timedelta(days=1)
        for number in range(_MOST_DAYS):
            opens, closes = self._hours(first + timedelta(days=number), zone)
            begins = max(opens, since)
            if closes <= begins:
                continue
            if begins + left <= closes:
                return begins + left
            left -= closes - begins
        return None

    def _hours(self, day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """The times at which a day's business hours begin and end, in UTC; equal on a day without business.

        The end may lie on the next day.
        """
        begin, end = time.fromisoformat(self.from_), time.fromisoformat(self.until)
        opens = datetime.combine(day, begin, tzinfo=zone).astimezone(UTC)
        if self.days is not None and day.isoweekday() not in self.days:
            return opens, opens
        until = day if begin < end else day + timedelta(days=1)
        return opens, datetime.combine(until, end, tzinfo=zone).astimezone(UTC)


def target_of(record: Mapping[str, Any]) -> HandoffTarget | None:
    """The response target that a conversation has copied from its project.

    None where it has none, or an unreadable one.
    """
    setting = record.get("handoff_target")
    given = setting if isinstance(setting, Mapping) else {}
    try:
        return HandoffTarget.model_validate(
            {name: value for name, value in given.items() if value not in (None, "")},
            extra="ignore",
        )
    except ValidationError:
        return None
