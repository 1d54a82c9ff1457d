"""Plans what each act at the desk changes of a conversation: one function for each act; pure.

Its row in `acts` says in which states and by whom an act may be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations import doubts, handoffs
from chalicelib.outreach.conversations.desk_acts import ActChange
from chalicelib.outreach.conversations.do_not_contact import statement_in
from chalicelib.outreach.conversations.records import INTERNAL, Draft, Entry, Record, Status
from chalicelib.outreach.conversations.subject_rows import SubjectChange
from chalicelib.outreach.desk.case import ActRefusedError, AskedAct, Case, PlannedAct
from chalicelib.outreach.desk.lifting import check_liftable, not_at_the_desk_error
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.messages.fixed import with_opt_out_line

DESK = "desk"
"""Where a person of the company says something about a recipient's consent."""
STEPPED_IN = reasons.STEPPED_IN
"""Reason of a hand-off that a person took although the machine had asked for none."""
DECLINED_STAGE = reasons.DECLINED
"""``failure_stage`` of a conversation whose opening a person declined."""
HANDOFF_REASONS = ("hand_off_to_human_reason", "function_call_type", "unclear_between")
"""Attributes that say why a person has the conversation."""
_TOOL_FIELDS = ("function_call", "function_arguments", "tool")
"""What an edited message keeps of the one that was held: a person changes its words alone."""


def take(case: Case) -> PlannedAct:
    """Plan that the person has the conversation from now on, even if automation was answering it."""
    record, asked = case.record, case.asked
    taken = _give_to(record, asked, asked.by) if record.is_handed_off else _step_in(case)
    return _with_event(taken, record, asked)


def reply(case: Case) -> PlannedAct:
    """Plan that the person's message is sent and a held one is not; the person has the conversation.

    Raises:
        RefusedError: its first message was not sent.
    """
    record, asked = case.record, case.asked
    if record.handoff["held"] == "start" or not _has_begun(record):
        raise ActRefusedError(
            "NOT_STARTED", "its first message was not sent: approve or decline it"
        )
    event = outreach_keys.desk(record.opaque_id, asked.act_id)
    taken = _taken_handoff(record, asked, asked.by)
    kept = {name: value for name, value in taken.items() if name != "unanswered_since"}
    change = ActChange(
        {**kept, "held": "", "answered_at": iso(case.now)},
        attributes={"person_act": asked.act_id},
        remove=("reply_failure",),
        draft=(outreach_keys.entry_id(event), _persons_draft(asked)),
    )
    return PlannedAct(change, event, is_sending=True)


def approve(case: Case) -> PlannedAct:
    """Plan that the held message is sent, in the person's words where they edited it.

    An edited message keeps the tool call of the held one.

    Raises:
        RefusedError: no message is held, it is being released already, or the channel takes
            only the template as a first message.
    """
    record, asked = case.record, case.asked
    held = record.handoff["held"]
    if not held:
        raise ActRefusedError("NOTHING_HELD", "no message is held: reply, give it back or close it")
    event = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
    draft = None
    if asked.value_of("text"):
        if record.handoff.get("releasing"):
            raise ActRefusedError("BEING_RELEASED", "it was approved already, as it was")
        if held == "start" and (of := record.channel.traits).form is Form.TEMPLATE:
            raise ActRefusedError(
                "TEMPLATE_ONLY", f"{of.title} takes only the template as an opening"
            )
        answered = record.start_event if held == "start" else event
        written, seen = _persons_draft(asked), case.held_draft()
        if seen is not None and seen.refused is None:
            written = replace(written, **{name: getattr(seen, name) for name in _TOOL_FIELDS})
        if held == "start":
            written = with_opt_out_line(record, written)
        draft = (outreach_keys.entry_id(answered), written)
    handoff = {**record.handoff, "releasing": handoffs.APPROVED}
    change = ActChange(handoff, remove=("reply_failure",), draft=draft)
    return PlannedAct(change, event, is_sending=True)


