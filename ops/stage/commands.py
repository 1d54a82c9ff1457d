"""The commands that set up a stage: `access`, `provision` and `switch`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.aws.switches import NAMES
from ops.command import CommandRun, Given, command
from ops.stage import deploying, names, provision, switches

app = typer.Typer()
switch_app = typer.Typer(help="The four switches.", no_args_is_help=True)

_STOPS = ("kill_switch", "shadow_mode")
"""The switches that can stop every effect."""
_WITHHELD = ("replay", "--status", "processed", "--since", "24h", "--rate", "1", "--dry-run")


@command(switch_app, "switch get", examples=["switch get", "switch get --history"])
def switch_get(
    run: CommandRun,
    *,
    history: Annotated[
        bool, typer.Option("--history", help="Every change that SSM keeps, newest first.")
    ] = False,
) -> object:
    """Show every switch, since when and by whom; a missing one stops every effect."""
    session, output = run.session, run.output
    if history:
        changes = {name: switches.story(session, name) for name in NAMES}
        output.table(
            ("switch", "value", "at", "by"),
            [
                (name, change.value, change.at, change.by)
                for name, found in changes.items()
                for change in found
            ],
        )
        return {name: [asdict(change) for change in found] for name, found in changes.items()}
    values = switches.read(session)
    since = {} if output.as_json else switches.since_when(session)
    output.table(
        ("switch", "value", "since", "by"),
        [
            (name, value or "missing", change and change.at, change and change.by)
            for name, value in values.items()
            for change in (since.get(name),)
        ],
    )
    for name in _STOPS:
        if values[name] != "false":
            run.proposes("to let effects start again", "switch", "set", name, "false")
    return values


def lets_more_happen(given: Given) -> bool:
    """Whether a call of `switch set` stops less than before."""
    return not switches.is_tightening(given["name"], given["value"])


@command(
    switch_app,
    "switch set",
    changes=True,
    guard=lets_more_happen,
    asks="Let more happen on {stage}: set {name} to {value}?",
    examples=["switch set kill_switch true", "switch set <switch> <true or false>"],
)
def switch_set(
    run: CommandRun,
    name: Annotated[
        str,
        typer.Argument(help=f"One of: {', '.join(NAMES)}.", autocompletion=lambda: list(NAMES)),
    ],
    value: Annotated[
        str, typer.Argument(help="true or false", autocompletion=lambda: ["true", "false"])
    ],
) -> object:
    """Set a switch; every container has it within 30 seconds.

    A change that stops more is done at once, in one call.  One that lets more happen asks first.
    """
    if lets_more_happen(run.given):
        run.confirm()
    switches.write(run.session, name, value, because=run.because)
    run.output.say(f"{name} is {value}; every container has it within 30 seconds")
    if name in _STOPS and value == "false":
        run.proposes("to see what it withheld", *_WITHHELD)
    try:
        values = switches.read(run.session)
    except (ClientError, BotoCoreError):  # the switch is set; showing the others is optional
        values = {name: value}
    run.output.facts({switch: found or "missing" for switch, found in values.items()})
    return values


@command(app, "access", changes=True, makes_stage=True, examples=["access --stage prod --yes"])
def access_command(run: CommandRun) -> object:
    """Create or update the stage's access stack: boundaries, people's policies and roles, deployer.

    For an administrator of the account, once for each stage and again after an upgrade that changes
    them.  The stage's own administrator may not: a boundary does not bind somebody who may change
    it.
    """
    made = deploying.make_access_stack(run.session)
    run.output.table(("stack", "did"), [(made.name, made.did)])
    return asdict(made)


@command(
    app,
    "provision",
    changes=True,
    makes_stage=True,
    examples=["provision --alarm-email you@example.com"],
)
def provision_command(
    run: CommandRun,
    alarm_email: Annotated[str, typer.Option(help="Address to notify of alarms.")] = "",
) -> object:
    """Create or update the stage's data stack and its switches; safe to repeat, from every status."""
    session, output = run.session, run.output
    settings = session.services.settings
    names.refuse_other_names(session.template, settings)
    with output.waiting("provisioning"):
        made = deploying.provision_stage(session, alarm_email=alarm_email)
    run.enter(
        "stage:resources",
        made=[resource.logical_id for resource in made if resource.did != "unchanged"],
    )
    missing = provision.missing_secrets(session, session.template, session.stage, settings)
    output.table(
        ("resource", "name", "did"), [(item.logical_id, item.name, item.did) for item in made]
    )
    for name in missing:
        output.say(f"missing secret: {name}", style="yellow")
    return {"made": [asdict(resource) for resource in made], "missing_secrets": missing}
