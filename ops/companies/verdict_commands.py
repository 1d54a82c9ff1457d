"""The commands `writer verdicts`, `writer put-verdicts` and `writer remove-verdict`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import verdict_lines
from ops.output import JsonLines

verdicts_app = typer.Typer()
CompanyId = Annotated[str, typer.Argument(help="A stored company.")]
ProjectId = Annotated[str, typer.Argument(help="A project of it.")]


@command(verdicts_app, "writer verdicts")
def verdicts(run: CommandRun, company_id: CompanyId, project_id: ProjectId) -> object:
    """List a project's verdict set; with --json as the lines that put it, each with its end."""
    found = verdict_lines.listed(run.session, company_id, project_id)
    return JsonLines(run.output.records(("id", "verdict", "why", "invented", "until"), found))


@command(
    verdicts_app,
    "writer put-verdicts",
    changes=True,
    examples=("writer put-verdicts <company> <project> verdicts.jsonl",),
)
def put_verdicts(
    run: CommandRun,
    company_id: CompanyId,
    project_id: ProjectId,
    file: Annotated[
        Path | None, typer.Argument(help="JSON lines; by default standard input.")
    ] = None,
) -> object:
    """Store examples that settings must let through, or must stop, each in place of one with its id.

    A line is one of `writer check` with "verdict": "good" or "bad", and "why", which a bad one needs.
    Personal data in it is replaced, unless it says "invented": true; see docs/writer.md.
    """
    put = verdict_lines.put(run.session, company_id, project_id, file, because=run.because)
    bad = sum(one.said == "bad" for one in put)
    return run.output.facts({"put": len(put), "good": len(put) - bad, "bad": bad})


@command(verdicts_app, "writer remove-verdict", changes=True)
def remove_verdict(
    run: CommandRun,
    company_id: CompanyId,
    project_id: ProjectId,
    example: Annotated[str, typer.Argument(help="The id that `writer verdicts` prints.")],
) -> object:
    """Remove an example from a project's verdict set."""
    verdict_lines.remove(run.session, company_id, project_id, example, because=run.because)
    return run.output.facts({"removed": example})
