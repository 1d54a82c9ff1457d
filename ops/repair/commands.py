"""The commands that repair: `replay`, `resend`, `settle` and `reconcile`."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from chalicelib.errors import MiddlewareError
from chalicelib.once.event import EventStatus
from ops.inspect import events
from ops.options import DryRun, Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.repair import replay, settle
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
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
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Put events on the queue again under the same keys; finished actions are not repeated."""
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
        sys.stderr.write(f"{count} events were put on the queue; continue with --after {last}\n")
        raise
    output.show({"events": count, "dry_run": dry_run, "last": last})
    output.say(f"{count} events {'would be ' if dry_run else ''}put on the queue")


@app.command("resend")
def resend_command(
    action: Annotated[str, typer.Argument(help="act:... that is done or abandoned.")],
    stage: Stage = "dev",
    nonce: Annotated[
        str | None, typer.Option(help="The same nonce acts only once; default: a new one.")
    ] = None,
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Perform a finished action once more; a customer may get a message twice."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("resend")
    session.row(action)
    if not yes and not typer.confirm(f"Perform {action} once more?", err=True):
        raise OpsError("not done")
    job = replay.resend(session, action, nonce or uuid.uuid4().hex[:12])
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
        result = settle.settle(session, action, outcome, ref=ref)
        output.facts(result)
    output.show(result)


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
        if from_number is not None:
            session.services.sweeps.begin_at(from_number)
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
