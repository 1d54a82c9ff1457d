"""The commands that set up a stage: `provision` and `switch`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.aws.switches import NAMES
from ops.options import Json, Stage, Yes
from ops.output import Output
from ops.session import EXIT_UNUSABLE, OpsError, Session
from ops.stage import deploying, names, provision, switches

app = typer.Typer()
switch_app = typer.Typer(help="The four switches.", no_args_is_help=True)


@switch_app.command("get")
def switch_get(
    stage: Stage = "dev",
    *,
    history: Annotated[
        bool, typer.Option("--history", help="Every change that SSM keeps, newest first.")
    ] = False,
    json: Json = False,
) -> None:
    """Show every switch, since when and by whom; a missing one stops every effect."""
    session, output = Session(stage), Output(json)
    if history:
        changes = {name: switches.story(session, name) for name in NAMES}
        output.show({name: [asdict(one) for one in found] for name, found in changes.items()})
        output.table(
            ("switch", "value", "at", "by"),
            [(name, c.value, c.at, c.by) for name, found in changes.items() for c in found],
        )
        return
    values = switches.read(session)
    since = {} if json else switches.since_when(session)
    output.show(values)
    output.table(
        ("switch", "value", "since", "by"),
        [
            (name, value or "missing", one and one.at, one and one.by)
            for name, value in values.items()
            for one in (since.get(name),)
        ],
    )


@switch_app.command("set")
def switch_set(
    name: Annotated[str, typer.Argument()],
    value: Annotated[str, typer.Argument(help="true or false")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Set a switch; every container has it within 30 seconds.

    What stops more is done at once, in one call.  What lets more happen asks first.
    """
    session, output = Session(stage, yes), Output(json)
    if not switches.is_tightening(name, value):
        if not yes and sys.stdin.isatty() and not _agrees(name, value, stage):
            raise OpsError("not done")
        session.may_write("switch set")
    switches.write(session, name, value)
    output.say(f"{name} is {value}; every container has it within 30 seconds")
    try:
        values = switches.read(session)
    except (ClientError, BotoCoreError):  # it is set, and that is what counts
        values = {name: value}
    output.show(values)
    output.facts({one: found or "missing" for one, found in values.items()})


def _agrees(name: str, value: str, stage: str) -> bool:
    return typer.confirm(f"Let more happen on {stage}: set {name} to {value}?", err=True)


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
    with output.waiting("provisioning"):
        did = deploying.provisioned(session, alarm_email=alarm_email)
    made, monitors, mailing = did["made"], did["watching"], did["mail"]
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
