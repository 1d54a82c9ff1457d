"""The stage's keyring: one key for each purpose: a reader of one can forge nothing under another.

A purpose's keys are one secret, ``rp-mw/<stage>/keys/<purpose>``, newest first::

    {"keys": [{"key": "9f0c... 64 hex", "from": "2026-11-20T09:06:00.000Z", "until": null},
              {"key": "51ab... 64 hex", "from": "2026-05-02T10:00:00.000Z", "until": "2026-12-20T..."}]}

The newest key whose time has come signs; each key verifies until its end.  A new key begins to sign
when every container has read it, so that each of them verifies what it signs.  Keys in use are derived
from the stored ones for stage and purpose: a secret that is copied elsewhere proves nothing there.

The key of the ids signs nothing and has no successor: it names actions and the register's rows.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.errors import UnavailableError
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock, SecretsPort
from chalicelib.once.reasons import KEY_MISSING

KEY_HEX = 64


class KeyPurpose(StrEnum):
    """The purposes for which a stage has keys of its own."""

    IDS = "ids"
    """Makes the keyed ids in names of actions, FIFO groups and rows of the register."""
    JOBS = "jobs"
    """Seals the jobs that the stage puts on its queues."""
    UNSUBSCRIBE = "unsubscribe"
    """Signs the link in an e-mail that leads to the recipient's own page."""
    TOOL_RESULTS = "tool_results"
    """Signs the token with which a company gives back what a tool has done."""
    SHARE = "share"
    """Signs the console's links that show one event's story."""


VERIFIES_FOR: Mapping[KeyPurpose, timedelta] = {
    KeyPurpose.JOBS: timedelta(days=30),
    KeyPurpose.UNSUBSCRIBE: timedelta(days=730),
    KeyPurpose.TOOL_RESULTS: timedelta(days=30),
    KeyPurpose.SHARE: timedelta(days=7),
}
"""How long a key of each purpose verifies after its successor has begun to sign: the longest life
of what it signed. A message waits 14 days on its queue and 14 as a dead letter, a stored job of a
start 30. A tool's result is asked for within days. A link in an e-mail has no end of its own: a
reader has two years."""


@dataclass(frozen=True, slots=True)
class StageKey:
    """One secret key of a stage for one purpose, and when it is valid.

    Attributes:
        key: as it is used, derived for stage and purpose.
        begins: when it begins to sign.
        ends: when it stops verifying; None for the newest.
    """

    key: bytes = field(repr=False)
    begins: datetime
    ends: datetime | None


class PurposeKeys:
    """The keys of one purpose: the newest valid one signs, and each one verifies until it ends."""

    def __init__(self, keys: Iterable[StageKey], clock: Clock) -> None:
        self._keys = sorted(keys, key=lambda key: key.begins, reverse=True)
        self._clock = clock

    def sign(self, *parts: str) -> str:
        """The signature of some texts by the newest key whose time has come: 32 hex characters.

        Raises:
            UnavailableError: no key's time has come.
        """
        now = self._clock.now()
        for key in self._valid(now):
            if key.begins <= now:
                return OpaqueIds(key.key).of(*parts)
        raise UnavailableError(KEY_MISSING)

    def verifies(self, given: str, *parts: str) -> bool:
        """Whether one of the keys that have not ended made this signature of these texts."""
        signed = given.encode("utf-8", "replace")
        matches = [
            hmac.compare_digest(signed, OpaqueIds(key.key).of(*parts).encode())
            for key in self._valid(self._clock.now())
        ]
        return any(matches)

    @property
    def ids(self) -> OpaqueIds:
        """Makes keyed hashes under the oldest key of the purpose, so a later key changes no hash.

        Raises:
            UnavailableError: the purpose has no key.
        """
        if not self._keys:
            raise UnavailableError(KEY_MISSING)
        return OpaqueIds(self._keys[-1].key)

    def _valid(self, now: datetime) -> list[StageKey]:
        return [key for key in self._keys if key.ends is None or now < key.ends]


class Keyring:
    """The keys of a stage, by purpose; those of a purpose are read when they are first used."""

    def __init__(self, *, stage: str, secrets: SecretsPort, clock: Clock) -> None:
        self._stage = stage
        self._secrets = secrets
        self._clock = clock
        self._read: dict[KeyPurpose, tuple[str, PurposeKeys]] = {}

    def of(self, purpose: KeyPurpose) -> PurposeKeys:
        """The keys of one purpose.

        Raises:
            UnavailableError: they cannot be read, or there are none.
        """
        text = self._secrets.text(secret_id(self._stage, purpose))
        known = self._read.get(purpose)
        if known is None or known[0] != text:
            keys = parsed_keys(text, self._stage, purpose)
            known = self._read[purpose] = text, PurposeKeys(keys, self._clock)
        return known[1]

    def fetch(self, *purposes: KeyPurpose) -> None:
        """Read the keys of these purposes into the cache with one call; keys that fail are read when used."""
        self._secrets.fetch([secret_id(self._stage, purpose) for purpose in purposes])


def secret_id(stage: str, purpose: KeyPurpose) -> str:
    """The name of the secret that holds a purpose's keys."""
    return f"rp-mw/{stage}/keys/{purpose.value}"


def parsed_keys(text: str, stage: str, purpose: KeyPurpose) -> list[StageKey]:
    """The keys of a purpose in a secret's text, in the order of the text.

    Raises:
        UnavailableError: there is none, or one is not in the form that this module describes.
    """
    try:
        raw: list[Mapping[str, Any]] = json.loads(text)["keys"]
        found = [_key(row, stage, purpose) for row in raw]
    except (ValueError, KeyError, TypeError):
        found = []
    if not found:
        raise UnavailableError(KEY_MISSING)
    return found


def _key(raw: Mapping[str, Any], stage: str, purpose: KeyPurpose) -> StageKey:
    root = bytes.fromhex(raw["key"])
    begins, until = parsed(raw["from"]), raw["until"]
    ends = None if until is None else parsed(until)
    if len(raw["key"]) != KEY_HEX or begins is None or (until is not None and ends is None):
        raise ValueError
    # One block of HKDF-Expand (RFC 5869): the stored key is uniform, so it needs no extraction.
    info = f"rp-mw/{stage}/{purpose.value}".encode() + b"\x01"
    return StageKey(hmac.digest(root, info, hashlib.sha256), begins, ends)
