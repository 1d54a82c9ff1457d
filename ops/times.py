"""Durations and times as an operator types them: ``90m``, ``24h``, ``7d``, or an ISO time."""

from __future__ import annotations

from datetime import timedelta

from chalicelib.clock import iso, parsed
from chalicelib.once.ports import Clock
from ops.session import EXIT_UNUSABLE, OpsError


def span(text: str) -> timedelta:
    """Parse a duration like 90m, 24h or 7d.

    Raises:
        OpsError: the text is not a duration.
    """
    unit = {"m": "minutes", "h": "hours", "d": "days"}.get(text[-1:])
    if unit is None or not text[:-1].isdigit():
        raise OpsError("a duration is like 90m, 24h or 7d", code=EXIT_UNUSABLE)
    try:
        return timedelta(**{unit: int(text[:-1])})
    except OverflowError:
        raise OpsError("that duration is too long", code=EXIT_UNUSABLE) from None


def moment(clock: Clock, text: str) -> str:
    """Parse an ISO time, or a duration before now; return the rows' ISO format."""
    given = parsed(text) if "-" in text else None
    return iso(given or clock.now() - span(text))
