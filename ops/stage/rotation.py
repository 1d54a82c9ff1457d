"""Makes the text of a purpose's secret (`once.keyring`): with its first key, or after a rotation."""

from __future__ import annotations

import json
import secrets
from datetime import datetime, timedelta

from chalicelib.aws.secrets import CACHE_SECONDS
from chalicelib.clock import iso
from chalicelib.once.keyring import KEY_HEX, VERIFIES_FOR, KeyPurpose, StageKey

SPREADS_IN = timedelta(seconds=CACHE_SECONDS + 60)
"""The time until every container has read a new key, which then begins to sign."""
ENDS_IN = SPREADS_IN + timedelta(minutes=9)
"""The time until a compromised key stops verifying; what it signed last is processed by then."""


class RotationError(Exception):
    """The keys cannot be rotated now; the message is for the operator."""


def first(now: datetime) -> str:
    """The secret's text with a purpose's first key, which signs at once."""
    return _text([_new(now)])


def rotated(
    text: str, found: list[StageKey], purpose: KeyPurpose, now: datetime, *, is_known: bool
) -> str:
    """The secret's text after a rotation: a new key, and the former keys until they end.

    Args:
        text: the secret's text, newest key first.
        found: the same keys, parsed.
        purpose: what the keys are for.
        now: the time.
        is_known: others may know the former keys, so that these end within `ENDS_IN`.

    Raises:
        RotationError: the key has no successor, or the newest does not sign yet.
    """
    if purpose not in VERIFIES_FOR:
        raise RotationError(
            f"the key of {purpose} names actions and the register's rows: it is never rotated"
        )
    if found[0].begins > now and not is_known:
        raise RotationError(f"the newest key begins to sign at {iso(found[0].begins)}: wait")
    begins = now + SPREADS_IN
    latest = now + ENDS_IN if is_known else begins + VERIFIES_FOR[purpose]
    kept = [
        {**raw, "until": iso(min(key.ends or latest, latest))}
        for raw, key in zip(json.loads(text)["keys"], found, strict=True)
        if key.ends is None or key.ends > now
    ]
    return _text([_new(begins), *kept])


def _new(begins: datetime) -> dict[str, str | None]:
    return {"key": secrets.token_hex(KEY_HEX // 2), "from": iso(begins), "until": None}


def _text(keys: list[dict[str, str | None]]) -> str:
    return json.dumps({"keys": keys})
