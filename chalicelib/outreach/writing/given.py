"""Everything that a draft is judged against: the sources, the recipient's message, the language."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from chalicelib.outreach.channels import SENDER_FIELD_OF
from chalicelib.outreach.conversations.preferring import known_preferences
from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.trust import Trust, trust_of
from chalicelib.outreach.wishes.preference import Preferences
from chalicelib.outreach.writing.checks.instructing import instructs
from chalicelib.outreach.writing.checks.written_language import possible_languages
from chalicelib.outreach.writing.clocks import clock_of
from chalicelib.outreach.writing.form_names import first_name_of
from chalicelib.outreach.writing.moments import LocalClock
from chalicelib.outreach.writing.sources import HINT, Source, Sources, of_fields, of_knowledge

_CONTACTS = tuple(SENDER_FIELD_OF.values())


@dataclass(frozen=True, slots=True)
class Given:
    """Everything that a draft is judged against: sources, messages, languages and settings.

    Attributes:
        recipient_text: what the recipient wrote, without messages that instruct the machine.
        newest: the recipient's newest message.
        language: the languages that the draft may be in; empty where that is not known.
        instructions: the instructions that the machine got; they support no fact.
        functions: names of the functions that the draft may call.
        recipient_name: the value given as the recipient's name.
        preferences: when and how the recipient wants messages, as stored.
    """

    settings: WriterSettings
    sources: Sources = field(repr=False)
    recipient_text: str = field(default="", repr=False)
    newest: str = field(default="", repr=False)
    language: frozenset[str] = frozenset()
    instructions: Sequence[str] = field(default=(), repr=False)
    functions: frozenset[str] = frozenset()
    recipient_name: str = field(default="", repr=False)
    preferences: Preferences = field(default_factory=Preferences)

    def languages_of(self, text: str) -> frozenset[str]:
        """The languages that a part of the draft may be in.

        They are those of its words that are expected too; where there are none, those of its words and
        the expected ones.
        """
        found = possible_languages(text)
        return found & self.language or found | self.language

    @property
    def facts(self) -> str:
        """All sources that support a draft, as lines of text."""
        return self.sources.text

    @property
    def case(self) -> str:
        """What the sources say about this conversation alone, as lines, without the company's knowledge.

        Such are the request's data, and what colleagues and tools said.
        """
        return "\n".join(source.stated for source in self.sources.given if _is_case(source))

    @property
    def rules(self) -> str:
        """What the company states in general, in its knowledge and its own data, as lines of text."""
        return "\n".join(source.text for source in self.sources.given if not _is_case(source))


def _is_case(source: Source) -> bool:
    return not source.path.startswith(("knowledge.", "company."))


def given_for(
    record: Record,
    settings: WriterSettings,
    history: Sequence[Entry],
    *,
    language: frozenset[str],
    instructions: Sequence[str],
    now: datetime,
) -> Given:
    """Everything that a draft of a conversation is judged against, from its record, settings and messages."""
    theirs = [entry.content for entry in history if entry.role == "user"]
    clock = clock_of(record, settings, now)
    return Given(
        settings,
        Sources(tuple(_sources(record, settings, history, clock)), clock),
        recipient_text="\n".join(their for their in theirs if not instructs(their)),
        newest=theirs[-1] if theirs else "",
        language=language,
        instructions=instructions,
        functions=frozenset(str(function) for function in record.ai_config.get("functions") or []),
        recipient_name=str(record.item.get("recipient_first_name") or ""),
        preferences=known_preferences(record),
    )


def _sources(
    record: Record, settings: WriterSettings, history: Sequence[Entry], clock: LocalClock
) -> Iterator[Source]:
    item, project = record.item, Project(record.item)
    declared = settings.fields
    yield from of_fields("project_data", item.get("project_data"), Trust.COMPANY, declared, clock)
    variables = record.channel_config.get("template_variables")
    yield from of_fields("template_variables", variables, Trust.COMPANY, {}, clock)
    yield from of_knowledge(settings)
    known = {
        "name": project.company_name,
        "project": project.project_name,
        "contact": project.company_contact,
        **{f"representative_{n}": name for n, name in enumerate(project.representatives)},
        **{name: record.channel_config.get(name) for name in _CONTACTS},
        **{f"link_{n}": link for n, link in enumerate(settings.allowed_links)},
        **{f"number_{n}": number for n, number in enumerate(settings.allowed_numbers)},
        **{f"email_{n}": email for n, email in enumerate(settings.allowed_emails)},
    }
    yield from (
        Source(f"company.{name}", str(value), Trust.COMPANY)
        for name, value in known.items()
        if value
    )
    if first_name := first_name_of(record):
        yield Source("recipient.first_name", first_name, Trust.RECIPIENT)
    if hint := item.get("hint"):
        yield Source(HINT, str(hint), Trust.COLLEAGUE)
    for number, entry in enumerate(history):
        yield from _of_entry(entry, number, clock)


def _of_entry(entry: Entry, number: int, clock: LocalClock) -> Iterator[Source]:
    trust = trust_of(entry)
    if entry.role == "tool":
        result: Mapping[str, object] = json.loads(entry.content)
        name = str(result.get("tool") or "result")
        yield from of_fields(f"tool.{name}", result.get("data"), Trust.TOOL, {}, clock)
    else:
        yield Source(f"conversation.{number}", entry.content, trust)
