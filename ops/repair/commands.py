"""The commands that repair, and `journal`, which lists people's acts."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from chalicelib.errors import MiddlewareError
from chalicelib.once.event import EventStatus
from ops import journal, seen
from ops.command import CommandRun, Given, command, only_with
from ops.inspect import ledger_rows, planned
from ops.options import Limit, Rate
from ops.repair import preview, replay, restore, settle, wrong_answer
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError
from ops.stage import switches
from ops.times import moment, span

app = typer.Typer()

RECONCILE_SECONDS = 240.0
SHOWN = 100
"""The most events that a dry run prints; it counts all of them."""


@command(
    app,
    "replay",
    changes=True,
    dry_run=True,
    examples=[
        "replay <event>",
        "replay --status failed --since 24h --dry-run",
        "replay --status failed --since 24h --rate 1",
    ],
)
def replay_command(
    run: CommandRun,
    event: Annotated[list[str] | None, typer.Argument(help="Event keys.")] = None,
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
) -> object:
    """Put events on the queue again under the same keys; finished actions are not repeated.

    With --dry-run: which effects each would have and which not, from the ledger; sends nothing.
    """
    session = run.session
    if bool(event) == bool(status):
        raise OpsError("name events, or a --status", code=EXIT_UNUSABLE)
    if after and not status:
        raise OpsError("--after needs a --status", code=EXIT_UNUSABLE)
    if after:
        session.row(after)  # a mistyped key would silently skip every event before it
    found: Iterable[Any]
    left_out: list[str] = []
    if event:
        found = [session.row(key) for key in event]
    else:
        found = ledger_rows.events_of(
            session,
            status=str(status and status.value),
            since=moment(session.services.clock, since),
            until=moment(session.services.clock, until),
            after=after,
            reason=reason,
        )
        found = ledger_rows.with_jobs(session, found, left_out)
    found = (row for _, row in zip(range(limit), found, strict=False))
    if run.dry_run:
        said = _preview(run, found) | _left_out(run, left_out)
        if said["events"]:
            run.proposes("to do it", "replay", *_words(run.given))
        return said
    again = replay.replay(session, found, per_second=rate, because=run.because or reason or "")
    count, last = 0, after
    try:
        for last in run.output.following(again, "replaying"):  # noqa: B007 - for `--after`
            count += 1
    except (KeyboardInterrupt, MiddlewareError):
        sys.stderr.write(f"{count} events were put on the queue; continue with --after {last}\n")
        raise
    run.output.say(f"{count} events put on the queue")
    return {"events": count, "dry_run": False, "last": last} | _left_out(run, left_out)


def _words(given: Given) -> list[str]:
    """The typed arguments that choose the events of a replay."""
    options = [
        word
        for name in ("status", "reason", "since", "until", "after", "limit", "rate")
        if given[name] is not None
        for word in (f"--{name}", str(given[name]))
    ]
    return [*(given["event"] or ()), *(options if given["status"] else ())]


def _left_out(run: CommandRun, events: list[str]) -> dict[str, Any]:
    """Say which events cannot be run again, such as those of a person who was erased."""
    if events:
        run.output.say(f"{len(events)} events cannot be rebuilt and were left out")
    return {"left_out": len(events)}


def _preview(run: CommandRun, found: Iterable[Any]) -> dict[str, Any]:
    """Show what a replay would do, a line for each event."""
    count, last = 0, None
    everything: list[preview.Foreseen] = []
    shown = []
    for count, row in enumerate(run.output.following(found, "reading"), start=1):
        last = str(row["event_id"])
        effects = planned.would_do(run.session, row)
        everything += effects
        if count <= SHOWN:
            run.output.say(f"{last}: {preview.summary(effects)}")
            shown.append({"event": last, "effects": [asdict(effect) for effect in effects]})
    whole = preview.summary(everything)
    run.output.say(f"{count} events would be put on the queue: {whole}")
    return {"events": count, "dry_run": True, "last": last, "effects": whole, "first": shown}


@command(
    app,
    "resend",
    changes=True,
    asks="Perform {action} once more?",
    dry_run=True,
    examples=[
        "resend <act:…> --dry-run",
        'resend <act:…> --reason "the customer lost it"',
    ],
)
def resend_command(
    run: CommandRun,
    action: Annotated[str, typer.Argument(help="act:... that is done or abandoned.")],
    nonce: Annotated[
        str | None, typer.Option(help="The same nonce acts only once; default: a new one.")
    ] = None,
) -> object:
    """Perform a finished action once more; a customer may get a message twice."""
    effects = replay.resend_would_do(run.session, action, nonce)
    if run.dry_run:
        run.output.say(preview.summary(effects))
        return {"dry_run": True, "effects": [asdict(effect) for effect in effects]}
    run.confirm()
    job = replay.resend(run.session, action, nonce or uuid.uuid4().hex[:12], because=run.because)
    run.output.say(f"queued as {job.event_key}")
    return {"event": job.event_key, "nonce": job.nonce}


@command(
    app,
    "settle",
    changes=True,
    guard=only_with("outcome"),
    asks="If it did happen, the customer gets it twice. Settle as not done?",
    examples=[
        "settle",
        "settle <act:…>",
        "settle <act:…> done",
        'settle <act:…> not-done --reason "not in the vendor\'s list at 10:40" --yes',
    ],
)
def settle_command(
    run: CommandRun,
    action: Annotated[str | None, typer.Argument(help="act:...; omit to list them.")] = None,
    outcome: Annotated[
        str | None,
        typer.Argument(
            help="done, not-done or abandon; omit to ask the vendor.",
            autocompletion=lambda: list(settle.OUTCOMES),
        ),
    ] = None,
    ref: Annotated[str | None, typer.Option(help="The vendor's id of the effect.")] = None,
    limit: Limit = 200,
    *,
    force: Annotated[
        bool,
        typer.Option("--force", help="not-done, although it may still arrive; needs a --reason."),
    ] = False,
) -> object:
    """List actions with an unknown outcome, ask the vendor about one, or settle it manually."""
    if action is None:
        found = [
            {
                "action": action.key,
                "kind": action.kind,
                "event": action.event_key,
                "reason": action.reason,
            }
            for action in settle.unsettled(run.session, limit=limit)
        ]
        run.output.records(("action", "kind", "reason"), found)
        run.output.say(f"{len(found)} unknown")
        return found
    if outcome is None:
        return run.output.facts(settle.ask(run.session, action))
    if outcome not in settle.OUTCOMES:
        choices = ", ".join(settle.OUTCOMES)
        raise OpsError(f"{outcome} is not one of {choices}", code=EXIT_UNUSABLE)
    if outcome == "not-done":
        run.confirm(settle.at_stake(run.session, action))
    return run.output.facts(
        settle.settle(run.session, action, outcome, ref=ref, because=run.because, force=force)
    )


@command(
    app,
    "wrong-answer",
    changes=True,
    examples=["wrong-answer <event> wrong_tone"],
)
def wrong_answer_command(
    run: CommandRun,
    event: Annotated[
        str, typer.Argument(help="The event that was answered, as `story` prints it.")
    ],
    code: Annotated[
        str,
        typer.Argument(
            help=f"Of a ticket: {', '.join(wrong_answer.OF_TICKETS)}."
            f" Of a conversation: {', '.join(wrong_answer.OF_CONVERSATIONS)}."
        ),
    ],
) -> object:
    """Say that an answer was wrong, and why, by a code; reports count it, nothing else changes."""
    counted = wrong_answer.store_mistake(run.session, event, code, because=run.because)
    return run.output.facts({"event": event, "code": code, "counted_by": counted})


@command(
    app,
    "journal",
    examples=["journal --since 24h", "journal <key>", "journal --since 7d --by <person>"],
)
def journal_command(
    run: CommandRun,
    key: Annotated[
        str | None, typer.Argument(help="evt:..., act:..., a conversation, switch:kill_switch, ...")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Only of this person, e.g. Operators/jo, or jo.")
    ] = None,
    since: Annotated[str, typer.Option(help="Without a key: 24h, 7d, or an ISO time.")] = "24h",
    *,
    views: Annotated[
        bool, typer.Option("--views", help="List who only looked, instead of who acted.")
    ] = False,
) -> object:
    """Show people's acts: when, who, what, on which key, the change, the reason, and what they saw."""
    start = datetime.fromisoformat(moment(run.session.services.clock, since))
    found = list(journal.read(run.session, key=key, by=by, since=start, views=views))
    columns = ("at", "by", "did", "key", "result", "change", "reason", "saw")
    lines = [{**entry, "saw": seen.in_words(entry["saw"])} for entry in found]
    run.output.records(columns, lines, folded=("reason", "saw"))
    run.output.say(f"{len(found)} {'looks' if views else 'acts'}")
    return found


