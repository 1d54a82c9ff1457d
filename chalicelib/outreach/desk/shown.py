"""Hand-offs, conversations, messages and drafts as JSON for the desk; pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once import keys
from chalicelib.once import reasons as core
from chalicelib.once.catalogue import Catalogue
from chalicelib.once.reasons import declared
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.conversations.register_entries import RegisterEntry
from chalicelib.outreach.twilio import codes
from chalicelib.vendors import reasons as vendors

CATALOGUE = Catalogue({**declared(core, vendors, reasons), **codes.REASONS}, vendors.PROVIDERS)
"""The reasons that a conversation may show."""
ANSWERED, SNOOZED = "answered", "snoozed"
STATES = (
    *(handoffs.WAITING, handoffs.TAKEN_BY_PERSON, ANSWERED, SNOOZED),
    *(handoffs.APPROVED, handoffs.GIVEN_BACK, handoffs.DECLINED, handoffs.CLOSED),
    handoffs.REPLACED,
)
"""States by which the list can be filtered; the first four are open."""
_PARTS = ("entry_id", "note", "by", "media", "revision", "model")


def version_of(record: Record) -> str:
    """The version of a conversation, which an act must name: it changes with every message and act."""
    seen = [record.status.value, record.message_count, record.item.get("handoff")]
    return keys.digest(json.dumps(seen, sort_keys=True, default=str))[:16]


def state_of(entry: Mapping[str, Any], now: datetime) -> str:
    """The state of a hand-off as the desk shows it: the stored state, ``answered`` or ``snoozed``."""
    state = str(entry["handoff_state"])
    if state not in handoffs.OPEN:
        return state
    if str(entry.get("snoozed_until") or "") > iso(now):
        return SNOOZED
    if state == handoffs.TAKEN_BY_PERSON and not entry.get("unanswered_since"):
        return ANSWERED
    return state


def is_late(entry: Mapping[str, Any], now: datetime) -> bool:
    """Whether a hand-off's recipient has waited for an answer for longer than the project's target."""
    due = str(entry.get("answer_due_at") or "")
    is_waiting = state_of(entry, now) in (handoffs.WAITING, handoffs.TAKEN_BY_PERSON)
    return is_waiting and bool(due) and due < iso(now)


def entry_shown(
    entry: Mapping[str, Any], now: datetime, question: RegisterEntry | None = None
) -> dict[str, Any]:
    """An entry of the list of hand-offs as JSON: identifiers, fixed codes, times, who has the hand-off."""
    state = state_of(entry, now)
    is_open = entry["handoff_state"] in handoffs.OPEN
    waits = parsed(entry.get("unanswered_since")) if is_open else None
    return {
        "id": entry["opaque_id"],
        "company": handoffs.company_of(entry),
        "project": entry["project_id"],
        "channel": entry.get("channel"),
        "state": state,
        "held": entry["held"],
        "reason": entry["reason"],
        "reason_words": CATALOGUE.sentence(entry["reason"]),
        "since": entry["since"],
        "waiting_since": iso(waits) if waits else None,
        "waiting_seconds": max(0, int((now - waits).total_seconds())) if waits else None,
        "due_at": entry.get("answer_due_at") if waits else None,
        "is_late": is_late(entry, now),
        "newest_at": entry.get("newest_at"),
        "taken_by": entry.get("taken_by"),
        "snoozed_until": entry.get("snoozed_until"),
        "stop_or_not": question_shown(question),
    }


def question_shown(question: RegisterEntry | None) -> dict[str, Any] | None:
    """The question whether the recipient asked to stop, as JSON: since when, and when silence is a STOP."""
    if question is None:
        return None
    return {"since": question.item["since"], "due_at": question.stop_at}


def conversation_shown(
    record: Record,
    history: Iterable[Entry],
    now: datetime,
    held: Draft | None = None,
    question: RegisterEntry | None = None,
) -> dict[str, Any]:
    """A conversation in full as JSON, with personal data, for the person who will answer.

    Args:
        record: the conversation.
        history: its messages, oldest first.
        now: the time.
        held: the message that the conversation's hand-off holds, or the draft that the checks
            refused; None without one.
        question: the open question whether the recipient asked to stop, if there is one.
    """
    entry = handoffs.entry(record, record.handoff) if record.is_handed_off else None
    about = record.handoff if record.is_handed_off else {}
    return {
        "id": record.opaque_id,
        "version": version_of(record),
        "company": record.company_id,
        "project": record.project_id,
        "request_id": record.item.get("request_id"),
        "channel": record.channel.value,
        "recipient": record.primary_channel,
        "name": record.item.get("recipient_first_name"),
        "status": record.status.value,
        "handoff": entry_shown(entry, now, question) if entry else None,
        "why": record.item.get("hand_off_to_human_reason" if entry else "withheld_reason"),
        "held_message": held_shown(record, held) if held else None,
        "declined": about.get("declined"),
        "hint": record.item.get("hint"),
        "stop_or_not": question_shown(question),
        "reply_failure": _failure(record.item.get("reply_failure")),
        "free_text_until": _free_text_until(record),
        "may_also_belong_to": [
            opaque_id
            for opaque_id in record.item.get("unclear_between") or ()
            if opaque_id != record.opaque_id
        ],
        "messages": [message_shown(entry) for entry in history],
    }


def _failure(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The failure of a person's newest reply as JSON, with its reason in words.

    None where it did not fail.
    """
    if stored is None:
        return None
    return {**stored, "reason_words": CATALOGUE.sentence(stored["reason"])}


def held_shown(record: Record, held: Draft) -> dict[str, Any]:
    """A message that waits for approval, or a draft that the checks refused, as JSON."""
    newest_at = str(record.handoff.get("newest_at") or "")
    return {
        "text": held.text or " | ".join((held.variables or {}).values()),
        "subject": held.subject,
        "by": held.by,
        "function": held.function_call,
        "refused": held.refused.split(",") if held.refused else None,
        "revision": held.revision,
        "model": held.model,
        "is_older_than_newest": newest_at > str(record.handoff["since"]),
    }


def message_shown(entry: Entry) -> dict[str, Any]:
    """One message of the transcript as JSON, with the person, or the model and settings, that wrote it."""
    more = {name: getattr(entry, name) for name in _PARTS if getattr(entry, name) is not None}
    return {"at": entry.message_timestamp, "role": entry.role, "text": entry.content, **more}


def _free_text_until(record: Record) -> str | None:
    """ISO time until which the carrier takes free text.

    None where it always does, or the recipient never wrote.
    """
    window, last = record.channel.traits.free_text_window, record.last_inbound_at
    return None if window is None or last is None else iso(last + window)
