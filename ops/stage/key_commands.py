"""The commands of the keyring: `keys list` and `keys rotate`; neither shows a key."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from chalicelib.clock import iso
from chalicelib.errors import UnavailableError
from chalicelib.once.keyring import KeyPurpose, StageKey, parsed_keys, secret_id
from chalicelib.once.reasons import SECRET_MISSING
from ops.command import CommandRun, command
from ops.session import OpsError, Session
from ops.stage import lost_keys, rotation
from ops.stage.rotation import RotationError

keys_app = typer.Typer(help="The stage's own keys.", no_args_is_help=True)

PurposeArgument = Annotated[
    KeyPurpose,
    typer.Argument(
        help=f"One of: {', '.join(KeyPurpose)}.",
        autocompletion=lambda: [str(purpose) for purpose in KeyPurpose],
    ),
]


@command(keys_app, "keys list", examples=["keys list"])
def keys_list(run: CommandRun) -> object:
    """Show the keys of each purpose: since when they sign and until when they verify, never a value."""
    now = run.session.services.clock.now()
    found = [
        {
            "purpose": purpose.value,
            "key": number,
            "signs_from": iso(key.begins),
            "age_days": max(0, (now - key.begins).days),
            "verifies_until": key.ends and iso(key.ends),
            "state": _state(purpose, keys, key, now),
        }
        for purpose in KeyPurpose
        for keys in (_keys(run.session, purpose)[1],)
        for number, key in enumerate(keys, start=1)
    ]
    run.output.table(tuple(found[0]) if found else (), [tuple(row.values()) for row in found])
    return found


@command(
    keys_app,
    "keys rotate",
    changes=True,
    dry_run=True,
    asks="Give {purpose} on {stage} a new key?",
    examples=["keys rotate unsubscribe --stage prod", "keys rotate <purpose>"],
)
def keys_rotate(
    run: CommandRun,
    purpose: PurposeArgument,
    *,
    compromised: Annotated[
        bool,
        typer.Option(
            "--compromised",
            help="Others may know the key: the former ones end within a quarter of an hour.",
        ),
    ] = False,
    accept_loss: Annotated[
        bool,
        typer.Option(
            "--accept-loss",
            help="For ids, if their key is lost: effects may be repeated, and no STOP is known.",
        ),
    ] = False,
) -> object:
    """Give a purpose a new key; what the former key signed stays valid as long as it may live.

    The new one signs once every container has read it. A purpose without a key gets its first.
    """
    session, now = run.session, run.session.services.clock.now()
    text, found = _keys(session, purpose)
    if purpose == KeyPurpose.IDS and not found:
        lost_keys.refuse_new_ids(session, is_loss_accepted=accept_loss)
    try:
        changed = (
            rotation.rotated(text, found, purpose, now, is_known=compromised)
            if found
            else rotation.first(now)
        )
    except RotationError as error:
        raise OpsError(str(error)) from None
    keys = parsed_keys(changed, session.stage, purpose)
    facts: dict[str, Any] = {
        "purpose": purpose.value,
        "signs_from": iso(keys[0].begins),
        "former_verify_until": max((iso(key.ends) for key in keys[1:] if key.ends), default=None),
    }
    if run.dry_run:
        return run.output.facts({"would_rotate": True, **facts})
    run.confirm(facts)
    run.enter(f"secret:keys/{purpose.value}", **facts)
    _store(session, purpose, changed, is_first=not found)
    return run.output.facts({"rotated": True, **facts})


def _keys(session: Session, purpose: KeyPurpose) -> tuple[str, list[StageKey]]:
    """The secret's text and keys; both empty if there is no such secret.

    Raises:
        OpsError: the secret was deleted or cannot be read, or holds something else that a rotation
            would lose.
    """
    name = secret_id(session.stage, purpose)
    try:
        text = session.services.secrets.text(name, refresh=True)
    except UnavailableError as error:
        lost_keys.refuse_deleted(session, name)
        if error.code != SECRET_MISSING:
            raise OpsError(f"secret {name} cannot be read: {error.code}") from None
        return "", []
    try:
        return text, parsed_keys(text, session.stage, purpose)
    except UnavailableError:
        raise OpsError(f"secret {name} holds no keys: repair it first") from None


def _store(session: Session, purpose: KeyPurpose, text: str, *, is_first: bool) -> None:
    client, name = session.client("secretsmanager"), secret_id(session.stage, purpose)
    if is_first:  # fails if another operator has made one meanwhile
        client.create_secret(Name=name, SecretString=text)
    else:
        client.put_secret_value(SecretId=name, SecretString=text)


def _state(purpose: KeyPurpose, keys: list[StageKey], key: StageKey, now: datetime) -> str:
    if key.ends is not None and key.ends <= now:
        return "ended"
    if key.begins > now:
        return "not yet"
    newest = max((other for other in keys if other.begins <= now), key=lambda other: other.begins)
    signs = "names" if purpose == KeyPurpose.IDS else "signs"
    return signs if key is newest else "verifies"
