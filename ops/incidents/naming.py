"""Finds the incident that a person names, and formats incidents for display."""

from __future__ import annotations

from typing import Any

from chalicelib.once.causes import Cause
from chalicelib.once.incident import PREFIX, Incident
from ops.session import EXIT_UNUSABLE, OpsError, Session

_PARTS = 3


def incident_named(session: Session, text: str) -> Incident:
    """Find the incident with a name such as ``richpanel.unavailable.tickets.2``.

    Without the number, the newest incident of the cause.

    Raises:
        OpsError: the name is not valid, no such incident exists, or its cause has a newer one.
    """
    *cause, number = text.strip().removeprefix(PREFIX).split(".")
    if not number.isdecimal():
        cause, number = [*cause, number], ""
    if len(cause) != _PARTS:
        raise OpsError("an incident is named vendor.code.place.number", code=EXIT_UNUSABLE)
    found = session.services.incidents.get(Cause(*cause))
    if found is None:
        raise OpsError(f"there was no incident {'.'.join(cause)}")
    if number and int(number) != found.number:
        raise OpsError(f"the newest incident of that cause is {found.name}")
    return found


def as_data(incident: Incident) -> dict[str, Any]:
    """An incident as the commands and the console show it."""
    mending = incident.mending
    return {
        "incident": incident.name,
        "state": incident.state.value,
        "since": incident.since,
        "held": incident.held,
        "owner": incident.owner or None,
        "ended_at": incident.ended_at or None,
        "mend": None
        if mending is None
        else f"{_step(incident)}: {mending.asked} by {mending.by} since {mending.at}",
    }


def _step(incident: Incident) -> str:
    if incident.mending is None or incident.mending.is_done:
        return "all asked for"
    return "stopped" if incident.mending.is_stopped else "began"
