"""The earlier attempts at one action, each identified by when its request left; pure.

An action's row shows its newest attempt; its ``tries`` hold the earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.once.ledger.tries import is_newest
from ops.inspect.explain import plain_words
from ops.inspect.explain.stored import Row

_NOTHING_LEFT = frozenset({"not_sent", "released", "skipped"})
_UNKNOWN = frozenset({"unknown", "interrupted"})


@dataclass(frozen=True, slots=True)
class EarlierAttempt:
    """An earlier attempt whose request may have left.

    Attributes:
        at: ISO time of its start.
        end: a fixed code for how the attempt ended.
        settled: how its unknown outcome was settled; None if it was not.
    """

    at: str | None
    end: str
    reason: str | None = None
    settled: str | None = None


def earlier(action: Row) -> list[EarlierAttempt]:
    """The attempts before the one that an action's row shows, oldest first."""
    return [
        EarlierAttempt(
            plain_words.epoch(attempt.get("at")),
            attempt["end"],
            attempt.get("reason"),
            attempt.get("settled"),
        )
        for attempt in action.get("tries", ())
        if attempt["end"] not in _NOTHING_LEFT and not is_newest(action, attempt)
    ]


def may_be_double(action: Row) -> bool:
    """Whether an earlier attempt's outcome is unknown, so that the effect may have happened twice."""
    return any(attempt.end in _UNKNOWN for attempt in earlier(action))


def judged(attempt: EarlierAttempt) -> str:
    """The end of a sentence on how an unknown outcome was settled; empty if it was not."""
    if attempt.settled is None:
        return ""
    if attempt.settled.startswith("operator"):
        return "; an operator recorded that it had not been done"
    return f"; it was taken for not done ({attempt.settled})"
