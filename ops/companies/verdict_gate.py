"""Tries new settings on the project's verdict set before they are stored.

Only changes that decide which drafts are sent are tried.  A change of a budget or of the project's
status is stored without a trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.outreach.conversations.verdicts import VerdictExample
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from ops.companies import writer_lines
from ops.companies.verdict_lines import verdicts
from ops.session import Session

WRITTEN_BY = frozenset(
    {
        *("ai_config", "company_rep", "company_name", "project_name", "company_contact"),
        *("language", "channel_config", "allowed_channels"),
    }
)
"""Attributes of an item that drafts, or the sources of their claims, are made from."""


@dataclass(frozen=True, slots=True)
class VerdictGate:
    """How to try settings on the verdict set.

    Attributes:
        asks_judge: also call the project's judge and moderation, which costs money.
        despite: the reason for storing settings that disagree; empty to refuse them.
    """

    asks_judge: bool = False
    despite: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An example on which the settings and the company's verdict differ.

    Attributes:
        rule: the rule that stops a good example; None if a bad one would be sent.
    """

    verdict: VerdictExample
    rule: str | None

    def __str__(self) -> str:
        """The sentence for the operator who stores the settings."""
        example = self.verdict
        does = f"is good and stopped by {self.rule}" if self.rule else "is bad and would be sent"
        return f"{example.id} {does}{f' ({example.why})' if example.why else ''}"


def disagreements(
    session: Session, item: Mapping[str, Any], before: Mapping[str, Any], gate: VerdictGate
) -> list[Disagreement]:
    """The examples on which an item's settings and the company's verdicts differ.

    Args:
        session: the stage.
        item: the valid item to be stored.
        before: the stored item; empty for a new one.
        gate: whether the judge is asked.
    """
    if all(item.get(name) == before.get(name) for name in WRITTEN_BY):
        return []
    project = Project(item)
    examples = verdicts(session).examples_of(*project.ids)
    if not examples:
        return []
    settings = writer_lines.writer_of(project, rules_only=not gate.asks_judge)
    writer = session.services.outreach_work.checked_writer()
    return list(_found(examples, project, settings, writer))


def _found(
    examples: Sequence[VerdictExample],
    project: Project,
    settings: WriterSettings,
    writer: CheckedWriter,
) -> list[Disagreement]:
    found = []
    for number, example in enumerate(examples, 1):
        line = writer_lines.line_of({"id": example.id, **example.example}, number)
        made = writer_lines.verdict_of(line, project, settings, writer)
        if (made.verdict == "send") != (example.said == "good"):
            found.append(Disagreement(example, made.rule))
    return found
