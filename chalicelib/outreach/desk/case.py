"""The types of an act at the desk: as it is asked for, with its conversation, and as it will be done."""

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


class ActRefusedError(ConflictError):
    """A person's act cannot be done to the conversation as it is; nothing was changed."""


@dataclass(frozen=True, slots=True)
class AskedAct:
    """One act that a person at the desk asks for, such as a reply.

    Attributes:
        act: a name in `acts.ACTS`.
        conversation_id: the conversation's opaque id.
        version: the version of the conversation that the person saw.
        key: the idempotency key.
        by: the person, as `persons` writes them; after a take, they have the conversation.
        actor: who vouches for that, for the journal: an operator, or the company whose key it was.
        company_id: the company whose conversations the person may act on; None for operators: all.
        role: the person's role.
        fields: the values of the act's own fields; one that was not given is empty or missing.
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
    def person(self) -> persons.DeskPerson:
        """The person who asks for the act, parsed from `by`."""
        return persons.parsed_person(self.by)

    def value_of(self, name: str) -> str:
        """The value of one of the act's own fields, by the field's name; empty where it was not given."""
        return self.fields.get(name, "")

    @property
    def redacted_reason(self) -> str:
        """The reason that the person gave for the act, redacted for storage; empty where they gave none."""
        return redact(self.value_of("reason"))

    @property
    def act_id(self) -> str:
        """The act's id within its conversation, made from the idempotency key: equal for a repetition."""
        return act_id(self.key)

    @property
    def fingerprint(self) -> str:
        """A digest of act, person and fields; a different one shows that an idempotency key was reused."""
        later = sorted(name for name in self.fields if name not in _FIRST_FIELDS)
        said = (self.value_of(name) for name in _FIRST_FIELDS)
        more = (f"{name}={self.value_of(name)}" for name in later)
        return keys.digest(self.act, self.person.key, *said, *more)


def act_id(key: str) -> str:
    """The id, within its conversation, of the act that comes with an idempotency key."""
    return keys.digest("act", key)[:32]


@dataclass(frozen=True, slots=True)
class Case:
    """An act that a person asks for, with what decides about it: conversation, messages, register.

    Attributes:
        record: the conversation as it was last read.
        asked: the act.
        now: the time of the act.
        recent_entries: reads the conversation's newest messages.
        previous_status: reads the status that the conversation has without its hand-off.
        held_draft: reads the message that its hand-off holds.
        done_act: reads what was stored of an earlier act, by its id; None where it was not done.
        subjects: reads the recipient's records of consent and refusal; see `Doubts.subjects_of`.
        forbidding_reason: reads why the recipient must not be written to; None if they may.
    """

    record: Record
    asked: AskedAct
    now: datetime
    recent_entries: Callable[[], Sequence[Entry]]
    previous_status: Callable[[], Status]
    held_draft: Callable[[], Draft | None]
    done_act: Callable[[str], Mapping[str, Any] | None]
    subjects: Callable[[], Sequence[Subject]]
    forbidding_reason: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class PlannedAct:
    """The plan of a person's act: what it will write, and what happens then.

    Attributes:
        change: the changes of the conversation.
        event: key of the event that does the rest, in order with the conversation's other events;
            empty where nothing is left to do.
        tells: name of the event that the company gets, where the act may cause one of several.
        about_person: the person whom the company's event is about; empty for the person who acts.
        undid: name of the act that this act takes back; empty for none.
        is_sending: the act sends a message, so it is refused where messages are forbidden.
        is_machines: automation goes on after the act, which is refused while a person has to
            decide whether automation may write.
    """

    change: ActChange
    event: str = ""
    tells: str = ""
    about_person: str = ""
    undid: str = ""
    is_sending: bool = False
    is_machines: bool = False
