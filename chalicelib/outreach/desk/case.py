"""An act that a person asks for, the conversation that it is asked of, and what it will do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.errors import ConflictError
from chalicelib.once import keys
from chalicelib.outreach.conversations.desk_acts import ActChange
from chalicelib.outreach.conversations.records import Draft, Entry, Record, Status
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from chalicelib.redaction.redactor import redact

_FIRST_FIELDS = ("text", "subject", "reason", "hint", "to", "until")
"""Each has its place in a fingerprint, also where it is empty: stored ones are compared with new ones."""


class RefusedError(ConflictError):
    """The act cannot be done to the conversation as it is; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One act that a person asks for.

    Attributes:
        act: a name in `acts.ACTS`.
        conversation_id: its opaque id.
        version: of the conversation that the person saw.
        key: the idempotency key.
        by: the person, as `persons` writes them: the holder after a take.
        actor: who says so, for the journal: an operator, or the company whose key it was.
        company_id: only a conversation of this company; None for operators.
        role: what the person may do.
        fields: the act's own fields; one that was not given is empty or missing.
    """

    act: str
    conversation_id: str
    version: str
    key: str
    by: str
    actor: str
    company_id: str | None = None
    role: DeskRole = DeskRole.AGENT
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def who(self) -> persons.DeskPerson:
        """The person."""
        return persons.read(self.by)

    def said(self, name: str) -> str:
        """What a field of the act holds."""
        return self.fields.get(name, "")

    @property
    def because(self) -> str:
        """Why, redacted: it is kept beside the conversation, not as one of its messages."""
        return redact(self.said("reason"))

    @property
    def act_id(self) -> str:
        """The act's id within its conversation: the same for a repetition."""
        return act_id(self.key)

    @property
    def fingerprint(self) -> str:
        """Equal where the same is asked for by the same person; shows nothing of it."""
        later = sorted(name for name in self.fields if name not in _FIRST_FIELDS)
        said = (self.said(name) for name in _FIRST_FIELDS)
        more = (f"{name}={self.said(name)}" for name in later)
        return keys.digest(self.act, self.who.key, *said, *more)


def act_id(key: str) -> str:
    """The id, within its conversation, of the act that comes with an idempotency key."""
    return keys.digest("act", key)[:32]


@dataclass(frozen=True, slots=True)
class Case:
    """An act, and the conversation as it was last read.

    Attributes:
        now: the time of the act.
        recent: its newest messages, as far back as rules look.
        previous: the status that the conversation has without its hand-off.
        held: the message that its hand-off holds.
        done: what was stored of an act, by its id; None where it was not done.
        subjects: what the recipient has said about being contacted; see `Doubts.subjects_of`.
        forbids: why the recipient must not be written to, by words or not; None if they may.
    """

    record: Record
    asked: Asked
    now: datetime
    recent: Callable[[], Sequence[Entry]]
    previous: Callable[[], Status]
    held: Callable[[], Draft | None]
    done: Callable[[str], Mapping[str, Any] | None]
    subjects: Callable[[], Sequence[Subject]]
    forbids: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Planned:
    """An act as it will be done.

    Attributes:
        change: what it writes.
        event: key of the event that does the rest in the conversation's lane; empty where nothing is
            left to do.
        tells: what the company hears of it, for an act that says different things.
        of: the person whom that is about, where it is not who acts.
        undid: the act that it takes back.
        is_sending: a message will be sent, so what forbids it refuses the act.
        is_machines: automation goes on: not while a person has to decide whether it may.
    """

    change: ActChange
    event: str = ""
    tells: str = ""
    of: str = ""
    undid: str = ""
    is_sending: bool = False
    is_machines: bool = False
