"""Whether a company may write to somebody, as commands and pages ask it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.outreach.channels import RECIPIENT_OF, Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions.start_check import StartChecks, StartToCheck
from ops.session import EXIT_UNUSABLE, OpsError, Session


def verdict(
    session: Session,
    ids: tuple[str, str],
    channel: Channel,
    recipient: str,
    *,
    purpose: ContactPurpose | None = None,
    at: datetime | None = None,
) -> dict[str, Any]:
    """Whether a start would be sent; see `StartVerdict.shown`.

    Args:
        session: the stage.
        ids: of company and project.
        channel: on which one.
        recipient: an address of the channel, as a person types it.
        purpose: by default the project's.
        at: by default now.

    Raises:
        OpsError: the recipient is no address of the channel, or there is no such project.
    """
    services = session.services
    address = channel.traits.address.normalised(recipient)
    if address is None:
        raise OpsError("the recipient is no address of the channel", code=EXIT_UNUSABLE)
    project = services.outreach.companies.project(*ids)
    if project is None:
        raise OpsError("no such company and project")
    asked = StartToCheck(
        company_id=ids[0],
        project_id=ids[1],
        channel=channel,
        addresses={RECIPIENT_OF[channel]: address},
        purpose=purpose,
        at=at or services.clock.now(),
    )
    checks = StartChecks(conversations=services.outreach.conversations, switches=services.switches)
    return checks.verdict(asked, project).shown


def moment(text: str, name: str) -> datetime:
    """A time with its zone.

    Raises:
        OpsError: it is none; named as what was typed.
    """
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise OpsError(f"{name} is an ISO time with a time zone", code=EXIT_UNUSABLE)
