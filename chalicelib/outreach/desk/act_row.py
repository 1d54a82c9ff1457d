"""The types of a row in the table of the desk's acts: its fields, its words, and who may do it where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import holding
from chalicelib.outreach.desk.case import ActRefusedError, Case, PlannedAct
from chalicelib.outreach.desk.holding import Holder
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people.persons import DeskPerson


class FieldKind(StrEnum):
    """The kind of value that a field of a desk's act takes."""

    TEXT = "text"
    LINE = "line"
    """A text of one line."""
    PERSON = "person"
    """A name, see `persons`."""
    MOMENT = "moment"
    """A time in the future, ISO-8601."""


@dataclass(frozen=True, slots=True)
class ActField:
    """A field that an act at the desk takes, such as the text of a reply.

    Attributes:
        name: the field's name; on the command line its option is ``--name``.
        hint: its purpose in a few words.
        label: its label in the console's form; empty where the form does not ask for it.
        longest: the most characters.
        kind: the kind of value.
        is_needed: the act is refused without it.
        channels: channels for which the form asks for it; None for all.
    """

    name: str
    hint: str
    label: str = ""
    longest: int = 300
    kind: FieldKind = FieldKind.TEXT
    is_needed: bool = False
    channels: frozenset[Channel] | None = None


class OfferedTo(StrEnum):
    """Which of the persons who may do an act see its form in the console."""

    ALL = "all"
    HOLDER = "holder"
    OTHERS = "others"
    """Who does not have the conversation."""
    OF_HELD = "of_held"
    """All, where a message is held."""


@dataclass(frozen=True, slots=True)
class ActWords:
    """The texts that describe an act at the desk to people.

    Attributes:
        button: the label of the button on the console's form.
        does: the sentence in the docs' table of acts, and in the command's help.
        means: the consequence as the form says it; empty where the button says enough.
        tone: the button's style: ``primary``, ``danger`` or neither.
    """

    button: str
    does: str
    means: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class DeskAct:
    """One kind of act that persons at the desk can do, such as take or reply.

    Attributes:
        name: its name in the API and on the command line.
        change: plans what it changes of a conversation.
        words: its texts for people.
        fields: the fields that it takes.
        states: the holders (see `Holder`) with which it can be done.
        roles: roles that may do it on a conversation that another person has.
        offered: to whom of those the console offers it.
        is_last: afterwards the person has no more to do with the conversation.
    """

    name: str
    change: Callable[[Case], PlannedAct]
    words: ActWords
    fields: tuple[ActField, ...] = ()
    states: frozenset[Holder] = holding.AT_REST
    roles: frozenset[DeskRole] = holding.LEADS
    offered: OfferedTo = OfferedTo.HOLDER
    is_last: bool = False

    def refusal(self, record: Record, who: DeskPerson, role: DeskRole) -> ActRefusedError | None:
        """The error that refuses a person this act on a conversation; None where they may do it.

        The error is returned, not raised.
        """
        return holding.refusal(record, who, role, states=self.states, roles=self.roles)

    def is_offered(self, record: Record, who: DeskPerson, role: DeskRole) -> bool:
        """Whether the console shows a person this act's form for a conversation."""
        if self.refusal(record, who, role) is not None:
            return False
        match self.offered:
            case OfferedTo.HOLDER:
                return holding.is_with(record, who, role)
            case OfferedTo.OTHERS:
                return not holding.is_with(record, who, role)
            case OfferedTo.OF_HELD:
                return bool(record.handoff.get("held"))
            case OfferedTo.ALL:
                return True
