"""The `incidents` commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from chalicelib.once.incident import Incident, State
from ops.command import CommandRun, command
from ops.incidents import affected as held_up
from ops.incidents import mend
from ops.incidents.affected import Affected
from ops.incidents.naming import as_data, incident_named
from ops.inspect.explain import plain_words
from ops.options import Rate
from ops.repair import preview

incidents_app = typer.Typer(help="What holds events up, by cause.", no_args_is_help=True)
CUSTOMERS = 20
"""The most customers that `incidents show` names."""

Name = Annotated[str, typer.Argument(help="A name from `incidents list` or an alarm.")]


@command(incidents_app, "incidents list", examples=["incidents list"])
def incidents_list(
    run: CommandRun,
    *,
    ended: Annotated[bool, typer.Option("--ended", help="Also show ended incidents.")] = False,
) -> object:
    """List what holds events up, by cause: since when, how many events, and the owner."""
    every = run.session.services.incidents.all()
    found = [as_data(incident) for incident in every if ended or incident.state != State.ENDED]
    run.output.records(("incident", "state", "since", "held", "owner", "mend"), found)
    run.output.say(f"{len(found)} incidents")
    for incident in every:
        if incident.state != State.ENDED:
            run.proposes("to see it", "incidents", "show", incident.name)
    return found


@command(incidents_app, "incidents show", examples=["incidents show <incident>"])
def incidents_show(run: CommandRun, incident: Name) -> object:
    """Show an incident: what it holds up, whom it touches, and what a mend would do."""
    found = incident_named(run.session, incident)
    held = held_up.read(run.session, found)
    shown = run.output.facts(as_data(found))
    _print(run, held)
    customers = len({event.customer for event in held})
    touches = held_up.touches(run.session, held, limit=CUSTOMERS)
    run.output.say(f"{customers} conversations: {', '.join(touches)}")
    if found.state != State.ENDED and not found.owner:
        run.proposes("to say that you have it", "incidents", "acknowledge", found.name)
    if held:
        _propose_mend(run, found, "--dry-run")
    return {**shown, "customers": customers, "touches": touches, **as_plan(held)}


@command(
    incidents_app,
    "incidents acknowledge",
    changes=True,
    examples=["incidents acknowledge <incident>"],
)
def incidents_acknowledge(
    run: CommandRun,
    incident: Name,
    owner: Annotated[str, typer.Option(help="The owner; default: you.")] = "",
) -> object:
    """Set the owner of an incident."""
    found = incident_named(run.session, incident)
    owner = owner or run.session.identity.name
    mend.acknowledge(run.session, found, owner, because=run.because)
    before = f"; {found.owner} had it" if found.owner not in ("", owner) else ""
    run.output.say(f"{found.name} is {owner}'s{before}")
    _propose_mend(run, found, "--dry-run")
    return {"incident": found.name, "owner": owner, "before": found.owner or None}


@command(
    incidents_app,
    "incidents mend",
    changes=True,
    asks="Do this for {incident}?",
    dry_run=True,
    examples=[
        "incidents mend <incident> --dry-run",
        'incidents mend <incident> --rate 2 --reason "Richpanel is back"',
    ],
)
def incidents_mend(run: CommandRun, incident: Name, rate: Rate = 5.0) -> object:
    """Put what an incident holds up on the queue again, at a rate; finished actions are not repeated.

    It shows first what it will do, effect by effect; with --dry-run it does nothing else.
    """
    session = run.session
    found = incident_named(session, incident)
    held = held_up.read(session, found)
    plan = as_plan(held)
    _print(run, held)
    if run.dry_run:
        _propose_mend(run, found)
        return {"incident": found.name, "dry_run": True, **plan}
    run.confirm()
    did: dict[str, str] = {}
    doing = mend.mend(session, found, held, per_second=rate, because=run.because)
    for event, what in run.output.following(doing, "mending", total=len(held)):
        did[event.event] = what
    after = session.services.incidents.get(found.cause)
    still = after.held if after and after.number == found.number else 0
    counts = Counter(did.values())
    is_whole = len(did) == len(held)
    left = [
        {"event": event.event, "why": did.get(event.event, mend.STOPPED)}
        for event in held
        if mend.remains(did.get(event.event, mend.STOPPED))
    ]
    run.output.table(("did", "events"), counts.most_common())
    run.output.records(("event", "why"), left)
    if not is_whole:
        run.proposes("stopped; go on with", "incidents", "mend", found.name)
    run.output.say(
        f"{len(left)} remained; {still} are held up now, and each leaves the list when it has ended"
    )
    run.proposes("to see what is left", "incidents", "show", found.name)
    return {
        "incident": found.name,
        "dry_run": False,
        "did": dict(counts),
        "stopped": not is_whole,
        "held": still,
        **plan,
        "remained": left,
    }


@command(incidents_app, "incidents stop", changes=True, examples=["incidents stop <incident>"])
def incidents_stop(run: CommandRun, incident: Name) -> object:
    """Stop the mend of an incident; what it has put on the queue goes on."""
    found = incident_named(run.session, incident)
    mend.stop(run.session, found, because=run.because)
    run.output.say(f"the mend of {found.name} is stopped")
    return {"incident": found.name, "stopped": True}


def _propose_mend(run: CommandRun, found: Incident, *how: str) -> None:
    """Propose the command for the next step after the cause is fixed."""
    what = "once the cause is mended, what a mend would do" if how else "to do it"
    run.proposes(what, "incidents", "mend", found.name, *how)


def as_plan(held: Sequence[Affected]) -> dict[str, Any]:
    """A mend's plan as JSON-ready data: events, effects, and events left out."""
    return {
        "events": [
            {
                "event": event.event,
                "status": event.status,
                "reason": event.reason,
                "since": event.since,
            }
            for event in held
        ],
        "effects": [asdict(effect) for effect in held_up.effects_of(held)],
        "remained": held_up.left(held),
    }


def _print(run: CommandRun, held: Sequence[Affected]) -> None:
    effects = held_up.effects_of(held)
    run.output.records(("key", "would", "why"), [asdict(effect) for effect in effects])
    reasons = Counter((event.status, event.reason) for event in held)
    run.output.table(
        ("events", "status", "because"),
        [(many, status, plain_words.reason(why)) for (status, why), many in reasons.most_common()],
    )
    if left := held_up.left(held):
        run.output.table(("event", "remains, because"), [(*row.values(),) for row in left])
    run.output.say(f"{len(held)} events: {preview.summary(effects)}")
