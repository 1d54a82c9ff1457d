"""Steps of a timeline that a row's end alone would hide: earlier attempts, and what persons did.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.journal import entry_time, is_entry

Step = dict[str, Any]


def of_event(row: Mapping[str, Any]) -> list[Step]:
    """The earlier attempts at an event, each with its end; the last one is the row's own state."""
    return [
        {
            "at": one["at"],
            "what": f"attempt {one['n']} ended: {one['end']}",
            "why": _joined(one.get("reason"), f"claim {one['worker']}"),
        }
        for one in row.get("tries", ())
    ]


def of_action(row: Mapping[str, Any]) -> list[Step]:
    """The earlier starts of an action, each with what became of it."""
    kind, found = row.get("action_kind"), []
    for number, one in enumerate(row.get("tries", ()), start=1):
        at = iso(datetime.fromtimestamp(float(one["at"]), UTC))
        looks = f"looks that showed nothing: {one['looks']}" if one.get("looks") else None
        settled = f"then settled: {one['settled']}" if one.get("settled") else None
        found.append(
            {
                "at": at,
                "what": f"{kind}: start {number} ended {one['end']}",
                "why": _joined(one.get("reason"), one.get("ref"), looks, settled),
            }
        )
    return found


def starts(row: Mapping[str, Any]) -> int:
    """How often a request of an action may have left the machine."""
    earlier = list(row.get("tries", ()))
    is_new = not earlier or earlier[-1]["at"] != row.get("started_epoch")
    now = is_new and bool(row.get("started")) and row.get("status") != "skipped"
    return sum(one["end"] not in ("not_sent", "skipped") for one in earlier) + now


def of_persons(table_c: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> list[Step]:
    """What persons did to these keys, from rows of table C."""
    return [
        {
            "at": entry_time(one),
            "what": f"{one['actor']}: {one['action_type']} {one['result']}",
            "why": _joined(one["reason"] or None, one["idempotency_key"]),
        }
        for one in table_c
        if is_entry(one) and one["idempotency_key"] in keys
    ]


def _joined(*parts: object) -> str | None:
    return "; ".join(str(one) for one in parts if one) or None
