"""A company's team as it is now: to whom a conversation can be handed, and who is away.

Colleagues are the persons who have signed in with a role for the company, and the names on the
deployment's list.  Once a listed person has signed in, both are one colleague.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from flask import g

from chalicelib.clock import iso
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from chalicelib.outreach.people.team_rows import TeamRow
from console import backend
from console.colleagues import VARIABLE
from console.rights import Person

UNKNOWN = (
    "field to names no colleague of this company: colleagues have signed in with a role for it, or"
    f" are listed in {VARIABLE}"
)


@dataclass(frozen=True, slots=True)
class Colleague:
    """Somebody to whom a conversation can be handed.

    Attributes:
        person: in the text form of `persons`, as a conversation names its holder.
        away_until: None for a person who is present.
    """

    person: str
    role: DeskRole
    away_until: datetime | None = None

    @property
    def called(self) -> str:
        """The name that a page shows."""
        return persons.parsed_person(self.person).shown_name

    @property
    def away(self) -> str:
        """The end of the absence as ISO text; empty for a person who is present."""
        return iso(self.away_until) if self.away_until else ""


@dataclass(frozen=True, slots=True)
class Team:
    """A company's colleagues by name, and the rows of all persons who are away."""

    colleagues: Sequence[Colleague]
    absent: Sequence[TeamRow]

    def named(self, to: str) -> Colleague | None:
        """The colleague with a name or a person's text; None where none or several match."""
        found = [colleague for colleague in self.colleagues if colleague.person == to]
        found = found or [
            colleague
            for colleague in self.colleagues
            if persons.is_same_person(to, colleague.person)
        ]
        return found[0] if len(found) == 1 else None

    def away_until(self, holder: str) -> str:
        """The end of a holder's absence as ISO text; empty for one who is present."""
        found = (row.away_until for row in self.absent if row.is_about(holder))
        return next((iso(until) for until in found if holder and until), "")

    def is_away(self, holder: str) -> bool:
        """Whether a conversation's holder is away."""
        return bool(self.away_until(holder))


def team_of(company_id: str) -> Team:
    """A company's team, read once for a request."""
    known: dict[str, Team] = g.setdefault("teams", {})
    if company_id not in known:
        known[company_id] = _read(company_id)
    return known[company_id]


def _read(company_id: str) -> Team:
    rows = backend.reading().services.outreach.team.team_of(company_id)
    listed = backend.backend().options.colleagues.get(company_id, {})
    absent = [row for row in rows if row.away_until is not None]
    return Team(sorted(_colleagues(rows, listed), key=lambda colleague: colleague.called), absent)


def desk_roles(who: Person) -> Mapping[str, DeskRole]:
    """The person's role at each of their companies; empty for a person who has every company."""
    return {
        company: DeskRole.LEAD if who.leads(company) else DeskRole.AGENT
        for company in who.companies or ()
    }


def _colleagues(rows: Sequence[TeamRow], listed: Mapping[str, DeskRole]) -> Iterator[Colleague]:
    seen = [row for row in rows if row.role is not None]
    for row in seen:
        if row.role is not None:
            yield Colleague(row.person, row.role, row.away_until)
    for name, role in listed.items():
        if not any(row.is_about(name) for row in seen):
            away = next((row.away_until for row in rows if row.is_about(name)), None)
            yield Colleague(name, role, away)
