"""What each act changes of a conversation as it was read; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.acts import Change
from chalicelib.outreach.conversations.records import (
    INTERNAL,
    Draft,
    Entry,
    Record,
    Status,
)
from chalicelib.outreach.desk import asked as asking
from chalicelib.outreach.desk.asked import Asked, RefusedError
from chalicelib.outreach.messages.fixed import with_opt_out_line

STEPPED_IN = reasons.STEPPED_IN
"""Reason of a hand-off that a person took although the machine had asked for none."""
DECLINED_STAGE = reasons.DECLINED
"""``failure_stage`` of a conversation whose opening a person declined."""
CLEARED = ("hand_off_to_human_reason", "function_call_type", "unclear_between")
"""Attributes that say why a person has the conversation."""
_STEPS_IN = frozenset({Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT})
_WHILE_RELEASED = frozenset({asking.NOTE, asking.APPROVE, asking.GIVE_BACK})


@dataclass(frozen=True, slots=True)
class Planned:
    """An act as it will be done.

    Attributes:
        change: what it writes.
        event: key of the event that does the rest in the conversation's lane; empty where nothing is
            left to do.
    """

    change: Change
    event: str = ""


_OF_TOOL = ("function_call", "function_arguments", "tool")
"""What an edited message keeps of the one that was held: a person changes its words alone."""


def planned(
    record: Record,
    asked: Asked,
    now: datetime,
    *,
    previous: Callable[[], Status],
    held: Callable[[], Draft | None],
) -> Planned:
    """What an act changes.

    Args:
        record: the conversation as last read.
        asked: the act.
        now: the time of the act.
        previous: the status that the conversation has without its hand-off.
        held: the message that its hand-off holds.

    Raises:
        RefusedError: the conversation is not in a state for it.
    """
    if asked.act == asking.NOTE:
        return _note(asked, now)
    if not record.is_handed_off:
        if asked.act != asking.TAKE or record.status not in _STEPS_IN:
            raise RefusedError("NOT_HANDED_OFF", "the conversation is with no person")
        return _noted(_step_in(record, asked, now), record, asked)
    _check_holder(record, asked)
    match asked.act:
        case asking.TAKE:
            return _noted(_held_by(record, asked, asked.by), record, asked)
        case asking.TRANSFER:
            return _held_by(record, asked, asked.to)
        case asking.SNOOZE:
            return _held_by(record, asked, asked.by, snoozed_until=asked.until)
        case asking.REPLY:
            return _reply(record, asked, now)
        case asking.APPROVE:
            return _approve(record, asked, held)
        case asking.GIVE_BACK:
            return _give_back(record, asked)
        case asking.DECLINE:
            return _decline(record, asked)
        case _:
            return _noted(_close(record, asked, previous), record, asked)


def _noted(act: Planned, record: Record, asked: Asked) -> Planned:
    """The act with an event by which the company hears of it, where it has an endpoint."""
    if not record.item.get(TELLS):
        return act
    return replace(act, event=outreach_keys.desk(record.opaque_id, asked.act_id))


def _check_holder(record: Record, asked: Asked) -> None:
    """Refuse what another person has, and what is on its way back to the machine."""
    handoff = record.handoff
    holder = handoff.get("taken_by")
    if holder not in (None, asked.by) and not asked.is_lead:
        raise RefusedError("HELD_BY_ANOTHER", "another person has the conversation")
    is_first_take = asked.act == asking.TAKE and holder is None
    if handoff.get("releasing") and not is_first_take and asked.act not in _WHILE_RELEASED:
        raise RefusedError("BEING_RELEASED", "the conversation is on its way back to the machine")


def _note(asked: Asked, now: datetime) -> Planned:
    entry = Entry(asked.act_id, iso(now), "note", asked.text, note=INTERNAL, by=asked.by)
    return Planned(Change(note=entry))


def _step_in(record: Record, asked: Asked, now: datetime) -> Planned:
    """A person takes a conversation that the machine has: it yields from now on."""
    is_waiting = bool(record.messages) and record.messages[-1].role == "user"
    handoff = {
        "id": f"{handoffs.TAKEN}{asked.act_id}",
        "held": "",
        "reason": STEPPED_IN,
        "since": iso(now),
        "was": record.status.value,
        "taken_by": asked.by,
        **({} if is_waiting else {"answered_at": iso(now)}),
    }
    attributes = {
        "conversation_status": Status.HANDED_OFF.value,
        "hand_off_to_human": True,
        "hand_off_to_human_reason": STEPPED_IN,
        "person_act": asked.act_id,
    }
    return Planned(Change(handoff, attributes=attributes))


def _held_by(record: Record, asked: Asked, person: str, **more: str) -> Planned:
    """The conversation is a person's: the machine yields."""
    handoff = {**_taken(record, person), **more}
    return Planned(Change(handoff, attributes={"person_act": asked.act_id}))


