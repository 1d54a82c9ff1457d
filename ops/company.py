"""A company's settings and keys: its `company-data` items, the secrets they name, its API keys."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chalicelib.conversations.records import Record
from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.sources import router
from ops import company_item
from ops.company_item import CompanyItem
from ops.session import EXIT_UNUSABLE, OpsError, Session

KEY_BYTES = 32
ACTIVE_KEYS = 2
"""The new one and the one before it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a look at an item, or at a secret, came to.

    Attributes:
        subject: ``item``, ``api_keys``, or a secret's name.
        result: ``ok``, ``warn`` or ``fail``.
    """

    subject: str
    result: str
    detail: str = ""


def read(path: Path) -> dict[str, Any]:
    """An item from a JSON file.

    Raises:
        OpsError: it cannot be read, or is no JSON object.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise OpsError(f"{path} cannot be read: {error.strerror}", code=EXIT_UNUSABLE) from None
    except (ValueError, RecursionError):
        raise OpsError(f"{path} is not JSON") from None
    if not isinstance(raw, dict):
        raise OpsError(f"{path} is not a JSON object")
    return raw


def put(session: Session, item: dict[str, Any]) -> str:
    """Store a valid item in place of the one of its key; gives ``created`` or ``replaced``.

    Raises:
        OpsError: the item is not valid; nothing was stored.
    """
    found = company_item.faults(item)
    if found:
        raise OpsError("not stored: " + "; ".join(found))
    table = session.services.table(session.services.settings.company_data_table)
    key = {name: item[name] for name in ("company_id", "project_id")}
    before = table.get(key)
    table.put(item)
    return "replaced" if before else "created"


def items(session: Session, company_id: str, project_id: str | None) -> list[dict[str, Any]]:
    """A company's items as stored.

    Raises:
        OpsError: there are none.
    """
    table = session.services.table(session.services.settings.company_data_table)
    found = [
        item
        for item in table.query_pages(
            KeyConditionExpression="company_id = :c", values={"c": company_id}
        )
        if project_id in (None, item["project_id"])
    ]
    if not found:
        project = f" with project {project_id}" if project_id else ""
        raise OpsError(f"no such company: {company_id}{project}")
    return found


def check(session: Session, item: dict[str, Any]) -> list[Finding]:
    """What is wrong or missing: in the item, in the secrets it names, in the company's keys."""
    found = [Finding("item", "fail", one) for one in company_item.faults(item)]
    unknown = company_item.unknown_names(item)
    if unknown:
        found.append(Finding("item", "warn", f"not read by the machine: {', '.join(unknown)}"))
    if item.get("project_status") != "active":
        found.append(Finding("item", "warn", "project_status is not active: starts are refused"))
    if not any(one.result == "fail" for one in found):
        valid = CompanyItem.model_validate(item)
        found.append(Finding("item", "ok"))
        found += [
            _secret(session, item, name, [channel.value for channel in channels])
            for name, channels in company_item.secrets_of(valid).items()
        ]
    found.append(_keys(session, str(item.get("company_id"))))
    return found


def issue(session: Session, company_id: str) -> tuple[str, int]:
    """Put a new key before the newest there is; older ones end.  Gives the key, and how many are active.

    Raises:
        OpsError: there is no such company, or the secret is not what it must be.
    """
    items(session, company_id, None)
    kept = _read_keys(session)
    before = router.access(json.dumps(kept)).get(company_id, router.Access()).api_keys
    key = secrets.token_urlsafe(KEY_BYTES)
    active = [key, *before][:ACTIVE_KEYS]
    _write_keys(session, kept, company_id, active)
    return key, len(active)


def finish(session: Session, company_id: str) -> int:
    """End the old keys; gives how many ended.

    Raises:
        OpsError: the company has no key, or the secret is not what it must be.
    """
    kept = _read_keys(session)
    before = router.access(json.dumps(kept)).get(company_id, router.Access()).api_keys
    if not before:
        raise OpsError(f"no such company among the keys: {company_id}")
    if len(before) > 1:
        _write_keys(session, kept, company_id, [before[0]])
    return len(before) - 1


def _secret(session: Session, item: dict[str, Any], name: str, channels: list[str]) -> Finding:
    """A secret as the worker will find it."""
    try:
        if not session.services.secrets.text(name).strip():
            return Finding(name, "fail", "empty")
        for channel in channels:
            config = item["channel_config"][channel]
            record = Record({"channel_method": channel, "channel_config": config})
            session.services.sender.check(record)
    except UnavailableError as error:
        return Finding(name, "fail", error.code)
    except PermanentError as error:
        return Finding(name, "fail", error.reason)
    return Finding(name, "ok", ", ".join(channels))


def _keys(session: Session, company_id: str) -> Finding:
    known = router.access(json.dumps(_read_keys(session))).get(company_id, router.Access())
    count = len(known.api_keys)
    if not count:
        return Finding("api_keys", "fail", f"none; python -m ops company key {company_id}")
    return Finding("api_keys", "ok", f"{count} active")


def _read_keys(session: Session) -> dict[str, Any]:
    """The router's secret; empty where there is none yet.

    Raises:
        OpsError: it is there and is not a JSON object: writing would lose the other companies'.
        UnavailableError: it cannot be read.
    """
    name = session.services.settings.router_keys_secret_id
    try:
        raw = json.loads(session.services.secrets.text(name, refresh=True))
    except UnavailableError as error:
        if error.code == "secret_missing":
            return {}
        raise
    except ValueError:
        raw = None
    if not isinstance(raw, dict):
        raise OpsError(f"secret {name} is not a JSON object: mend it first, it was left as it is")
    return raw


def _write_keys(session: Session, kept: dict[str, Any], company_id: str, active: list[str]) -> None:
    """Every other company's value stays as it is, and so do this one's signing secrets."""
    mine = kept.get(company_id)
    rest = mine if isinstance(mine, dict) else {}
    text = json.dumps({**kept, company_id: {**rest, "api_keys": active}})
    client = session.client("secretsmanager")
    name = session.services.settings.router_keys_secret_id
    try:
        client.put_secret_value(SecretId=name, SecretString=text)
    except client.exceptions.ResourceNotFoundException:
        client.create_secret(Name=name, SecretString=text)


def _no_number(_text: str) -> None:
    raise ValueError("not a number of JSON")
