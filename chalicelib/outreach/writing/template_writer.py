"""The port `Writer`, a deterministic writer that needs no vendor, and the choice between writers.

A writer is asked once per message.  Its draft is stored before the message is sent, so a retry
sends the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.visible_text import one_line
from chalicelib.outreach.writing.form_names import first_name_of

REFUSED = "draft"
"""The provider that a `DraftRefusedError` names; the error's reason is the broken rule's code."""
DEFAULT_SUBJECT = "A message for you"
HUMAN_WORDS = ("human", "agent", "person", "someone", "speak to", "talk to", "call me")


class DraftRefusedError(PermanentError):
    """No draft of a message may be sent; a person decides.

    Attributes:
        draft: the last draft; its `refused` names the rules that it breaks.
    """

    def __init__(self, draft: Draft, rules: Sequence[str]) -> None:
        super().__init__(REFUSED, "check", reason=rules[0])
        self.draft = replace(draft, refused=",".join(rules))


class Writer(Protocol):
    """Port: writes the first message of a conversation, and answers to what its recipient wrote.

    Raises `ProviderError`s: after a transient one the event is tried again, a permanent one makes it
    ``failed``.
    """

    def is_instant(self, record: Record) -> bool:
        """Whether the writer of a conversation needs no vendor call.

        Then the conversation can be created together with its draft.

        Raises:
            PermanentError: no writer can be chosen.
        """
        ...

    def opening(self, record: Record) -> Draft:
        """A draft of the first message: variables where the channel sends a template, text otherwise."""
        ...

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """A draft of the next message; it may ask for a hand-off or for a function's call, also without text."""
        ...


def subject_of(record: Record) -> str:
    """The subject that the project has set for its e-mails; empty where it has none."""
    return one_line(record.channel_config.get("default_subject_line"))


class TemplateWriter:
    """Writes fixed texts filled from the record; the same record gives the same text."""

    def is_instant(self, record: Record) -> bool:
        """Whether writing needs no vendor call: always, as the texts are fixed."""
        del record
        return True

    def opening(self, record: Record) -> Draft:
        """A fixed greeting with the names of recipient, company and project."""
        name = first_name_of(record) or "there"
        about = Project(record.item)
        company = about.company_name or record.company_id
        project = about.project_name or "your request"
        form = record.channel.traits.form
        if form is Form.TEMPLATE:
            return Draft(variables={"1": name, "2": f"{company} about {project}"})
        text = f"Hello {name}, this is {company} about {project}. Reply to this message to talk."
        if form is Form.TEXT:
            return Draft(text=text)
        return Draft(text=text, subject=subject_of(record) or f"{company}: {project}")

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """A fixed acknowledgement of the newest message; a hand-off where that asks for a person."""
        said = history[-1].content.lower() if history else ""
        if any(word in said for word in HUMAN_WORDS):
            return Draft(hand_off_reason=reasons.ASKED_FOR_A_PERSON)
        company = Project(record.item).company_name or record.company_id
        text = f"Thank you for your message. {company} has noted it and will come back to you."
        if record.channel.traits.form is Form.MAIL:
            return Draft(text=text, subject=f"Re: {subject_of(record) or DEFAULT_SUBJECT}")
        return Draft(text=text)


class ChosenWriter:
    """Uses the model's writer where a model may write for the conversation, else the plain one.

    Args:
        plain: the deterministic writer.
        model: loads the writer by a language model; called only where it writes.
        is_written_by_model: whether a model may write for a record (`Providers.writes_for`).
    """

    def __init__(
        self,
        *,
        plain: Writer,
        model: Callable[[], Writer],
        is_written_by_model: Callable[[Record], bool],
    ) -> None:
        self._plain = plain
        self._model = model
        self._is_written_by_model = is_written_by_model

    def is_instant(self, record: Record) -> bool:
        """Whether the writer chosen for a conversation needs no vendor call."""
        return self._writer_of(record).is_instant(record)

    def opening(self, record: Record) -> Draft:
        """A draft of the first message, by the writer chosen for the conversation."""
        return self._writer_of(record).opening(record)

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """A draft of the next message, by the writer chosen for the conversation."""
        return self._writer_of(record).answer(record, history)

    def _writer_of(self, record: Record) -> Writer:
        return self._model() if self._is_written_by_model(record) else self._plain