def _taken(record: Record, person: str) -> dict[str, Any]:
    """The hand-off with a person; one that was released meanwhile is not released any more."""
    gone = ("releasing", "snoozed_until")
    kept = {name: one for name, one in record.handoff.items() if name not in gone}
    is_taken = str(kept["id"]).startswith(handoffs.TAKEN)
    taken_id = kept["id"] if is_taken else f"{handoffs.TAKEN}{kept['id']}"
    return {**kept, "id": taken_id, "taken_by": person}


def _reply(record: Record, asked: Asked, now: datetime) -> Planned:
    if record.handoff["held"] == "start" or not _has_begun(record):
        raise RefusedError("NOT_STARTED", "its first message was not sent: approve or decline it")
    event = outreach_keys.desk(record.opaque_id, asked.act_id)
    taken = _taken(record, asked.by)
    kept = {name: one for name, one in taken.items() if name != "unanswered_since"}
    change = Change(
        {**kept, "held": "", "answered_at": iso(now)},
        attributes={"person_act": asked.act_id},
        remove=("reply_failure",),
        draft=(outreach_keys.entry_id(event), _written(asked)),
    )
    return Planned(change, event)


def _approve(record: Record, asked: Asked, message: Callable[[], Draft | None]) -> Planned:
    """What is held is sent, in the person's words where they edited it; its tool is called all the same."""
    held = record.handoff["held"]
    event = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
    draft = None
    if asked.text:
        if record.handoff.get("releasing"):
            raise RefusedError("BEING_RELEASED", "it was approved already, as it was")
        if not held:
            raise RefusedError("NOTHING_HELD", "no message is held: reply instead")
        if held == "start" and record.channel == Channel.WHATSAPP:
            raise RefusedError("TEMPLATE_ONLY", "WhatsApp takes only the template as an opening")
        answered = record.start_event if held == "start" else event
        written, seen = _written(asked), message()
        if seen is not None and seen.refused is None:
            written = replace(written, **{name: getattr(seen, name) for name in _OF_TOOL})
        if held == "start":
            written = with_opt_out_line(record, written)
        draft = (outreach_keys.entry_id(answered), written)
    handoff = {**record.handoff, "releasing": handoffs.APPROVED}
    return Planned(Change(handoff, remove=("reply_failure",), draft=draft), event)


def _give_back(record: Record, asked: Asked) -> Planned:
    handoff = {**record.handoff, "releasing": handoffs.GIVEN_BACK}
    hint: Mapping[str, Any] = {"hint": asked.hint} if asked.hint else {}
    event = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
    return Planned(Change(handoff, attributes=hint, remove=() if hint else ("hint",)), event)


def _decline(record: Record, asked: Asked) -> Planned:
    """What is held is never sent; an opening ends its conversation, a reply is the person's now."""
    held = record.handoff["held"]
    if not held:
        raise RefusedError("NOTHING_HELD", "no message is held")
    if held == "start":
        return Planned(_unopened(record, asked))
    return _held_by(record, asked, asked.by, held="", declined=asked.reason)


def _unopened(record: Record, asked: Asked) -> Change:
    attributes = {
        "conversation_status": Status.FAILED.value,
        "failure_stage": DECLINED_STAGE,
        "failure_reason": reasons.BY_A_PERSON,
        "hand_off_to_human": False,
    }
    handoff = {**record.handoff, "held": "", "declined": asked.reason}
    return Change(handoff, handoffs.DECLINED, attributes, CLEARED)


def _close(record: Record, asked: Asked, previous: Callable[[], Status]) -> Planned:
    """The hand-off is over: what waited is not answered, what comes next the machine answers."""
    if record.handoff["held"] == "start":
        return Planned(_unopened(record, asked))
    attributes = {
        "conversation_status": previous().value,
        "hand_off_to_human": False,
        "function_call": False,
        "person_act": asked.act_id,
    }
    handoff = {**record.handoff, "held": "", "closed": asked.reason}
    return Planned(Change(handoff, handoffs.CLOSED, attributes, CLEARED))


def _has_begun(record: Record) -> bool:
    """Whether its first message was sent, or its recipient has written."""
    return record.item.get("task_complete") == 1 or record.last_inbound_at is not None


def _written(asked: Asked) -> Draft:
    return Draft(text=asked.text, subject=asked.subject or None, by=asked.by)
