"""The Router's API keys: a company's keys issued and ended in the one secret of all companies.

Two operators may do so at once.  A new version of the secret is stored beside the current one and
becomes current only if the one it was made from still is; otherwise it is made anew
(https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecretVersionStage.html).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from chalicelib.outreach.door import access
from ops.session import OpsError, Session

KEY_BYTES = 32
ACTIVE_KEYS = 2
"""The new one and the one before it."""
TRIES = 10
CURRENT = "AWSCURRENT"
_MOVED = frozenset({"InvalidParameterException", "InvalidRequestException"})
Result = TypeVar("Result")


def active(session: Session, company_id: str) -> tuple[str, ...]:
    """A company's keys, newest first.

    Raises:
        OpsError: the secret is there and is not a JSON object.
    """
    return _keys_of(_read(session)[0], company_id)


def issue(session: Session, company_id: str) -> tuple[str, int]:
    """Put a new key before the newest there is; older ones end.  Gives the key, and how many are active.

    Raises:
        OpsError: the secret is not what it must be.
    """
    key = secrets.token_urlsafe(KEY_BYTES)

    def change(before: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        keys = (key, *before)[:ACTIVE_KEYS]
        return keys, len(keys)

    return key, _change(session, company_id, change)


def finish(session: Session, company_id: str) -> int:
    """End the old keys; gives how many ended.

    Raises:
        OpsError: the company has no key, or the secret is not what it must be.
    """

    def change(before: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        if not before:
            raise OpsError(f"no such company among the keys: {company_id}")
        return before[:1], len(before) - 1

    return _change(session, company_id, change)


def _change(
    session: Session,
    company_id: str,
    change: Callable[[tuple[str, ...]], tuple[tuple[str, ...], Result]],
) -> Result:
    """Every other company's value stays as it is, and so do this one's signing secrets."""
    for _ in range(TRIES):
        whole, version = _read(session)
        before = _keys_of(whole, company_id)
        keys, result = change(before)
        if keys == before:
            return result
        mine = whole.get(company_id)
        rest = mine if isinstance(mine, dict) else {}
        text = json.dumps({**whole, company_id: {**rest, "api_keys": list(keys)}})
        if _replace(session, text, version):
            return result
    raise OpsError("somebody else writes the keys at the same time, again and again: run it again")


def _keys_of(whole: Mapping[str, Any], company_id: str) -> tuple[str, ...]:
    return access.access(json.dumps(whole)).get(company_id, access.Access()).api_keys


def _read(session: Session) -> tuple[dict[str, Any], str | None]:
    """The secret and its version; empty and None where there is none yet.

    Raises:
        OpsError: it is there and is not a JSON object: writing would lose the other companies'.
    """
    name = session.services.settings.router_keys_secret_id
    client = session.client("secretsmanager")
    try:
        found = client.get_secret_value(SecretId=name)
    except client.exceptions.ResourceNotFoundException:
        return {}, None
    try:
        raw = json.loads(found["SecretString"])
    except (KeyError, ValueError):
        raw = None
    if not isinstance(raw, dict):
        raise OpsError(f"secret {name} is not a JSON object: mend it first, it was left as it is")
    return raw, str(found["VersionId"])


def _replace(session: Session, text: str, version: str | None) -> bool:
    """Make a text the secret's current one; False when another version has become so meanwhile."""
    name = session.services.settings.router_keys_secret_id
    client = session.client("secretsmanager")
    if version is None:
        try:
            client.create_secret(Name=name, SecretString=text)
        except client.exceptions.ResourceExistsException:
            return False
        return True
    label = f"proposed-{secrets.token_hex(8)}"
    proposed = client.put_secret_value(SecretId=name, SecretString=text, VersionStages=[label])
    made = str(proposed["VersionId"])
    try:
        client.update_secret_version_stage(
            SecretId=name, VersionStage=CURRENT, MoveToVersionId=made, RemoveFromVersionId=version
        )
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") not in _MOVED:
            raise
        return False
    finally:  # a version without a label is deleted by AWS
        client.update_secret_version_stage(
            SecretId=name, VersionStage=label, RemoveFromVersionId=made
        )
    return True
