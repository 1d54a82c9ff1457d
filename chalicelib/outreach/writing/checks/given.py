"""What a draft may rest on: what the company gave of the case and in general, and what was said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.outreach.channels import SENDER_OF
from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.checks.instructing import instructs


@dataclass(frozen=True, slots=True)
class Given:
    """What is known where a draft is judged; texts, joined by lines.

    Attributes:
        case: of this one case: the request's data and the company's earlier messages.
        rules: in general: knowledge, allow-lists, names and contact.
        said: what the recipient wrote, without messages that instruct the machine.
        newest: the recipient's newest message.
        language: what the draft may be written in; none where that is not known.
        instructions: what the machine was instructed; no source of facts.
    """

    settings: WriterSettings
    case: str = field(repr=False)
    rules: str = field(repr=False)
    said: str = field(default="", repr=False)
    newest: str = field(default="", repr=False)
    language: frozenset[str] = frozenset()
    instructions: Sequence[str] = field(default=(), repr=False)
    functions: frozenset[str] = frozenset()

    @property
    def facts(self) -> str:
        """Everything that the company gave."""
        return f"{self.case}\n{self.rules}"


def given(
    record: Record,
    settings: WriterSettings,
    history: Sequence[Entry],
    *,
    language: frozenset[str],
    instructions: Sequence[str],
) -> Given:
    """What supports a draft in a conversation."""
    item, project = record.item, Project(record.item)
    ours = [one.content for one in history if one.role == "assistant"]
    theirs = [one.content for one in history if one.role == "user"]
    results = [json.loads(one.content)["data"] for one in history if one.role == "tool"]
    config: Mapping[str, Any] = record.channel_config
    known = (
        project.company_name,
        project.project_name,
        project.company_contact,
        item.get("recipient_first_name"),
        *project.representatives,
        *(config.get(name) for name in _CONTACTS),
        *settings.allowed_links,
        *settings.allowed_numbers,
        *settings.allowed_emails,
    )
    rules = [*(one.shown for one in settings.knowledge), *(str(one) for one in known if one)]
    data = item.get("project_data")
    variables = config.get("template_variables")
    case = [
        json.dumps(one, ensure_ascii=False, default=str)
        for one in (data, variables, *results)
        if one
    ]
    return Given(
        settings,
        case="\n".join([*case, *ours]),
        rules="\n".join(rules),
        said="\n".join(one for one in theirs if not instructs(one)),
        newest=theirs[-1] if theirs else "",
        language=language,
        instructions=instructions,
        functions=frozenset(str(one) for one in record.ai_config.get("functions") or []),
    )


_CONTACTS = tuple(SENDER_OF.values())
