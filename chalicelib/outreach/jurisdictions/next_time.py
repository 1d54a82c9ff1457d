"""When quiet hours, the recipient's wish and the law at their place next allow a message."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.jurisdictions.conversation_rules import ConversationRules
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.unreadable import UnreadableQuietHoursError
from chalicelib.outreach.wishes.preference import Hours

_TURNS = 50
"""Limit of steps in the search: the end of quiet hours may fall into a time that the rules forbid."""
_HORIZON = timedelta(days=60)


def next_time(
    place_rules: ConversationRules,
    record: Record,
    at: datetime,
    subjects: Sequence[Subject],
    *,
    is_opening: bool = True,
) -> datetime | None:
    """The first time at which quiet hours, the recipient's wished hours and the rules allow a message.

    None where there is none within 60 days.

    Raises:
        TransientError: the recipient's conversations could not be read.
    """
    wished, then = preferences_of_person(subjects).hours, at
    for _ in range(_TURNS):
        try:
            night = quiet_until(record, then, wished)
        except rules.UnmetWishError:
            return None
        found = place_rules.permission(
            record, night or then, is_opening=is_opening, subjects=subjects
        )
        if night is None and found.allowed:
            return then
        following = found.next_at if not found.allowed else night
        if following is None or following > at + _HORIZON:
            return None
        then = following
    return None


def quiet_until(record: Record, at: datetime, wished: Hours | None = None) -> datetime | None:
    """When quiet hours, or hours that the recipient does not wish, end; None where `at` is outside them.

    Unreadable quiet hours count as ending half an hour after `at`.

    Raises:
        UnmetWishError: quiet hours leave nothing of the hours that the recipient wishes.
    """
    try:
        return rules.quiet_until(record, at, wished)
    except UnreadableQuietHoursError:
        return at + timedelta(minutes=30)
