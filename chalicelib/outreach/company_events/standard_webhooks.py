"""Signatures of Standard Webhooks (https://www.standardwebhooks.com), sent and received; pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

SHORTEST_SECRET_BYTES = 24
"""Minimum length of a signing secret, decoded."""


def key(secret: str) -> bytes:
    """The signing key in a secret such as ``whsec_...``; empty for a malformed or short secret."""
    try:
        found = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return found if len(found) >= SHORTEST_SECRET_BYTES else b""


def signature(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """The Standard Webhooks signature of one message under one key, as ``v1,<base64>``."""
    signed = f"{message_id}.{timestamp}.".encode("utf-8", "surrogatepass") + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers(keys: Sequence[bytes], message_id: str, epoch: float, body: bytes) -> dict[str, str]:
    """The Standard Webhooks headers of a message: its id, the time, and one signature for each key.

    A receiver needs to know only one of the keys.
    """
    at = str(int(epoch))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": at,
        "webhook-signature": " ".join(
            signature(signing_key, message_id, at, body) for signing_key in keys
        ),
    }
