"""Who works for a company, by their sign-ins at the console, and who is away until when.

Rows of the `conversations` table, in no index, under partition keys that no address can have; only
about persons of the company's team::

    team#{company_id}   person#{digest}    person, role, seen_at, away_until, away_by, ttl
    team                person#{digest}    companies: those of the person's newest sign-in; ttl

A row without a ``role`` only says that the person is away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons

KNOWN_FOR = timedelta(days=30)
"""How long a sign-in counts: no event reports that an account was closed."""
LONGEST_AWAY = timedelta(days=90)
_KEPT_FOR = max(KNOWN_FOR, LONGEST_AWAY) + timedelta(days=1)
_AT_MOST = 1_000
"""The most rows of a company that are read."""
_TEAM = "team"


@dataclass(frozen=True, slots=True)
class TeamRow:
    """A person of a company's team, with their role, and until when they are away.

    Attributes:
        person: the person, in the text form of `persons`.
        role: the role at the newest sign-in; None where that is too old or there was none.
        away_until: end of the absence; None for a person who is present.
    """

    person: str
    role: DeskRole | None = None
    away_until: datetime | None = None

    def is_about(self, person: str) -> bool:
        """Whether this row is of the person who has a conversation.

        `person` is the text that the conversation stores: of a proven person, or a mere name.
        """
        return persons.parsed_person(self.person).is_holder(person) or persons.parsed_person(
            person
        ).is_holder(self.person)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRows:
    """Stores who has signed in for which company, and who is away."""

    table: Store
    clock: Clock

    def team_of(self, company_id: str) -> tuple[TeamRow, ...]:
        """The persons of a company's team who have signed in lately or are away now, by name."""
        found = self.table.query_all(
            at_most=_AT_MOST,
            KeyConditionExpression="primary_channel = :p",
            values={"p": f"{_TEAM}#{company_id}"},
        )
        rows = (self._read(item) for item in found)
        known = [row for row in rows if row.role is not None or row.away_until is not None]
        return tuple(sorted(known, key=lambda row: row.person))

    def signed_in(self, person: str, roles: Mapping[str, DeskRole]) -> None:
        """Store a person's sign-in with its roles, which replace their earlier roles at every company.

        Args:
            person: the person, in the text form of `persons`.
            roles: role by company id, as the sign-in says; empty ends all earlier ones.
        """
        key = {"primary_channel": _TEAM, **_place(person)}
        before = (self.table.get(key) or {}).get("companies") or ()
        if not roles and not before:
            return
        for company_id in sorted({*before} - roles.keys()):
            self._change(company_id, person, {}, remove=("role", "seen_at"))
        ends = int((self.clock.now() + _KEPT_FOR).timestamp())
        self.table.put({**key, "companies": sorted(roles), "ttl": ends})
        for company_id, role in roles.items():
            seen = {"role": role.value, "seen_at": iso(self.clock.now())}
            self._change(company_id, person, seen)

    def mark_away(self, company_id: str, person: str, until: datetime, *, by: str) -> None:
        """Mark a person of a company's team as away until a time; the last call wins."""
        self._change(company_id, person, {"away_until": iso(until), "away_by": by})

    def mark_back(self, company_id: str, person: str) -> None:
        """Mark a person of a company's team as present."""
        self._change(company_id, person, {}, remove=("away_until", "away_by"))

    def _change(
        self, company_id: str, person: str, set_: Mapping[str, Any], *, remove: tuple[str, ...] = ()
    ) -> None:
        ends = int((self.clock.now() + _KEPT_FOR).timestamp())
        self.table.update(
            {"primary_channel": f"{_TEAM}#{company_id}", **_place(person)},
            set_={"person": person, "ttl": ends, **set_},
            remove=remove,
            reading=False,
        )

    def _read(self, row: Item) -> TeamRow:
        now = self.clock.now()
        seen_at, away = parsed(row.get("seen_at")), parsed(row.get("away_until"))
        is_known = seen_at is not None and now - seen_at < KNOWN_FOR
        return TeamRow(
            str(row["person"]),
            DeskRole(row["role"]) if is_known else None,
            away if away is not None and away > now else None,
        )


def _place(person: str) -> Item:
    return {"conversation_id": f"person#{keys.digest(persons.parsed_person(person).key)[:32]}"}
