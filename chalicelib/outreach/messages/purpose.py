"""What a message is for, and what follows from that: one table.

Every purpose obeys the kill switch, shadow mode and safe mode.  The table's readers name no purpose:
`look` reads what may still stop a message, `sent` what is kept of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, Flag, StrEnum, auto

from chalicelib.outreach.company_events.event_names import Name
from chalicelib.outreach.conversations.day_counts import DayCount
from chalicelib.outreach.conversations.records import FOLLOW_UP, PERSON, Status


class Purpose(StrEnum):
    """What a message is for; stored in plans."""

    OPENING = "opening"
    ANSWER = "answer"
    APPROVED = "approved"
    """An answer that a person has approved, perhaps edited."""
    HOLDING = "holding"
    """That a person will answer."""
    QUESTION = "question"
    """Whether an irreversible tool shall be called."""
    ACKNOWLEDGEMENT = "acknowledgement"
    """That a tool is called."""
    TOOL_ANSWER = "tool_answer"
    """What a tool has given back."""
    PERSON = "person"
    """A person's own reply."""
    REMINDER = "reminder"
    CLOSING = "closing"
    STOP_CONFIRMED = "stop_confirmed"
    HELP = "help"


class Look(Flag):
    """What the last look before a request looks at."""

    NOTHING = 0
    REGISTER = auto()
    """Whether the recipient may be contacted."""
    DOUBT = auto()
    """Whether it is decided that the recipient has not asked to stop; with `REGISTER`."""
    PERSON = auto()
    """Whether a person has acted since it was planned."""
    ANSWERED = auto()
    """Whether the recipient has written, on whichever channel."""
    CONTINUED = auto()
    """Whether another conversation has taken this one's place."""


class Keeps(Enum):
    """What is kept of a message that was sent, beside its entry."""

    ENTRY = auto()
    """Nothing: it says nothing about the state of the conversation."""
    STEP = auto()
    """The next step; the recipient has the word, as before it."""
    THREAD = auto()
    """Its place in the thread: a person still has the conversation."""
    STATE = auto()
    """The conversation's new state."""
    QUESTION = auto()
    """The same, and that it waits for a yes."""
    BEGINNING = auto()
    """The same, what the message was written from and what follows it."""


class Unsent(Enum):
    """What becomes of the conversation where a message is not sent."""

    NOTHING = auto()
    REASON = auto()
    """The reason is kept; an operator may replay the event."""
    ENDS = auto()
    """It ends unsent, and its start is freed."""
    REPLY_FAILED = auto()
    """The person who wrote it learns why; the recipient waits for an answer again."""
    STEP_DROPPED = auto()
    """The step is left out; what follows it as well."""


@dataclass(frozen=True, slots=True)
class PurposeRule:
    """What follows from a purpose.

    Attributes:
        look: what the last look looks at.
        keeps: what is kept of it once it is sent.
        tells: what its company hears then.
        status: of the conversation then; None leaves it as it is.
        note: on its entry; that of a text by a person is always `PERSON`.
        counts: what it counts as in its day's figures; an answer, as its writer's.
        on_withheld: where a switch has stopped it.
        on_refused: where it is certain that it never leaves; an answer's event is escalated then.
    """

    look: Look
    keeps: Keeps
    tells: Name | None = None
    status: Status | None = None
    note: str | None = None
    counts: DayCount | None = None
    on_withheld: Unsent = Unsent.NOTHING
    on_refused: Unsent = Unsent.NOTHING


_YIELDING = Look.REGISTER | Look.DOUBT | Look.PERSON
_ANSWER = PurposeRule(
    _YIELDING,
    Keeps.STATE,
    Name.ANSWERED,
    Status.REPLY_SENT,
    counts=DayCount.BY_MACHINE,
    on_withheld=Unsent.REASON,
)
_STEP = PurposeRule(
    _YIELDING | Look.ANSWERED,
    Keeps.STEP,
    Name.FOLLOWED_UP,
    note=FOLLOW_UP,
    on_withheld=Unsent.REASON,
    on_refused=Unsent.STEP_DROPPED,
)
_FIXED = PurposeRule(Look.NOTHING, Keeps.ENTRY)
RULES: Mapping[Purpose, PurposeRule] = {
    Purpose.OPENING: PurposeRule(
        _YIELDING | Look.CONTINUED,
        Keeps.BEGINNING,
        Name.SENT,
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
        Name.ANSWERED,
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
"""The rule of each purpose."""
