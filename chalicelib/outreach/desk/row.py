"""A row of the desk's acts: its fields, its words, and who may do it where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import holding
from chalicelib.outreach.desk.case import Case, Planned, RefusedError
from chalicelib.outreach.desk.holding import Holder
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people.persons import DeskPerson


class FieldKind(StrEnum):
    """What a field of an act holds."""

    TEXT = "text"
    LINE = "line"
    """A text of one line."""
    PERSON = "person"
    """A name, see `persons`."""
    MOMENT = "moment"
    """A time in the future, ISO-8601."""


@dataclass(frozen=True, slots=True)
class ActField:
    """A field of an act.

    Attributes:
        name: of the field; its option is ``--name``.
        hint: what it is for, in a few words.
        label: in the console's form; empty where the form does not ask for it.
        longest: so many characters.
        channels: those whose form asks for it; None for all.
    """

    name: str
    hint: str
    label: str = ""
    longest: int = 300
    kind: FieldKind = FieldKind.TEXT
    is_needed: bool = False
    channels: frozenset[Channel] | None = None


class Offered(StrEnum):
    """To whom the console offers an act, of those who may do it."""

    ALL = "all"
    HOLDER = "holder"
    OTHERS = "others"
    """Who does not have the conversation."""
    OF_HELD = "of_held"
    """All, where a message is held."""


@dataclass(frozen=True, slots=True)
class ActWords:
    """What an act is called.

    Attributes:
        button: on the console's form.
        means: on the form, what follows; empty where the button says it.
        does: on the page of outreach, and in the help of the command.
        tone: of the button: ``primary``, ``danger`` or neither.
    """

    button: str
    does: str
    means: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class DeskAct:
    """One act of the desk.

    Attributes:
        name: as the API and the command line say it.
        change: what it changes of a conversation.
        states: who may have the conversation.
        roles: those that may do it to what another person has.
        offered: to whom of those the console offers it.
        is_last: the person has no more to do with the conversation then.
    """

    name: str
    change: Callable[[Case], Planned]
    words: ActWords
    fields: tuple[ActField, ...] = ()
    states: frozenset[Holder] = holding.AT_REST
    roles: frozenset[DeskRole] = holding.LEADS
    offered: Offered = Offered.HOLDER
    is_last: bool = False

    def refusal(self, record: Record, who: DeskPerson, role: DeskRole) -> RefusedError | None:
        """Why a person may not do it; None where they may."""
        return holding.refusal(record, who, role, states=self.states, roles=self.roles)

    def is_offered(self, record: Record, who: DeskPerson, role: DeskRole) -> bool:
        """Whether the console shows a person the act's form."""
        if self.refusal(record, who, role) is not None:
            return False
        match self.offered:
            case Offered.HOLDER:
                return holding.is_with(record, who, role)
            case Offered.OTHERS:
                return not holding.is_with(record, who, role)
            case Offered.OF_HELD:
                return bool(record.handoff.get("held"))
            case Offered.ALL:
                return True
