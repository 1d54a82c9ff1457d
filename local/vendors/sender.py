"""What simulated senders of webhooks share: one post, once, and what came back."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def post(url: str, body: bytes, headers: Mapping[str, str], *, waits_seconds: float) -> int | None:
    """Post JSON to an address on loopback; the status, or None where no answer came."""
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
