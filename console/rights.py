"""Persons, roles, and what each role may do.

Every view names the right that it needs.  A view that names none is refused to everybody, so
forgetting it opens nothing.
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
    """A role of a person; a person may have several."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    AGENT = "agent"
    LEAD = "lead"
    DEVELOPER = "developer"


class Right(StrEnum):
    """A right that a view can need."""

    ANYONE = "anyone"
    """No sign-in is needed: for the sign-in itself, and files without content."""
    LOOK = "look"
    """Read operators' pages, which hold no personal data."""
    ACT = "act"
    """Settle, redrive, replay: change the stage."""
    CONVERSE = "converse"
    """Read and answer the conversations of one's companies."""
    BUILD = "build"
    """Endpoint, keys, register, figures and costs of one's companies."""
    GUIDE = "guide"
    """Write a company's saved replies."""


RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.LOOK}),
    Role.OPERATOR: frozenset({Right.LOOK, Right.ACT, Right.GUIDE}),
    Role.AGENT: frozenset({Right.CONVERSE}),
    Role.LEAD: frozenset({Right.CONVERSE, Right.BUILD, Right.GUIDE}),
    Role.DEVELOPER: frozenset({Right.BUILD}),
}


@dataclass(frozen=True, slots=True)
class Person:
    """The person who makes a request.

    Attributes:
        name: in the text form of `chalicelib.outreach.people.persons`, as the journal has it.
        roles: at least one.
        companies: companies whose agent or lead the person is; None for every company.
        led: companies whose lead the person is; None for every company.
        built: companies whose lead or developer the person is; None for every company.
    """

    name: str
    roles: frozenset[Role]
    companies: frozenset[str] | None = frozenset()
    led: frozenset[str] | None = frozenset()
    built: frozenset[str] | None = frozenset()

    @property
    def who(self) -> DeskPerson:
        """The name, parsed into a person at a desk."""
        return persons.parsed_person(self.name)

    def may(self, right: Right) -> bool:
        """Whether one of the person's roles has a right."""
        return right is Right.ANYONE or any(right in RIGHTS[role] for role in self.roles)

    def sees(self, company_id: str) -> bool:
        """Whether the person may read a company's conversations."""
        return self.companies is None or company_id in self.companies

    def leads(self, company_id: str) -> bool:
        """Whether the person is a lead of a company."""
        return self.led is None or company_id in self.led

    def builds(self, company_id: str) -> bool:
        """Whether the person is a lead or a developer of a company."""
        return self.built is None or company_id in self.built


View = TypeVar("View", bound=Callable[..., Any])
_MARK = "needs_right"


def needs(right: Right) -> Callable[[View], View]:
    """Decorator that names the right a view needs; put it below the route's decorator."""

    def marked(view: View) -> View:
        setattr(view, _MARK, right)
        return view

    return marked


def needed_by(view: object) -> Right | None:
    """The right that a view names; None where it names none."""
    found = getattr(view, _MARK, None)
    return found if isinstance(found, Right) else None


def person() -> Person:
    """The person who makes this request.

    Raises:
        TypeError: the view is open to anyone, so there is no person.
    """
    found = g.person
    if not isinstance(found, Person):
        raise TypeError("the view is open to anyone: there is no person")
    return found
