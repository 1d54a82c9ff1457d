"""The commands that set up a stage: `provision` and `switch`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from ops.options import Json, Stage, Yes
from ops.output import Output
from ops.session import EXIT_UNUSABLE, OpsError, Session
from ops.stage import buckets, mail, monitoring, names, provision, switches

app = typer.Typer()
switch_app = typer.Typer(help="The four switches.", no_args_is_help=True)


@switch_app.command("get")
def switch_get(stage: Stage = "dev", *, json: Json = False) -> None:
    """Show every switch; a missing one stops every effect."""
    output = Output(json)
    _show_switches(output, switches.read(Session(stage)))


@switch_app.command("set")
def switch_set(
    name: Annotated[str, typer.Argument()],
    value: Annotated[str, typer.Argument(help="true or false")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Set a switch; every container has it within 30 seconds."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("switch set")
    switches.write(session, name, value)
    _show_switches(output, switches.read(session))


def _show_switches(output: Output, values: Mapping[str, str | None]) -> None:
    output.show(values)
    output.facts({name: "missing" if value is None else value for name, value in values.items()})


@app.command("provision")
def provision_command(
    stage: Stage = "dev",
    alarm_email: Annotated[str, typer.Option(help="Address to notify of alarms.")] = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Create or update the stage's tables, queues, switches and alarms; safe to repeat."""
    session, output = Session(stage, yes), Output(json)
    if stage == "prod" and not yes:
        raise OpsError("provision changes prod; add --yes to go ahead", code=EXIT_UNUSABLE)
    settings = session.services.settings
    names.refuse_other_names(session.template, settings)
    steps = provision.everything(session, session.template, stage)
    made = list(output.following(steps, "provisioning"))
    made += buckets.create(session, session.template)
    monitors = monitoring.create(session.client, session.template, email=alarm_email)
    mailing = mail.create(session.client, session.template)
    missing = provision.missing_secrets(session, session.template, stage, settings)
    output.show(
        {
            "made": [asdict(one) for one in made],
            "watching": monitors,
            "mail": mailing,
            "missing_secrets": missing,
        }
    )
    output.table(
        ("resource", "name", "did", "changes"),
        [(m.logical_id, m.name, m.did, ", ".join(m.changes)) for m in made],
    )
    output.say(f"monitoring: {len(monitors)} log groups, alarms, topics and dashboards as declared")
    output.say(f"mail: {', '.join(mailing)}")
    for name in missing:
        output.say(f"missing secret: {name}", style="yellow")
