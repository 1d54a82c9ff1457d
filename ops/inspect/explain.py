"""Explains what happened to a conversation, an event or an action, and why, from stored records.

Records are found by key and through the conversation's audit trail, not by a scan.  The event keys
of a Richpanel ticket derive from its comments, which are read from Richpanel if it responds.
`deep` scans the ledger for the rest: thin notifications, and events without any action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.once import keys
from chalicelib.once.journal import is_entry
from chalicelib.once.plan import Plan
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.support import keys as ticket_keys
from ops.inspect import attempts, planned, whereabouts
from ops.inspect.events import scan
from ops.session import EXIT_UNUSABLE, OpsError, Session

_EVENT = (
    "event_id",
    "status",
    "reason",
    "last_reason",
    "attempts",
    "source",
    "mode",
    "safe_mode",
    "received_at",
    "created_at",
    "queued_at",
    "last_processed_at",
    "lease_until",
    "intent",
    "trace_id",
    "due_at",
    "unfinished",
    "tries",
    "asked",
)
_ACTION = (
    "event_id",
    "action_kind",
    "status",
    "reason",
    "ref",
    "started",
    "started_epoch",
    "finished_at",
    "created_at",
    "looks",
    "event_key",
    "tries",
)

_ENDED = frozenset({"processed", "failed", "skipped"})
_NOT_SHOWN = "Richpanel did not show the ticket"


def explain(session: Session, subject: str, *, deep: bool = False) -> dict[str, Any]:
    """Report everything stored about a subject, as plain data.

    Raises:
        OpsError: nothing is stored under that id.
    """
    if not subject.strip():
        raise OpsError("name a ticket, company#request, evt:... or act:...", code=EXIT_UNUSABLE)
    if "#" in subject:
        return _start(session, subject, deep=deep)
    if subject.startswith("act:"):
        row = session.row(subject)
        return _report([_event(session, session.row(row["event_key"]))], about=subject)
    if subject.startswith("evt:"):
        found = session.ledger_table.get({"event_id": subject})
        return _only_queued(session, subject) if found is None else _of_event(session, found)
    return _conversation(session, subject, deep=deep)


def _of_event(session: Session, row: Item) -> dict[str, Any]:
    return _report([_event(session, row)], about=row["event_id"])


def _only_queued(session: Session, event_key: str) -> dict[str, Any]:
    """What can be known of an event that no row shows.

    Raises:
        OpsError: the queue is empty, so it is not there either.
    """
    known = whereabouts.without_row(session)
    if not known["may_be_queued"]:
        raise OpsError(
            f"no such event: {event_key}; it has no row and the queue is empty"
            f" (dead letters: {sum(known['dead_letters'].values())}, see `dlq list`)"
        )
    event = {
        "event": {"event_id": event_key, "status": "no row yet"},
        "actions": [],
        "audit": [],
        "timeline": [],
        "where": known,
        "verdict": "no row yet: if it was accepted, it is on the queue and waits for its turn",
    }
    return _report([event], about=event_key) | {
        "notes": [
            "not known: whether this id was accepted, and its place in the queue; see the door's log"
        ]
    }


def _start(session: Session, subject: str, *, deep: bool) -> dict[str, Any]:
    """Report by ``company#request``, or by ``company#project#request#recipient``."""
    company, *rest = subject.split("#")
    request = rest[0] if len(rest) == 1 else rest[1]
    row = session.ledger_table.get({"event_id": outreach_keys.start(company, request)})
    if row is None:
        raise OpsError(f"company {company} started no request {request}, or its record has expired")
    conversation_id = row["conversation_id"]
    audit = _audit(session, conversation_id)
    actions = _rows(session, [one["idempotency_key"] for one in audit if not is_entry(one)])
    found = {row["event_id"], *(one["event_key"] for one in actions if "event_key" in one)}
    if deep:
        found |= _scanned(session, conversation_id)
    events = [_event(session, one) for one in _rows(session, sorted(found))]
    events.sort(key=lambda one: str(one["event"].get("received_at")))
    return _report(events, about=row["event_id"])


def _scanned(session: Session, conversation_id: str) -> set[str]:
    """Keys of every event of a conversation, by a scan."""
    rows = scan(
        session,
        "#c = :c AND begins_with(#k, :evt)",
        {"#c": "conversation_id", "#k": "event_id"},
        {"c": conversation_id, "evt": "evt:"},
    )
    return {row["event_id"] for row in rows}


def _conversation(session: Session, conversation_id: str, *, deep: bool) -> dict[str, Any]:
    audit = _audit(session, conversation_id)
    actions = _rows(session, [one["idempotency_key"] for one in audit if not is_entry(one)])
    found = {row["event_key"] for row in actions if "event_key" in row}
    notes: list[str] = []
    try:
        ticket = session.services.richpanel.read_ticket(conversation_id)
    except MiddlewareError:
        if not deep:
            notes.append(f"{_NOT_SHOWN}: events without any action are listed with --deep only")
    else:
        theirs = [comment for comment in ticket.comments if not comment.is_operator]
        found |= {ticket_keys.ticket_message(conversation_id, comment.id) for comment in theirs}
    if deep:
        found |= _scanned(session, conversation_id)
    events = [_event(session, row) for row in _rows(session, sorted(found))]
    state = session.services.state.read(conversation_id)
    if not events and not audit and state is None:
        why = f" ({_NOT_SHOWN}; --deep scans the whole ledger)" if notes else ""
        raise OpsError(
            f"nothing is stored about {conversation_id}{why}; give the id of a ticket or"
            " conversation, company#request, evt:... or act:..."
        )
    events.sort(key=lambda one: str(one["event"].get("received_at")))
    report = _report(events, about=conversation_id)
    if state is not None:
        report["state"] = {
            "last_intent": state.last_intent,
            "last_routed_team": state.last_routed_team,
            "last_message_at": state.last_message_at,
            "last_processed_at": state.last_processed_at,
        }
    return report | {"notes": notes}


