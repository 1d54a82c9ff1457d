"""The commands about good and bad drafts: a project's verdict set, and what people made of stopped ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import company, false_stops, verdict_lines
from ops.output import JsonLines

verdicts_app = typer.Typer()
CompanyId = Annotated[str, typer.Argument(help="A stored company.")]
ProjectId = Annotated[str, typer.Argument(help="A project of the company.")]
OneProject = Annotated[str | None, typer.Argument(help="Only this project of the company.")]
Days = Annotated[
    int, typer.Option("--days", min=1, max=365, help="The number of days, with today.")
]


@command(verdicts_app, "writer verdicts")
def verdicts(run: CommandRun, company_id: CompanyId, project_id: ProjectId) -> object:
    """List a project's verdict set; with --json as the lines that store it, each with its expiry."""
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
    """Store drafts that settings must let through or stop; an example with a known id is replaced.

    A line is as for `writer check`, with "verdict": "good" or "bad", and "why", which a bad one
    needs.  Personal data in it is replaced, unless it says "invented": true; see
    docs/writer-figures.md.
    """
    put = verdict_lines.put(run.session, company_id, project_id, file, because=run.because)
    bad = sum(example.said == "bad" for example in put)
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


@command(verdicts_app, "writer stops", examples=("writer stops <company> [<project>] --days 28",))
def stops(
    run: CommandRun,
    company_id: CompanyId,
    project_id: OneProject = None,
    days: Days = false_stops.DAYS,
) -> object:
    """Show for each rule how many drafts it stopped, and what people made of them.

    The stop was false where the draft was sent as it is or with small edits (edited), and right where
    something else was sent (other) or nothing (discarded).
    """
    company.items(run.session, company_id, project_id)
    found = false_stops.by_rule(run.session, company_id, project_id, days)
    return run.output.records(false_stops.COLUMNS, found)


@command(verdicts_app, "writer wrong", examples=("writer wrong <company> [<project>] --days 28",))
def wrong(
    run: CommandRun,
    company_id: CompanyId,
    project_id: OneProject = None,
    days: Days = false_stops.DAYS,
) -> object:
    """Count the answers that people marked as wrong, by project and code."""
    company.items(run.session, company_id, project_id)
    found = false_stops.said_wrong(run.session, company_id, project_id, days)
    return run.output.records(false_stops.WRONG_COLUMNS, found)
