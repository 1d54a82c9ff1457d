"""Tokens of persons at a company's desk, for companies without an identity provider.

A token is random.  Its row is in the `company-data` table beside `proof_settings`, named by the
token's keyed hash, so neither a copy of the table nor a copy of the hash's key lets anybody act::

    company_id   desk#ci-aaa-001
    project_id   token#3f0a...              keyed hash of company and token
    person       o'brien@example.com
    role         lead
    issued_at    2026-11-20T09:00:00.000Z   by whom is in the journal
    expires_at   1795251602                 its end
    revoked_at   2026-11-21T10:00:00.000Z   absent while it is valid

Every request reads the row, so a revoked token stops working at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from chalicelib.clock import iso
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Item, Store
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people.proof_settings import PREFIX

DESK_PREFIX = "desk_"
"""Prefix of each token, by which we and scanners of repositories recognise one."""
BYTES = 32
ISSUER = "desk-token"
_ROW = "token#"
_PURPOSE = "desk-token"
SHORT = 12
"""Characters of a token's hash that a list shows."""


@dataclass(frozen=True, slots=True)
class DeskToken:
    """A person's token for a company's desk, without the secret; times as ISO text."""

    token_id: str
    person: str
    role: DeskRole
    issued_at: str
    until: str
    is_valid: bool

    @property
    def short_id(self) -> str:
        """The first characters of the token's id, as lists show it."""
        return self.token_id[:SHORT]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTokens:
    """Issues, finds, lists and revokes persons' tokens for companies' desks."""

    table: Store
    opaque: Callable[[], OpaqueIds]
    clock: Clock

    def issue(self, company_id: str, person: str, role: DeskRole, lasts: timedelta) -> str:
        """Store a person's new desk token and return it; it can never be shown again."""
        token = f"{DESK_PREFIX}{secrets.token_urlsafe(BYTES)}"
        now = self.clock.now()
        self.table.put(
            {
                **self._key(company_id, self._hash(company_id, token)),
                "person": person,
                "role": role.value,
                "issued_at": iso(now),
                "expires_at": int((now + lasts).timestamp()),
            }
        )
        return token

    def find(self, company_id: str, token: str) -> DeskToken | None:
        """The stored desk token with the given text; None where it is unknown, expired or revoked."""
        row = self.table.get(self._key(company_id, self._hash(company_id, token)))
        found = self._shown(row) if row else None
        return found if found and found.is_valid else None

    def listed(self, company_id: str) -> Iterator[DeskToken]:
        """The company's desk tokens, unordered, also expired and revoked ones."""
        found = self.table.query_pages(
            KeyConditionExpression="company_id = :c AND begins_with(project_id, :t)",
            values={"c": f"{PREFIX}{company_id}", "t": _ROW},
        )
        return (self._shown(row) for row in found)

    def revoke(self, company_id: str, token_id: str) -> bool:
        """Revoke a desk token; False where there is no such token, or it was revoked before."""
        try:
            self.table.update(
                self._key(company_id, token_id),
                set_={"revoked_at": iso(self.clock.now())},
                condition="attribute_exists(#company_id) AND attribute_not_exists(#revoked_at)",
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def _hash(self, company_id: str, token: str) -> str:
        return self.opaque().of(_PURPOSE, company_id, token)

    def _key(self, company_id: str, token_id: str) -> Item:
        return {"company_id": f"{PREFIX}{company_id}", "project_id": f"{_ROW}{token_id}"}

    def _shown(self, row: Item) -> DeskToken:
        ends = int(row["expires_at"])
        return DeskToken(
            str(row["project_id"]).removeprefix(_ROW),
            str(row["person"]),
            DeskRole(row["role"]),
            str(row["issued_at"]),
            iso(datetime.fromtimestamp(ends, UTC)),
            "revoked_at" not in row and self.clock.now().timestamp() < ends,
        )
