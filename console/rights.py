"""Persons, roles, and what each role may do.

Every view names the right that it needs; a view that names none is refused to all, so that a
forgotten mark opens nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from flask import g

from chalicelib.outreach.people import persons
from chalicelib.outreach.people.persons import DeskPerson


class Role(StrEnum):
    """What a person is; a person may be several."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    AGENT = "agent"
    LEAD = "lead"
    DEVELOPER = "developer"


class Right(StrEnum):
    """What a view needs."""

    ANYONE = "anyone"
    """Also who has not signed in: sign-in itself, and files without content."""
    LOOK = "look"
    """Operators' pages, which hold no personal data."""
    ACT = "act"
    """Settle, redrive, replay: whatever changes the stage."""
    CONVERSE = "converse"
    """The conversations of one's companies."""
    BUILD = "build"
    """Endpoint, keys, register, figures and costs of one's companies."""
    GUIDE = "guide"
    """What a company's agents work with: its saved replies."""


RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.LOOK}),
    Role.OPERATOR: frozenset({Right.LOOK, Right.ACT, Right.GUIDE}),
    Role.AGENT: frozenset({Right.CONVERSE}),
    Role.LEAD: frozenset({Right.CONVERSE, Right.BUILD, Right.GUIDE}),
    Role.DEVELOPER: frozenset({Right.BUILD}),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Who makes a request.

    Attributes:
        name: as the journal names them, see `chalicelib.outreach.people.persons`.
        roles: at least one.
        companies: of an agent or a lead; None for every company of the stage.
        led: those of them whose lead they are; None for every company of the stage.
        built: whose lead or developer they are; None for every company of the stage.
    """

    name: str
    roles: frozenset[Role]
    companies: frozenset[str] | None = frozenset()
    led: frozenset[str] | None = frozenset()
    built: frozenset[str] | None = frozenset()

    @property
    def who(self) -> DeskPerson:
        """The person at a desk."""
        return persons.read(self.name)

    def may(self, right: Right) -> bool:
        """Whether one of their roles has a right."""
        return right is Right.ANYONE or any(right in RIGHTS[role] for role in self.roles)

    def sees(self, company_id: str) -> bool:
        """Whether a company is one of theirs."""
        return self.companies is None or company_id in self.companies

    def leads(self, company_id: str) -> bool:
        """Whether they are a lead of a company."""
        return self.led is None or company_id in self.led

    def builds(self, company_id: str) -> bool:
        """Whether they see what a company's engineers need: as its lead or its developer."""
        return self.built is None or company_id in self.built


View = TypeVar("View", bound=Callable[..., Any])
_MARK = "needs_right"


def needs(right: Right) -> Callable[[View], View]:
    """Name the right that a view needs; below the route's own decorator."""

    def marked(view: View) -> View:
        setattr(view, _MARK, right)
        return view

    return marked


def needed_by(view: object) -> Right | None:
    """The right that a view names; None where it names none."""
    found = getattr(view, _MARK, None)
    return found if isinstance(found, Right) else None


def person() -> Person:
    """Who makes this request; only in views that need a right of a person."""
    found = g.person
    if not isinstance(found, Person):
        raise TypeError("the view is open to anyone: there is no person")
    return found
