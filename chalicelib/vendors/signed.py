"""Sends a request that an SDK has built and signed, under the watch of the call.

An SDK's own transport limits each read and not the call, and its exceptions do not show whether the
request was sent.  Its hook before sending calls `send` instead, within `deadline.Watch.watching`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from chalicelib.vendors import deadline

CONNECT_TIMEOUT_SECONDS = 3.0
MAX_ANSWER_BYTES = 1024 * 1024
_CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """A whole HTTP response, in the shape in which botocore reads one."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    def stream(self) -> Iterator[bytes]:
        """The response's body as a single piece."""
        yield self.body


def send(method: str, url: str, headers: Mapping[str, str], body: bytes) -> WholeResponse:
    """Send a signed request over a fresh connection: a stale one would leave the outcome unknown.

    Raises:
        Exception: no whole response came in time or within the size limit; the call's `Watch` knows
            whether the request was sent.
    """
    timeout = deadline.seconds_left()
    with (
        deadline.session() as session,
        session.request(
            method,
            url,
            headers={**headers, "connection": "close"},
            data=body,
            timeout=(min(CONNECT_TIMEOUT_SECONDS, timeout), timeout),
            allow_redirects=False,
            stream=True,
        ) as response,
    ):
        received = bytearray()
        for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=True):
            received += chunk
            if len(received) > MAX_ANSWER_BYTES:
                raise ValueError("answer_too_large")
        return WholeResponse(response.status_code, dict(response.headers), bytes(received))
