"""Hand-offs: conversations that wait for a person or are with one, and how each ended; pure.

An entry of a company's list is written together with the conversation, and says no more than it::

    primary_channel   handoffs#{company_id}        conversation_id  {hand-off id}#{opaque id}
    created_at        {lane}#{time}#{opaque id}, its place; see `HandoffLane`
    handoff_state     waiting | taken              with a person, or waiting for one
                      approved | given_back | declined | closed | replaced    it has ended
    since             when it was handed off       held, reason     as in the conversation
    unanswered_since  since when the recipient waits for an answer; missing once a person has answered
    newest_at         when the recipient last wrote into it
    answer_due_at     when the answer is late by the project's target, where it has one
    taken_by          the person who has it        snoozed_until    hidden until then

It keeps its key for good, so that a hand-off happens once.  Its place changes: the table's index of a
partition by ``created_at`` has a company's list in order, and no function needs the right to delete.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import response_targets
from chalicelib.outreach.conversations.records import Record

INDEX = "created-at-index"
"""Has a company's entries in the order of their places."""
WAITING = "waiting"
TAKEN_BY_PERSON = "taken"
OPEN = frozenset({WAITING, TAKEN_BY_PERSON})
APPROVED, GIVEN_BACK, DECLINED, CLOSED = "approved", "given_back", "declined", "closed"
REPLACED = "replaced"
"""A later hand-off, which holds a message, took its place."""
TAKEN_PREFIX = "taken-"
"""Begins the id of a conversation's hand-off once a person has taken it; its entry keeps its key.

Again where a release of it was taken back: the event of that release finds another id."""
CLOSED_FOR = timedelta(days=1)
"""An entry that has ended stays on the list, marked as such, for this long."""
_PARTITION = "handoffs#"
_WHERE_KNOWN = ("taken_by", "snoozed_until", "unanswered_since", "newest_at", "answer_due_at")


class HandoffLane(StrEnum):
    """A part of a company's list of hand-offs, sorted by time.

    ``waiting`` and ``taken`` are sorted by the time since which the recipient waits for an answer;
    the others by the time of the recipient's newest message, or of the hand-off if there is none.
    """

    WAITING = "waiting"
    """No person has it."""
    TAKEN = "taken"
    """A person has it, and the recipient waits."""
    ANSWERED = "answered"
    """A person has it, and nothing waits."""
    ENDED = "ended"


PLACE_ATTRIBUTES = ("primary_channel", "conversation_id", "created_at")
"""The attributes that say which entry it is, and where."""
UNANSWERED_LANES = (HandoffLane.WAITING, HandoffLane.TAKEN)
"""Lanes in which recipients wait."""


def state_of(handoff: Mapping[str, Any]) -> str:
    """The state of a conversation's hand-off: ``taken``, ``waiting``, or the release that is under way.

    A release is ``approved`` or ``given_back``.
    """
    if handoff.get("releasing"):
        return str(handoff["releasing"])
    return TAKEN_BY_PERSON if handoff.get("taken_by") else WAITING


def unanswered_since(handoff: Mapping[str, Any]) -> str:
    """ISO time since which a handed-off recipient waits for an answer; empty once a person has answered."""
    since = "" if handoff.get("answered_at") else handoff["since"]
    return str(handoff.get("unanswered_since") or since)


def after_message(handoff: Mapping[str, Any], said_at: str) -> Item:
    """A hand-off's attributes after a new message of the recipient: waiting for an answer, not snoozed.

    A recipient who was waiting already waits since the same time as before.
    """
    left = {name: value for name, value in handoff.items() if name != "snoozed_until"}
    newest = max(said_at, str(handoff.get("newest_at") or ""))
    return {
        **left,
        "newest_at": newest,
        "unanswered_since": unanswered_since(handoff) or said_at,
    }


def listed_id(handoff: Mapping[str, Any]) -> str:
    """A hand-off's id as its company's list has it: without the prefix ``taken-``, which a take adds."""
    return str(handoff["id"]).rpartition(TAKEN_PREFIX)[2]


def gives_way(record: Record, handoff: Mapping[str, Any]) -> bool:
    """Whether a conversation's hand-off, which holds no message, is replaced by a new one that holds one.

    False once a person has taken the current hand-off: they answer themselves from then on.
    """
    if not record.is_handed_off or not handoff["held"] or record.handoff["id"] == handoff["id"]:
        return False
    return not record.handoff["held"] and "taken_by" not in record.handoff


def entry(
    record: Record, handoff: Mapping[str, Any], state: str = "", *, now: datetime | None = None
) -> Item:
    """The item that lists a conversation's hand-off in its company's list.

    Args:
        record: the conversation.
        handoff: its hand-off.
        state: the hand-off's state, as listed in the module; by default its state now.
        now: the time from which an ended entry is kept for `CLOSED_FOR`; any other entry is kept
            as long as the conversation.
    """
    state = state or state_of(handoff)
    has_ended = now is not None and state not in OPEN
    waits = unanswered_since(handoff)
    facts = {**handoff, "unanswered_since": waits, "answer_due_at": _due(record, waits)}
    lane = _lane(state, waits)
    return {
        **key(record.company_id, listed_id(handoff), record.opaque_id),
        "created_at": f"{lane}#{_time_in(lane, facts)}#{record.opaque_id}",
        "points_to": record.key,
        "opaque_id": record.opaque_id,
        "project_id": record.project_id,
        "channel": record.channel.value,
        "handoff_state": state,
        "ttl": int((now + CLOSED_FOR).timestamp()) if has_ended and now else record.item["ttl"],
        **{name: facts[name] for name in ("held", "reason", "since")},
        **{name: facts[name] for name in _WHERE_KNOWN if facts.get(name)},
    }


def _due(record: Record, waits_since: str) -> str:
    """ISO time at which an answer is late by the project's target.

    Empty where it has no target, or nothing waits.
    """
    target, since = response_targets.target_of(record.item), parsed(waits_since)
    due = target.due(since) if target is not None and since is not None else None
    return iso(due) if due else ""


def _lane(state: str, waits_since: str) -> HandoffLane:
    if state not in OPEN:
        return HandoffLane.ENDED
    if state == WAITING:
        return HandoffLane.WAITING
    return HandoffLane.TAKEN if waits_since else HandoffLane.ANSWERED


def _time_in(lane: HandoffLane, entry: Mapping[str, Any]) -> str:
    """The ISO time by which a hand-off is sorted within its lane (part of the list)."""
    newest = entry.get("newest_at") or entry["since"]
    at = parsed(
        str(entry.get("unanswered_since") or newest if lane in UNANSWERED_LANES else newest)
    )
    return iso(at) if at else ""


def lane_of(entry: Mapping[str, Any]) -> HandoffLane:
    """The lane of a hand-off's entry, read from its sort key: waiting, taken, answered or ended."""
    return HandoffLane(str(entry["created_at"]).partition("#")[0])


def partition(company_id: str) -> str:
    """The partition key of a company's list of hand-offs."""
    return f"{_PARTITION}{company_id}"


def company_of(entry: Mapping[str, Any]) -> str:
    """The id of the company in whose list a hand-off's entry is."""
    return str(entry["primary_channel"]).removeprefix(_PARTITION)


def key(company_id: str, handoff_id: str, opaque_id: str) -> Item:
    """The key of a hand-off's entry in its company's list."""
    return {
        "primary_channel": partition(company_id),
        "conversation_id": f"{handoff_id}#{opaque_id}",
    }
