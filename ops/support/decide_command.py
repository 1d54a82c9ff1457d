"""The command `support decide`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chalicelib.support.configuration.applied import Rules
from ops.command import CommandRun, command
from ops.output import JsonLines
from ops.support import decide_lines, settings_file
from ops.support.decide import TriedSettings

support_app = typer.Typer(help="What is decided about customers' messages.", no_args_is_help=True)


@support_app.callback()
def _group() -> None:
    """Make typer keep `decide` a subcommand, although it is the only one."""


@command(
    support_app,
    "support decide",
    examples=("support decide conversations.jsonl --json",),
)
def decide(
    run: CommandRun,
    file: Annotated[
        Path | None,
        typer.Argument(help="JSON lines; by default standard input."),
    ] = None,
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each sentence was read.")
    ] = False,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="A settings document; by default none.")
    ] = None,
) -> object:
    """Show what is decided about conversations; it asks no vendor, stores and sends nothing.

    A line is {"id", "now", "ticket": {"subject", "channel", "tags", "assignee"},
    "customer": {"email", "open_risks"}, "messages": [{"at", "from", "name", "text"}], "orders"}.
    """
    rules = Rules(0, settings_file.read(settings) if settings else settings_file.validate({}))
    trial = TriedSettings.of(run.session.services.settings.support, rules)
    found = [trial.decided(line, explains=explain) for line in decide_lines.read(file)]
    columns = ("id", "decision", "intent", "team", "risks", "reasons", "closes", "moves")
    run.output.records(columns, [_shown(decision) for decision in found])
    for decision in found:
        for sentence in decision.get("sentences", ()):
            run.output.say(f"{decision['id']}  {sentence['kind']}: {sentence['text']}")
    return JsonLines(found)


def _shown(decision: dict[str, object]) -> dict[str, object]:
    """A row of the table, with lists as text."""
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in decision.items()
    }
