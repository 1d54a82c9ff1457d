"""The commands that change a stage itself: its switches, whose data it holds, its resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from ops.companies import erase
from ops.options import DryRun, Json, Stage, Yes
from ops.output import Output
from ops.repair import dead_letters, mail_failures
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.stage import buckets, mail, monitoring, provision, switches

app = typer.Typer()
switch_app = typer.Typer(help="The four switches.", no_args_is_help=True)


@switch_app.command("get")
def switch_get(stage: Stage = "dev", *, json: Json = False) -> None:
    """Every switch; one that is missing stops everything."""
    output = Output(json)
    _say_switches(output, switches.read(Session(stage)))


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
    _say_switches(output, switches.read(session))


def _say_switches(output: Output, values: Mapping[str, str | None]) -> None:
    output.show(values)
    output.facts({name: "missing" if value is None else value for name, value in values.items()})


@app.command("erase")
def erase_command(
    subject: Annotated[str, typer.Option("--subject", help="E-mail, +phone, ticket id.")],
    stage: Stage = "dev",
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Find a person in every table and purge them; the ledger keeps tombstones."""
    session, output = Session(stage, yes), Output(json)
    if not dry_run:
        session.may_write("erase")
    subjects, notes = erase.subjects_of(session, subject)
    if not dry_run and not yes and not typer.confirm("Erase for good?", err=True):
        raise OpsError("not done")
    done = erase.Erased(notes=notes)
    for table, key, item in output.following(erase.items(session, subjects), "erasing"):
        if dry_run or erase.purge(session, table, key, item, subjects, done):
            done.tables[table.name] = done.tables.get(table.name, 0) + 1
    if not dry_run:
        done.dead_letters = dead_letters.purge(session, subjects.in_body)
        done.dead_letters += mail_failures.purge(session, subjects.in_body)
    output.show({**asdict(done), "found": done.total, "dry_run": dry_run})
    did = "would go" if dry_run else "gone"
    settings = session.services.settings
    kept = {settings.idempotency_table: "tombstones", settings.company_data_table: "entries"}
    output.table(("table", "items", ""), [(n, c, kept.get(n, did)) for n, c in done.tables.items()])
    for warning in dict.fromkeys(done.warnings):
        output.say(warning, style="yellow")
    output.say(f"{done.total} found; dead letters deleted: {done.dead_letters}")
    output.say("Queue bodies that are still on their way end by themselves within 14 days.")
    for note in done.notes:
        output.say(note, style="yellow")
    if done.notes:
        raise typer.Exit(EXIT_NO)


@app.command("provision")
def provision_command(
    stage: Stage = "dev",
    alarm_email: Annotated[str, typer.Option(help="Who is told of alarms.")] = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Create or update the stage's tables, queues, switches and alarms; safe to repeat."""
    session, output = Session(stage, yes), Output(json)
    if stage == "prod" and not yes:
        raise OpsError("provision changes prod; say --yes if that is meant", code=EXIT_UNUSABLE)
    steps = provision.everything(session, session.template, stage)
    made = list(output.following(steps, "provisioning"))
    made += buckets.create(session, session.template)
    watchers = monitoring.create(session.client, session.template, email=alarm_email)
    mailing = mail.create(session.client, session.template)
    settings = session.services.settings
    missing = provision.missing_secrets(session, session.template, stage, settings)
    output.show(
        {
            "made": [asdict(one) for one in made],
            "watching": watchers,
            "mail": mailing,
            "missing_secrets": missing,
        }
    )
    output.table(
        ("resource", "name", "did", "changes"),
        [(m.logical_id, m.name, m.did, ", ".join(m.changes)) for m in made],
    )
    output.say(f"watching: {len(watchers)} log groups, alarms, topics and dashboard as declared")
    output.say(f"mail: {', '.join(mailing)}")
    for name in missing:
        output.say(f"still to be provided: secret {name}", style="yellow")
