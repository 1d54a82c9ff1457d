"""Rules of a project: when persons approve messages, quiet hours, the free-text window, longest text.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from chalicelib.outreach import reasons, time_zones
from chalicelib.outreach.channels import ADDRESSES, TEXT_CHARACTERS
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.fields import QuietHours
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.project.unreadable import UnreadableQuietHoursError
from chalicelib.outreach.wishes.preference import Hours

QUIET = time(21), time(8)
"""The default quiet hours: from 21:00 until 08:00."""
MOST_TURNS = 20
"""How often the end of one closed period may fall into another: more than twice a day for a week."""
HOLD_REASONS: Mapping[str, str] = {
    "start": reasons.HELD_START,
    "reply": reasons.HELD_REPLY,
}
"""The kinds of held messages, each with the hand-off's reason, by which a person approves it."""


class UnmetWishError(Exception):
    """The hours that a recipient asked for leave no time outside quiet hours."""


def is_held(record: Record, rule: str) -> bool:
    """Whether a project's rule holds a message until a person approves it.

    Args:
        record: the conversation, with the rule's three settings and the recipient.
        rule: ``auto_queue_initial_message`` or ``auto_queue_reply_message``.  With both of its
            lists empty it holds every message, else those to the listed recipients.  A switch that
            cannot be read counts as on, a list that cannot be read as naming everybody.
    """
    project = Project(record.item)
    if not getattr(project, rule):
        return False
    listed = {
        address: getattr(project, f"{rule}_from_{address.list_name}") for address in ADDRESSES
    }
    if None in listed.values() or not any(listed.values()):
        return True
    own = listed[record.channel.traits.address]
    return record.primary_channel in {recipient.lower() for recipient in own}


def quiet_until(record: Record, now: datetime, wished: Hours | None = None) -> datetime | None:
    """The time until which a message must wait; None where it may be sent now.

    A message waits for the end of the recipient's quiet hours, and for the hours that the recipient
    asked for. ``quiet_hours`` of the project is ``{"from": "21:00", "until": "08:00", "zone":
    "Europe/London", "channels": ["sms", "whatsapp"]}``; the recipient's own zone takes precedence.
    False means no quiet hours. Without a setting they are from 21:00 to 08:00 in the recipient's own zone,
    else in the zones that the number may be in; an e-mail to somebody whose zone is unknown then
    has no quiet hours.

    Args:
        record: the conversation.
        now: the time.
        wished: the hours that the recipient asked for; None for a message that the recipient
            awaits.

    Raises:
        UnreadableQuietHoursError: the setting cannot be read.
        UnmetWishError: quiet hours leave nothing of the wished hours.
    """
    closed = [*_quiet_ends(record), *_wished_starts(record, wished)]
    until = now
    for _ in range(MOST_TURNS):  # the end of one closed period may lie in another
        ends = [until_open(until) for until_open in closed]
        later = [end for end in ends if end is not None]
        if not later:
            return until if until > now else None
        until = max(later)
    if wished is not None:
        raise UnmetWishError
    return until


ClosedUntil = Callable[[datetime], datetime | None]
"""Returns when the closed period ends that contains a time; None where no period does."""


def _quiet_ends(record: Record) -> Iterator[ClosedUntil]:
    """For each zone that the recipient may be in, a function: when the quiet hours around a time end.

    It gives None for a time outside them.  Yields no function where the project has no quiet hours for
    the conversation's channel.
    """
    setting = Project(record.item).quiet_hours
    if setting is False:
        return
    hours = _default_hours(record) if setting is None else _quiet_hours(record, setting)
    start, end, zones = hours or (*QUIET, ())
    for zone in zones:
        yield partial(_quiet_end, start=start, end=end, zone=zone)


def _wished_starts(record: Record, wished: Hours | None) -> Iterator[ClosedUntil]:
    """For each zone that the recipient may be in, a function: when the next wished hours after a time begin.

    It gives None for a time within them.  Yields no function where `wished` is None.
    """
    if wished is not None:
        for zone in zones_of(record) or tuple(map(ZoneInfo, wished.zones)):
            yield partial(wished.next_from, zone=zone)


def zones_of(record: Record) -> tuple[ZoneInfo, ...]:
    """The time zones a recipient may be in: their own, else their number's, else the project's.

    Empty where unknown.
    """
    own = time_zones.by_name(record.item.get("recipient_timezone"))
    if own is not None:
        return (own,)
    setting = Project(record.item).quiet_hours
    named = time_zones.by_name(setting.zone) if isinstance(setting, QuietHours) else None
    return _zones_of_number(record) or ((named,) if named else ())


def with_current_quiet_hours(record: Record, project: Project) -> Record:
    """A copy of a conversation that has its project's current quiet hours in place of the copied ones."""
    kept = {name: value for name, value in record.item.items() if name != "quiet_hours"}
    now = project.copied_settings()["quiet_hours"]
    return Record(kept if now is None else {**kept, "quiet_hours": now})


def _quiet_hours(
    record: Record, setting: QuietHours
) -> tuple[time, time, tuple[ZoneInfo, ...]] | None:
    """Start, end and time zones of a project's quiet hours; None where they do not cover the channel.

    Raises:
        UnreadableQuietHoursError: no time zone is known.
    """
    if setting.channels is not None and record.channel not in setting.channels:
        return None
    own = time_zones.by_name(record.item.get("recipient_timezone"))
    zone = own or time_zones.by_name(setting.zone)
    zones = (zone,) if zone else _zones_of_number(record)
    if not zones:
        raise UnreadableQuietHoursError
    return setting.start, setting.end, zones


def _default_hours(record: Record) -> tuple[time, time, tuple[ZoneInfo, ...]] | None:
    own = time_zones.by_name(record.item.get("recipient_timezone"))
    zones = (own,) if own else _zones_of_number(record)
    return (*QUIET, zones) if zones else None


def _zones_of_number(record: Record) -> tuple[ZoneInfo, ...]:
    """The time zones that the recipient's number may be in; empty without a number."""
    if record.channel.traits.address.shows_zone:
        return time_zones.of_number(record.primary_channel)
    known = (record.item.get(address.field) for address in ADDRESSES if address.shows_zone)
    number = next((zone for zone in known if isinstance(zone, str)), None)
    return () if number is None else time_zones.of_number(number)


def _quiet_end(now: datetime, start: time, end: time, zone: ZoneInfo) -> datetime | None:
    """The time at which the quiet hours around a time end, in a time zone.

    None where the time is outside them.
    """
    here = now.astimezone(zone)
    clock = here.time()
    is_quiet = start <= clock < end if start < end else clock >= start or clock < end
    if not is_quiet:
        return None
    day = here.date() if clock < end else here.date() + timedelta(days=1)
    return datetime.combine(day, end, tzinfo=zone).astimezone(UTC)


def window_is_open(record: Record, now: datetime) -> bool:
    """Whether the recipient's last message came within the channel's reply window (WhatsApp: 24 hours).

    False where the channel has no such window, or the recipient has not written.
    """
    window, last = record.channel.traits.free_text_window, record.last_inbound_at
    return window is not None and last is not None and now - last < window


def takes_free_text(record: Record, now: datetime) -> bool:
    """Whether a conversation's carrier accepts free text now, and not only approved templates."""
    return record.channel.traits.free_text_window is None or window_is_open(record, now)


def longest_text(record: Record) -> int:
    """The most characters that a message may have.

    It is the project's limit, by default `TEXT_CHARACTERS`, or the channel's where that is lower.
    """
    limit = int(record.item.get("max_message_length") or TEXT_CHARACTERS)
    return min(limit, record.channel.traits.max_characters or limit)