def decline(case: Case) -> PlannedAct:
    """Plan that the message that the hand-off holds is never sent.

    A held first message: its conversation ends as failed. A held reply: the person has the
    conversation, and writes a reply instead.

    Raises:
        RefusedError: no message is held.
    """
    record, asked = case.record, case.asked
    held = record.handoff["held"]
    if not held:
        raise ActRefusedError("NOTHING_HELD", "no message is held")
    if held == "start":
        return PlannedAct(_unopened_change(record, asked))
    return _give_to(record, asked, asked.by, held="", declined=asked.redacted_reason)


def note(case: Case) -> PlannedAct:
    """Plan a note for colleagues, which is never sent; it does not change who has the conversation."""
    asked = case.asked
    entry = Entry(
        asked.act_id, iso(case.now), "note", asked.value_of("text"), note=INTERNAL, by=asked.by
    )
    return PlannedAct(ActChange(note=entry))


def transfer(case: Case) -> PlannedAct:
    """Plan that another person, whom the act names, has the conversation."""
    return _give_to(case.record, case.asked, case.asked.value_of("to"))


def put_back(case: Case) -> PlannedAct:
    """Plan that no person has the conversation any more; it waits for one in the list again.

    It still counts as waiting since the recipient began to wait.
    """
    record, asked = case.record, case.asked
    gone = ("taken_by", "taken_as", "snoozed_until")
    handoff = {name: value for name, value in record.handoff.items() if name not in gone}
    return PlannedAct(ActChange(handoff, attributes={"person_act": asked.act_id}))


def snooze(case: Case) -> PlannedAct:
    """Plan that the person has the conversation, and that the list hides it until a given time."""
    asked = case.asked
    return _give_to(case.record, asked, asked.by, snoozed_until=asked.value_of("until"))


def give_back(case: Case) -> PlannedAct:
    """Plan that automation has the conversation again and answers what waits, by the person's hint, if any.

    Raises:
        RefusedError: its first message was not sent.
    """
    record, hint = case.record, case.asked.value_of("hint")
    if record.handoff["held"] == "start":
        raise ActRefusedError(
            "NOT_STARTED", "its first message was not sent: approve or decline it"
        )
    handoff = {**record.handoff, "releasing": handoffs.GIVEN_BACK}
    attributes: Mapping[str, Any] = {"hint": hint} if hint else {}
    event = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
    change = ActChange(handoff, attributes=attributes, remove=() if hint else ("hint",))
    return PlannedAct(change, event, is_machines=True)


def close(case: Case) -> PlannedAct:
    """Plan that the hand-off ends: messages that waited stay unanswered, automation answers later ones."""
    return _close(case)


def stop(case: Case) -> PlannedAct:
    """Plan to mark the recipient as having asked to stop, and to end the hand-off."""
    asked = case.asked
    how = statement_in(case.record, DESK, asked.redacted_reason, by=asked.by)
    return _close(case, doubts.stopping(case.subjects(), by=asked.by, how=how, now=case.now))


def not_stop(case: Case) -> PlannedAct:
    """Plan that the recipient's opt-out is lifted: they did not ask to stop, or have asked for contact since.

    The person has the conversation from now on.

    Raises:
        RefusedError: no opt-out by text is in force, or the person may not lift it.
    """
    record, asked, subjects = case.record, case.asked, case.subjects()
    wishes = doubts.text_opt_outs_of(record, subjects, case.now)
    if not wishes and case.forbidding_reason():
        raise not_at_the_desk_error()
    if not wishes:
        raise ActRefusedError("NOT_STOPPED", "no wish of the recipient to stop is in force")
    for wish in wishes:
        check_liftable(case.recent_entries(), wish)
    lifted = doubts.lifting(
        subjects,
        wishes,
        lifted={
            "lifted_at": iso(case.now),
            "lifted_by": asked.by,
            "lifted_because": asked.redacted_reason,
        },
        how=statement_in(record, DESK, asked.redacted_reason, by=asked.by),
    )
    # `decided` makes another version, so that a page with the former one is read again.
    kept = _give_to(record, asked, asked.by, decided=asked.act_id)
    return _with_event(replace(kept, change=replace(kept.change, register=lifted)), record, asked)


