"""The commands that repair, and the journal of all that persons did."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from chalicelib.errors import MiddlewareError
from chalicelib.once.event import EventStatus
from ops import journal
from ops.inspect import events, planned
from ops.options import Because, DryRun, Json, Limit, Rate, Reason, Stage, Yes
from ops.output import Output
from ops.repair import preview, replay, restore, settle
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.stage import switches
from ops.times import moment, span

app = typer.Typer()

RECONCILE_SECONDS = 240.0
SHOWN = 100
"""How many keys a dry run prints; it counts all of them."""


@app.command("replay")
def replay_command(
    event: Annotated[list[str] | None, typer.Argument(help="Event keys.")] = None,
    stage: Stage = "dev",
    status: Annotated[
        EventStatus | None, typer.Option(help="Instead of keys: every event of this status.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="Only reasons with this prefix, e.g. withheld:kill_switch")
    ] = None,
    since: Annotated[str, typer.Option(help="Received after: 24h, 7d, or an ISO time.")] = "24h",
    until: Annotated[str, typer.Option(help="Received before.")] = "0h",
    limit: Limit = 100_000,
    rate: Rate = 20.0,
    after: Annotated[
        str | None, typer.Option(help="Continue after this event, the last of an earlier run.")
    ] = None,
    because: Because = "",
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Put events on the queue again under the same keys; finished actions are not repeated.

    With --dry-run: which effects each would have and which not, from the ledger; sends nothing.
    """
    session, output = Session(stage, yes), Output(json)
    if bool(event) == bool(status):
        raise OpsError("name events, or a --status", code=EXIT_UNUSABLE)
    if after and not status:
        raise OpsError("--after needs a --status", code=EXIT_UNUSABLE)
    if after:
        session.row(after)  # a mistyped key would silently skip every event before it
    found: Iterable[Any]
    if event:
        found = [session.row(key) for key in event]
    else:
        found = events.events_of(
            session,
            status=str(status and status.value),
            since=moment(session.services.clock, since),
            until=moment(session.services.clock, until),
            after=after,
            reason=reason,
        )
    found = (row for _, row in zip(range(limit), found, strict=False))
    if dry_run:
        _preview(session, output, found)
        return
    session.may_write("replay")
    again = replay.replay(session, found, per_second=rate, because=because or reason or "")
    count, last = 0, after
    try:
        for last in output.following(again, "replaying"):  # noqa: B007 - for `--after`
            count += 1
    except (KeyboardInterrupt, MiddlewareError):
        sys.stderr.write(f"{count} events were put on the queue; continue with --after {last}\n")
        raise
    output.show({"events": count, "dry_run": False, "last": last})
    output.say(f"{count} events put on the queue")


def _preview(session: Session, output: Output, found: Iterable[Any]) -> None:
    """Show what a replay would do, an event a line."""
    count, last = 0, None
    everything: list[preview.Foreseen] = []
    shown = []
    for count, row in enumerate(output.following(found, "reading"), start=1):
        last = str(row["event_id"])
        effects = planned.would_do(session, row)
        everything += effects
        if count <= SHOWN:
            output.say(f"{last}: {preview.summary(effects)}")
            shown.append({"event": last, "effects": [asdict(one) for one in effects]})
    whole = preview.summary(everything)
    output.show({"events": count, "dry_run": True, "last": last, "effects": whole, "first": shown})
    output.say(f"{count} events would be put on the queue: {whole}")


