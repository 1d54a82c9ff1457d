"""What a replay, a redrive or a resend would do, from stored rows alone; nothing is sent or written.

Pure: a command and a screen show the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.once.effect import Effect
from chalicelib.once.ports import Switches

GOES = "goes"
DONE = "done already"
ALREADY = "in place already"
HELD = "held"
ASKS = "settled first"
STAYS = "stays"
UNDECIDED = "not decided yet"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What would become of one planned effect.

    Attributes:
        key: of the action, or of an event whose effects are not decided yet.
        would: one of the constants of this module.
        why: a fixed code.
    """

    key: str
    would: str
    why: str = ""


def of_event(
    event: Mapping[str, Any],
    planned: Sequence[Effect],
    rows: Mapping[str, Mapping[str, Any]],
    switches: Switches | None,
    *,
    now_epoch: float,
) -> list[Foreseen]:
    """What running an event again for an operator would do.

    Args:
        event: its row.
        planned: the actions of its stored plan; empty where there is none.
        rows: the actions' rows, by key.
        switches: as they are now; None where they cannot be read: then nothing starts.
        now_epoch: now.
    """
    key = str(event["event_id"])
    if event["status"] == "processing" and event.get("lease_until", 0) > now_epoch:
        return [Foreseen(key, STAYS, "a worker has it now")]
    if not planned:
        return [Foreseen(key, UNDECIDED, "no plan is stored: it is decided when it runs")]
    return [_of_action(one, rows.get(one.key), switches) for one in planned]


def of_handoff(
    action: Effect,
    row: Mapping[str, Any] | None,
    before: Sequence[Foreseen],
    switches: Switches | None,
) -> list[Foreseen]:
    """What a run would do about a hand-off that an earlier run has begun and not ended.

    Args:
        action: the hand-off.
        row: of the ledger; None where none was begun.
        before: what would become of the planned effects.
        switches: as `of_event` takes them.
    """
    if row is None:
        return []
    status, reason = row["status"], str(row.get("reason") or "")
    if status == "unknown":
        return [Foreseen(action.key, ASKS, f"outcome unknown: {reason}")]
    if status != "pending":
        return []
    held = _held(action, switches)
    if held:
        return [Foreseen(action.key, HELD, held)]
    if row.get("started", True):
        return [Foreseen(action.key, GOES, "the mark for a person may have left, and is completed")]
    if all(one.would in (GOES, DONE, ALREADY) for one in before):
        return [Foreseen(action.key, STAYS, "it never left, and no person is needed")]
    would = GOES if any(one.would in (HELD, STAYS) for one in before) else ASKS
    return [Foreseen(action.key, would, "a person is told, unless everything else is done")]


def of_resend(action: Effect, switches: Switches | None) -> list[Foreseen]:
    """What performing a finished action once more would do."""
    held = _held(action, switches)
    return [Foreseen(action.key, HELD, held) if held else Foreseen(action.key, GOES, "once more")]


def summary(effects: Iterable[Foreseen]) -> str:
    """In one line, for a person: ``sends nothing; 3 done already; 1 held``."""
    counts = Counter(one.would for one in effects)
    texts = {
        GOES: "would go",
        HELD: "held by a switch",
        ASKS: "would be settled first, and sent only if it did not happen",
        UNDECIDED: "not decided yet: what it does cannot be known from the ledger",
    }
    parts = [f"{count} {texts.get(would, would)}" for would, count in sorted(counts.items())]
    may_send = counts.keys() & {GOES, ASKS, UNDECIDED}
    return "; ".join(parts if may_send else ["sends nothing", *parts])


def _of_action(
    action: Effect, row: Mapping[str, Any] | None, switches: Switches | None
) -> Foreseen:
    status = row["status"] if row else "not started"
    reason = str(row.get("reason") or "") if row else ""
    match status:
        case "done":
            return Foreseen(action.key, DONE, reason)
        case "skipped" if reason == "already":
            return Foreseen(action.key, ALREADY)
        case "abandoned":
            return Foreseen(action.key, STAYS, f"abandoned: {reason}")
        case "unknown":
            return Foreseen(action.key, ASKS, f"outcome unknown: {reason}")
        case "pending" if row and row.get("started", True):
            return Foreseen(action.key, ASKS, "its worker stored no outcome")
    held = _held(action, switches)
    was = f"was {status}" + (f": {reason}" if reason else "")
    return Foreseen(action.key, HELD, held) if held else Foreseen(action.key, GOES, was)


def _held(action: Effect, switches: Switches | None) -> str | None:
    if switches is None:
        return "the switches cannot be read"
    return switches.forbids(action.kind, by_person=action.by_person)
