"""Acts of persons as the commands enter them: who, what, on which key, what they saw, and why.

Every command that changes something goes through here, so that a screen that does the same enters the
same.  `chalicelib.once.journal` stores and reads the entries.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.journal import ASKED, DAY_PREFIX, Act, entry_time, is_view
from chalicelib.once.mentions import ids_in
from chalicelib.once.store import Item
from chalicelib.outreach.people import persons
from ops.session import OvertakenError, Session, refuse_too_long

SENT = "this form was sent before; what it asked for is in the journal"
LOOKED_THROUGH = 500
"""Entries that a filter looks through before it shows what it has found."""
_SEEN = ("status", "reason", "last_reason", "attempts", "looks", "last_processed_at", "ref")
"""Attributes of a ledger row that an entry keeps as evidence: what the person could see."""


def act(
    session: Session,
    what: str,
    key: str,
    *,
    result: str = ASKED,
    row: Mapping[str, Any] | None = None,
    reason: str = "",
    act_id: str = "",
    once: str = "",
    about: Collection[str] = (),
    **evidence: object,
) -> Act:
    """An act of the caller.

    Args:
        session: the stage; AWS says who the caller is.
        what: the command.
        key: what it is done to; without personal data.
        result: a fixed code.
        row: the ledger row that it is done to; its state is kept as evidence.
        reason: why, in the person's words.
        act_id: equal for a repetition of the same act.
        once: the id of the form that asked for it; see `chalicelib.once.journal`.
        about: keyed ids of the addresses that it is about; those that the reason names are added.
        evidence: what else the person saw.
    """
    seen = {name: row[name] for name in _SEEN if name in row} if row else {}
    return Act(
        what=what,
        key=key,
        actor=session.identity.name,
        result=result,
        story=str(row.get("conversation_id", "")) if row else "",
        reason=reason,
        evidence={**seen, **{name: one for name, one in evidence.items() if one is not None}},
        act_id=act_id,
        once=once,
        about={*about, *ids_in(reason, session.services.opaque)},
    )


def writes(session: Session, one: Act) -> list[Item]:
    """The entry's writes, for the transaction that does the act."""
    return session.services.journal.writes(one)


def enter(session: Session, what: str, key: str, **more: Any) -> None:  # noqa: ANN401 - as `act`
    """Enter an act that no transaction can hold, right before it is done; arguments as `act`.

    Raises:
        OvertakenError: its form was sent before.
    """
    one = act(session, what, key, **more)
    if not session.services.journal.enter(one) and one.once:
        raise OvertakenError(SENT)


def read(
    session: Session, *, key: str | None, by: str | None, since: datetime, views: bool = False
) -> Iterator[dict[str, Any]]:
    """Entries, oldest first, as plain data.

    Args:
        session: the stage.
        key: of one event, action, conversation or other subject; None for all.
        by: only of the person of this name, see `_fits`.
        since: none before; with a key, all of its story.
        views: who only looked, instead of who did something.
    """
    journal = session.services.journal
    found: Iterable[Item]
    found = journal.since(since) if key is None else journal.story(_story_of(session, key))
    for one in found:
        if is_view(one) is views and _fits(one, key, by):
            yield shown(one)


def page(
    session: Session,
    *,
    day: str,
    key: str = "",
    by: str = "",
    after: str = "",
    limit: int,
    views: bool = False,
) -> tuple[list[dict[str, Any]], str]:
    """A part of a day's entries, or of a key's, newest first, as plain data; read by key.

    Args:
        session: the stage.
        day: ``2026-11-20``, in UTC; of no meaning with a key.
        key: of one event, action, conversation or other subject.
        by: only of the person of this name, see `_fits`.
        after: where the part before it ended; empty for the first.
        limit: entries, at most.
        views: who only looked, instead of who did something.

    Returns:
        The entries, and where the next part begins; empty at the end.  A filter looks through
        `LOOKED_THROUGH` entries at a time, so a part may hold fewer than there are.
    """
    story = _story_of(session, key) if key else f"{DAY_PREFIX}{day}"
    found: list[dict[str, Any]] = []
    rows = session.services.journal.backwards(story, before=after, page=limit + 1)
    last = ""
    for number, one in enumerate(rows):
        if len(found) == limit or number == max(limit, LOOKED_THROUGH):
            return found, last
        last = str(one["ts_action_id"])
        if is_view(one) is views and _fits(one, key or None, by or None):
            found.append(shown(one))
    return found, ""


def newest(session: Session, *, limit: int) -> list[dict[str, Any]]:
    """The last acts of today (UTC), newest first, as plain data."""
    today = iso(session.services.clock.now())[:10]
    return page(session, day=today, limit=limit)[0]


def shown(entry: Item) -> dict[str, Any]:
    """An entry under the names that the command prints."""
    return {
        "at": entry_time(entry),
        "by": entry["actor"],
        "did": entry["action_type"],
        "key": entry["idempotency_key"],
        "result": entry["result"],
        "change": _change(entry),
        "reason": entry["reason"] or None,
        "saw": entry["action_payload_redacted"],
    }


def _change(entry: Item) -> str | None:
    """From what to what, or from whom to whom; None where the entry does not say it."""
    people = entry.get("people") or {}
    if "about" in people:
        return f"{people['about']}: {entry['result']}"
    if people:
        return _arrow(people.get("from") or "no person", people["to"] or "no person")
    saw = json.loads(entry["action_payload_redacted"])
    before = saw.get("before", saw.get("status")) if isinstance(saw, dict) else None
    if entry["result"] == ASKED or not isinstance(before, str):
        return None
    return _arrow(before, entry["result"])


def _arrow(before: object, after: object) -> str:
    return f"{before} → {after}"


def _fits(entry: Item, key: str | None, by: str | None) -> bool:
    """Whether an entry is of the key and by the person: their whole name, or a part between slashes.

    So ``sam`` and ``ci-1`` both find what the desk of ``ci-1`` says that sam did (``ci-1/sam``).  Who is
    proven (``ci-1/sam <u-1 at login.example.com>``) is found by name and subject too.
    """
    if key not in (None, entry["idempotency_key"], entry["story"]):
        return False
    if by is None:
        return True
    name, actor = persons.normal(by), f"/{persons.normal(str(entry['actor']))}/"
    return any(one in actor for one in (f"/{name}/", f"/{name} <", f"<{name} at "))


def _story_of(session: Session, key: str) -> str:
    """The partition of a key's entries: its conversation where it is an event or an action."""
    refuse_too_long("key", key)
    row = session.ledger_table.get({"event_id": key}) if key[:4] in ("evt:", "act:") else None
    return str(row["conversation_id"]) if row else key
