"""The names under which a person's act is counted in its day's figures; pure."""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.outreach.conversations.day_counts import DayCount, names_with_reason
from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.desk.case import AskedAct


def count_names(asked: AskedAct, held: Callable[[], Draft | None]) -> list[str]:
    """The names of the counts to which a person's act adds one: approved, edited, declined or opted out.

    An empty list for any other act.

    Args:
        asked: the act.
        held: reads the draft that the hand-off held, or None.
    """
    match asked.act:
        case "approve":
            text = asked.value_of("text")
            before = held() if text else None
            is_same = not text or (before is not None and text.split() == before.text.split())
            return [DayCount.APPROVED if is_same else DayCount.EDITED]
        case "decline":
            return [DayCount.DECLINED]
        case "stop":
            return names_with_reason(DayCount.OPTED_OUT, MarkReason.ASKED)
        case _:
            return []
