"""The system clock; a simulation uses its own."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The wall clock and the monotonic clock of this machine."""

    def now(self) -> datetime:
        """The wall clock, an aware time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds of a clock that never runs backwards."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        time.sleep(seconds)


def iso(moment: datetime) -> str:
    """A time as ISO-8601 text in UTC with milliseconds and ``Z``; such texts sort by time."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{text[:-6]}Z"  # without +00:00


def parsed(text: str | None) -> datetime | None:
    """The aware time in an ISO text (naive is read as UTC), or None when the text holds none."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # not a time, or outside the calendar in UTC
        return None


def epoch_of(text: str | None) -> int:
    """The whole epoch seconds of an ISO text; 0 when the text holds no time."""
    moment = parsed(text)
    return 0 if moment is None else int(moment.timestamp())
