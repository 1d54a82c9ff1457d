"""Inbound, one sender a file: verify who posted, parse what was posted; no I/O.

The Channel Router has two: who asks, and what is asked.
A source never imports another.  `verify` raises `SignatureError`, `parse` raises `PayloadError`
or `TooLargeError`; both name fields and never values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class InboundRequest:
    """An HTTP request as a source sees it.

    Attributes:
        headers: names in lower case.
        body: the bytes as they came, base64 of the gateway already undone.
        received_at: ISO time of receipt.
        delivery_id: unique per request; the only part of a thin notification's key that is ours.
    """

    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    received_at: str
    delivery_id: str
