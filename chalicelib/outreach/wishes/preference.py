"""A recipient's preference: when they want messages, and on which channels; pure.

It is stored with the person (`conversations.subject`): one about hours and one about channels, the
newest statement of each::

    hours     {"windows": ["17:00-21:00"], "days": [0, 1, 2, 3, 4], "zones": ["Europe/Berlin"],
               "said_at": "...", "message": "SM1..."}
    channels  {"wanted": ["email"], "refused": ["sms", "whatsapp"], "said_at": "...", "message":
    "SM1..."}

``message`` is the id of the message that said it, or ``page`` for the preferences page.  A
preference that was taken back has ``lifted_at`` in place of its content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

DAY = 24 * 60
"""Minutes of a day."""
WEEK = frozenset(range(7))
"""The days of the week; Monday is 0."""
WAKING = (8 * 60, 21 * 60)
DAY_PARTS = {
    "morning": (8 * 60, 12 * 60),
    "noon": (12 * 60, 14 * 60),
    "afternoon": (12 * 60, 17 * 60),
    "evening": (17 * 60, 21 * 60),
}
_LEAST = 60
_AHEAD = 8
"""Days to search: every weekday occurs in them, and today's once more a week later."""


class Contact(StrEnum):
    """Ways of contact that a recipient may name; we never call, but `CALL` is stored for the company."""

    SMS = "sms"
    WHATSAPP = "whatsapp"
    EMAIL = "email"
    CALL = "call"


class About(StrEnum):
    """What a preference is about: hours or channels; of each, the newest statement is stored."""

    HOURS = "hours"
    CHANNELS = "channels"


@dataclass(frozen=True, slots=True)
class Hours:
    """When messages are welcome to a recipient.

    Attributes:
        windows: pairs of minutes of the day, from and until, ordered and disjoint.
        days: of the week.
        zones: time zones; where several are possible, each of them must allow a message.
    """

    windows: tuple[tuple[int, int], ...] = ((0, DAY),)
    days: frozenset[int] = WEEK
    zones: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether the hours leave a full hour between 8:00 and 21:00; else no message could ever be sent."""
        shared = (min(end, WAKING[1]) - max(start, WAKING[0]) for start, end in self.windows)
        return bool(self.days) and any(minutes >= _LEAST for minutes in shared)

    def within(self, other: Hours) -> Hours:
        """The hours that this and the other hours both allow, in this one's time zones."""
        both = [
            (max(a, c), min(b, d))
            for a, b in self.windows
            for c, d in other.windows
            if max(a, c) < min(b, d)
        ]
        return Hours(tuple(both), self.days & other.days, self.zones)

    def next_from(self, now: datetime, zone: ZoneInfo) -> datetime | None:
        """The next time at which messages are welcome; None where they are now, or never will be."""
        here = now.astimezone(zone)
        for ahead in range(_AHEAD):
            day = here.date() + timedelta(days=ahead)
            if day.weekday() not in self.days:
                continue
            minute = here.hour * 60 + here.minute if not ahead else -1
            for start, end in self.windows:
                if start <= minute < end:
                    return None
                if start > minute:
                    at = datetime.combine(day, time(start // 60, start % 60), tzinfo=zone)
                    return at.astimezone(UTC)
        return None

    @property
    def item(self) -> dict[str, Any]:
        """The hours as a map, as they are stored."""
        return {
            "windows": [f"{_clock(start)}-{_clock(end)}" for start, end in self.windows],
            "days": sorted(self.days),
            "zones": list(self.zones),
        }


@dataclass(frozen=True, slots=True)
class Channels:
    """The channels on which messages are welcome to a recipient, and those on which they are not.

    Attributes:
        wanted: the channels that were asked for; empty where none was preferred.
        refused: the channels on which no message is wanted.
    """

    wanted: frozenset[Contact] = frozenset()
    refused: frozenset[Contact] = frozenset()

    @property
    def item(self) -> dict[str, Any]:
        """The channels as a map, as they are stored."""
        return {"wanted": sorted(self.wanted), "refused": sorted(self.refused)}


@dataclass(frozen=True, slots=True)
class Wish:
    """What one message of a recipient wishes about hours and channels; None for what it does not mention.

    Attributes:
        lifts: preferences that it takes back, as any time or any channel is fine.
    """

    hours: Hours | None = None
    channels: Channels | None = None
    lifts: frozenset[About] = frozenset()

    @property
    def parts(self) -> Mapping[About, Hours | Channels | None]:
        """The preferences to store, by what they are about; None for one that the message takes back."""
        said: dict[About, Hours | Channels | None] = dict.fromkeys(sorted(self.lifts))
        said |= {About.HOURS: self.hours} if self.hours else {}
        return said | ({About.CHANNELS: self.channels} if self.channels else {})


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of a person that are in force; `kept` are their stored forms."""

    hours: Hours | None = None
    channels: Channels | None = None
    kept: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    def refuses(self, channel: str) -> bool:
        """Whether the person wants no message on a channel."""
        return self.channels is not None and channel in self.channels.refused

    def wants_another_than(self, channel: str) -> bool:
        """Whether the person asked for other channels, or refused the given one."""
        wanted = self.channels.wanted if self.channels else frozenset()
        return self.refuses(channel) or bool(wanted and channel not in wanted)

    @property
    def plain_values(self) -> dict[str, Any]:
        """The preferences in plain values, for the writer, the desk and operators."""
        shown: dict[str, Any] = {}
        if self.hours:
            shown |= {"hours": list(self.hours.item["windows"]), "days": day_names(self.hours.days)}
        if self.channels:
            shown |= {name: value for name, value in self.channels.item.items() if value}
        return shown


def day_names(days: frozenset[int]) -> list[str]:
    """English names of weekdays, Monday first."""
    return [f"{datetime(2024, 1, 1 + day, tzinfo=UTC):%A}" for day in sorted(days)]


def hours_of(item: Mapping[str, Any]) -> Hours:
    """The hours in the stored map of a preference."""
    windows = tuple(tuple(map(_minutes, window.split("-"))) for window in item["windows"])
    days = frozenset(int(day) for day in item["days"])
    return Hours(windows, days, tuple(item.get("zones") or ()))  # type: ignore[arg-type]  # pairs


def channels_of(item: Mapping[str, Any]) -> Channels:
    """The channels in the stored map of a preference."""
    return Channels(
        frozenset(Contact(name) for name in item.get("wanted") or ()),
        frozenset(Contact(name) for name in item.get("refused") or ()),
    )


def preferences_of(kept: Mapping[str, Mapping[str, Any]]) -> Preferences:
    """The preferences of a person that are in force, one about hours and one about channels.

    Of each, the newest statement from any of the person's addresses counts; None where there is
    none, or where it was taken back.

    Args:
        kept: stored preferences by ``{member id}#{about}``.
    """
    newest: dict[str, Mapping[str, Any]] = {}
    for key, row in sorted(kept.items()):
        about = key.rpartition("#")[2]
        if about not in newest or str(row["said_at"]) >= str(newest[about]["said_at"]):
            newest[about] = row
    held = {about: row for about, row in newest.items() if "lifted_at" not in row}
    return Preferences(
        hours_of(held[About.HOURS]) if About.HOURS in held else None,
        channels_of(held[About.CHANNELS]) if About.CHANNELS in held else None,
        [{"about": about, **row} for about, row in sorted(held.items())],
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _minutes(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)
