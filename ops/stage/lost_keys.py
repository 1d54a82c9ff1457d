"""Refuses a new key for keyed ids while the old key can be restored, or rows depend on it.

With another key the service would repeat effects, and no longer know who must not be contacted.
"""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from chalicelib.errors import ProviderError
from chalicelib.once.keyring import KeyPurpose, secret_id
from ops.session import OpsError, Session
from ops.unreachable import ABSENT


def restoring(client: Any, name: str) -> str:  # noqa: ANN401 - a boto3 client
    """The command that restores a secret that is scheduled for deletion; empty if it is not.

    https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html
    """
    try:
        if "/keys/" in name:  # a person may describe every key, but not read all
            is_deleted = "DeletedDate" in client.describe_secret(SecretId=name)
        else:
            is_deleted = not client.get_secret_value(SecretId=name)
    except ClientError as error:
        is_deleted = error.response["Error"]["Code"] == "InvalidRequestException"
    return restore(name) if is_deleted else ""


def restore(name: str) -> str:
    """The command that restores a secret."""
    return f"aws secretsmanager restore-secret --secret-id {name}"


def refuse_deleted(session: Session, name: str) -> None:
    """Refuse to write a secret that is scheduled for deletion.

    Raises:
        OpsError: the secret is; gives the command that restores it.
    """
    command = restoring(session.client("secretsmanager"), name)
    if command:
        raise OpsError(f"secret {name} waits for its deletion; restore it first: {command}")


def refuse_new_ids(session: Session, *, is_loss_accepted: bool = False) -> None:
    """Refuse a first key for keyed ids on a stage whose ledger or register has rows.

    Raises:
        OpsError: there are rows and the loss is not accepted; says what that means and both ways
            out.
    """
    name = secret_id(session.stage, KeyPurpose.IDS)
    refuse_deleted(session, name)
    if is_loss_accepted or not _has_rows(session):
        return
    raise OpsError(
        f"secret {name} is gone, and the stage has rows that its key names: with another key what"
        " was done would be done again, and no STOP would be known. A deleted secret can be"
        f" restored for 30 days: {restore(name)}; to accept"
        f" the loss: python -m ops keys rotate ids --accept-loss --stage {session.stage}"
    )


def _has_rows(session: Session) -> bool:
    settings = session.services.settings
    for name in (settings.idempotency_table, settings.conversations_table):
        try:
            page, _ = session.services.table(name).scan_page(limit=1)
        except ProviderError as error:
            if error.reason not in ABSENT:
                raise
            continue
        if page:
            return True
    return False
