"""Enters people's acts in the journal and reads them: who, what, on which key, what they saw, why.

Commands and the console's pages both use this module, so that the same act gives the same entry.
`chalicelib.once.journal` stores and reads the entries.
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
"""The most entries that a filtered page looks through."""
_SEEN = ("status", "reason", "last_reason", "attempts", "looks", "last_processed_at", "ref")
"""Attributes of a ledger row that an entry keeps as evidence of what the person saw."""


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
    """Make an act of the caller, without storing it.

    Args:
        session: the stage; AWS says who the caller is.
        what: the command's name.
        key: the key of what is acted on; without personal data.
        result: a fixed code.
        row: the ledger row acted on; its state is kept as evidence.
        reason: the person's reason.
        act_id: an id that a repetition of the same act shares.
        once: the id of the submitted form, so that it counts once.
        about: keyed ids of the addresses concerned; those named in the reason are added.
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
        evidence={**seen, **{name: value for name, value in evidence.items() if value is not None}},
        act_id=act_id,
        once=once,
        about={*about, *ids_in(reason, session.services.opaque)},
    )


def writes(session: Session, entry: Act) -> list[Item]:
    """An entry's writes, to put into the transaction that does the act."""
    return session.services.journal.writes(entry)


def enter(session: Session, what: str, key: str, **more: Any) -> None:  # noqa: ANN401 - as `act`
    """Enter an act right before it is done, for acts outside a transaction; arguments as `act`.

    Raises:
        OvertakenError: the form with the id `once` was already submitted.
    """
    entry = act(session, what, key, **more)
    if not session.services.journal.enter(entry) and entry.once:
        raise OvertakenError(SENT)


def read(
    session: Session, *, key: str | None, by: str | None, since: datetime, views: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield entries as dictionaries, oldest first.

    Args:
        session: the stage.
        key: the key of an event, action, conversation or other subject; None for all.
        by: only acts of the person of this name, as `_fits` compares.
        since: the earliest time; ignored with a key.
        views: who only looked, instead of who did something.
    """
    journal = session.services.journal
    found: Iterable[Item]
    found = journal.since(since) if key is None else journal.story(_story_of(session, key))
    for entry in found:
        if is_view(entry) is views and _fits(entry, key, by):
            yield shown(entry)


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
    """One page of a day's entries, or of a key's, newest first, as dictionaries.

    Args:
        session: the stage.
        day: ``2026-11-20``, in UTC; ignored with a key.
        key: the key of an event, action, conversation or other subject.
        by: only acts of the person of this name, as `_fits` compares.
        after: where the previous page ended; empty for the first.
        limit: the most entries.
        views: who only looked, instead of who did something.

    Returns:
        The entries, and where the next page begins; empty at the end.  A filter looks through
        `LOOKED_THROUGH` entries at a time, so a page may hold fewer than `limit`.
    """
    story = _story_of(session, key) if key else f"{DAY_PREFIX}{day}"
    found: list[dict[str, Any]] = []
    rows = session.services.journal.backwards(story, before=after, page=limit + 1)
    last = ""
    for number, entry in enumerate(rows):
        if len(found) == limit or number == max(limit, LOOKED_THROUGH):
            return found, last
        last = str(entry["ts_action_id"])
        if is_view(entry) is views and _fits(entry, key or None, by or None):
            found.append(shown(entry))
    return found, ""


def newest(session: Session, *, limit: int) -> list[dict[str, Any]]:
    """The last acts of today (UTC), newest first, as dictionaries."""
    today = iso(session.services.clock.now())[:10]
    return page(session, day=today, limit=limit)[0]


def shown(entry: Item) -> dict[str, Any]:
    """An entry as a dictionary with the names that the command prints."""
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
    """The change as text: ``before → after`` of a state or of an owner; None if the entry has none."""
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
    """Whether an entry has the key and the person: a whole name, or a part between slashes.

    Both ``sam`` and ``ci-1`` find ``ci-1/sam``, a person at the desk of ``ci-1``.  A proven person
    (``ci-1/sam <u-1 at login.example.com>``) is found by name and by subject.
    """
    if key not in (None, entry["idempotency_key"], entry["story"]):
        return False
    if by is None:
        return True
    name, actor = persons.normal_name(by), f"/{persons.normal_name(str(entry['actor']))}/"
    return any(form in actor for form in (f"/{name}/", f"/{name} <", f"<{name} at "))


def _story_of(session: Session, key: str) -> str:
    """The partition of a key's entries: for an event or action, its conversation."""
    refuse_too_long("key", key)
    row = session.ledger_table.get({"event_id": key}) if key[:4] in ("evt:", "act:") else None
    return str(row["conversation_id"]) if row else key
