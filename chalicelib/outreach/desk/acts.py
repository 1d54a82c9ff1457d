"""The table of the desk's acts: each with its fields, its words, who may do it where, and its function.

The Desk API, ``python -m ops handoff``, the console's forms, ``docs/openapi.yaml`` and the table of
acts in ``docs/outreach-people.md`` are made of these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import changes, holding, undoing
from chalicelib.outreach.desk.act_row import ActField, ActWords, DeskAct, FieldKind, OfferedTo
from chalicelib.outreach.desk.case import Case, PlannedAct
from chalicelib.outreach.desk.holding import Holder
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons

TAKE, REPLY, APPROVE, TRANSFER = "take", "reply", "approve", "transfer"
PUT_BACK = "put_back"
"""The acts that code names."""
_WITH_SUBJECT = frozenset(channel for channel in Channel if channel.traits.form is Form.MAIL)
_SUBJECT = ActField(
    "subject", "of an e-mail", "Subject", 200, FieldKind.LINE, channels=_WITH_SUBJECT
)
UNDO = DeskAct(
    undoing.UNDO,
    undoing.undo,
    ActWords("Undo", "the conversation is as it was before the person's own act"),
    states=holding.ANYWHERE,
    roles=holding.ANYBODY,
)
"""No act of its own choice: it names another one, and the pages offer it behind that."""
ACTS: Mapping[str, DeskAct] = {
    act.name: act
    for act in (
        DeskAct(
            TAKE,
            changes.take,
            ActWords(
                "Take",
                "the person has the conversation, also one that the machine was answering; a message of"
                " the machine that is on its way gives way until its request leaves",
                "You answer from now on; automation sends nothing more.",
                "primary",
            ),
            states=holding.HANDED_OFF - {Holder.LEFT_BY_PERSON} | {Holder.MACHINE},
            offered=OfferedTo.OTHERS,
        ),
        DeskAct(
            REPLY,
            changes.reply,
            ActWords(
                "Send",
                "sends a message of the person, and the conversation is theirs; a message that was held"
                " is not sent any more",
                tone="primary",
            ),
            (
                ActField(
                    "text",
                    "not longer than the channel takes",
                    "Your reply",
                    20_000,
                    is_needed=True,
                ),
                _SUBJECT,
            ),
        ),
        DeskAct(
            APPROVE,
            changes.approve,
            ActWords(
                "Send as it is",
                "the machine has it again: what is held is sent, as shown or as the person edited it; an"
                " opening without the opt-out line gets it",
                tone="primary",
            ),
            (
                ActField("text", "in place of what is held", longest=20_000),
                ActField("subject", "of an e-mail", longest=200, kind=FieldKind.LINE),
            ),
            states=holding.HANDED_OFF,
            offered=OfferedTo.OF_HELD,
        ),
        DeskAct(
            "decline",
            changes.decline,
            ActWords(
                "Decline",
                "what is held is never sent, and a reply is for the person who declines to write; a"
                " declined opening ends its conversation as `failed` (`declined`), and the start's state"
                " is `failed`",
                tone="danger",
            ),
            (ActField("reason", "why it is never sent", "Why it is never sent", is_needed=True),),
            offered=OfferedTo.OF_HELD,
            is_last=True,
        ),
        DeskAct(
            "note",
            changes.note,
            ActWords(
                "Keep the note", "an entry for colleagues: never sent, and shown to no writer"
            ),
            (
                ActField(
                    "text",
                    "for colleagues",
                    "A note for colleagues, never sent",
                    20_000,
                    is_needed=True,
                ),
            ),
            states=holding.ANYWHERE,
            roles=holding.ANYBODY,
            offered=OfferedTo.ALL,
        ),
        DeskAct(
            TRANSFER,
            changes.transfer,
            ActWords("Hand to a colleague", "another person has it"),
            (
                ActField(
                    "to",
                    "the person who has it next",
                    "Colleague",
                    persons.LONGEST_PERSON,
                    FieldKind.PERSON,
                    is_needed=True,
                ),
            ),
            is_last=True,
        ),
        DeskAct(
            PUT_BACK,
            changes.put_back,
            ActWords(
                "Put back",
                "no person has it any more: it waits for one, for as long as the recipient has waited",
                "It waits for a colleague.",
            ),
            is_last=True,
        ),
        DeskAct(
            "snooze",
            changes.snooze,
            ActWords(
                "Put off",
                "hidden from the list until a time, or until the recipient writes",
                "Out of the list until then, or until the recipient writes.",
            ),
            (
                ActField(
                    "until",
                    "a time within 90 days, ISO-8601; in UTC where it names no zone",
                    "Until",
                    40,
                    FieldKind.MOMENT,
                    is_needed=True,
                ),
            ),
            is_last=True,
        ),
        DeskAct(
            "give_back",
            changes.give_back,
            ActWords(
                "Give back",
                "the machine has it again and answers what waits; `hint` tells the writer what a"
                " colleague knows",
                "Automation answers what waits, and goes on.",
            ),
            (ActField("hint", "what the writer should know", "A hint for automation", 1_000),),
            states=holding.HANDED_OFF,
            is_last=True,
        ),
        DeskAct(
            "close",
            changes.close,
            ActWords(
                "Close",
                "the hand-off is over; nothing is sent, and the machine answers the recipient's next"
                " message",
                "Over; nothing is sent.",
            ),
            (ActField("reason", "why", "Why"),),
            is_last=True,
        ),
        DeskAct(
            "stop",
            changes.stop,
            ActWords(
                "Stop",
                "the recipient has asked to stop: they are marked (`asked_to_stop`) on every channel, and"
                " the hand-off is over",
                "They get no further message, on no channel.",
                tone="danger",
            ),
            (ActField("reason", "why", "Why"),),
            is_last=True,
        ),
        DeskAct(
            "not_stop",
            changes.not_stop,
            ActWords(
                "Not a stop",
                "answers the question whether the recipient asked to stop, or lifts a mark where they have"
                " asked for contact since in this conversation; the conversation is the person's",
                "Starts and reminders to them may leave again.",
            ),
            (
                ActField(
                    "reason",
                    "what shows that they wish messages",
                    "What shows that they wish messages",
                    is_needed=True,
                ),
            ),
        ),
    )
}


def plan_act(case: Case) -> PlannedAct:
    """The changes that an asked act will make to its conversation; nothing is written yet.

    Raises:
        RefusedError: the conversation is not in a state for the act, or another person has it.
    """
    act, asked = UNDO if case.asked.act == UNDO.name else ACTS[case.asked.act], case.asked
    refused = act.refusal(case.record, asked.person, asked.role)
    if refused is not None:
        raise refused
    return act.change(case)


def offered_acts(record: Record, by: str, role: DeskRole) -> Iterator[DeskAct]:
    """The acts whose forms the console shows this person for a conversation."""
    who = persons.parsed_person(by)
    return (act for act in ACTS.values() if act.is_offered(record, who, role))