def _event(session: Session, row: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"event": {name: row[name] for name in _EVENT if name in row}}
    wanted = [one.key for one in planned.actions(session, row)]
    ending = f":{keys.joined(_suffix(session, row))}"
    stored = _audit(session, row["conversation_id"])
    audit = [
        one
        for one in stored
        if not is_entry(one)
        and (one["idempotency_key"] in wanted or one["idempotency_key"].endswith(ending))
    ]
    wanted = list(dict.fromkeys([*wanted, *(one["idempotency_key"] for one in audit)]))
    rows = {one["event_id"]: one for one in _rows(session, wanted)}
    shown["actions"] = [
        {name: rows[key][name] for name in _ACTION if name in rows[key]}
        if key in rows
        else {"event_id": key, "status": "not started"}
        for key in wanted
    ]
    if row["status"] in _ENDED:
        for action in shown["actions"]:
            is_waiting = action["status"] == "pending" and not action.get("started", True)
            if is_waiting or action["status"] == "not started":
                action["status"] = "not started, will not be"
    shown["audit"] = [
        {name: one[name] for name in ("ts_action_id", "action_type", "result")} for one in audit
    ]
    acts = attempts.of_persons(stored, [row["event_id"], *wanted])
    shown["timeline"] = _timeline(row, shown["actions"], audit, acts)
    shown["verdict"] = _verdict(row, shown["actions"])
    now = session.services.clock.now().timestamp()
    shown["where"] = asdict(whereabouts.of_row(row, now_epoch=now))
    return shown


def _suffix(session: Session, row: Mapping[str, Any]) -> keys.Suffix:
    """The suffix of an event's action keys; a resend's suffix extends that of its source."""
    source, again, nonce = str(row["event_id"]).rpartition(keys.RESEND)
    if not again:
        return keys.suffix_of(row["event_id"], row.get("source_message_id"))
    first = session.ledger_table.get({"event_id": source}) or {}
    return keys.suffix_of(source, first.get("source_message_id"), nonce)


def _timeline(
    row: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    audit: Iterable[Item],
    acts: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Every step with its time, oldest first; undated ones precede the last."""
    steps = [
        {"at": row["received_at"], "what": "received", "why": f"from {row.get('source', '?')}"},
        {"at": row.get("queued_at"), "what": "queued", "why": None},
        {"at": row["created_at"], "what": "first seen by the ledger", "why": None},
    ]
    if "plan" in row:
        steps.append({"at": row["created_at"], "what": "decided", "why": _decision(row["plan"])})
    steps += [
        {
            "at": action.get("created_at"),
            "what": f"vendor call: {action.get('action_kind')}",
            "why": action["event_id"],
        }
        for action in actions
        if action.get("started")
    ]
    types = {one["idempotency_key"]: one for one in audit}
    for action in actions:
        if "finished_at" in action:
            kind = types.get(action["event_id"], {}).get("action_type", action.get("action_kind"))
            why = action.get("reason") or action.get("ref")
            steps.append(
                {
                    "at": action["finished_at"],
                    "what": f"{kind}: {action['status']}",
                    "why": why or action["event_id"],
                }
            )
    steps += [*attempts.of_event(row), *acts]
    for action in actions:
        steps += attempts.of_action(action)
    if row.get("last_reason") and not row.get("tries"):
        steps.append(
            {"at": None, "what": "returned to the queue before", "why": row["last_reason"]}
        )
    steps.append({"at": row["last_processed_at"], "what": row["status"], "why": row.get("reason")})
    dated = sorted((one for one in steps[:-1] if one["at"]), key=lambda one: str(one["at"]))
    return [*dated, *(one for one in steps[:-1] if not one["at"] and one["why"]), steps[-1]]


def _decision(text: str) -> str:
    try:
        plan = Plan.decode(text)
    except (ValueError, KeyError, TypeError):
        return "a plan this version cannot read"
    facts = ", ".join(f"{name}={value}" for name, value in plan.facts.items())
    return f"{plan.flow}: {facts}"


def _verdict(row: Mapping[str, Any], actions: Sequence[Mapping[str, Any]]) -> str:
    """The outcome in one line, for the operator on call."""
    counts: dict[str, int] = {}
    for action in actions:
        counts[action["status"]] = counts.get(action["status"], 0) + 1
    done = ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no action"
    reason = f" ({row['reason']})" if row.get("reason") else ""
    return f"{row['status']}{reason}: {done}"


def _report(events: list[dict[str, Any]], *, about: str) -> dict[str, Any]:
    return {"about": about, "events": events, "notes": []}


def _audit(session: Session, conversation_id: str) -> list[Item]:
    return session.audit_table.query(
        KeyConditionExpression="conversation_id = :c", values={"c": conversation_id}
    )


def _rows(session: Session, event_ids: Sequence[str]) -> list[Item]:
    wanted = [{"event_id": key} for key in dict.fromkeys(event_ids)]
    names = tuple(dict.fromkeys((*_EVENT, *_ACTION, "plan", "conversation_id", *_FACTS)))
    found = session.ledger_table.get_all(wanted, attributes=names) if wanted else []
    order = {key: number for number, key in enumerate(event_ids)}
    return sorted(found, key=lambda row: order[row["event_id"]])


_FACTS = ("payload_sha256", "payload_bytes", "source_message_id")
