"""How much is answered automatically and how good it was, by week, from the stage's metrics.

The shadow report judges a sample of tickets by what people did with them, and reads it from Richpanel;
these figures are of every message, cost one call, and know only what the customers wrote next.
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
_MESSAGES, _ANSWERED, _AGAIN, _COMPLAINED = (one.name for one in _COUNTS)


def weeks(session: Session, *, many: int = WEEKS) -> tuple[Series, Series]:
    """The counts of each week, and the shares made of them; the current week is the last.

    Returns:
        Customers' messages that were decided, how many were answered automatically, messages of
        customers after such an answer and the complaints among them; then percentages: answered of
        the messages, and of a week's answers those after which a customer wrote or complained.  A
        customer may write twice after one answer.
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
    """Of each week; None where there was nothing to be a part of."""
    return [
        round(100 * (part or 0.0) / whole, 1) if whole else None
        for part, whole in zip(parts, wholes, strict=True)
    ]
