"""The command `may-i-send`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from chalicelib.outreach.channels import RECIPIENT_OF, Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions.start_check import StartChecks, StartToCheck
from ops.command import CommandRun, command
from ops.session import EXIT_UNUSABLE, OpsError

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
    project_id: Annotated[str, typer.Argument(help="A project of it.")],
    recipient: Annotated[str, typer.Argument(help="A number with country code, or an e-mail.")],
    channel: Annotated[Channel, typer.Option("--channel", help="On which one.")],
    purpose: Annotated[
        ContactPurpose | None, typer.Option("--purpose", help="By default the project's.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", help="An ISO time with its zone; by default now.")
    ] = None,
) -> object:
    """Show whether a start would be sent, and if not why, by which rules, and from when on."""
    services = run.session.services
    address = channel.traits.address.normalised(recipient)
    if address is None:
        raise OpsError("the recipient is no address of the channel", code=EXIT_UNUSABLE)
    project = services.outreach.companies.project(company_id, project_id)
    if project is None:
        raise OpsError("no such company and project")
    asked = StartToCheck(
        company_id=company_id,
        project_id=project_id,
        channel=channel,
        addresses={RECIPIENT_OF[channel]: address},
        purpose=purpose,
        at=services.clock.now() if at is None else _moment(at),
    )
    checks = StartChecks(conversations=services.outreach.conversations, switches=services.switches)
    found = checks.verdict(asked, project).shown
    shown = {
        "may be sent": "yes" if found["allowed"] else "no",
        "because": ", ".join(found["why"]),
        "rules": ", ".join(found["rules"]),
        "from": found["next_at"] or ("now" if found["allowed"] else "never by time alone"),
    }
    run.output.facts(shown)
    return found


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise OpsError("--at is an ISO time with a time zone", code=EXIT_UNUSABLE)
