"""The Lambda function of the simulated vendors, behind its URL and a token.

A request to ``/<token>/<vendor>/<path>`` goes to that vendor in this container, also under
``/_sim``.  The container's memory holds the vendors' state, so the function has a concurrency of
one.
"""

from __future__ import annotations

import base64
import functools
import hmac
import http.client
import os
from typing import TYPE_CHECKING, Any

from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.twilio import SimulatedTwilio
from local.vendors.wire import HOST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.vendors.simulated import Vendor

VENDORS: Mapping[str, type[Vendor]] = {
    "richpanel": SimulatedRichpanel,
    "twilio": SimulatedTwilio,
    "powerbi": SimulatedPowerBi,
}
WAITS_SECONDS = 50


@functools.cache
def _running(name: str) -> Vendor:
    return VENDORS[name]()


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer a request to the function's URL, in Lambda's format 2.0."""
    token, _, rest = event["rawPath"].lstrip("/").partition("/")
    name, _, path = rest.partition("/")
    if not hmac.compare_digest(token, os.environ["VENDORS_TOKEN"]) or name not in VENDORS:
        return {"statusCode": 404}
    body = event.get("body") or ""
    raw = base64.b64decode(body) if event.get("isBase64Encoded") else body.encode()
    query = event.get("rawQueryString")
    connection = http.client.HTTPConnection(HOST, _running(name).port, timeout=WAITS_SECONDS)
    try:
        connection.request(
            event["requestContext"]["http"]["method"],
            f"/{path}" + (f"?{query}" if query else ""),
            raw or None,
            {k: v for k, v in event["headers"].items() if not k.startswith(_OF_THE_URL)},
        )
        answer = connection.getresponse()
        text = answer.read().decode()
    except (OSError, http.client.HTTPException):  # a simulated fault: the vendor does not answer
        return {"statusCode": 502}
    finally:
        connection.close()
    headers = {k: v for k, v in answer.getheaders() if k not in _OF_THE_SERVER}
    return {"statusCode": answer.status, "headers": headers, "body": text}


_OF_THE_URL = ("accept-encoding", "connection", "content-length", "host", "x-amz", "x-forwarded")
_OF_THE_SERVER = frozenset({"Connection", "Content-Length", "Date", "Server"})
