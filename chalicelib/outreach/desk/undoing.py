"""Takes a person's act back: the conversation is as before it, if nothing has happened since; pure.

The stored row of an act that can be taken back keeps what the act has changed (``undo``)::

    before   {"handoff": {...}, "conversation_status": "handed_off_to_human", ...}
    left     5d0c...        version of the conversation as the act left it

A person who took a conversation from automation leaves no earlier hand-off to restore: taken back,
the machine has it again and answers what waits.  Once a message was sent or something else was
done, nothing is taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import parsed
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.desk_acts import ActChange
from chalicelib.outreach.conversations.records import CONFIRMATION, Record, Status
from chalicelib.outreach.desk import changes, shown
from chalicelib.outreach.desk.case import ActRefusedError, AskedAct, Case, PlannedAct
from chalicelib.outreach.people import persons

UNDO = "undo"
OF = "of"
"""Field with the id of the act."""
UNDO_FOR = timedelta(minutes=10)
_GIVE_BACK = "give_back"
_REPORTED = frozenset({"take", "close"})
"""Acts of which the company has heard."""
UNDOABLE = _REPORTED | {"put_back", "transfer", _GIVE_BACK}
_STATUS = "conversation_status"
_RESTORED = (_STATUS, "hand_off_to_human", "function_call", "hint", *changes.HANDOFF_REASONS)
"""What those acts, or the release that follows, change beside the hand-off."""


def undo_values(record: Record, asked: AskedAct, planned: PlannedAct) -> dict[str, Any]:
    """The values to store with a person's act so that it can be taken back; empty where it cannot be.

    For an act that takes another act back, the values name instead the event that informs the
    company.

    Args:
        record: the conversation before the act.
        asked: the act.
        planned: its planned changes.
    """
    if planned.tells:
        return {"tells": planned.tells, "of": planned.about_person}
    handoff = record.handoff if record.is_handed_off else {}
    is_lost = CONFIRMATION in record.item or handoff.get("releasing")
    is_unopened = asked.act == "close" and handoff.get("held") == "start"
    if asked.act not in UNDOABLE or planned.change.handoff is None or is_lost or is_unopened:
        return {}
    after = {**record.item, **planned.change.attributes, "handoff": dict(planned.change.handoff)}
    before = {name: record.item[name] for name in _RESTORED if name in record.item}
    if handoff:
        before["handoff"] = dict(handoff)
    return {UNDO: {"before": before, "left": shown.version_of(Record(after))}}


def refusal(
    record: Record,
    mark: Mapping[str, Any] | None,
    act_id: str,
    who: persons.DeskPerson,
    now: datetime,
) -> ActRefusedError | None:
    """The error that refuses a person to take their act back, not raised here; None where they can.

    Args:
        record: the conversation as it is now.
        mark: the row stored of the act; None where there is none.
        act_id: the act's id.
        who: the person who takes it back.
        now: the time.
    """
    if mark is None or UNDO not in mark or persons.parsed_person(str(mark["by"])).key != who.key:
        return ActRefusedError("NOT_UNDOABLE", "there is nothing of yours to take back")
    done_at = parsed(mark["done_at"])
    if done_at is None or now - done_at >= UNDO_FOR:
        return ActRefusedError("TOO_LATE", "it can be taken back for ten minutes only")
    if not _is_as_left(record, mark, act_id):
        return ActRefusedError("CHANGED_SINCE", "something has happened with it since")
    return None


def undo(case: Case) -> PlannedAct:
    """Plan to restore the conversation as it was before a person's own act.

    Raises:
        RefusedError: there is no such act of theirs, it is too long ago, or something has happened
            since.
    """
    record, asked = case.record, case.asked
    act_id = asked.value_of(OF)
    mark = case.done_act(act_id) or {}
    refused = refusal(record, mark, act_id, asked.person, case.now)
    if refused is not None:
        raise refused
    act, before = str(mark["act"]), dict(mark[UNDO]["before"])
    handoff = before.pop("handoff", None)
    if handoff is None:
        given_back = changes.give_back(case)
        return PlannedAct(given_back.change, given_back.event, undid=act, is_machines=True)
    if act == _GIVE_BACK:
        handoff["id"] = f"{handoffs.TAKEN_PREFIX}{handoff['id']}"
    gone = [name for name in _RESTORED if name not in before]
    attributes = {**before, "person_act": asked.act_id}
    change = ActChange(handoff, attributes=attributes, remove=gone)
    if act not in _REPORTED or not record.item.get(TELLS):
        return PlannedAct(change, undid=act)
    holder = str(handoff.get("taken_by") or "")
    return PlannedAct(
        change,
        outreach_keys.desk(record.opaque_id, asked.act_id),
        tells=EventName.TAKEN if holder else EventName.HANDED_OFF,
        about_person=holder,
        undid=act,
    )


def _is_as_left(record: Record, mark: Mapping[str, Any], act_id: str) -> bool:
    """Whether the conversation is still as a person's act left it.

    After a give-back, it may have been released to automation since.
    """
    left: str = mark[UNDO]["left"]
    if mark["act"] != _GIVE_BACK:
        return record.person_act == act_id and shown.version_of(record) == left
    as_left = Record({**record.item, _STATUS: Status.HANDED_OFF.value})
    return shown.version_of(as_left) == left
