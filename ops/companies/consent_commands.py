"""The commands about consent: `consent hears`, `consent audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import consent_audit, consent_lines
from ops.output import JsonLines
from ops.times import moment

consent_app = typer.Typer(help="What recipients say about being contacted.", no_args_is_help=True)


@command(
    consent_app,
    "consent hears",
    examples=("consent hears messages.jsonl --json",),
)
def hears(
    run: CommandRun,
    file: Annotated[
        Path | None,
        typer.Argument(help="JSON lines; by default standard input."),
    ] = None,
) -> object:
    """Show which messages are heard as STOP, START, HELP or a doubt; reads no stage, stores nothing.

    A line is {"id", "channel": "sms", "whatsapp" or "email", "text", "mime": null or a raw message}.
    """
    found = [consent_lines.answer(line) for line in consent_lines.read(file)]
    return JsonLines(run.output.records(("id", "heard", "scope", "why", "visible"), found))


@command(
    consent_app,
    "consent audit",
    examples=("consent audit --company <company> --since 2026-11-01T00:00:00Z --json",),
)
def audit(
    run: CommandRun,
    company_id: Annotated[str, typer.Option("--company", help="The company.")],
    since: Annotated[
        str, typer.Option("--since", help="Like 30d, or an ISO time; by default 30 days.")
    ] = "30d",
) -> object:
    """Print which rules and consent allowed each message of a company; no text, no address."""
    begin = moment(run.session.services.clock, since)
    found = list(consent_audit.lines(run.session, company_id, begin))
    shown = [{**row, "rules": ", ".join(row["rules"])} for row in found]
    run.output.table(
        consent_audit.COLUMNS, [[row[name] for name in consent_audit.COLUMNS] for row in shown]
    )
    return JsonLines(found)