@command(
    app,
    "reconcile",
    changes=True,
    dry_run=True,
    examples=["reconcile", "reconcile --since 24h", "reconcile --dry-run"],
)
def reconcile_command(
    run: CommandRun,
    since: Annotated[str, typer.Option(help="How far back tickets are listed: 24h, 7d.")] = "24h",
    from_number: Annotated[
        int | None,
        typer.Option(min=1, help="If listing is forbidden: start at this ticket number."),
    ] = None,
) -> object:
    """Run the sweep once, now; exit code 1 if it could not check everything."""
    services = run.session.services
    clock = services.clock
    after = None if from_number is None else from_number - 1
    if not run.dry_run:
        run.enter("sweep", since=since, from_number=from_number)
        if after is not None:
            services.sweeps.begin_after(after)
    ends = clock.monotonic() + RECONCILE_SECONDS
    summary = services.reconciler.sweep(
        time_left_seconds=lambda: ends - clock.monotonic(),
        window=span(since),
        dry_run=run.dry_run,
        after=after,
    )
    if summary.listing != "complete":
        run.code = EXIT_NO
    said = run.output.facts(asdict(summary))
    if run.dry_run and not run.code:
        run.proposes("to do it", "reconcile", "--since", since)
    return {**said, "dry_run": run.dry_run}


