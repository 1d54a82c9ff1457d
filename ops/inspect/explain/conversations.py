"""Look-ups of outreach: requests, conversations, addresses, hand-offs, carriers' ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import KINDS, LISTED_CHANNELS, Channel
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.follow_up_settings import END, REMINDER
from chalicelib.outreach.ses.webhook import message_id_digest
from ops.inspect.explain import people, scanning, tickets
from ops.inspect.explain.event_records import ARRIVING_READ, receipt_keys
from ops.inspect.explain.found import Looking, LookupResult
from ops.inspect.explain.nothing import Unasked

NEWEST_MESSAGES = 100
"""The most messages of a conversation whose events are looked up; older events need their keys."""
NEWEST_CONVERSATIONS = 5
"""The most conversations of an address that are explained; further ones are only listed."""
_UNREPORTED = Unasked(
    *("an e-mail of ours that SES has reported nothing of", "no index leads there"),
    "paste the recipient's address, or look again in a minute",
)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def start(looking: Looking, text: str) -> LookupResult | None:
    """Look up a start by ``company#request`` or ``company#project#request#recipient``."""
    company, *rest = text.split("#")
    request = rest[0] if len(rest) == 1 else rest[1]
    row = looking.session.ledger_table.get({"event_id": outreach_keys.start(company, request)})
    if row is None:
        return None
    found = _opened(looking, str(row["conversation_id"]))
    return replace(found, about=row["event_id"], event_keys=found.event_keys | {row["event_id"]})


def conversation(looking: Looking, opaque_id: str) -> LookupResult | None:
    """Look up a conversation by its opaque id."""
    found = _opened(looking, opaque_id)
    is_known = bool(found.event_keys or found.state)
    return found if is_known else LookupResult(opaque_id, unasked=(people.BY_MESSAGE,))


def address(looking: Looking, text: str) -> LookupResult:
    """Look up an E.164 number or e-mail address: its person's newest conversations, and tickets."""
    conversations = looking.session.services.outreach.conversations
    records, unasked = people.conversations_of(looking.session, text)
    newest = records[:NEWEST_CONVERSATIONS]
    theirs = [_opened(looking, record.opaque_id, record) for record in newest]
    theirs.append(tickets.of_customer(looking, text))
    every = [*unasked, *(place for result in theirs for place in result.unasked)]
    notes = [
        f"conversation {record.opaque_id} of {record.company_id}#{record.request_id}: {record.status.value}"
        for record in records
    ]
    notes += [f"further conversations than these {NEWEST_CONVERSATIONS}: explain them by their ids"]
    notes = notes if len(records) > NEWEST_CONVERSATIONS else notes[:-1]
    for company_id in sorted({record.company_id for record in records}):
        for entry in conversations.marks_of(text, company_id):
            since, state = (
                entry.item.get("since", "?"),
                "in force" if entry.is_in_force else "lifted",
            )
            notes.append(f"{company_id} must not contact it: {entry.reason}, {since}, {state}")
    return LookupResult(
        "an address",
        frozenset(key for result in theirs for key in result.event_keys),
        notes=tuple(notes),
        is_known=bool(records),
        unasked=tuple(dict.fromkeys(every)),
    )


def handoff(looking: Looking, text: str) -> LookupResult | None:
    """Look up a hand-off by its id, alone or as ``id#conversation``: one query for each company."""
    handoff_id, _, opaque_id = text.partition("#")
    services = looking.session.services
    table = services.table(services.settings.conversations_table)
    entry = Handoffs(table).find(handoff_id, opaque_id)
    if entry is None:
        return None
    found = _opened(looking, str(entry["opaque_id"]))
    note = (
        f"hand-off {handoff_id}: {entry['handoff_state']} since {entry['since']}, {entry['reason']}"
    )
    return replace(found, about=text, notes=(note,), is_known=True)


def text_message(looking: Looking, provider_id: str) -> LookupResult | None:
    """Look up a message, ours or the recipient's, by Twilio's id."""
    bound = [
        {"event_id": keys.bound_ref(kind.name, "", provider_id)}
        for kind in KINDS.values()
        if kind.is_id_global
    ]
    theirs = [outreach_keys.reply(channel, provider_id) for channel in LISTED_CHANNELS]
    table = looking.session.ledger_table
    actions = [{"event_id": row["action_key"]} for row in table.get_all(bound)]
    found = {str(row["event_key"]) for row in table.get_all(actions)}
    rows = looking.reader.rows([*theirs, *receipt_keys(provider_id)])
    found |= {row["event_id"] for row in rows}
    return LookupResult(provider_id, frozenset(found)) if found else None


