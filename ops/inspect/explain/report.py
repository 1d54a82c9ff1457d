"""Builds the report on an identifier as JSON-ready data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ops.inspect import whereabouts
from ops.inspect.explain import log_queries, story
from ops.inspect.explain.event_records import EVENT_SHOWN
from ops.inspect.explain.found import Watch
from ops.inspect.explain.searching import FoundAs, LookedUp, look_up
from ops.inspect.explain.stored import Stored
from ops.inspect.explain.timeline import timeline, verdict
from ops.inspect.whereabouts import Whereabouts
from ops.session import Session


def explain(
    session: Session, text: str, *, deep: bool = False, watch: Watch | None = None
) -> dict[str, Any]:
    """Report everything stored about what a text names; raises as `look_up`."""
    return report(session, look_up(session, text, deep=deep, watch=watch))


def report(session: Session, found: LookedUp) -> dict[str, Any]:
    """The first finding as a dictionary, with the other findings under `also`."""
    now = session.services.clock.now().timestamp()
    first, *others = [_report(finding, now_epoch=now) for finding in found.findings]
    return {**first, "also": others, "unasked": [asdict(place) for place in found.unasked]}


def _report(found: FoundAs, *, now_epoch: float) -> dict[str, Any]:
    result = found.result
    made: dict[str, Any] = {
        "about": result.about,
        "found_as": found.subject.kind.value,
        "events": [_event(event, now_epoch=now_epoch) for event in found.events],
        "notes": list(result.notes),
    }
    if result.facts:
        made["facts"] = [{**row, "story": story.of_fact(row)} for row in result.facts]
    if result.state:
        made["state"] = result.state
    return made


def _where(stored: Stored, *, now_epoch: float) -> Whereabouts:
    found = whereabouts.of_row(stored.row, now_epoch=now_epoch)
    return found.as_dead_letter() if stored.is_dead_letter else found


def _event(stored: Stored, *, now_epoch: float) -> dict[str, Any]:
    """An event as a report shows it."""
    row = stored.row
    return {
        "event": {name: row[name] for name in EVENT_SHOWN if name in row},
        "story": asdict(story.tell(stored)),
        "where": asdict(_where(stored, now_epoch=now_epoch)),
        "actions": list(stored.actions),
        "audit": [
            {name: entry[name] for name in ("ts_action_id", "action_type", "result")}
            for entry in stored.audit
        ],
        "acts": [dict(act) for act in stored.acts],
        "receipts": [
            {name: receipt[name] for name in ("event_id", "received_at", "status")}
            for receipt in stored.receipts
        ],
        "timeline": timeline(stored),
        "verdict": verdict(stored),
        "log_query": log_queries.of_trace(row.get("trace_id")),
    }