@command(app, "restore", changes=True, dry_run=True)
def restore_command(
    run: CommandRun,
    at: Annotated[
        str, typer.Option("--at", help="The backup's time: ISO, or 24h ago.", show_default=False)
    ],
    *,
    release: Annotated[
        bool, typer.Option("--release", help="Leave shadow mode, if everything is reconciled.")
    ] = False,
) -> object:
    """Bring a stage back after its ledger was restored from a backup: shadow, remember, reconcile.

    Without --release the stage stays in shadow mode, whatever else goes wrong.
    """
    since = moment(run.session.services.clock, at)
    if release:
        return _release(run, at)
    if not run.dry_run:
        run.enter("ledger", backup=at)
        with run.output.waiting("every container enters shadow mode"):
            restore.enter_shadow(run.session)
    found = restore.remember(run.session, since, dry_run=run.dry_run)
    say = run.output.say
    say(f"{found.read} effects since the backup; the ledger had forgotten {found.written}")
    if not run.dry_run:
        say("next: python -m ops reconcile --since <as long ago as the backup>, until it")
        say(f"queues nothing; then python -m ops restore --at {at} --release --yes")
    return {**asdict(found), "dry_run": run.dry_run}


def _release(run: CommandRun, backup: str) -> object:
    """Leave shadow mode, if nothing is left to reconcile."""
    reasons = restore.reasons_not_ready(run.session)
    if reasons:
        raise OpsError("not released: " + "; ".join(reasons))
    if run.dry_run:
        run.output.say("it may be released: everything is reconciled")
        return {"released": False, "dry_run": True}
    run.enter("ledger", what="restore --release", backup=backup)
    switches.write(run.session, "shadow_mode", "false")
    run.output.say("shadow_mode is false; every container has it within 30 seconds")
    return {"released": True, "dry_run": False}
