"""The commands of the dead-letter queue, and of the mail whose function failed."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ops.inspect import explain
from ops.options import DryRun, Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.repair import dead_letters, mail_failures
from ops.session import OpsError, Session

dlq_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)


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
