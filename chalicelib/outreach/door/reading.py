"""What a company's key may read of a conversation: why it waits, and its messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import PayloadError
from chalicelib.once import door
from chalicelib.once.door import Query
from chalicelib.once.event import Unended
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import (
    CONTINUED_BY,
    CONTINUES,
    DO_NOT_CONTACT,
    NEXT_STEP,
    PROMPT,
    QUIET_HOURS,
    SEND_AT,
    UNSENT,
    Entry,
    Record,
    Status,
)

if TYPE_CHECKING:  # accepting a start does not need it
    from chalicelib.outreach.conversations.store import Conversations

PAGE_MESSAGES = 50
"""Maximum number of messages in one answer."""
_MOST_DIGITS = 8
_GOES_ON = (None, reasons.REFUSAL_IN_DOUBT)
"""What the register may say of a recipient for a person still to release a held first message."""
_OPENED = (Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT)
_OF_RULES = (reasons.CALLING_HOURS, reasons.PUBLIC_HOLIDAY, reasons.FREQUENCY_CAP)
"""The reasons of a message that waits because of the law at the recipient's place."""
_LINK = ("conversation", "request_id", "channel")
_ROLES = {"user": "recipient", "assistant": "company"}


def with_conversation(
    known: Mapping[str, Any],
    record: Record,
    now: datetime,
    unended: Callable[[Sequence[str]], Mapping[str, Unended]],
    forbids: Callable[[Record], str | None],
) -> dict[str, Any]:
    """A copy of a start's outcome (`known`) with what the start's conversation adds.

    This is why the conversation waits, its next step, and the conversations linked to it. A held
    first message whose recipient must not be contacted makes the outcome ``failed``. `unended` is
    `once.ledger.events.Ledger.unended`; `forbids` asks the register whether the recipient may be
    contacted.
    """
    found = dict(known)
    is_held = record.is_handed_off and record.handoff.get("held") == "start"
    if is_held and found["state"] == "handed_off" and forbids(record) not in _GOES_ON:
        return found | {"state": "failed", "reason": DO_NOT_CONTACT}
    waits = waiting_fields(record, now, unended)
    if waits:
        found["waiting"] = waits
        if waits["for"] == SEND_AT and found["state"] == "processing":
            found["state"] = "scheduled"
    is_unanswered = record.status == Status.INITIAL_MESSAGE_SENT and not record.last_inbound_at
    if NEXT_STEP in record.item and is_unanswered:
        found["next"] = dict(record.item[NEXT_STEP])
    for name in (CONTINUES, CONTINUED_BY):
        link = record.item.get(name)
        if link:
            found[name] = {field: link[field] for field in _LINK}
    return found


def waiting_fields(
    record: Record, now: datetime, unended: Callable[[Sequence[str]], Mapping[str, Unended]]
) -> dict[str, Any] | None:
    """Why a conversation waits, since when and until when; None where it does not.

    ``for`` is one of:

    * ``approval``: a message is held until a person approves it;
    * ``person``: a person has the conversation;
    * ``replay``: a switch stopped a message, and an operator must replay it;
    * ``send_at``: the time that the company asked for has not come;
    * ``quiet_hours``: with a ``reason`` where the recipient asked for another time;
    * ``rules``: of the recipient's place, with the ``reason``.
    """
    send_at = parsed(record.item.get(SEND_AT))
    if record.is_handed_off:
        is_held = record.handoff.get("held") and not record.handoff.get("taken_by")
        found = {
            "for": "approval" if is_held else "person",
            "reason": record.handoff.get("reason"),
            "since": record.handoff.get("since"),
        }
        return {name: value for name, value in found.items() if value}
    if record.status in _OPENED and "withheld_reason" in record.item:
        return {"for": "replay", "reason": record.item["withheld_reason"]}
    if send_at is not None and send_at > now and record.status in UNSENT:
        return {"for": SEND_AT, "until": iso(send_at)}

    rows = unended(record.waiting).values() if record.waiting else ()
    waits = [
        (row.until_epoch, reason)
        for row in rows
        if (reason := row.reason or "").startswith((QUIET_HOURS, *_OF_RULES))
        and row.until_epoch
        and row.until_epoch > now.timestamp()
    ]
    if not waits:
        return None
    end, reason = min(waits)
    until = iso(datetime.fromtimestamp(end, UTC))
    if reason.startswith(QUIET_HOURS):
        why = {} if reason == QUIET_HOURS else {"reason": reason}
        return {"for": "quiet_hours", **why, "until": until}
    return {"for": "rules", "reason": reason, "until": until}


def messages_page(conversations: Conversations, record: Record, query: Query) -> dict[str, Any]:
    """A page of a conversation's messages, oldest first, at most `PAGE_MESSAGES`, as fields of an answer.

    The page begins behind the message whose number the query's ``after`` gives. The answer has
    ``after`` only where more messages follow.

    Raises:
        PayloadError: ``INVALID_AFTER``: the query's ``after`` is not the number of a message.
    """
    given = door.query_parameter(query, "after", longest=_MOST_DIGITS)
    if given is not None and not (given.isascii() and given.isdigit()):
        raise PayloadError("INVALID_AFTER", "parameter after is not the number of a message")
    first = int(given) + 1 if given else 0
    found = conversations.page(record, first, PAGE_MESSAGES + 1)
    shown = [
        _shown(number, entry) for number, entry in found[:PAGE_MESSAGES] if entry.note != PROMPT
    ]
    more = len(found) > PAGE_MESSAGES
    last = found[:PAGE_MESSAGES][-1][0] if found else None
    return {"messages": shown, **({"after": last} if more else {})}


def _shown(number: int, entry: Entry) -> dict[str, Any]:
    fields = {
        "id": entry.entry_id,
        "number": number,
        "at": entry.message_timestamp,
        "from": _ROLES.get(entry.role, entry.role),
        "text": entry.content,
        "note": entry.note,
        "media": [dict(item) for item in entry.media] if entry.media else None,
    }
    return {name: value for name, value in fields.items() if value is not None}
