"""Weekly figures of automatic answers and of customers' reactions, from the stage's metrics.

The shadow report judges a sample of tickets by what agents did with them.  These figures cover
every message in one call, and know only what customers wrote next.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from ops.inspect import metrics
from ops.inspect.metrics import Query, Series
from ops.session import Session

WEEKS = 13
_COUNTS = (
    Query("messages", "mw.support.messages", "Sum"),
    Query("answered automatically", "mw.support.messages", "Sum", {"answer": "automatic"}),
    Query("wrote again", "mw.support.after_answer", "Sum"),
    Query("complained", "mw.support.after_answer", "Sum", {"outcome": "complained"}),
)
_MESSAGES, _ANSWERED, _AGAIN, _COMPLAINED = (count.name for count in _COUNTS)


def weeks(session: Session, *, many: int = WEEKS) -> tuple[Series, Series]:
    """Read the weekly counts and percentages; the current week is the last.

    Returns:
        Two series.  The counts: customers' decided messages, automatic answers, customers' messages
        after such an answer, and complaints among them.  The percentages: answers of the messages;
        messages and complaints after an answer, of the answers.  A customer may write twice after
        one answer.
    """
    counts = metrics.read(session, _COUNTS, period=timedelta(weeks=1), periods=many)
    found = counts.values
    shares = {
        "answered automatically, %": _percent(found[_ANSWERED], found[_MESSAGES]),
        "wrote again, % of answers": _percent(found[_AGAIN], found[_ANSWERED]),
        "complained, % of answers": _percent(found[_COMPLAINED], found[_ANSWERED]),
    }
    return counts, Series(counts.times, shares)


def _percent(parts: Sequence[float | None], wholes: Sequence[float | None]) -> list[float | None]:
    """The percentage in each week; None where the whole is zero."""
    return [
        round(100 * (part or 0.0) / whole, 1) if whole else None
        for part, whole in zip(parts, wholes, strict=True)
    ]
