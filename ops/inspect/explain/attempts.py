"""The attempts at one action, distinguished by when their requests left; pure.

A row shows its newest attempt.  Earlier ones are in its ``tries``; a row of an older release has none,
and there the audit row of an outcome that was unknown is the trace of the first.
"""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.once.ledger.tries import is_newest
from ops.inspect.explain import words
from ops.inspect.explain.stored import Row, Stored

_NOTHING_LEFT = frozenset({"not_sent", "released", "skipped"})
_UNKNOWN = frozenset({"unknown", "interrupted"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """An earlier attempt whose request may have left.

    Attributes:
        at: ISO time of its start; of an audit row, of its end.
        end: how it ended, a fixed code.
        settled: the verdict on its unknown outcome; None where there was none.
    """

    at: str | None
    end: str
    reason: str | None = None
    settled: str | None = None


def earlier(stored: Stored, action: Row) -> list[Attempt]:
    """The attempts before the one that an action's row shows, oldest first."""
    tries = action.get("tries", ())
    if tries:
        return [
            Attempt(words.epoch(one.get("at")), one["end"], one.get("reason"), one.get("settled"))
            for one in tries
            if one["end"] not in _NOTHING_LEFT and not is_newest(action, one)
        ]
    if action["status"] == "unknown" or action.get("reason"):
        return []  # the one attempt, unsettled or settled since
    found = []
    for one in stored.ends_of(action):
        at, (end, _, reason) = str(one["ts_action_id"]).partition("#")[0], _end(one)
        if end in _UNKNOWN:
            found.append(Attempt(at, end, reason or None))
    return found


def may_be_double(stored: Stored, action: Row) -> bool:
    """An action that is done was attempted before, and that request's outcome is not known."""
    return any(one.end in _UNKNOWN for one in earlier(stored, action))


def judged(attempt: Attempt) -> str:
    """What was made of an outcome that was unknown, as the end of a sentence."""
    if attempt.settled is None:
        return ""
    if attempt.settled.startswith("operator"):
        return "; an operator recorded that it had not been done"
    return f"; it was taken for not done ({attempt.settled})"


def _end(audit: Row) -> tuple[str, str, str]:
    return str(audit["result"]).partition(":")
