"""Drafts in a file of JSON lines, and what the checks make of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from chalicelib.outreach.conversations.preferring import heard_in, knowing
from chalicelib.outreach.conversations.records import INTERNAL, Draft, Entry, Record
from chalicelib.outreach.field_names import shown
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
    """Whom the draft is for."""

    first_name: str | None = None
    language: str | None = None
    time_zone: Zone | None = None


class LineEntry(_Closed):
    """One message of the conversation; `from` is whose word it is."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    at: AwareDatetime
    text: str
    sender: Literal["company", "recipient", "colleague", "machine"]


class LineClaim(_Closed):
    """Words of the draft, and the path of the source that says them."""

    text: str
    source: str


class LineDraft(_Closed):
    """The draft."""

    text: str
    claims: list[LineClaim] | None


class DraftLine(_Closed):
    """One line."""

    id: str
    now: AwareDatetime
    recipient: LineRecipient
    project_data: dict[str, Any]
    conversation: list[dict[str, Any]]
    draft: LineDraft


_NOWHERE = "UTC"
"""The zone of a wish where the line names none."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line with its conversation."""

    line: DraftLine
    entries: tuple[LineEntry, ...]


def read(file: Path | None) -> Iterator[ReadLine]:
    """The drafts, checked.

    Args:
        file: None for standard input.

    Raises:
        OpsError: a line is none; it names the line's number and the field, never the value.
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
    """What the checks make of the drafts of a file, one after the other.

    Raises:
        OpsError: there is no such project, its settings cannot be read, or a line is no draft.
    """
    (project,) = company.projects(session, company_id, project_id)
    settings = writer_of(project, rules_only=rules_only)
    lines = list(read(file))
    writer = session.services.outreach_work.checked_writer()
    return [
        {"id": one.line.id, **_printed(verdict_of(one, project, settings, writer))} for one in lines
    ]


def writer_of(project: Project, *, rules_only: bool) -> WriterSettings:
    """A project's settings by which drafts are judged.

    Raises:
        OpsError: they cannot be read.
    """
    try:
        settings = project.ai_config.writer
    except MiddlewareError:
        raise OpsError("ai_config cannot be read: see company check") from None
    return without_models(settings) if rules_only else settings


def without_models(settings: WriterSettings) -> WriterSettings:
    """Settings by which no model is asked."""
    return settings.model_copy(update={"judge_model": None, "moderation": False})


def verdict_of(
    one: ReadLine, project: Project, settings: WriterSettings, writer: CheckedWriter
) -> DraftVerdict:
    """What the checks make of one line by a project's settings."""
    line = one.line
    history = tuple(_entry(number, entry) for number, entry in enumerate(one.entries))
    claims = line.draft.claims
    draft = Draft(
        text=line.draft.text,
        claims=None if claims is None else [claim.model_dump() for claim in claims],
    )
    record = _record(project, line)
    wishes = heard_in(history, [zone.key for zone in zones_of(record)] or [_NOWHERE])
    return writer.verdict(knowing(record, wishes), history, draft, settings, line.now)


def line_of(row: dict[str, Any], number: int) -> ReadLine:
    """One draft, checked; errors as `read`."""
    try:
        line = DraftLine.model_validate(row)
    except ValidationError as error:
        raise wrong(number, f"field {place_of(error)}") from None
    entries = []
    for place, one in enumerate(line.conversation):
        renamed = {"sender" if name == "from" else name: value for name, value in one.items()}
        try:
            entries.append(LineEntry.model_validate({} if "sender" in one else renamed))
        except ValidationError as error:
            inner = place_of(error).replace("sender", "from")
            raise wrong(number, f"field conversation.{place}.{inner}") from None
    return ReadLine(line, tuple(entries))


def place_of(error: ValidationError) -> str:
    """The path of the first field that is wrong."""
    return (
        ".".join(shown(str(one)) for one in error.errors(include_input=False)[0]["loc"]) or "line"
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
    counted = (one for one in project.allowed_channels if one.traits.counts_segments)
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


def _entry(number: int, one: LineEntry) -> Entry:
    at, entry_id = iso(one.at), f"line-{number}"
    match one.sender:
        case "recipient":
            return Entry(entry_id, at, "user", one.text)
        case "company":
            return Entry(entry_id, at, "assistant", one.text, by="company")
        case "colleague":
            return Entry(entry_id, at, "note", one.text, note=INTERNAL, by="colleague")
        case "machine":
            return Entry(entry_id, at, "assistant", one.text)
