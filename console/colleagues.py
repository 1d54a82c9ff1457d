"""The colleagues of each company, as a deployment lists them in the environment.

The variable is JSON, such as ``{"ci-aaa-001": ["sam@example.com", "Zoë Müller"]}``, with the names
by which people sign in; or with roles, ``{"ci-aaa-001": {"sam@example.com": "agent",
"lea@example.com": "lead"}}``. A person without a role is an agent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons

Colleagues = Mapping[str, Mapping[str, DeskRole]]
"""By company, the role of each name."""
VARIABLE = "CONSOLE_COLLEAGUES"


class WrongColleaguesError(ValueError):
    """The setting of colleagues is wrong; the message says how."""


def colleagues(text: str) -> Colleagues:
    """The colleagues of each company; empty for an empty text.

    Raises:
        WrongColleaguesError: names what is wrong.
    """
    if not text:
        return {}
    try:
        raw = json.loads(text)
    except ValueError:
        raise WrongColleaguesError("it is not JSON") from None
    if not isinstance(raw, dict):
        raise WrongColleaguesError("it is not a JSON object, company by company")
    return {company: _names(company, given) for company, given in raw.items()}


def _names(company: str, given: object) -> Mapping[str, DeskRole]:
    if isinstance(given, list):
        roles: list[tuple[object, object]] = [(name, DeskRole.AGENT) for name in given]
    else:
        roles = list(given.items()) if isinstance(given, dict) else []
    names = [persons.stored_person(name) for name, _ in roles]
    if not names or None in names:
        raise WrongColleaguesError(f"the colleagues of {company!r} are not a list of names")
    if any(role not in tuple(DeskRole) for _, role in roles):
        raise WrongColleaguesError(f"a role at {company!r} is none of {', '.join(DeskRole)}")
    pairs = zip(names, roles, strict=True)
    return {name: DeskRole(str(role)) for name, (_, role) in pairs if name}
