"""Warns of dangerous rows in a valid settings document, and checks its assignees at Richpanel."""

from __future__ import annotations

from chalicelib.errors import ProviderError
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.dangers import dangers
from chalicelib.support.tickets import TEAM
from ops.session import EXIT_UNUSABLE, OpsError, Session


def warnings(rules: Rules) -> list[str]:
    """A warning for each dangerous row, with its place."""
    return list(dangers(rules))


def assignees_exist(session: Session, rules: Rules) -> str | None:
    """Check that Richpanel has every user and team to whom departments assign tickets.

    Returns:
        None, or a warning if Richpanel could not be asked.

    Raises:
        OpsError: Richpanel has no such user or team; names every place.
    """
    if not rules.assignees:
        return None
    try:
        known = session.services.support.richpanel.every_assignee()
    except ProviderError as error:
        return f"Richpanel could not be asked whether the assignees exist: {error.reason}"
    unknown = [
        f"departments.{department}.{_field(who)}: Richpanel has no such {_kind(who)}"
        for department in sorted(rules.departments)
        if (who := rules.assignee_of(department)) is not None and who not in known
    ]
    if unknown:
        lines = ("the settings are invalid:", *unknown)
        raise OpsError("\n  ".join(lines), code=EXIT_UNUSABLE)
    return None


def _field(who: str) -> str:
    return "team" if who.startswith(TEAM) else "assignee"


def _kind(who: str) -> str:
    return "team" if who.startswith(TEAM) else "user"
