"""The command `may-i-send`."""

from __future__ import annotations

from typing import Annotated

import typer

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from ops.command import CommandRun, command
from ops.companies import send_verdict

app = typer.Typer()


@command(
    app,
    "may-i-send",
    examples=[
        "may-i-send <company> <project> <recipient> --channel sms --at 2026-11-27T22:00:00-05:00 --json"
    ],
)
def may_i_send(
    run: CommandRun,
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str, typer.Argument(help="A project of the company.")],
    recipient: Annotated[str, typer.Argument(help="A number with country code, or an e-mail.")],
    channel: Annotated[Channel, typer.Option("--channel", help="The channel.")],
    purpose: Annotated[
        ContactPurpose | None, typer.Option("--purpose", help="By default the project's.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="An ISO time with its zone; by default now.")
    ] = None,
) -> object:
    """Show whether a start would be sent, and if not why, by which rules, and from when on."""
    found = send_verdict.verdict(
        run.session,
        (company_id, project_id),
        channel,
        recipient,
        purpose=purpose,
        at=None if at is None else send_verdict.moment(at, "--at"),
    )
    shown = {
        "may be sent": "yes" if found["allowed"] else "no",
        "because": ", ".join(found["why"]),
        "rules": ", ".join(found["rules"]),
        "from": found["next_at"] or ("now" if found["allowed"] else "never by time alone"),
    }
    run.output.facts(shown)
    return found
