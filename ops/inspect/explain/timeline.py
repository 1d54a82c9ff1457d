"""Lists every step of an event with its time, and sums up its outcome in one line; pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from ops.inspect.explain import plain_words
from ops.inspect.explain.stored import Row, Stored, receipt_of


def timeline(stored: Stored) -> list[dict[str, Any]]:
    """Every step, oldest first; undated steps precede the last."""
    row = stored.row
    steps = [
        _step(row["received_at"], "received", f"from {row.get('source', '?')}"),
        _step(row["created_at"], "first seen by the ledger", None),
    ]
    if "plan" in row:
        steps.append(_step(row["created_at"], "decided", _decision(stored)))
    steps += [
        _step(
            attempt.get("at"),
            f"attempt {attempt.get('n', '?')}: {attempt['end']}",
            _words(attempt.get("reason")),
        )
        for attempt in row.get("tries", ())
    ]
    for action in stored.actions:
        steps += _of_action(stored, action)
    steps += map(_of_person, stored.acts)
    for receipt in stored.receipts:
        provider_id, status = receipt_of(receipt)
        steps.append(_step(receipt["received_at"], f"reported: {status}", provider_id))
    if row.get("last_reason"):
        steps.append(_step(None, "returned to the queue before", _words(row["last_reason"])))
    last = _step(row["last_processed_at"], row["status"], _words(row.get("reason")))
    dated = sorted((step for step in steps if step["at"]), key=lambda step: str(step["at"]))
    return [*dated, *(step for step in steps if not step["at"] and step["why"]), last]


def verdict(stored: Stored) -> str:
    """The outcome in one line, for the operator on call."""
    counts: dict[str, int] = {}
    for action in stored.actions:
        counts[action["status"]] = counts.get(action["status"], 0) + 1
    done = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no action"
    reason = f" ({_words(stored.row['reason'])})" if stored.row.get("reason") else ""
    return f"{stored.status}{reason}: {done}"


def _of_action(stored: Stored, action: Row) -> list[dict[str, Any]]:
    kind, key = action.get("action_kind"), action["event_id"]
    steps = [
        _step(
            _moment(attempt.get("at")), f"vendor call: {kind}: {attempt['end']}", _why(attempt, key)
        )
        for attempt in action.get("tries", ())
    ]
    if action.get("started"):
        is_again = bool(steps)
        at = _moment(action.get("started_epoch")) if is_again else action.get("created_at")
        again = ", again" if is_again else ""
        steps.append(_step(at, f"vendor call: {kind}{again}", key))
    ends = stored.ends_of(action)
    for entry in ends[:-1]:  # the last one is the row's own end
        at = str(entry["ts_action_id"]).partition("#")[0]
        steps.append(_step(at, f"{entry['action_type']}: {entry['result']}", key))
    if "finished_at" in action:
        name = ends[-1]["action_type"] if ends else kind
        why = _words(action.get("reason")) or action.get("ref")
        steps.append(_step(action["finished_at"], f"{name}: {action['status']}", why or key))
    return steps


def _of_person(act: Row) -> dict[str, Any]:
    at = str(act["ts_action_id"]).partition("#")[0]
    said = f": {act['reason']}" if act.get("reason") else ""
    return _step(at, f"{act['action_type']} {act['result']}", f"by {act['actor']}{said}")


def _why(attempt: Row, key: str) -> str:
    looks = f"looks that showed nothing: {attempt['looks']}" if attempt.get("looks") else None
    parts = (_words(attempt.get("reason")), attempt.get("ref"), looks, attempt.get("settled"))
    return ", ".join(str(part) for part in parts if part) or key


def _words(code: object) -> str | None:
    return plain_words.reason(str(code)) if code else None


def _step(at: object, what: str, why: object) -> dict[str, Any]:
    return {"at": at, "what": what, "why": why}


def _moment(epoch: object) -> str | None:
    if not isinstance(epoch, int | float) or not epoch:
        return None if not isinstance(epoch, str) else epoch
    return iso(datetime.fromtimestamp(epoch, UTC))


def _decision(stored: Stored) -> str:
    plan = stored.plan
    if plan is None:
        return "a plan this version cannot read"
    facts = plan.facts
    said = [plan.flow]
    if facts.get("intent"):
        said.append(f"read as {plain_words.subject(str(facts['intent']))}")
    if facts.get("route"):
        said.append(f"for {plain_words.team(str(facts['route']))}")
    if facts.get("template"):
        said.append(f"with template {facts['template']}")
    if facts.get("risk"):
        risks = facts["risk"] if isinstance(facts["risk"], list | tuple) else [facts["risk"]]
        said.append(f"risks: {', '.join(plain_words.subject(str(risk)) for risk in risks)}")
    said += [plain_words.reason(str(reason)) for reason in facts.get("reasons", ())]
    return "; ".join(said)
