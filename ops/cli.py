"""The whole command line: joins the packages' commands into one application."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from ops import console_command, roles
from ops.companies import commands as company_commands
from ops.companies import (
    consent_commands,
    event_commands,
    may_send_commands,
    people_commands,
    person_commands,
    replay_commands,
    subject_commands,
    verdict_commands,
    writing_commands,
)
from ops.cost import commands as cost_commands
from ops.facts import commands as fact_commands
from ops.incidents.commands import incidents_app
from ops.inspect import commands as inspect_commands
from ops.repair import commands as repair_commands
from ops.repair import dead_letter_commands
from ops.running import run
from ops.setup import commands as setup_commands
from ops.stage import commands as stage_commands
from ops.stage import key_commands
from ops.support import commands as support_commands
from ops.support import decide_command, decision_commands

app = typer.Typer(
    help="Inspect a stage, repair it, prepare it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(inspect_commands.app)
app.add_typer(repair_commands.app)
app.add_typer(setup_commands.app)
app.add_typer(stage_commands.app)
app.add_typer(company_commands.app)
app.add_typer(cost_commands.app)
app.add_typer(dead_letter_commands.dlq_app, name="dlq")
app.add_typer(incidents_app, name="incidents")
app.add_typer(stage_commands.switch_app, name="switch")
app.add_typer(key_commands.keys_app, name="keys")
app.add_typer(company_commands.handoff_app, name="handoff")
company_commands.company_app.add_typer(event_commands.app)
app.add_typer(company_commands.company_app, name="company")
app.add_typer(people_commands.app, name="desk-token")
app.add_typer(person_commands.register_app, name="do-not-contact")
app.add_typer(person_commands.person_app, name="person")
app.add_typer(subject_commands.subject_app, name="subject")
writing_commands.writer_app.add_typer(replay_commands.app)
writing_commands.writer_app.add_typer(verdict_commands.verdicts_app)
app.add_typer(writing_commands.writer_app, name="writer")
app.add_typer(consent_commands.consent_app, name="consent")
app.add_typer(may_send_commands.app)
app.add_typer(support_commands.app)
decide_command.support_app.add_typer(decision_commands.decision_app)
app.add_typer(decide_command.support_app, name="support")
app.add_typer(support_commands.settings_app, name="support-settings")
app.add_typer(fact_commands.app, name="facts")
app.add_typer(console_command.app, name="console")
roles.describe(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    return run(app, arguments)
