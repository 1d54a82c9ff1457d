"""The commands that mend: events again, an action again, an outcome settled, a sweep now."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from chalicelib.clock import iso, parsed
from chalicelib.errors import MiddlewareError
from chalicelib.once.event import EventStatus
from ops.inspect import events
from ops.options import DryRun, Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.repair import replay, settle
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session

app = typer.Typer()

RECONCILE_SECONDS = 240.0
SHOWN = 100
"""So many keys a dry run names; the count is of all."""


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
    if after:
        session.row(after)  # a slip in a key would leave out in silence whoever stands before it
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
    session.row(action)
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
