"""How far a vendor's clock is from ours, by the ``Date`` header of a response.

A vendor's record of what it did carries its own time.  To compare it with a time of ours, the
difference has to be known for that exchange: clocks are adjusted, and a request may wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

OUR_CLOCKS = timedelta(seconds=120)
"""How far the clocks of our own hosts may differ: an action may have been started by another host."""
REPORTED_FROM_SECONDS = 60
"""A clock difference of this or more is logged, well before it reaches the lease's margin."""
_WHOLE_SECOND = timedelta(seconds=1)
"""The precision of the header ``Date``."""


@dataclass(frozen=True, slots=True)
class ClockSkew:
    """How far a vendor's clock is ahead of ours, at least and at most; negative if it is behind."""

    least: timedelta
    most: timedelta

    @property
    def seconds(self) -> float:
        """How far the vendor's clock certainly differs from ours, without a sign; 0 where they may agree."""
        certain = max(self.least, -self.most, timedelta())
        return certain.total_seconds()

    def earliest(self, moment: datetime) -> datetime:
        """The earliest time that the vendor's clock may show when a clock of one of our hosts shows `moment`.

        It allows for the differences between our own hosts' clocks.
        """
        return moment + self.least - OUR_CLOCKS

    def latest(self, moment: datetime) -> datetime:
        """The latest time that the vendor's clock may show when a clock of one of our hosts shows `moment`.

        It allows for the differences between our own hosts' clocks.
        """
        return moment + self.most + OUR_CLOCKS


def clock_skew(header: str | None, sent_at: datetime, received_at: datetime) -> ClockSkew | None:
    """How far the vendor's clock differs from ours, by a response; None where ``Date`` is unreadable.

    Args:
        header: the value of ``Date``.
        sent_at: by our clock, before the request was sent.
        received_at: by our clock, after the response's headers were received.
    """
    try:
        theirs = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):
        return None
    if theirs.tzinfo is None:
        theirs = theirs.replace(tzinfo=UTC)
    return ClockSkew(theirs - received_at, theirs + _WHOLE_SECOND - sent_at)
