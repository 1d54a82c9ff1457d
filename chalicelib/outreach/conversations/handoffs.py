"""The list of hand-offs: conversations that wait for a person or are with one, and how each ended.

An entry is written together with the conversation, and says no more than it::

    primary_channel   handoffs                     conversation_id  {hand-off id}#{opaque id}
    handoff_state     waiting | taken              with a person, or waiting for one
                      approved | given_back | declined | closed | replaced    it has ended
    since             when it was handed off       held, reason     as in the conversation
    unanswered_since  since when the recipient waits for an answer; missing once a person has answered
    newest_at         when the recipient last wrote into it
    answer_due_at     when the answer is late by the project's target, where it has one
    taken_by          the person who has it        snoozed_until    hidden until then
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once.store import Item, Store
from chalicelib.outreach.conversations import response_targets
from chalicelib.outreach.conversations.records import Record

PARTITION = "handoffs"
WAITING = "waiting"
TAKEN_BY_PERSON = "taken"
OPEN = frozenset({WAITING, TAKEN_BY_PERSON})
APPROVED, GIVEN_BACK, DECLINED, CLOSED = "approved", "given_back", "declined", "closed"
REPLACED = "replaced"
"""A later hand-off, which holds a message, took its place."""
TAKEN = "taken-"
"""Begins the id of a conversation's hand-off once a person has taken it; its entry keeps its key."""
CLOSED_FOR = timedelta(days=1)
"""An entry that has ended stays on the list, marked as such, for this long."""
_WHERE_KNOWN = ("taken_by", "snoozed_until", "unanswered_since", "newest_at", "answer_due_at")


class Handoffs:
    """The partition ``handoffs`` of the conversations table."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def waiting(self) -> Iterator[Item]:
        """Every hand-off that no person has taken."""
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p",
            FilterExpression="handoff_state = :waiting",
            values={"p": PARTITION, "waiting": WAITING},
        )
        yield from found

    def listed(self, company_id: str) -> Iterator[Item]:
        """A company's entries; also those that have ended and are not removed yet."""
        yield from self._table.query_pages(
            KeyConditionExpression="primary_channel = :p",
            FilterExpression="company_id = :company",
            values={"p": PARTITION, "company": company_id},
        )

    def everyones(self) -> Iterator[Item]:
        """The entries of all companies."""
        yield from self._table.query_pages(
            KeyConditionExpression="primary_channel = :p", values={"p": PARTITION}
        )


def state_of(handoff: Mapping[str, Any]) -> str:
    """The state of a hand-off that the conversation is in."""
    if handoff.get("releasing"):
        return str(handoff["releasing"])
    return TAKEN_BY_PERSON if handoff.get("taken_by") else WAITING


def unanswered_since(handoff: Mapping[str, Any]) -> str:
    """Since when the recipient waits for an answer; empty once a person has answered."""
    since = "" if handoff.get("answered_at") else handoff["since"]
    return str(handoff.get("unanswered_since") or since)


def joined(handoff: Mapping[str, Any], said_at: str) -> Item:
    """A hand-off after a message of the recipient: it waits for an answer, and is hidden no more."""
    left = {name: one for name, one in handoff.items() if name != "snoozed_until"}
    newest = max(said_at, str(handoff.get("newest_at") or ""))
    return {
        **left,
        "newest_at": newest,
        "unanswered_since": unanswered_since(handoff) or said_at,
    }


def listed_id(handoff: Mapping[str, Any]) -> str:
    """The id under which the list has a conversation's hand-off, taken or not."""
    return str(handoff["id"]).removeprefix(TAKEN)


def gives_way(record: Record, handoff: Mapping[str, Any]) -> bool:
    """Whether the current hand-off holds no message and the new one does.

    Not once a person has taken it over: they answer manually, and no held message is sent any more.
    """
    if not record.is_handed_off or not handoff["held"] or record.handoff["id"] == handoff["id"]:
        return False
    return not record.handoff["held"] and "taken_by" not in record.handoff


def entry(
    record: Record, handoff: Mapping[str, Any], state: str = "", *, now: datetime | None = None
) -> Item:
    """The list's item of a hand-off.

    Args:
        record: the conversation.
        handoff: its hand-off.
        state: how it has ended, or is now; see the module.
        now: starts the time for which an entry that has ended is kept; an open one is kept as long
            as the conversation.
    """
    state = state or state_of(handoff)
    has_ended = now is not None and state not in OPEN
    waits = unanswered_since(handoff)
    facts = {**handoff, "unanswered_since": waits, "answer_due_at": _due(record, waits)}
    return {
        **key(listed_id(handoff), record.opaque_id),
        "points_to": record.key,
        "opaque_id": record.opaque_id,
        "company_id": record.company_id,
        "project_id": record.project_id,
        "channel": record.channel.value,
        "handoff_state": state,
        "ttl": int((now + CLOSED_FOR).timestamp()) if has_ended and now else record.item["ttl"],
        **{name: facts[name] for name in ("held", "reason", "since")},
        **{name: facts[name] for name in _WHERE_KNOWN if facts.get(name)},
    }


def _due(record: Record, waits_since: str) -> str:
    """When the answer is late by the project's target; empty where it has none, or nothing waits."""
    target, since = response_targets.target_of(record.item), parsed(waits_since)
    due = target.due(since) if target is not None and since is not None else None
    return iso(due) if due else ""


def key(handoff_id: str, opaque_id: str) -> Item:
    """Key of the list's item of a hand-off."""
    return {"primary_channel": PARTITION, "conversation_id": f"{handoff_id}#{opaque_id}"}
