"""Earlier attempts at an event or an action, kept in its row: a later one never hides the first.

A list of at most `AT_MOST`, written with a row that is written anyway.  An event that is processed at
the first attempt has none, so it costs nothing::

    n        attempt's number, of an event
    at       ISO time of its end; of an action, epoch seconds of its start
    worker   owner id of its claim, as in the log
    end      how it ended: released, failed, parked; of an action not_sent, unknown, refused
    reason   a fixed code
    ref      of an action: the vendor's id
    looks    of an action: queries that showed nothing
    settled  of an action: the verdict on its unknown outcome, a fixed code
    event    of an action: the event that performed it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Try = Mapping[str, Any]

AT_MOST = 10
NOT_SENT = "not_sent"
RELEASED = "released"
_HARMLESS = frozenset({NOT_SENT, RELEASED})


def added(earlier: Sequence[Try], attempt: Try) -> list[dict[str, Any]]:
    """The earlier attempts and one more, `AT_MOST` in all; the first and the newest are always kept.

    Of those between, the oldest without an effect (released, or not sent) is dropped first.
    """
    found = [dict(known) for known in earlier]
    found.append({name: value for name, value in attempt.items() if value not in (None, "")})
    while len(found) > AT_MOST:
        harmless = (n for n, one in enumerate(found[1:-1], 1) if one["end"] in _HARMLESS)
        del found[next(harmless, 1)]
    return found


def is_newest(row: Mapping[str, Any], attempt: Try) -> bool:
    """Whether an attempt from an action's list is the one that the action's row shows, by start and verdict.

    The start alone is not enough: the next attempt may start in the same second.
    """
    verdict = attempt.get("settled")
    is_same_start = attempt.get("at") == row.get("started_epoch")
    return is_same_start and verdict is not None and verdict == row.get("reason")


def of_row(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The list of attempts of an action that is about to start again, the one in its row included.

    An attempt whose outcome was settled is in the list already and is not added twice.
    """
    earlier = row.get("tries", [])
    if earlier and is_newest(row, earlier[-1]):
        return [dict(attempt) for attempt in earlier]
    end = row["status"]
    if end == "pending":
        end = "interrupted" if row.get("started", True) else NOT_SENT
    return added(
        earlier,
        {
            "at": row.get("started_epoch", 0),
            "worker": row.get("owner"),
            "end": end,
            "reason": row.get("reason"),
            "ref": row.get("ref"),
            "looks": row.get("looks"),
            "event": row.get("event_key"),
        },
    )
