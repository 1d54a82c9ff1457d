"""Code shared by the simulated senders of webhooks: one post, without retries."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def post(url: str, body: bytes, headers: Mapping[str, str], *, waits_seconds: float) -> int | None:
    """Post JSON to an address on loopback; returns the status, None if no response arrived."""
    request = urllib.request.Request(  # noqa: S310 - loopback only
        url, data=body, headers={"Content-Type": "application/json", **headers}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=waits_seconds) as answer:  # noqa: S310
            status: int = answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except (urllib.error.URLError, OSError):
        return None
    return status
