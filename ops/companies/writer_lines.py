"""Reads drafts from JSON lines and judges each by the writer's checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from chalicelib.outreach.conversations.preferring import preferences_heard_in, with_preferences
from chalicelib.outreach.conversations.records import INTERNAL, Draft, Entry, Record
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.fields import Zone
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.project.rules import zones_of
from chalicelib.outreach.writing.checked_writer import CheckedWriter, DraftVerdict
from ops import json_lines
from ops.companies import company
from ops.companies.writing import trial_record
from ops.json_lines import wrong
from ops.session import OpsError, Session


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=False)


class LineRecipient(_Closed):
    """The recipient of the draft."""

    first_name: str | None = None
    language: str | None = None
    time_zone: Zone | None = None


class LineEntry(_Closed):
    """One message of the conversation; JSON's `from` is its `sender`."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    at: AwareDatetime
    text: str
    sender: Literal["company", "recipient", "colleague", "machine"]


class LineClaim(_Closed):
    """A passage of the draft and the path of the source that supports it."""

    text: str
    source: str


class LineDraft(_Closed):
    """The draft's text and its claims."""

    text: str
    claims: list[LineClaim] | None


class DraftLine(_Closed):
    """One line of the file: a draft with what the writer knew."""

    id: str
    now: AwareDatetime
    recipient: LineRecipient
    project_data: dict[str, Any]
    conversation: list[dict[str, Any]]
    draft: LineDraft


_NOWHERE = "UTC"
"""The time zone of an opt-out's times where the line names none."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line with its conversation parsed."""

    line: DraftLine
    entries: tuple[LineEntry, ...]


def read(file: Path | None) -> Iterator[ReadLine]:
    """Yield the file's lines, validated.

    Args:
        file: None for standard input.

    Raises:
        OpsError: a line is not valid; names the line's number and the field, never the value.
    """
    for number, row in json_lines.objects(file):
        yield line_of(row, number)


def checked(
    session: Session,
    company_id: str,
    project_id: str,
    file: Path | None,
    *,
    rules_only: bool = False,
) -> list[dict[str, Any]]:
    """The verdicts of the checks on the drafts of a file, in its order.

    Raises:
        OpsError: the project is not stored, its settings cannot be read, or a line is not valid.
    """
    (project,) = company.projects(session, company_id, project_id)
    settings = writer_of(project, rules_only=rules_only)
    lines = list(read(file))
    writer = session.services.outreach_work.checked_writer()
    return [
        {"id": line.line.id, **_printed(verdict_of(line, project, settings, writer))}
        for line in lines
    ]


def writer_of(project: Project, *, rules_only: bool) -> WriterSettings:
    """A project's writer settings, without its models if `rules_only`.

    Raises:
        OpsError: the settings cannot be read.
    """
    try:
        settings = project.ai_config.writer
    except MiddlewareError:
        raise OpsError("ai_config cannot be read: see company check") from None
    return without_models(settings) if rules_only else settings


def without_models(settings: WriterSettings) -> WriterSettings:
    """A copy of the settings without judge model and moderation."""
    return settings.model_copy(update={"judge_model": None, "moderation": False})


def verdict_of(
    read_line: ReadLine, project: Project, settings: WriterSettings, writer: CheckedWriter
) -> DraftVerdict:
    """The verdict of the checks on one line under a project's settings."""
    line = read_line.line
    history = tuple(_entry(number, entry) for number, entry in enumerate(read_line.entries))
    claims = line.draft.claims
    draft = Draft(
        text=line.draft.text,
        claims=None if claims is None else [claim.model_dump() for claim in claims],
    )
    record = _record(project, line)
    wishes = preferences_heard_in(history, [zone.key for zone in zones_of(record)] or [_NOWHERE])
    return writer.verdict(with_preferences(record, wishes), history, draft, settings, line.now)


def line_of(row: dict[str, Any], number: int) -> ReadLine:
    """Validate one line; errors as `read`."""
    try:
        line = DraftLine.model_validate(row)
    except ValidationError as error:
        raise wrong(number, f"field {place_of(error)}") from None
    entries = []
    for place, entry in enumerate(line.conversation):
        renamed = {"sender" if name == "from" else name: value for name, value in entry.items()}
        try:
            entries.append(LineEntry.model_validate({} if "sender" in entry else renamed))
        except ValidationError as error:
            inner = place_of(error).replace("sender", "from")
            raise wrong(number, f"field conversation.{place}.{inner}") from None
    return ReadLine(line, tuple(entries))


def place_of(error: ValidationError) -> str:
    """The path of the first wrong field, such as ``draft.claims.0.text``."""
    return (
        ".".join(shown_name(str(part)) for part in error.errors(include_input=False)[0]["loc"])
        or "line"
    )


def _printed(found: DraftVerdict) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "rule": found.rule,
        "span": found.span,
        "rendered": found.rendered,
        "cost_usd": found.cost_usd,
    }


def _record(project: Project, line: DraftLine) -> Record:
    counted = (channel for channel in project.allowed_channels if channel.traits.counts_segments)
    channel = next(counted, None)
    about = trial_record(project, channel, line.project_data, iso(line.now))
    language = line.recipient.language or project.language
    return Record(
        {
            **about.item,
            "recipient_first_name": line.recipient.first_name,
            "recipient_timezone": line.recipient.time_zone,
            "language": language.partition("-")[0].lower() if language else None,
        }
    )


def _entry(number: int, line_entry: LineEntry) -> Entry:
    at, entry_id = iso(line_entry.at), f"line-{number}"
    match line_entry.sender:
        case "recipient":
            return Entry(entry_id, at, "user", line_entry.text)
        case "company":
            return Entry(entry_id, at, "assistant", line_entry.text, by="company")
        case "colleague":
            return Entry(entry_id, at, "note", line_entry.text, note=INTERNAL, by="colleague")
        case "machine":
            return Entry(entry_id, at, "assistant", line_entry.text)