def e_mail(looking: Looking, provider_id: str) -> LookupResult | None:
    """Look up an e-mail by SES's id: its delivery events name its conversation and sending event."""
    receipts = looking.reader.rows(receipt_keys(provider_id))
    reply = message_id(looking, provider_id)
    if not receipts:
        return reply or LookupResult(provider_id, unasked=(_UNREPORTED,))
    trail = looking.reader.trail(str(receipts[0]["conversation_id"]))
    actions = looking.reader.rows([str(entry["idempotency_key"]) for entry in trail])
    senders = {str(action["event_key"]) for action in actions if action.get("ref") == provider_id}
    return LookupResult(
        provider_id, frozenset(senders | {receipt["event_id"] for receipt in receipts})
    )


def message_id(looking: Looking, text: str) -> LookupResult | None:
    """Look up a recipient's e-mail by its Message-ID, with or without angle brackets."""
    bare = text.strip("<>")
    digests = [message_id_digest(form) for form in (text, f"<{bare}>", bare)]
    threaded = [channel for channel in Channel if channel.traits.is_threaded]
    wanted = [outreach_keys.reply(channel, digest) for channel in threaded for digest in digests]
    rows = looking.reader.rows(wanted)
    return LookupResult(rows[0]["event_id"], frozenset({rows[0]["event_id"]})) if rows else None


def _opened(looking: Looking, opaque_id: str, record: Record | None = None) -> LookupResult:
    """Collect a conversation's events: from its trail, messages and hand-off, and unfinished ones."""
    events = looking.reader.events_of(opaque_id) | looking.reader.unfinished_of(opaque_id)
    conversations = looking.session.services.outreach.conversations
    record = record or conversations.find(opaque_id)
    state = {}
    if record is not None:
        entries = conversations.newest_entries(record, NEWEST_MESSAGES)
        received = [entry.entry_id for entry in entries if entry.role == "user"]
        events |= {outreach_keys.reply(record.channel, entry_id) for entry_id in received}
        events |= set(record.waiting)
        events |= {record.start_event, outreach_keys.unsubscribe(opaque_id)}
        events |= {outreach_keys.follow(opaque_id, step) for step in (REMINDER, END)}
        if record.handoff:
            ids = (handoffs.listed_id(record.handoff), str(record.handoff["id"]))
            events |= {outreach_keys.release(opaque_id, id_) for id_ in ids}
        events |= {act["event"] for act in conversations.acts_of(record) if act.get("event")}
        state = _state(record.item)
    if looking.deep:
        events |= scanning.of_conversation(looking, opaque_id)
    return LookupResult(opaque_id, frozenset(events), state=state, unasked=_unasked(looking))


def _unasked(looking: Looking) -> tuple[Unasked, ...]:
    if looking.deep:
        return ()
    places = [scanning.IN_NO_INDEX]
    if len(looking.reader.arriving) >= ARRIVING_READ:
        places.append(f"messages that wait behind {ARRIVING_READ} others")
    return (*map(scanning.unasked, places), *looking.reader.unfinished.unasked)


def _state(item: Mapping[str, Any]) -> dict[str, object]:
    shown = ("conversation_status", "delivery_status", "failure_stage", "failure_reason")
    state = {name: item[name] for name in (*shown, "withheld_reason") if item.get(name)}
    ruled = [message["rules"] for message in item.get("messages", ()) if message.get("rules")]
    if ruled:
        state["allowed_by"] = ", ".join(ruled[-1])
    handoff = item.get("handoff") or {}
    if handoff:
        state["handoff"] = {
            name: handoff[name]
            for name in ("id", "reason", "since", "taken_by", "answered_at", "releasing")
            if handoff.get(name)
        }
    if item.get("reply_failure"):
        state["reply_failure"] = dict(item["reply_failure"])
    return state | {"updated_at": str(item.get("updated_at", iso(_LONG_AGO)))}
