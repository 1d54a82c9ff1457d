"""The `dlq` commands: dead letters, and mail events whose function failed."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from ops.command import CommandRun, command
from ops.inspect import explain
from ops.options import Limit, Rate
from ops.repair import dead_letters, mail_failures
from ops.session import EXIT_UNUSABLE, OpsError

dlq_app = typer.Typer(help="The lanes' dead-letter queues.", no_args_is_help=True)


@command(dlq_app, "dlq list", examples=["dlq list"])
def dlq_list(run: CommandRun, limit: Limit = 100) -> object:
    """List the dead letters, and why each is there."""
    letters = [letter.summary for letter in dead_letters.peek(run.session, limit=limit)]
    output = run.output
    output.records(("message_id", "event", "status", "reason"), letters)
    output.say("")
    output.table(("reason", "shown"), Counter(letter["reason"] for letter in letters).most_common())
    if not output.as_json:
        for name, count in dead_letters.totals(run.session).items():
            output.say(f"{name}: {count} in total")
    output.say(f"{len(letters)} shown; SQS may show only the oldest of each conversation")
    return letters


@command(dlq_app, "dlq count", examples=["dlq count"])
def dlq_count(run: CommandRun) -> object:
    """Count the dead letters of each lane; nothing is received, so nothing is hidden from others."""
    found = dead_letters.totals(run.session)
    run.output.table(("queue", "messages"), sorted(found.items()))
    return found


@command(dlq_app, "dlq show", examples=["dlq show <event>"])
def dlq_show(
    run: CommandRun,
    message: Annotated[str, typer.Argument(help="A message id or an event key.")],
) -> object:
    """Show one dead letter: its origin and its event's row; never its text."""
    for letter in dead_letters.peek(run.session, limit=10_000):
        if message in (letter.message_id, letter.summary["event"]):
            shown: dict[str, Any] = dict(run.output.facts(letter.summary))
            if letter.row is not None:
                shown["explained"] = explain.explain(run.session, str(letter.summary["event"]))
            return shown
    raise OpsError(f"no such dead letter: {message}")


@command(
    dlq_app,
    "dlq redrive",
    changes=True,
    dry_run=True,
    examples=[
        "dlq redrive --dry-run",
        "dlq redrive --rate 1",
        'dlq redrive --reason dead_letter:richpanel --rate 1 --because "Richpanel is back"',
    ],
)
def dlq_redrive(
    run: CommandRun,
    message: Annotated[
        str | None, typer.Argument(help="Only this message id or event key.")
    ] = None,
    limit: Limit = 10_000,
    rate: Rate = 5.0,
    reason: Annotated[
        str | None, typer.Option(help="Only letters whose reason in `dlq list` begins with this.")
    ] = None,
) -> object:
    """Send dead letters back to their lanes, then delete them from the DLQs.

    With --dry-run: which effects each would have and which not, from the ledger; sends nothing.
    """
    session = run.session
    wanted = dead_letters.Wanted(message, reason)
    if run.dry_run:
        letters = [
            letter for letter in dead_letters.peek(session, limit=limit) if wanted.fits(letter)
        ]
        done = [
            {**letter.summary, "did": dead_letters.foreseen_redrive(session, letter)}
            for letter in letters
        ]
    else:
        because = run.because or reason or ""
        moved = dead_letters.redrive(
            session, limit=limit, per_second=rate, wanted=wanted, because=because
        )
        followed = run.output.following(moved, "redriving")
        done = [{**letter.summary, "did": did} for letter, did in followed]
    if message and not done:
        raise OpsError(f"no such dead letter: {message}")
    run.output.records(("event", "reason", "did"), done)
    run.output.say(f"{len(done)} messages")
    return done


@command(
    dlq_app,
    "dlq drop",
    changes=True,
    asks="Delete {message} for good?",
    examples=['dlq drop <message> --reason "sent by hand, not a job"'],
)
def dlq_drop(
    run: CommandRun,
    message: Annotated[str, typer.Argument(help="The message id of an undecodable letter.")],
) -> object:
    """Delete a dead letter that can never be decoded, with a --reason; the journal keeps its digest."""
    if not run.because.strip():
        raise OpsError("--reason must say why", code=EXIT_UNUSABLE)
    run.confirm()
    dropped = dead_letters.drop(run.session, message, because=run.because).summary
    run.output.say(f"{message} dropped")
    return {**dropped, "did": "dropped"}


@command(
    dlq_app,
    "dlq mail",
    changes=True,
    dry_run=True,
    examples=["dlq mail --dry-run", "dlq mail"],
)
def dlq_mail(run: CommandRun, limit: Limit = 10_000) -> object:
    """Process again the mail events that their function failed on."""
    processed = mail_failures.process_again(
        run.session, limit=limit, dry_run=run.dry_run, because=run.because
    )
    done = list(run.output.following(processed, "processing"))
    run.output.records(("message_id", "error", "did"), done)
    run.output.say(f"{len(done)} messages")
    return done
