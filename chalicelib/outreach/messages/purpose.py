"""The purposes of messages, and one table of how each purpose is treated.

Every purpose obeys the kill switch, shadow mode and safe mode.  The table's readers name no purpose:
`look` reads what may still stop a message, `sent` what is stored of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, Flag, StrEnum, auto

from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.conversations.day_counts import DayCount
from chalicelib.outreach.conversations.records import FOLLOW_UP, PERSON, Status


class Purpose(StrEnum):
    """The purpose of an outgoing message, such as an answer or a reminder; stored in plans."""

    OPENING = "opening"
    ANSWER = "answer"
    APPROVED = "approved"
    """An answer that a person has approved, perhaps edited."""
    HOLDING = "holding"
    """The notice that a person will answer."""
    QUESTION = "question"
    """The question whether an irreversible tool shall be called."""
    ACKNOWLEDGEMENT = "acknowledgement"
    """The notice that a tool is being called."""
    TOOL_ANSWER = "tool_answer"
    """The answer with a tool's result."""
    PERSON = "person"
    """A person's own reply."""
    REMINDER = "reminder"
    CLOSING = "closing"
    STOP_CONFIRMED = "stop_confirmed"
    HELP = "help"


class Look(Flag):
    """The checks that the last look before sending a message makes."""

    NOTHING = 0
    REGISTER = auto()
    """Whether the recipient may be contacted."""
    DOUBT = auto()
    """Whether a possible STOP of the recipient is undecided; only together with `REGISTER`."""
    PERSON = auto()
    """Whether a person has acted since the message was planned."""
    ANSWERED = auto()
    """Whether the recipient has written, on any channel."""
    CONTINUED = auto()
    """Whether another conversation has taken this one's place."""


class Keeps(Enum):
    """The changes to store in the conversation for a sent message, besides its entry."""

    ENTRY = auto()
    """Nothing: the message does not change the conversation's state."""
    STEP = auto()
    """The next step; the conversation still waits for the recipient."""
    THREAD = auto()
    """Its place in the e-mail thread; a person still has the conversation."""
    STATE = auto()
    """The conversation's new state."""
    QUESTION = auto()
    """As `STATE`, and that the conversation waits for the recipient's yes."""
    BEGINNING = auto()
    """As `STATE`, and the data that the message was written from, and the next step."""


class Unsent(Enum):
    """The consequence for the conversation where a message is not sent."""

    NOTHING = auto()
    REASON = auto()
    """The reason is stored; an operator may replay the event."""
    ENDS = auto()
    """The conversation ends, and its start no longer counts as open."""
    REPLY_FAILED = auto()
    """The person who wrote the message sees why; the recipient waits for an answer again."""
    STEP_DROPPED = auto()
    """The step and those after it are cancelled."""


@dataclass(frozen=True, slots=True)
class PurposeRule:
    """How messages of one purpose are treated.

    Attributes:
        look: the checks of the last look before sending.
        keeps: the changes to store once the message is sent.
        tells: the event that the company is then sent; None: none.
        status: the conversation's status once sent; None leaves it unchanged.
        note: the note on the message's entry; a text by a person always has `PERSON`.
        counts: how the day's figures count the message; an answer is counted by who wrote it.
        on_withheld: the consequence where a switch stopped the message.
        on_refused: the consequence where the message certainly never leaves; an answer's event is
            then also handed to a person.
    """

    look: Look
    keeps: Keeps
    tells: EventName | None = None
    status: Status | None = None
    note: str | None = None
    counts: DayCount | None = None
    on_withheld: Unsent = Unsent.NOTHING
    on_refused: Unsent = Unsent.NOTHING


_YIELDING = Look.REGISTER | Look.DOUBT | Look.PERSON
_ANSWER = PurposeRule(
    _YIELDING,
    Keeps.STATE,
    EventName.ANSWERED,
    Status.REPLY_SENT,
    counts=DayCount.BY_MACHINE,
    on_withheld=Unsent.REASON,
)
_STEP = PurposeRule(
    _YIELDING | Look.ANSWERED,
    Keeps.STEP,
    EventName.FOLLOWED_UP,
    note=FOLLOW_UP,
    on_withheld=Unsent.REASON,
    on_refused=Unsent.STEP_DROPPED,
)
_FIXED = PurposeRule(Look.NOTHING, Keeps.ENTRY)
RULES: Mapping[Purpose, PurposeRule] = {
    Purpose.OPENING: PurposeRule(
        _YIELDING | Look.CONTINUED,
        Keeps.BEGINNING,
        EventName.SENT,
        Status.INITIAL_MESSAGE_SENT,
        counts=DayCount.OPENED,
        on_withheld=Unsent.ENDS,
        on_refused=Unsent.ENDS,
    ),
    Purpose.ANSWER: _ANSWER,
    Purpose.APPROVED: replace(_ANSWER, look=Look.REGISTER | Look.PERSON),
    Purpose.HOLDING: replace(_ANSWER, counts=None),
    Purpose.QUESTION: replace(_ANSWER, keeps=Keeps.QUESTION),
    Purpose.ACKNOWLEDGEMENT: _ANSWER,
    Purpose.TOOL_ANSWER: _ANSWER,
    Purpose.PERSON: PurposeRule(
        Look.REGISTER,
        Keeps.THREAD,
        EventName.ANSWERED,
        note=PERSON,
        counts=DayCount.BY_PERSON,
        on_withheld=Unsent.REPLY_FAILED,
        on_refused=Unsent.REPLY_FAILED,
    ),
    Purpose.REMINDER: _STEP,
    Purpose.CLOSING: _STEP,
    Purpose.STOP_CONFIRMED: _FIXED,
    Purpose.HELP: _FIXED,
}
"""How each purpose is treated."""
