"""Whether a company may write to a recipient, for commands and pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from chalicelib.outreach.channels import RECIPIENT_FIELD_OF, Channel
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
    """Whether a start would be sent, as `StartVerdict.shown` gives it.

    Args:
        session: the stage.
        ids: company id and project id.
        channel: the channel of the start.
        recipient: the channel's address, as a person types it.
        purpose: None for the project's own.
        at: None for now.

    Raises:
        OpsError: the recipient is not an address of the channel, or the project is not stored.
    """
    services = session.services
    address = channel.traits.address.normalise(recipient)
    if address is None:
        raise OpsError("the recipient is not an address of the channel", code=EXIT_UNUSABLE)
    project = services.outreach.companies.project(*ids)
    if project is None:
        raise OpsError("no such company and project")
    asked = StartToCheck(
        company_id=ids[0],
        project_id=ids[1],
        channel=channel,
        addresses={RECIPIENT_FIELD_OF[channel]: address},
        purpose=purpose,
        at=at or services.clock.now(),
    )
    checks = StartChecks(conversations=services.outreach.conversations, switches=services.switches)
    return checks.verdict(asked, project).shown


def moment(text: str, name: str) -> datetime:
    """Parse an ISO time that has a zone; returns UTC.

    Raises:
        OpsError: the text is not such a time; names the option or field.
    """
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise OpsError(f"{name} must be an ISO time with a time zone", code=EXIT_UNUSABLE)
