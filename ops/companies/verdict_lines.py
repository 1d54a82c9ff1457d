"""A project's verdict set as JSON lines: read from a file, stored, listed and removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator

from chalicelib.clock import iso
from chalicelib.outreach.conversations.verdicts import VerdictExample, Verdicts
from ops import journal, json_lines
from ops.companies import company, writer_lines
from ops.companies.verdict_redaction import without_person
from ops.json_lines import wrong
from ops.session import OpsError, Session

MOST = 500
"""The most examples of a project: all are judged, in turn, each time its settings are stored."""
MOST_BYTES = 16_000
"""The longest line, in bytes."""
_OWN = ("verdict", "why", "invented")


class SaidOfDraft(BaseModel):
    """The fields of a line that say how the draft is to be judged.

    Attributes:
        id: the example's id; must hold no personal data, because the journal names it.
        invented: the example is about no real person; otherwise personal data is replaced on
            storing.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    verdict: Literal["good", "bad"]
    why: Annotated[str, Field(max_length=500)] = ""
    invented: StrictBool = False

    @model_validator(mode="after")
    def _bad_needs_why(self) -> SaidOfDraft:
        if self.verdict == "bad" and not self.why.strip():
            raise ValueError("why is needed")
        return self


def verdicts(session: Session) -> Verdicts:
    """The stage's verdict sets."""
    settings = session.services.settings
    return Verdicts(
        table=session.services.table(settings.conversations_table),
        clock=session.services.clock,
        kept=timedelta(days=settings.conversations_retention_days),
    )


def listed(session: Session, company_id: str, project_id: str) -> list[dict[str, Any]]:
    """A project's examples as the lines that store them, each with the time when it expires.

    Raises:
        OpsError: the project is not stored.
    """
    company.items(session, company_id, project_id)
    found = verdicts(session).examples_of(company_id, project_id)
    return [
        {**line_of(example), "until": iso(datetime.fromtimestamp(example.ends, UTC))}
        for example in found
    ]


def line_of(example: VerdictExample) -> dict[str, Any]:
    """An example as the JSON line that stores it."""
    said = {"verdict": example.said, "why": example.why, "invented": example.is_invented}
    return {"id": example.id, **example.example, **said}


def put(
    session: Session, company_id: str, project_id: str, file: Path | None, *, because: str = ""
) -> list[VerdictExample]:
    """Store a file's examples, replacing those with the same ids; nothing if one line is wrong.

    Raises:
        OpsError: the project is not stored, a line is not valid, or the set would be too large.
    """
    (item,) = company.items(session, company_id, project_id)
    found = list(read(file, own=json.dumps(item, default=str, ensure_ascii=False)))
    if not found:
        raise OpsError("no example was given")
    kept = verdicts(session)
    ids = {example.id for example in kept.examples_of(company_id, project_id)} | {
        example.id for example in found
    }
    if len(ids) > MOST:
        raise OpsError(f"a project has at most {MOST} examples; these would be {len(ids)}")
    ids_put = [example.id for example in found]
    _enter(
        session, "writer put-verdicts", company_id, because, project=project_id, examples=ids_put
    )
    for example in found:
        kept.put(company_id, project_id, example)
    return found


def remove(
    session: Session, company_id: str, project_id: str, example: str, *, because: str = ""
) -> None:
    """Remove one example.

    Raises:
        OpsError: the project has no example with this id.
    """
    company.items(session, company_id, project_id)
    kept = verdicts(session)
    if example not in {stored.id for stored in kept.examples_of(company_id, project_id)}:
        raise OpsError("the project has no such example")
    _enter(
        session,
        "writer remove-verdict",
        company_id,
        because,
        project=project_id,
        examples=[example],
    )
    kept.remove(company_id, project_id, example)


def read(file: Path | None, own: str) -> Iterator[VerdictExample]:
    """Yield a file's examples, validated, with persons' data replaced.

    Args:
        file: None for standard input.
        own: the company's settings as text; values in it are not replaced.

    Raises:
        OpsError: a line is not valid; names the line's number and the field, never the value.
    """
    seen: set[str] = set()
    for number, row in json_lines.objects(file):
        said = _said(row, number)
        example = {name: value for name, value in row.items() if name not in _OWN}
        writer_lines.line_of(example, number)
        if said.id in seen:
            raise wrong(number, "field id is there twice")
        seen.add(said.id)
        del example["id"]
        if not said.invented:
            example = without_person({**example, "why": said.why}, own)
        yield VerdictExample(
            said.id,
            said.verdict,
            str(example.pop("why", said.why)),
            said.invented,
            example,
        )


def _said(row: dict[str, Any], number: int) -> SaidOfDraft:
    given = {name: value for name, value in row.items() if name in (*_OWN, "id")}
    try:
        said = SaidOfDraft.model_validate(given)
    except ValidationError as error:
        place = writer_lines.place_of(error)
        raise wrong(number, f"field {'why' if place == 'line' else place}") from None
    try:
        size = len(json.dumps(row, allow_nan=False).encode())
    except ValueError:
        raise wrong(number, "a number is none that JSON has") from None
    if size > MOST_BYTES:
        raise wrong(number, f"it is longer than {MOST_BYTES} bytes")
    return said


def _enter(session: Session, what: str, company_id: str, because: str, **about: object) -> None:
    journal.enter(session, what, f"company:{company_id}", reason=because, **about)