@app.command("resend")
def resend_command(
    action: Annotated[str, typer.Argument(help="act:... that is done or abandoned.")],
    stage: Stage = "dev",
    nonce: Annotated[
        str | None, typer.Option(help="The same nonce acts only once; default: a new one.")
    ] = None,
    reason: Reason = "",
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Perform a finished action once more; a customer may get a message twice."""
    session, output = Session(stage, yes), Output(json)
    if dry_run:
        effects = replay.resend_would_do(session, action)
        output.show({"dry_run": True, "effects": [asdict(one) for one in effects]})
        output.say(preview.summary(effects))
        return
    session.may_write("resend")
    session.row(action)
    if not yes and not typer.confirm(f"Perform {action} once more?", err=True):
        raise OpsError("not done")
    job = replay.resend(session, action, nonce or uuid.uuid4().hex[:12], because=reason)
    output.show({"event": job.event_key, "nonce": job.nonce})
    output.say(f"queued as {job.event_key}")


@app.command("settle")
def settle_command(
    action: Annotated[str | None, typer.Argument(help="act:...; omit to list them.")] = None,
    outcome: Annotated[
        str | None, typer.Argument(help="done, not-done or abandon; omit to ask the vendor.")
    ] = None,
    stage: Stage = "dev",
    ref: Annotated[str | None, typer.Option(help="The vendor's id of the effect.")] = None,
    limit: Limit = 200,
    reason: Reason = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Actions with an unknown outcome: list them, ask the vendor, or settle one manually."""
    session, output = Session(stage, yes), Output(json)
    if action is None:
        found = settle.unsettled(session, limit=limit)
        result: Any = [
            {"action": one.key, "kind": one.kind, "event": one.event_key, "reason": one.reason}
            for one in found
        ]
        output.table(("action", "kind", "reason"), [(o.key, o.kind, o.reason) for o in found])
        output.say(f"{len(found)} unknown")
    elif outcome is None:
        result = settle.ask(session, action)
        output.facts(result)
    elif outcome not in settle.OUTCOMES:
        choices = ", ".join(settle.OUTCOMES)
        raise OpsError(f"{outcome} is not one of {choices}", code=EXIT_UNUSABLE)
    else:
        session.may_write("settle")
        if outcome == "not-done" and not yes:
            _confirm_not_done(settle.at_stake(session, action))
        result = settle.settle(session, action, outcome, ref=ref, because=reason)
        output.facts(result)
    output.show(result)


def _confirm_not_done(at_stake: Mapping[str, Any]) -> None:
    """Show what may be sent twice, and ask."""
    for name, value in at_stake.items():
        typer.echo(f"{name + ':':<28}{value}", err=True)
    question = "If it did happen, the customer gets it twice. Settle as not done?"
    if not typer.confirm(question, err=True):
        raise OpsError("not done")


@app.command("journal")
def journal_command(
    key: Annotated[
        str | None, typer.Argument(help="evt:..., act:..., a conversation, switch:kill_switch, ...")
    ] = None,
    stage: Stage = "dev",
    by: Annotated[str | None, typer.Option("--by", help="Only of this person.")] = None,
    since: Annotated[str, typer.Option(help="Without a key: 24h, 7d, or an ISO time.")] = "24h",
    *,
    json: Json = False,
) -> None:
    """Show what persons did: when, who, what, to which key, why, and what they saw."""
    session, output = Session(stage), Output(json)
    start = datetime.fromisoformat(moment(session.services.clock, since))
    found = list(journal.read(session, key=key, by=by, since=start))
    output.show(found)
    columns = ("at", "by", "did", "key", "result", "reason", "saw")
    output.table(columns, [tuple(one[name] for name in columns) for one in found])
    output.say(f"{len(found)} acts")


@app.command("reconcile")
def reconcile_command(
    stage: Stage = "dev",
    since: Annotated[str, typer.Option(help="How far back tickets are listed: 24h, 7d.")] = "24h",
    from_number: Annotated[
        int | None,
        typer.Option(min=1, help="If listing is forbidden: start at this ticket number."),
    ] = None,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Run the sweep once, now; exit code 1 if it could not check everything."""
    session, output = Session(stage, yes), Output(json)
    clock = session.services.clock
    if not dry_run:
        session.may_write("reconcile")
        journal.enter(session, "reconcile", "sweep", since=since, from_number=from_number)
        if from_number is not None:
            session.services.sweeps.begin_after(from_number - 1)
    ends = clock.monotonic() + RECONCILE_SECONDS
    summary = session.services.reconciler.sweep(
        time_left_seconds=lambda: ends - clock.monotonic(),
        window=span(since),
        dry_run=dry_run,
    )
    output.show({**asdict(summary), "dry_run": dry_run})
    output.facts(asdict(summary))
    if summary.listing != "complete":
        raise typer.Exit(EXIT_NO)


@app.command("restore")
def restore_command(
    at: Annotated[
        str, typer.Option("--at", help="The backup's time: ISO, or 24h ago.", show_default=False)
    ],
    stage: Stage = "dev",
    *,
    release: Annotated[
        bool, typer.Option("--release", help="Leave shadow mode, if everything is reconciled.")
    ] = False,
    because: Because = "",
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """After the ledger was restored from a backup: shadow, remember what was done, reconcile.

    Without --release the stage stays in shadow mode, whatever else goes wrong.
    """
    session, output = Session(stage, yes), Output(json)
    since = moment(session.services.clock, at)
    if release:
        reasons = restore.unready(session)
        if reasons:
            raise OpsError("not released: " + "; ".join(reasons))
        session.may_write("restore --release")
        journal.enter(session, "restore --release", "ledger", reason=because, backup=at)
        switches.write(session, "shadow_mode", "false")
        output.show({"released": True})
        output.say("shadow_mode is false; every container has it within 30 seconds")
        return
    if not dry_run:
        session.may_write("restore")
        journal.enter(session, "restore", "ledger", reason=because, backup=at)
        with output.waiting("every container enters shadow mode"):
            restore.enter_shadow(session)
    found = restore.remember(session, since, dry_run=dry_run)
    output.show({**asdict(found), "dry_run": dry_run})
    output.say(f"{found.read} effects since the backup; the ledger had forgotten {found.written}")
    if not dry_run:
        output.say("next: python -m ops reconcile --since <as long ago as the backup>, until it")
        output.say(f"queues nothing; then python -m ops restore --at {at} --release --yes")
