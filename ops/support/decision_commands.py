"""The commands `support decision` and `support label`: one decision made in shadow."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from chalicelib.support.shadow_decisions import PERSON
from ops.command import CommandRun, command
from ops.support import labels
from ops.support.rendered_again import CHANGED, rendered_again

decision_app = typer.Typer()
Ticket = Annotated[str, typer.Argument(help="The ticket's id.")]
Message = Annotated[
    str,
    typer.Option(
        "--message", help="A message's id; default: the last that would have been answered."
    ),
]


@command(decision_app, "support decision", examples=["support decision 1042"])
def decision(run: CommandRun, ticket: Ticket, message: Message = "") -> object:
    """Show a decision made in shadow, and its reply rendered from ticket and shop as they are now."""
    state = labels.state_with_decision(run.session, ticket)
    decided = labels.decision_of(state, message)
    people = state.people if (state.people or {}).get("event") == decided["event"] else None
    found: dict[str, object] = {
        "decision": dict(decided),
        "people": dict(people) if people else None,
        "label": labels.of_event(state.labels, decided["event"]),
    }
    for name, value in found.items():
        if isinstance(value, dict):
            run.output.say(name, style="bold")
            run.output.facts(value)
    run.output.say(f"label: {found['label'] or 'none'}")
    if decided["decision"] == PERSON:
        return found | {"reply": None}
    again = rendered_again(run.session, ticket, decided)
    run.output.say("\nthe reply", style="bold")
    if again.facts == CHANGED:
        run.output.say("facts have changed since", style="yellow")
    if again.other_release:
        run.output.say(f"made with other {', '.join(again.other_release)}", style="yellow")
    run.output.say(again.text or f"none would be sent now: {again.because}")
    return found | {"reply": asdict(again)}


@command(
    decision_app,
    "support label",
    changes=True,
    dry_run=True,
    examples=["support label 1042 --wrong wrong_team"],
)
def label(
    run: CommandRun,
    ticket: Ticket,
    *,
    right: Annotated[bool, typer.Option("--right", help="The decision was right.")] = False,
    wrong: Annotated[
        str, typer.Option("--wrong", help=f"What was wrong: {', '.join(labels.WRONG)}.")
    ] = "",
    message: Message = "",
) -> object:
    """Store whether a decision made in shadow was right; the report counts it, nothing else changes."""
    code = labels.code(right=right, wrong=wrong)
    state = labels.state_with_decision(run.session, ticket)
    event = str(labels.decision_of(state, message)["event"])
    if not run.dry_run:
        run.enter(event, row=run.session.ledger_table.get({"event_id": event}), code=code)
        labels.put(run.session, state, event, code)
    return run.output.facts({"event": event, "label": code, "dry_run": run.dry_run})
