"""The commands: their options, what they print, their exit codes."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError

from chalicelib.clock import iso, parsed
from chalicelib.errors import MiddlewareError, ProviderError, SettingsError, UnavailableError
from chalicelib.ports import EventStatus
from ops import (
    buckets,
    dead_letters,
    doctor,
    erase,
    events,
    explain,
    mail,
    mail_failures,
    outreach_commands,
    provision,
    replay,
    settle,
    switch,
    watching,
)
from ops.options import DryRun, Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.template import TemplateError

app = typer.Typer(
    help="Look into a stage, mend it, prepare it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
dlq_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)
switch_app = typer.Typer(help="The four switches.", no_args_is_help=True)
app.add_typer(dlq_app, name="dlq")
app.add_typer(switch_app, name="switch")
app.add_typer(outreach_commands.handoff_app, name="handoff")
app.add_typer(outreach_commands.company_app, name="company")

RECONCILE_SECONDS = 240.0
SHOWN = 100
"""So many keys a dry run names; the count is of all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code.  Nothing ends in a traceback but a fault of ours."""
    try:
        app(args=None if arguments is None else list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _no("stopped", EXIT_NO)
    except OpsError as error:
        return _no(str(error), error.code)
    except (provision.OwnedByStackError, TemplateError) as error:
        return _no(str(error), EXIT_NO)
    except SettingsError as error:
        return _no(str(error), EXIT_UNUSABLE)
    except MiddlewareError as error:
        return _no(f"the stage cannot be reached: {_reason(error)}", EXIT_UNUSABLE)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        return _no(f"AWS refused {error.operation_name}: {code}", EXIT_UNUSABLE)
    except BotoCoreError as error:
        return _no(f"AWS cannot be reached: {type(error).__name__}{_advice(error)}", EXIT_UNUSABLE)
    return 0


# --- looking --------------------------------------------------------------------------------------


@app.command("explain")
def explain_command(
    subject: Annotated[
        str, typer.Argument(help="A ticket's id, company#request, evt:... or act:...")
    ],
    stage: Stage = "dev",
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Scan the ledger too.")] = False,
    json: Json = False,
) -> None:
    """What became of a conversation, an event or an action, and why."""
    output = Output(json)
    told = explain.explain(Session(stage), subject, deep=deep)
    output.show(told)
    for one in told["events"]:
        output.say(f"\n{one['event']['event_id']}", style="bold")
        output.say(one["verdict"])
        output.table(
            ("when", "what", "why"), [(s["at"], s["what"], s["why"]) for s in one["timeline"]]
        )
        columns = ("action", "status", "reason", "ref")
        rows = [(a["event_id"], a["status"], a.get("reason"), a.get("ref")) for a in one["actions"]]
        if rows:
            output.table(columns, rows)
    for name, value in told.get("state", {}).items():
        output.say(f"{name}: {value}")
    for note in told["notes"]:
        output.say(note, style="yellow")


@app.command("unfinished")
def unfinished_command(stage: Stage = "dev", limit: Limit = 200, *, json: Json = False) -> None:
    """Events that were accepted and have not ended, the oldest first."""
    session, output = Session(stage), Output(json)
    now = session.services.clock.now()
    found = session.services.ledger.stranded(older_than_epoch=now.timestamp(), limit=limit)
    told = [
        {
            "event": one.key,
            "status": one.status,
            "reason": one.reason,
            "received_at": one.event.received_at,
            "attempts": one.attempts,
        }
        for one in sorted(found, key=lambda one: one.event.received_at)[:limit]
    ]
    output.show(told)
    columns = ("received_at", "event", "status", "reason", "attempts")
    output.table(columns, [tuple(one[name] for name in columns) for one in told])
    output.say(f"{len(told)} unfinished")


@app.command("doctor")
def doctor_command(stage: Stage = "dev", *, json: Json = False) -> None:
    """Hold a deployed stage against its declaration; exit code 1 where a check fails."""
    output = Output(json)
    found = list(output.following(doctor.examine(Session(stage)), "checking"))
    output.show([asdict(one) for one in found])
    output.table(("check", "result", "detail"), [(f.check, f.result, f.detail) for f in found])
    if any(one.result == "fail" for one in found):
        raise typer.Exit(EXIT_NO)


# --- dead letters ---------------------------------------------------------------------------------


@dlq_app.command("list")
def dlq_list(stage: Stage = "dev", limit: Limit = 100, *, json: Json = False) -> None:
    """What is in the dead-letter queue, and why."""
    output = Output(json)
    letters = [one.told for one in dead_letters.look(Session(stage), limit=limit)]
    output.show(letters)
    output.table(
        ("message", "event", "status", "reason"),
        [(one["message_id"], one["event"], one["status"], one["reason"]) for one in letters],
    )
    output.say(f"{len(letters)} shown; of one conversation only the oldest may be")


@dlq_app.command("show")
def dlq_show(
    message: Annotated[str, typer.Argument(help="A message id or an event key.")],
    stage: Stage = "dev",
    *,
    json: Json = False,
) -> None:
    """One dead letter: where it came from and what its event's row says; never its text."""
    output = Output(json)
    session = Session(stage)
    for one in dead_letters.look(session, limit=10_000):
        if message in (one.message_id, one.told["event"]):
            told: dict[str, Any] = dict(one.told)
            if one.row is not None:
                told["explained"] = explain.explain(session, str(one.told["event"]))
            output.show(told)
            output.facts({name: value for name, value in told.items() if name != "explained"})
            return
    raise OpsError(f"no such dead letter: {message}")


