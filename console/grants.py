"""The roles that each group of the sign-in provider gives here.

As text a role is ``viewer``, ``operator``, ``agent:<company>``, ``lead:<company>`` or
``developer:<company>``.  A company's lead has the rights of its agents and its developers as well;
a developer reads no conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from console.rights import Person, Role

_OF_A_COMPANY = frozenset({Role.AGENT, Role.LEAD, Role.DEVELOPER})
_AT_THE_DESK = frozenset({Role.AGENT, Role.LEAD})
_BUILDING = frozenset({Role.LEAD, Role.DEVELOPER})


class WrongGroupsError(ValueError):
    """The setting of groups is wrong; the message says how."""


def parsed(text: str) -> dict[str, tuple[str, ...]]:
    """Parse the setting with the roles of each group.

    Args:
        text: JSON such as ``{"Operators": ["operator"], "Acme agents": ["agent:ci-aaa-001"]}``.

    Raises:
        WrongGroupsError: names what is wrong.
    """
    try:
        raw = json.loads(text)
    except ValueError:
        raise WrongGroupsError("it is not JSON") from None
    if not isinstance(raw, dict):
        raise WrongGroupsError("it is not a JSON object, group by group")
    for group, grants in raw.items():
        if not isinstance(grants, list) or not all(isinstance(grant, str) for grant in grants):
            raise WrongGroupsError(f"the roles of {group!r} are not a list of texts")
        for grant in grants:
            _check(grant)
    return {group: tuple(grants) for group, grants in raw.items()}


def of_groups(groups: Iterable[str], known: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The roles, as text, of a person in these groups; group names are compared exactly."""
    return frozenset(grant for group in groups for grant in known.get(group, ()))


def person(name: str, grants: Iterable[str]) -> Person:
    """The signed-in person with these roles, given as text."""
    parts = [
        (Role(role), company) for role, _, company in (grant.partition(":") for grant in grants)
    ]

    def where(roles: frozenset[Role]) -> frozenset[str]:
        return frozenset(company for role, company in parts if role in roles)

    return Person(
        name,
        roles=frozenset(role for role, _ in parts),
        companies=where(_AT_THE_DESK),
        led=where(frozenset({Role.LEAD})),
        built=where(_BUILDING),
    )


def _check(grant: str) -> None:
    role, _, company = grant.partition(":")
    if role not in set(Role):
        raise WrongGroupsError(f"there is no role {role!r}: {', '.join(Role)}")
    if (role in _OF_A_COMPANY) != bool(company):
        wanted = f"{role}:<company>" if role in _OF_A_COMPANY else role
        raise WrongGroupsError(f"the role {grant!r} is written {wanted!r}")
