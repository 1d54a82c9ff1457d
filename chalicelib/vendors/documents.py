"""Reads a JSON object at an address that a company has chosen, under the rules of `posting`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chalicelib.errors import TransientError
from chalicelib.vendors import deadline, reasons
from chalicelib.vendors.posting import CONNECT_TIMEOUT_SECONDS, CheckedHosts

DEADLINE_SECONDS = 5.0
MOST_BYTES = 64 * 1024
_PROVIDER, _OPERATION, _OK = "document", "get", 200


def document(address: str, *, allows_loopback: bool = False) -> Mapping[str, Any]:
    """Read the JSON object at an address that a company has chosen.

    Args:
        address: of a public host.
        allows_loopback: this machine may be reached too, but no other address that is not public.

    Raises:
        TransientError: no JSON object came: no response, a status other than 200, another body.
    """
    watch = deadline.Watch(DEADLINE_SECONDS)
    checked = CheckedHosts(allows_loopback)
    headers = {"accept": "application/json", "user-agent": "rp-mw", "connection": "close"}
    try:
        with (
            watch.watching(),
            deadline.session(resolve=checked) as session,
            session.request(
                "GET",
                address,
                headers=headers,
                timeout=(CONNECT_TIMEOUT_SECONDS, DEADLINE_SECONDS),
                allow_redirects=False,
                stream=True,
            ) as response,
        ):
            body = response.raw.read(MOST_BYTES + 1, decode_content=True)
            status = response.status_code
    except deadline.BROKEN_ERRORS:
        reason = reasons.ADDRESS_NOT_PUBLIC if checked.refused else reasons.CONNECT_FAILED
        raise TransientError(_PROVIDER, _OPERATION, reason=reason) from None
    try:
        found = json.loads(body) if status == _OK and len(body) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise TransientError(_PROVIDER, _OPERATION, reason=reasons.CONNECTION_BROKEN)
    return found
