"""Who has a conversation (automation, no person, or a person), and who may act on it; pure.

One rule for the Desk API, the command line and the console: a conversation that no person has,
every person may act on; one that a person has, only they, and roles that the act names, as a rule
leads.  A conversation may be transferred to everybody who has a name (`persons`), whether they have
signed in before or not.

A name that only a program wrote proves nothing, so what was taken under it with a lead's key is no
agent's, whatever name the agent's key comes with.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from chalicelib.outreach.conversations.records import Record, Status
from chalicelib.outreach.desk.case import ActRefusedError
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons


class Holder(StrEnum):
    """Who has a conversation: automation, no person or a person; it decides which acts are possible."""

    MACHINE = "machine"
    """Automation has it, and yields to a person who steps in."""
    MACHINE_ALONE = "machine_alone"
    """Its first message is not sent, or it has failed: no person steps in."""
    NOBODY = "nobody"
    """It waits for a person."""
    PERSON = "person"
    LEFT_BY_NOBODY = "left_by_nobody"
    """It is on its way back to automation, and no person has had it."""
    LEFT_BY_PERSON = "left_by_person"
    """It is on its way back to automation from the person who still has it."""


ANYWHERE = frozenset(Holder)
AT_REST = frozenset({Holder.NOBODY, Holder.PERSON})
HANDED_OFF = AT_REST | {Holder.LEFT_BY_NOBODY, Holder.LEFT_BY_PERSON}
ANYBODY = frozenset(DeskRole)
LEADS = frozenset({DeskRole.LEAD})
_STEPS_IN = frozenset({Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT})


def holder(record: Record) -> Holder:
    """Who has a conversation now (see `Holder`): automation, no person or a person.

    While it is being given back to automation, also who is giving it back.
    """
    if not record.is_handed_off:
        return Holder.MACHINE if record.status in _STEPS_IN else Holder.MACHINE_ALONE
    has_person = bool(person_of(record))
    if record.handoff.get("releasing"):
        return Holder.LEFT_BY_PERSON if has_person else Holder.LEFT_BY_NOBODY
    return Holder.PERSON if has_person else Holder.NOBODY


def person_of(record: Record) -> str:
    """The name of the person who has a conversation, normalised; empty where no person has it."""
    found = record.handoff.get("taken_by") if record.is_handed_off else None
    return persons.normal_name(str(found or ""))


def is_with(record: Record, who: persons.DeskPerson, role: DeskRole) -> bool:
    """Whether the given person has the conversation.

    A conversation taken with a lead's key, under a name that nothing proves, is never an agent's.
    """
    of_lead = record.handoff.get("taken_as") == DeskRole.LEAD
    return who.is_holder(person_of(record)) and not (of_lead and role is not DeskRole.LEAD)


def refusal(
    record: Record,
    who: persons.DeskPerson,
    role: DeskRole,
    *,
    states: Collection[Holder],
    roles: Collection[DeskRole],
) -> ActRefusedError | None:
    """The error that refuses a person's act on a conversation, not raised here; None where they may do it.

    Args:
        record: the conversation as it was last read.
        who: the person.
        role: the person's role.
        states: who may have the conversation (see `Holder`) for the act to be possible.
        roles: roles that may do the act on a conversation that another person has.
    """
    is_fit = holder(record) in states
    if not record.is_handed_off and not is_fit:
        return ActRefusedError("NOT_HANDED_OFF", "the conversation is with no person")
    if person_of(record) and not is_with(record, who, role) and role not in roles:
        return ActRefusedError("HELD_BY_ANOTHER", "another person has the conversation")
    if not is_fit:
        return ActRefusedError(
            "BEING_RELEASED", "the conversation is on its way back to the machine"
        )
    return None
