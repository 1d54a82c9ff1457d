"""The journal: what persons did, in table C beside what the machine did.

An entry is an audit row with an actor.  It is stored twice: in the story that it belongs to (an
event's and an action's conversation, or the subject itself, such as ``switch:kill_switch``), and in
its day, so that a day is read by a query.  Example item::

    conversation_id          1042                     and journal#2026-11-20
    ts_action_id             2026-11-20T09:00:02.000Z#settle:4f1c...
    action_type              settle
    idempotency_key          act:rp_reply:1042:c-77   what it was done to
    result                   not-done
    actor                    Operators/jo
    reason                   The desk shows no reply   as the person gave it, redacted
    action_payload_redacted  {"status": "unknown", "looks": 2}     what the person saw
    people                   {"from": "sam", "to": "o'brien@example.com"}     where it names some
    story                    1042
    expires_at               1795251602                (a year)

A form may be sent twice (a double click, two windows).  Its act therefore has a further row in the same
transaction, which only one submission can write::

    conversation_id          once#Xk3v...             the form's own id
    ts_action_id             settle:act:rp_reply:1042:c-77
    expires_at               1763715602               (two days)

A row ``about#{keyed id}`` for each person that an act is about leads to its entry: see `remarks`.

An act on the ledger is one transaction with its entry: `Journal.writes` returns the entry's writes.
An act elsewhere (a queue, a secret) is entered before it is done, with the result `ASKED`.
No entry is ever overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store, TransactionRefused
from chalicelib.redaction.json_values import redact_mapping
from chalicelib.redaction.redactor import redact

RETENTION = timedelta(days=365)
ASKED = "asked"
"""The result of an act that no transaction can join with its entry: it was asked for, and was done next."""
REASON_LENGTH = 300
DAY_PREFIX = "journal#"
ONCE_PREFIX = "once#"
VIEW = " view"
"""The end of an act's name, if the act shows data and changes nothing."""
ABOUT_PREFIX = "about#"
ONCE_FOR = timedelta(days=2)
"""How long the id of a sent form is remembered; the session that sent it ends sooner."""
AT_MOST = 1_000
"""The most entries of one story that are read."""
_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a person, as the journal stores it.

    Attributes:
        what: the command: ``settle``, ``replay``, ``switch set``.
        key: what it was done to: a key of the ledger, or ``{kind}:{name}`` without personal data.
        actor: who did it, as AWS names the caller.
        result: its outcome, a fixed code.
        story: the conversation it belongs to; empty where the key is a story of its own.
        reason: why, in the person's words; stored redacted and cut.
        evidence: what the person saw; names, numbers and fixed codes.
        act_id: equal, with `at`, for a repetition of the same act, which is entered once; if empty, a
            new id is made.
        at: when it was done; None for the present time.
        once: the id of the console's form that sent it; a second act of that form is refused.
        about: keyed ids of the addresses that it is about, where its story does not say so.
        people: names of colleagues, ``from`` whom and ``to`` whom, or ``about`` whom; stored
            unredacted, like the actor's.
    """

    what: str
    key: str
    actor: str
    result: str = ASKED
    story: str = ""
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    act_id: str = ""
    at: datetime | None = None
    once: str = ""
    about: Collection[str] = ()
    people: Mapping[str, str] = field(default_factory=dict)


class Journal:
    """Writes and reads the journal's entries on what persons did; no other module writes them."""

    def __init__(
        self,
        *,
        table: Store,
        clock: Clock,
        new_id: Callable[[], str],
        retention: timedelta = RETENTION,
    ) -> None:
        self._table = table
        self._clock = clock
        self._new_id = new_id
        self._retention = retention

    def writes(self, act: Act) -> list[Item]:
        """The writes that store an act's entry, for the transaction that does the act: all or none."""
        now = act.at or self._clock.now()
        entry: Item = {
            "ts_action_id": f"{iso(now)}#{act.what}:{act.act_id or self._new_id()}",
            "action_type": act.what,
            "action_payload_redacted": _ENCODER.encode(redact_mapping(dict(act.evidence))),
            "idempotency_key": act.key,
            "result": act.result,
            "actor": act.actor,
            "reason": redact(act.reason)[:REASON_LENGTH],
            "story": act.story or act.key,
            **({"people": dict(act.people)} if act.people else {}),
            "expires_at": int((self._clock.now() + self._retention).timestamp()),
        }
        rows = [
            {"conversation_id": partition, **entry}
            for partition in (act.story or act.key, _day(now))
        ]
        leads = {name: entry[name] for name in ("ts_action_id", "story", "expires_at")}
        rows += [
            {"conversation_id": f"{ABOUT_PREFIX}{subject}", **leads}
            for subject in sorted({*act.about})
        ]
        if act.once:
            until = int((self._clock.now() + ONCE_FOR).timestamp())
            form = {"conversation_id": f"{ONCE_PREFIX}{act.once}"}
            rows.append({**form, "ts_action_id": f"{act.what}:{act.key}", "expires_at": until})
        return [
            self._table.putting(row, condition="attribute_not_exists(#conversation_id)")
            for row in rows
        ]

    def enter(self, act: Act) -> bool:
        """Store the entry of an act that changes no table; a repetition changes nothing.

        Returns:
            False where the act was entered before: at the same time with its own id, or by the same form.
        """
        try:
            self._table.transact(self.writes(act))
        except TransactionRefused:
            return False
        return True

    def story(self, story: str) -> list[Item]:
        """The journal's entries of a conversation or another subject, oldest first.

        At most `AT_MOST` rows are read.
        """
        found = self._table.query_all(
            at_most=AT_MOST,
            KeyConditionExpression="conversation_id = :c",
            values={"c": story},
        )
        return [row for row in found if is_entry(row)]

    def backwards(self, story: str, *, before: str = "", page: int) -> Iterator[Item]:
        """The entries of a story or a day, newest first; a page is fetched when its first entry is read.

        Args:
            story: of an act, or a day as `DAY_PREFIX` names it.
            before: only entries before this one's ``ts_action_id``; empty for all.
            page: rows of one query.
        """
        found = self._table.query_pages(
            KeyConditionExpression=f"conversation_id = :c{' AND ts_action_id < :b' if before else ''}",
            values={"c": story, **({"b": before} if before else {})},
            ScanIndexForward=False,
            Limit=page,
        )
        return (row for row in found if is_entry(row))

    def since(self, start: datetime) -> Iterator[Item]:
        """Every entry of the journal since a time, oldest first: one query for each day."""
        day, end = start, self._clock.now()
        while day.date() <= end.date():
            found = self._table.query_pages(
                KeyConditionExpression="conversation_id = :c AND ts_action_id >= :from",
                values={"c": _day(day), "from": iso(start)},
            )
            yield from filter(is_entry, found)
            day += timedelta(days=1)


def is_entry(item: Mapping[str, Any]) -> bool:
    """Whether a row of table C is the entry of a person's act; other rows have no actor."""
    return "actor" in item


def is_view(entry: Mapping[str, Any]) -> bool:
    """Whether an act only showed data and changed nothing, by its name: ``conversation view``."""
    return str(entry["action_type"]).endswith(VIEW)


def entry_time(item: Mapping[str, Any]) -> str:
    """ISO time of a journal's entry, from its sort key."""
    return str(item["ts_action_id"]).partition("#")[0]


def _day(moment: datetime) -> str:
    return f"{DAY_PREFIX}{iso(moment)[:10]}"
