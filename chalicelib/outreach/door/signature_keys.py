"""A company's keys for HTTP Message Signatures: their format, and which are valid now; pure.

The API-key secret holds them by `keyid`, beside the company's API keys::

    "signature_keys": {
      "k-1": {"algorithm": "hmac-sha256", "secret": "<32 bytes or more, in base64>",
              "until": "2026-12-24T00:00:00.000Z"},
      "k-2": {"algorithm": "ed25519", "public_key": "<32 bytes, in base64>",
              "from": "2026-12-01T00:00:00.000Z"}}

A key without ``from`` is valid at once, one without ``until`` never ends, so keys can overlap
during a rotation.  Each key has one algorithm: a request does not choose it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed

FIELD = "signature_keys"
MOST_KEYS = 8
"""The most keys of a company."""
SHORTEST_SECRET = 32
"""Bytes of a shared secret at least: as many as the hash has."""
PUBLIC_KEY_BYTES = 32
_FIELD_PRIME = 2**255 - 19
_CURVE_D = -121665 * pow(121666, -1, _FIELD_PRIME) % _FIELD_PRIME
"""The curve of ed25519: -x² + y² = 1 + d x² y², in the integers modulo that prime (RFC 8032, 5.1)."""
_KEY_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_FIELDS = {"algorithm", "secret", "public_key", "from", "until"}


class Algorithm(StrEnum):
    """How a key signs: with a secret that both sides share, or with a private key of the company."""

    HMAC_SHA256 = "hmac-sha256"
    ED25519 = "ed25519"


@dataclass(frozen=True, slots=True)
class SignatureKey:
    """One key of a company for HTTP Message Signatures.

    Attributes:
        material: the shared secret, or the public key.
        begins: when it becomes valid; None means it always was.
        ends: when it stops being valid; None means never.
    """

    key_id: str
    algorithm: Algorithm
    material: bytes = field(repr=False)
    begins: datetime | None = None
    ends: datetime | None = None

    def has_begun(self, now: datetime) -> bool:
        """Whether the key is valid now, or was before."""
        return self.begins is None or self.begins <= now

    def is_valid(self, now: datetime) -> bool:
        """Whether the key is valid now."""
        return self.has_begun(now) and (self.ends is None or now < self.ends)

    def verifies(self, signature: bytes, signed: bytes) -> bool:
        """Whether a signature over the given bytes was made with this key."""
        match self.algorithm:
            case Algorithm.HMAC_SHA256:
                wanted = hmac.new(self.material, signed, hashlib.sha256).digest()
                return hmac.compare_digest(wanted, signature)
            case Algorithm.ED25519:
                return _verifies_ed25519(self.material, signature, signed)


def parse(value: Any) -> tuple[SignatureKey, ...]:  # noqa: ANN401 - any JSON value
    """The keys for HTTP Message Signatures in a company's entry of the secret, from JSON.

    Raises:
        ValueError: names the first attribute that is wrong, and no value.
    """
    if not isinstance(value, dict) or not 1 <= len(value) <= MOST_KEYS:
        raise ValueError(f"{FIELD} is not an object of 1-{MOST_KEYS} keys")
    return tuple(_key(key_id, given) for key_id, given in value.items())


def _key(key_id: str, given: Any) -> SignatureKey:  # noqa: ANN401 - any JSON value
    if not _KEY_ID.fullmatch(key_id):
        raise ValueError(f"{FIELD} has an id that is not 1-64 of A-Za-z0-9._-")
    if not isinstance(given, dict) or not given.keys() <= _FIELDS:
        raise ValueError(f"{FIELD}.{key_id} is not an object of {', '.join(sorted(_FIELDS))}")
    if given.get("algorithm") not in list(Algorithm):
        raise ValueError(f"{FIELD}.{key_id}.algorithm is none of {', '.join(Algorithm)}")
    algorithm = Algorithm(given["algorithm"])
    is_shared = algorithm is Algorithm.HMAC_SHA256
    name, other = ("secret", "public_key") if is_shared else ("public_key", "secret")
    material = _bytes(given.get(name))
    usable = len(material) >= SHORTEST_SECRET if is_shared else len(material) == PUBLIC_KEY_BYTES
    if not usable or other in given:
        wanted = f"{SHORTEST_SECRET} or more" if is_shared else str(PUBLIC_KEY_BYTES)
        raise ValueError(f"{FIELD}.{key_id}.{name} is not {wanted} bytes in base64")
    if not (is_shared or _is_of_large_order(material)):
        raise ValueError(f"{FIELD}.{key_id}.{name} is no key of ed25519: anyone could sign for it")
    begins, ends = (_time(key_id, given, bound) for bound in ("from", "until"))
    return SignatureKey(key_id, algorithm, material, begins, ends)


def _time(key_id: str, given: Mapping[str, Any], name: str) -> datetime | None:
    value = given.get(name)
    moment = parsed(value) if isinstance(value, str) else None
    if moment is None and name in given:
        raise ValueError(f"{FIELD}.{key_id}.{name} is not ISO-8601")
    return moment


def _bytes(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        return b""


def _is_of_large_order(public_key: bytes) -> bool:
    """Whether a public key is a point of ed25519's curve, and none of the eight points of small order.

    For a point of small order, a signature of zeros would verify.  Such a point has y = 1 or -1 (x
    is 0), y = 0, or x² + y² = 0 (doubling it gives a point with y = 0).
    """
    y = int.from_bytes(public_key, "little") % 2**255  # the highest bit is x's sign
    squared = y * y % _FIELD_PRIME
    x_squared = (squared - 1) * pow(_CURVE_D * squared + 1, -1, _FIELD_PRIME) % _FIELD_PRIME
    is_point = y < _FIELD_PRIME and pow(x_squared, _FIELD_PRIME // 2, _FIELD_PRIME) == 1
    return is_point and y != 0 and (x_squared + squared) % _FIELD_PRIME != 0


def _verifies_ed25519(public_key: bytes, signature: bytes, signed: bytes) -> bool:
    # Loaded only for the companies that sign with ed25519.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True