def _close(case: Case, marks: Sequence[SubjectChange] = ()) -> PlannedAct:
    record, asked = case.record, case.asked
    if record.handoff["held"] == "start":
        unopened = replace(_unopened_change(record, asked), register=marks)
        return _with_event(PlannedAct(unopened), record, asked)
    attributes = {
        "conversation_status": case.previous_status().value,
        "hand_off_to_human": False,
        "function_call": False,
        "person_act": asked.act_id,
    }
    handoff = {**record.handoff, "held": "", "closed": asked.redacted_reason}
    ended = PlannedAct(
        ActChange(handoff, handoffs.CLOSED, attributes, HANDOFF_REASONS, register=marks)
    )
    return _with_event(ended, record, asked)


def _step_in(case: Case) -> PlannedAct:
    """Plan that a person takes a conversation from automation, which then sends nothing more."""
    record, asked = case.record, case.asked
    is_waiting = bool(record.messages) and record.messages[-1].role == "user"
    handoff = {
        "id": f"{handoffs.TAKEN_PREFIX}{asked.act_id}",
        "held": "",
        "reason": STEPPED_IN,
        "since": iso(case.now),
        "was": record.status.value,
        **_holder_fields(asked, asked.by),
        **({} if is_waiting else {"answered_at": iso(case.now)}),
    }
    attributes = {
        "conversation_status": Status.HANDED_OFF.value,
        "hand_off_to_human": True,
        "hand_off_to_human_reason": STEPPED_IN,
        "person_act": asked.act_id,
    }
    return PlannedAct(ActChange(handoff, attributes=attributes))


def _give_to(record: Record, asked: AskedAct, person: str, **more: str) -> PlannedAct:
    """Plan that the given person has a handed-off conversation, so that automation sends nothing."""
    handoff = {**_taken_handoff(record, asked, person), **more}
    return PlannedAct(ActChange(handoff, attributes={"person_act": asked.act_id}))


def _taken_handoff(record: Record, asked: AskedAct, person: str) -> dict[str, Any]:
    """The hand-off's attributes once the given person has it.

    A release under way and a snooze are cancelled.
    """
    gone = ("releasing", "snoozed_until", "taken_as")
    kept = {name: value for name, value in record.handoff.items() if name not in gone}
    is_taken = str(kept["id"]).startswith(handoffs.TAKEN_PREFIX)
    taken_id = kept["id"] if is_taken else f"{handoffs.TAKEN_PREFIX}{kept['id']}"
    return {**kept, "id": taken_id, **_holder_fields(asked, person)}


def _holder_fields(asked: AskedAct, person: str) -> dict[str, str]:
    """The hand-off's attributes that say who has it.

    A name given only with a lead's key, which no token proves, is marked so (``taken_as``): no
    agent's key may then act under that name.
    """
    is_leads = person == asked.by and not asked.person.subject and asked.role is DeskRole.LEAD
    return {"taken_by": person, **({"taken_as": DeskRole.LEAD.value} if is_leads else {})}


def _unopened_change(record: Record, asked: AskedAct) -> ActChange:
    attributes = {
        "conversation_status": Status.FAILED.value,
        "failure_stage": DECLINED_STAGE,
        "failure_reason": reasons.BY_A_PERSON,
        "hand_off_to_human": False,
    }
    handoff = {**record.handoff, "held": "", "declined": asked.redacted_reason}
    return ActChange(handoff, handoffs.DECLINED, attributes, HANDOFF_REASONS)


def _with_event(act: PlannedAct, record: Record, asked: AskedAct) -> PlannedAct:
    """The plan, with an event that informs the company of the act if the company gets events."""
    if not record.item.get(TELLS):
        return act
    return replace(act, event=outreach_keys.desk(record.opaque_id, asked.act_id))


def _has_begun(record: Record) -> bool:
    """Whether the conversation's first message was sent, or its recipient has written."""
    return record.item.get("task_complete") == 1 or record.last_inbound_at is not None


def _persons_draft(asked: AskedAct) -> Draft:
    return Draft(
        text=asked.value_of("text"), subject=asked.value_of("subject") or None, by=asked.by
    )