@dlq_app.command("redrive")
def dlq_redrive(
    message: Annotated[str | None, typer.Argument(help="Only this message id or event.")] = None,
    stage: Stage = "dev",
    limit: Limit = 10_000,
    rate: Rate = 5.0,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Send dead letters back to the event queue, then delete them here."""
    session, output = Session(stage, yes), Output(json)
    if dry_run:
        letters = dead_letters.look(session, limit=limit)
        done = [
            {**one.told, "did": "would be redriven" if one.job else "left: undecodable"}
            for one in letters
            if message in (None, one.message_id, one.told["event"])
        ]
    else:
        session.may_write("dlq redrive")
        moved = dead_letters.redrive(session, limit=limit, per_second=rate, only=message)
        done = [{**one.told, "did": did} for one, did in output.following(moved, "redriving")]
    if message and not done:
        raise OpsError(f"no such dead letter: {message}")
    output.show(done)
    output.table(("event", "reason", "did"), [(d["event"], d["reason"], d["did"]) for d in done])
    output.say(f"{len(done)} messages")


@dlq_app.command("mail")
def dlq_mail(
    stage: Stage = "dev",
    limit: Limit = 10_000,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Hear the mail again that its function failed on."""
    session, output = Session(stage, yes), Output(json)
    if not dry_run:
        session.may_write("dlq mail")
    heard = mail_failures.hear_again(session, limit=limit, dry_run=dry_run)
    done = list(output.following(heard, "hearing"))
    output.show(done)
    columns = ("message_id", "error", "did")
    output.table(columns, [tuple(one.get(name) for name in columns) for one in done])
    output.say(f"{len(done)} messages")


# --- again ----------------------------------------------------------------------------------------


@app.command("replay")
def replay_command(
    event: Annotated[list[str] | None, typer.Argument(help="Event keys.")] = None,
    stage: Stage = "dev",
    status: Annotated[
        EventStatus | None, typer.Option(help="Instead of keys: every event that ended so.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="Only those whose reason begins so: withheld:kill_switch")
    ] = None,
    since: Annotated[str, typer.Option(help="Received after: 24h, 7d, or an ISO time.")] = "24h",
    until: Annotated[str, typer.Option(help="Received before.")] = "0h",
    limit: Limit = 100_000,
    rate: Rate = 20.0,
    after: Annotated[
        str | None, typer.Option(help="Go on behind this event, the last of a run before.")
    ] = None,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Put events on the queue again under the same keys: what was done is not done again."""
    session, output = Session(stage, yes), Output(json)
    if bool(event) == bool(status):
        raise OpsError("name events, or a --status", code=EXIT_UNUSABLE)
    if after and not status:
        raise OpsError("--after goes on with a --status", code=EXIT_UNUSABLE)
    found: Iterable[Any]
    if event:
        found = [session.row(key) for key in event]
    else:
        found = events.events_of(
            session,
            status=str(status and status.value),
            since=_moment(session, since),
            until=_moment(session, until),
            after=after,
            reason=reason,
        )
    found = (row for _, row in zip(range(limit), found, strict=False))
    if dry_run:
        keys: Iterable[str] = (str(row["event_id"]) for row in found)
    else:
        session.may_write("replay")
        again = replay.replay(session, found, per_second=rate)
        keys = output.following(again, "replaying")
    count, last = 0, after
    try:
        for count, last in enumerate(keys, start=1):
            if dry_run and count <= SHOWN:
                output.say(str(last))
    except (KeyboardInterrupt, MiddlewareError):
        sys.stderr.write(f"{count} events were put on the queue; go on with --after {last}\n")
        raise
    output.show({"events": count, "dry_run": dry_run, "last": last})
    output.say(f"{count} events {'would be ' if dry_run else ''}put on the queue")


@app.command("resend")
def resend_command(
    action: Annotated[str, typer.Argument(help="act:... that is done.")],
    stage: Stage = "dev",
    nonce: Annotated[
        str | None, typer.Option(help="The same nonce acts once only; a fresh one otherwise.")
    ] = None,
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Do a finished action once more. It acts; a customer may get a message twice."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("resend")
    if not yes and not typer.confirm(f"Do {action} once more?", err=True):
        raise OpsError("not done")
    job = replay.resend(session, action, nonce or uuid.uuid4().hex[:12])
    output.show({"event": job.event_key, "nonce": job.nonce})
    output.say(f"queued as {job.event_key}")


@app.command("settle")
def settle_command(
    action: Annotated[str | None, typer.Argument(help="act:...; without one, list them.")] = None,
    outcome: Annotated[
        str | None, typer.Argument(help="done, not-done or abandon; without one, ask the vendor.")
    ] = None,
    stage: Stage = "dev",
    ref: Annotated[str | None, typer.Option(help="The vendor's id of the effect.")] = None,
    limit: Limit = 200,
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Actions whose outcome is not known: list them, ask the vendor, or say what became of one."""
    session, output = Session(stage, yes), Output(json)
    if action is None:
        found = settle.unsettled(session, limit=limit)
        told: Any = [
            {"action": one.key, "kind": one.kind, "event": one.event_key, "reason": one.reason}
            for one in found
        ]
        output.table(("action", "kind", "reason"), [(o.key, o.kind, o.reason) for o in found])
        output.say(f"{len(found)} unknown")
    elif outcome is None:
        told = settle.ask(session, action)
        output.facts(told)
    elif outcome not in settle.SAID:
        raise OpsError(f"{outcome} is none of {', '.join(settle.SAID)}", code=EXIT_UNUSABLE)
    else:
        session.may_write("settle")
        told = settle.say(session, action, outcome, ref=ref)
        output.facts(told)
    output.show(told)


@app.command("reconcile")
def reconcile_command(
    stage: Stage = "dev",
    since: Annotated[str, typer.Option(help="How far back tickets are listed: 24h, 7d.")] = "24h",
    from_number: Annotated[
        int | None, typer.Option(min=1, help="Where listing is forbidden: walk on from here.")
    ] = None,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """One run of the sweep, now. Exit code 1 where it could not look at everything."""
    session, output = Session(stage, yes), Output(json)
    clock = session.services.clock
    if not dry_run:
        session.may_write("reconcile")
        if from_number is not None:
            session.services.sweeps.begin_at(from_number)
    ends = clock.monotonic() + RECONCILE_SECONDS
    summary = session.services.reconciler.sweep(
        time_left_seconds=lambda: ends - clock.monotonic(),
        window=_span(since),
        dry_run=dry_run,
    )
    output.show({**asdict(summary), "dry_run": dry_run})
    output.facts(asdict(summary))
    if summary.listing != "complete":
        raise typer.Exit(EXIT_NO)


# --- switches, people, resources ------------------------------------------------------------------


@switch_app.command("get")
def switch_get(stage: Stage = "dev", *, json: Json = False) -> None:
    """Every switch; one that is missing stops everything."""
    output = Output(json)
    values = switch.read(Session(stage))
    output.show(values)
    output.facts({name: "missing" if value is None else value for name, value in values.items()})


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
    switch.write(session, name, value)
    values = switch.read(session)
    output.show(values)
    output.facts({one: "missing" if it is None else it for one, it in values.items()})


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
        if not yes and not typer.confirm("Erase for good?", err=True):
            raise OpsError("not done")
    subjects, notes = erase.subjects_of(session, subject)
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
    watchers = watching.create(session.client, session.template, email=alarm_email)
    mailing = mail.create(session.client, session.template)
    missing = provision.missing_secrets(session, session.template, stage)
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


# --- private --------------------------------------------------------------------------------------


def _span(text: str) -> timedelta:
    """A span like 90m, 24h or 7d."""
    unit = {"m": "minutes", "h": "hours", "d": "days"}.get(text[-1:])
    if unit is None or not text[:-1].isdigit():
        raise OpsError(f"{text} is no span; say 90m, 24h or 7d", code=EXIT_UNUSABLE)
    try:
        return timedelta(**{unit: int(text[:-1])})
    except OverflowError:
        raise OpsError(f"{text} is too long", code=EXIT_UNUSABLE) from None


def _moment(session: Session, text: str) -> str:
    """A span before now, or an ISO time, as rows hold it."""
    moment = parsed(text) if "-" in text else None
    return iso(moment or session.services.clock.now() - _span(text))


def _reason(error: MiddlewareError) -> str:
    match error:
        case ProviderError():
            return f"{error.provider}.{error.operation} {error.reason}"
        case UnavailableError():
            return error.code
        case _:
            return type(error).__name__


def _advice(error: BotoCoreError) -> str:
    match error:
        case NoRegionError():
            return "; set AWS_PROFILE or AWS_DEFAULT_REGION, or for `make run`: set -a; . .run/env"
        case NoCredentialsError():
            return "; set AWS_PROFILE, or log in"
        case _:
            return ""


def _no(message: str, code: int) -> int:
    sys.stderr.write(f"error: {message}\n")
    return code
