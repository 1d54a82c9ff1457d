"""The `dlq` commands: dead letters, and mail events whose function failed."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from ops.inspect import explain
from ops.options import Because, DryRun, Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.repair import dead_letters, mail_failures
from ops.session import EXIT_UNUSABLE, OpsError, Session

dlq_app = typer.Typer(help="The lanes' dead-letter queues.", no_args_is_help=True)


@dlq_app.command("list")
def dlq_list(stage: Stage = "dev", limit: Limit = 100, *, json: Json = False) -> None:
    """List the dead letters, and why each is there."""
    output = Output(json)
    session = Session(stage)
    letters = [one.summary for one in dead_letters.peek(session, limit=limit)]
    output.show(letters)
    output.table(
        ("message", "event", "status", "reason"),
        [(one["message_id"], one["event"], one["status"], one["reason"]) for one in letters],
    )
    if json:
        return
    reasons = Counter(str(one["reason"]) for one in letters)
    output.say("")
    output.table(("reason", "shown"), reasons.most_common())
    for name, count in dead_letters.totals(session).items():
        output.say(f"{name}: {count} in total")
    output.say(f"{len(letters)} shown; SQS may show only the oldest of each conversation")


@dlq_app.command("show")
def dlq_show(
    message: Annotated[str, typer.Argument(help="A message id or an event key.")],
    stage: Stage = "dev",
    *,
    json: Json = False,
) -> None:
    """Show one dead letter: its origin and its event's row; never its text."""
    output = Output(json)
    session = Session(stage)
    for one in dead_letters.peek(session, limit=10_000):
        if message in (one.message_id, one.summary["event"]):
            shown: dict[str, Any] = dict(one.summary)
            if one.row is not None:
                shown["explained"] = explain.explain(session, str(one.summary["event"]))
            output.show(shown)
            output.facts({name: value for name, value in shown.items() if name != "explained"})
            return
    raise OpsError(f"no such dead letter: {message}")


@dlq_app.command("redrive")
def dlq_redrive(
    message: Annotated[
        str | None, typer.Argument(help="Only this message id or event key.")
    ] = None,
    stage: Stage = "dev",
    limit: Limit = 10_000,
    rate: Rate = 5.0,
    reason: Annotated[
        str | None, typer.Option(help="Only those whose reason begins so, as `dlq list` prints it.")
    ] = None,
    because: Because = "",
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Send dead letters back to their lanes, then delete them from the DLQs.

    With --dry-run: which effects each would have and which not, from the ledger; sends nothing.
    """
    session, output = Session(stage, yes), Output(json)
    wanted = dead_letters.Wanted(message, reason)
    if dry_run:
        letters = [one for one in dead_letters.peek(session, limit=limit) if wanted.fits(one)]
        done = [{**one.summary, "did": dead_letters.would(session, one)} for one in letters]
    else:
        session.may_write("dlq redrive")
        moved = dead_letters.redrive(
            session, limit=limit, per_second=rate, wanted=wanted, because=because or reason or ""
        )
        done = [{**one.summary, "did": did} for one, did in output.following(moved, "redriving")]
    if message and not done:
        raise OpsError(f"no such dead letter: {message}")
    output.show(done)
    output.table(("event", "reason", "did"), [(d["event"], d["reason"], d["did"]) for d in done])
    output.say(f"{len(done)} messages")


@dlq_app.command("drop")
def dlq_drop(
    message: Annotated[str, typer.Argument(help="The message id of an undecodable letter.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, for the journal.")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Delete a dead letter that can never be decoded; the journal keeps who, why and its digest."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("dlq drop")
    if not reason.strip():
        raise OpsError("--reason must say why", code=EXIT_UNUSABLE)
    if not yes and not typer.confirm(f"Delete {message} for good?", err=True):
        raise OpsError("not done")
    dropped = dead_letters.drop(session, message, because=reason).summary
    output.show({**dropped, "did": "dropped"})
    output.say(f"{message} dropped")


@dlq_app.command("mail")
def dlq_mail(
    stage: Stage = "dev",
    limit: Limit = 10_000,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Process again the mail events that their function failed on."""
    session, output = Session(stage, yes), Output(json)
    if not dry_run:
        session.may_write("dlq mail")
    processed = mail_failures.process_again(session, limit=limit, dry_run=dry_run)
    done = list(output.following(processed, "processing"))
    output.show(done)
    columns = ("message_id", "error", "did")
    output.table(columns, [tuple(one.get(name) for name in columns) for one in done])
    output.say(f"{len(done)} messages")
