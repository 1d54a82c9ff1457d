"""The Router's and desks' API keys: issued and revoked per company, in one secret for all companies.

Two operators may change the secret at once (`stored_secret`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from chalicelib.outreach.door import access
from chalicelib.outreach.door.access import DeskRole
from ops.companies.stored_secret import StoredSecret
from ops.session import OpsError, Session

KEY_BYTES = 32
ACTIVE_KEYS = 2
"""The newest key and the one before it."""
ROUTER = "router"
"""The role shown for a Router's key; a desk's key has a `DeskRole`."""
_ID_LETTERS = 8
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class KeyShown:
    """An API key as it may be shown: without the key itself.

    Attributes:
        id: letters of its digest (`id_of`).
        role: `ROUTER`, or a `DeskRole`.
    """

    id: str
    role: str


def id_of(key: str) -> str:
    """A key's public name: ``key-`` and 8 letters, so that redaction takes it for no number."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    letters = base64.b32encode(digest).decode().lower()
    return "key-" + "".join(filter(str.isalpha, letters))[:_ID_LETTERS]


def shown(session: Session, company_id: str) -> list[KeyShown]:
    """A company's active keys, the Router's first, the newest of each role first.

    Raises:
        OpsError: the secret exists and is not a JSON object.
    """
    mine = company_access(session, company_id)
    of_router = [KeyShown(id_of(key), ROUTER) for key in mine.api_keys]
    return of_router + [KeyShown(id_of(key), role.value) for key, role in mine.desk_keys]


def active(session: Session, company_id: str) -> tuple[str, ...]:
    """A company's active Router keys, newest first.

    Raises:
        OpsError: the secret exists and is not a JSON object.
    """
    return _keys_of(_read(session)[0], company_id)


def faults(session: Session, company_id: str) -> tuple[str, ...]:
    """Faults of a company's entry, naming no value; with any of them all its requests are refused.

    Raises:
        OpsError: the secret exists and is not a JSON object.
    """
    companies = access.parse_access(json.dumps(_read(session)[0]))
    mine = companies.get(company_id, access.Access())
    others = {
        key
        for other_id, known in companies.items()
        if other_id != company_id
        for key in known.api_keys
    }
    shared = () if others.isdisjoint(mine.api_keys) else ("an API key is another company's too",)
    return mine.faults + shared


def companies(session: Session) -> tuple[str, ...]:
    """The ids of the companies with an entry in the secret.

    Raises:
        OpsError: the secret exists and is not a JSON object.
    """
    return tuple(_read(session)[0])


def new_key() -> str:
    """Make a new random key."""
    return secrets.token_urlsafe(KEY_BYTES)


def issue(
    session: Session, company_id: str, role: DeskRole | None = None, *, key: str = ""
) -> tuple[str, int]:
    """Issue a new key; of the earlier ones only the newest stays active.

    Args:
        session: the stage.
        company_id: the company.
        role: the desk role of the key; None for a Router's key.
        key: from `new_key`; empty to make one.

    Returns:
        The key, and how many keys are active now.

    Raises:
        OpsError: the secret is not a JSON object, or others keep changing it.
    """
    key = key or new_key()

    def change(before: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        keys = (key, *before)[:ACTIVE_KEYS]
        return keys, len(keys)

    return key, _change(session, company_id, change, role)


def revoke(session: Session, company_id: str, key_id: str, role: DeskRole | None = None) -> None:
    """Revoke one key at once.  Arguments as `issue`; `id_of` gives a key's `key_id`.

    Raises:
        OpsError: the company has no such key, or as `issue`.
    """

    def change(before: tuple[str, ...]) -> tuple[tuple[str, ...], None]:
        left = tuple(key for key in before if id_of(key) != key_id)
        if left == before:
            raise OpsError("the company has no such key")
        return left, None

    _change(session, company_id, change, role)


def finish(session: Session, company_id: str, role: DeskRole | None = None) -> int:
    """Revoke all keys but the newest; return how many were revoked.  Arguments as `issue`.

    Raises:
        OpsError: the company has no key, the secret is not a JSON object, or others kept changing it.
    """

    def change(before: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        if not before:
            raise OpsError(f"company {company_id} has no API key")
        return before[:1], len(before) - 1

    return _change(session, company_id, change, role)


def _change(
    session: Session,
    company_id: str,
    change: Callable[[tuple[str, ...]], tuple[tuple[str, ...], Result]],
    role: DeskRole | None,
) -> Result:
    """Replace a company's Router keys, or its desk keys of one role; the rest of the secret stays."""

    def changed(entry: dict[str, Any]) -> tuple[dict[str, Any], Result]:
        before = _keys_of({company_id: entry}, company_id, role)
        keys, result = change(before)
        if keys == before:
            return entry, result
        if role is None:
            return {**entry, access.KEYS: list(keys)}, result
        desk = entry.get(access.DESK_KEYS)
        others = desk if isinstance(desk, dict) else {}
        return {**entry, access.DESK_KEYS: {**others, role.value: list(keys)}}, result

    return edit(session, company_id, changed)


def edit(
    session: Session,
    company_id: str,
    change: Callable[[dict[str, Any]], tuple[dict[str, Any], Result]],
) -> Result:
    """Replace one company's entry in the secret; other entries stay unchanged.

    Raises:
        OpsError: the secret is not a JSON object, or others keep changing it.
    """

    def changed(whole: dict[str, Any]) -> tuple[dict[str, Any], Result]:
        mine = whole.get(company_id)
        before = (
            mine if isinstance(mine, dict) else {access.KEYS: list(_keys_of(whole, company_id))}
        )
        after, result = change(before)
        return (whole if after == before else {**whole, company_id: after}), result

    return _stored(session).edit(changed)


def company_access(session: Session, company_id: str) -> access.Access:
    """A company's valid API keys, desk keys and signature keys, with the entry's faults.

    Raises:
        OpsError: the secret exists and is not a JSON object.
    """
    return access.parse_access(json.dumps(_read(session)[0])).get(company_id, access.Access())


def _keys_of(
    whole: Mapping[str, Any], company_id: str, role: DeskRole | None = None
) -> tuple[str, ...]:
    mine = access.parse_access(json.dumps(whole)).get(company_id, access.Access())
    if role is None:
        return mine.api_keys
    return tuple(key for key, its_role in mine.desk_keys if its_role == role)


def _read(session: Session) -> tuple[dict[str, Any], str | None]:
    return _stored(session).read()


def _stored(session: Session) -> StoredSecret:
    return StoredSecret(session, session.services.settings.router_keys_secret_id)
