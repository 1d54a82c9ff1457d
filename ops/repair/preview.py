"""Predicts from stored rows what a replay, a redrive or a resend would do; sends and writes nothing.

Pure, so that commands and screens show the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.once.effect import Effect, Settle
from chalicelib.once.effects import StepAction
from chalicelib.once.ports import Switches

GOES = "goes"
DONE = "done already"
ALREADY = "in place already"
GIVEN_UP = "given up already"
HELD = "held"
ASKS = "settled first"
FOLLOWS = "follows"
STAYS = "stays"
UNDECIDED = "not decided yet"
_MET = frozenset((GOES, DONE, ALREADY))
"""Predictions that satisfy a dependent action."""
_NEEDS_NO_PERSON = _MET | {GIVEN_UP}


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The prediction for one planned effect.

    Attributes:
        key: the action's key, or the event's if its effects are not decided yet.
        would: one of the constants of this module.
        why: the reason, in words or as a fixed code.
    """

    key: str
    would: str
    why: str = ""


def of_event(
    event: Mapping[str, Any],
    planned: Sequence[Sequence[StepAction]] | None,
    rows: Mapping[str, Mapping[str, Any]],
    switches: Switches | None,
    *,
    now_epoch: float,
) -> list[Foreseen]:
    """Predict what an operator's rerun of an event would do, in the order of `once.effects`.

    Args:
        event: the event's row.
        planned: the steps of its stored plan; empty without a plan, None if unreadable.
        rows: the actions' rows, by key.
        switches: the current switches; None if unreadable, so that nothing starts.
        now_epoch: the time, in epoch seconds.
    """
    key = str(event["event_id"])
    if is_at_a_worker(event, now_epoch):
        return [Foreseen(key, STAYS, "a worker has it now")]
    if planned is None:
        return [Foreseen(key, STAYS, "its plan was made by a newer release")]
    if not planned:
        return [Foreseen(key, UNDECIDED, "no plan is stored: it is decided when it runs")]
    earlier: dict[str, Foreseen] = {}
    for step in planned:
        found = [
            _of_action(step_action, rows.get(step_action.action.key), earlier, switches)
            for step_action in step
        ]
        earlier |= {effect.key: effect for effect in found}
    return list(earlier.values())


def is_at_a_worker(event: Mapping[str, Any], now_epoch: float) -> bool:
    """Whether a worker's lease on an event is still valid, by its row."""
    return bool(event["status"] == "processing" and event.get("lease_until", 0) > now_epoch)


def of_handoff(
    action: Effect,
    row: Mapping[str, Any] | None,
    before: Sequence[Foreseen],
    switches: Switches | None,
) -> list[Foreseen]:
    """Predict what a run would do about a hand-off that an earlier run began and did not end.

    Args:
        action: the hand-off.
        row: the hand-off's row in the ledger; None if none was begun.
        before: the predictions for the planned effects.
        switches: as for `of_event`.
    """
    if row is None:
        return []
    status, reason = row["status"], str(row.get("reason") or "")
    if status not in ("unknown", "pending"):
        return []
    held = _held(action, switches)
    if held:
        return [Foreseen(action.key, HELD, held)]
    if status == "unknown" or row.get("started", True):
        return [_interrupted(action, reason)]
    if all(effect.would in _NEEDS_NO_PERSON for effect in before):
        return [Foreseen(action.key, STAYS, "it never left, and no person is needed")]
    would = GOES if any(effect.would in (HELD, STAYS) for effect in before) else ASKS
    return [Foreseen(action.key, would, "a person is told, unless everything else is done")]


def of_resend(action: Effect, switches: Switches | None) -> list[Foreseen]:
    """Predict what performing a finished action once more would do."""
    held = _held(action, switches)
    return [Foreseen(action.key, HELD, held) if held else Foreseen(action.key, GOES, "once more")]


def summary(effects: Iterable[Foreseen]) -> str:
    """Sum up predictions in a line: ``sends nothing; 3 done already; 1 held by a switch``."""
    counts = Counter(effect.would for effect in effects)
    texts = {
        GOES: "would go",
        HELD: "held by a switch",
        ASKS: "would be settled first, and sent only if it did not happen",
        FOLLOWS: "would follow what is settled first",
        UNDECIDED: "not decided yet: what it does cannot be known from the ledger",
    }
    parts = [f"{count} {texts.get(would, would)}" for would, count in sorted(counts.items())]
    may_send = counts.keys() & {GOES, ASKS, UNDECIDED}
    return "; ".join(parts if may_send else ["sends nothing", *parts])


def _of_action(
    item: StepAction,
    row: Mapping[str, Any] | None,
    earlier: Mapping[str, Foreseen],
    switches: Switches | None,
) -> Foreseen:
    action = item.action
    status = row["status"] if row else "not started"
    reason = str(row.get("reason") or "") if row else ""
    if status == "done":
        return Foreseen(action.key, DONE, reason)
    if item.already:
        return Foreseen(action.key, ALREADY)
    if status == "abandoned":
        return Foreseen(action.key, GIVEN_UP, reason)
    needed = {earlier[key].would for key in item.depends_on if key in earlier}
    if needed - (_MET | {ASKS, FOLLOWS}):
        return Foreseen(action.key, STAYS, "an earlier step is not done")
    held = _held(action, switches)
    if held:
        return Foreseen(action.key, HELD, held)
    if needed - _MET:
        return Foreseen(action.key, FOLLOWS, "an earlier step is settled first")
    if status == "unknown" or (status == "pending" and row and row.get("started", True)):
        return _interrupted(action, reason)
    return Foreseen(action.key, GOES, f"was {status}" + (f": {reason}" if reason else ""))


def _interrupted(action: Effect, reason: str) -> Foreseen:
    """The prediction for an effect whose outcome is unknown."""
    was = f"outcome unknown: {reason}" if reason else "its worker stored no outcome"
    if action.kind.is_repeated:
        return Foreseen(action.key, GOES, f"{was}; repeating it changes nothing")
    if action.kind.settle is Settle.QUERY:
        return Foreseen(action.key, ASKS, was)
    return Foreseen(action.key, STAYS, f"{was}; its vendor cannot be asked")


def _held(action: Effect, switches: Switches | None) -> str | None:
    if switches is None:
        return "the switches cannot be read"
    return switches.forbids(action.kind, by_person=action.by_person)
