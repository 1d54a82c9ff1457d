"""The command `consent hears`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import consent_lines
from ops.output import JsonLines

consent_app = typer.Typer(help="What recipients say about being contacted.", no_args_is_help=True)


@consent_app.callback()
def _group() -> None:
    """Keep `hears` a command of its own."""


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
    """Show what messages are heard as; it reads no stage and stores nothing.

    A line is {"id", "channel": "sms", "whatsapp" or "email", "text", "mime": null or a raw message}.
    """
    found = [consent_lines.answer(one) for one in consent_lines.read(file)]
    return JsonLines(run.output.records(("id", "heard", "scope", "why", "visible"), found))
