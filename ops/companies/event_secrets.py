"""The secrets that sign a company's events: rotated without a gap, because two valid ones both sign."""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import UnavailableError
from chalicelib.outreach.company_events.endpoint import secret_id, signing_secrets
from ops import journal
from ops.companies.stored_secret import StoredSecret
from ops.session import OpsError, Session

MOST = 2
"""The most valid secrets: the newest, and the previous one until the company's consumer has the newest."""
BYTES = 32
FIELD = "signing_secrets"


@dataclass(frozen=True, slots=True)
class EventSecrets:
    """The state of a company's signing secrets, without their values.

    Attributes:
        valid: the number of secrets that sign.
        fault: a fixed code for why none is usable; empty otherwise.
    """

    valid: int
    fault: str = ""


def state(session: Session, company_id: str) -> EventSecrets:
    """Read how many secrets sign a company's events, or why none does."""
    name = secret_id(session.stage, company_id)
    try:
        found = session.services.secrets.text(name, refresh=True)
        return EventSecrets(len(signing_secrets(found)))
    except UnavailableError as error:
        return EventSecrets(0, error.code)


def rotate(session: Session, company_id: str, *, because: str = "", once: str = "") -> str:
    """Add a new secret beside the current one and return it, this once.

    Raises:
        OpsError: two secrets are valid already, or the stored value is not a list of secrets;
            nothing was changed.
        OvertakenError: the form was sent before.
    """
    stored, made = _stored(session, company_id), _made()
    _refuse_third(_listed(stored.read()[0]))
    _enter(session, company_id, "rotate", because, once)

    def change(whole: dict[str, Any]) -> tuple[dict[str, Any], None]:
        before = _listed(whole)
        _refuse_third(before)
        return {**whole, FIELD: [made, *before]}, None

    stored.edit(change)
    return made


def finish(session: Session, company_id: str, *, because: str = "", once: str = "") -> int:
    """Delete every secret but the newest; return how many were deleted.

    Raises:
        OpsError: the company has no secret.
        OvertakenError: the form was sent before.
    """
    stored = _stored(session, company_id)
    if not _listed(stored.read()[0]):
        raise OpsError(f"company {company_id} has no secret for its events")
    _enter(session, company_id, "finish", because, once)

    def change(whole: dict[str, Any]) -> tuple[dict[str, Any], int]:
        before = _listed(whole)
        return {**whole, FIELD: before[:1]}, max(len(before) - 1, 0)

    return stored.edit(change)


def _refuse_third(listed: list[str]) -> None:
    if len(listed) >= MOST:
        raise OpsError("two secrets sign already: end the older one first; nothing was changed")


def _enter(session: Session, company_id: str, asked: str, because: str, once: str) -> None:
    key = f"company:{company_id}"
    journal.enter(session, "company event-secret", key, reason=because, once=once, asked=asked)


def _listed(whole: dict[str, Any]) -> list[str]:
    listed = whole.get(FIELD, [])
    try:
        if listed:
            signing_secrets(json.dumps(whole))
    except UnavailableError:
        raise OpsError(f"{FIELD} is not a list of secrets: repair it first") from None
    return [str(secret) for secret in listed]


def _stored(session: Session, company_id: str) -> StoredSecret:
    return StoredSecret(session, secret_id(session.stage, company_id))


def _made() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(BYTES)).decode()
