"""Posts to an address that a company has chosen: https, a public host, no redirect.

The name is resolved here and every address it has must be public; the connection is then made to an
address that was checked, so that no second look-up can name another one.  A response's body is not
read beyond its first bytes.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from chalicelib.errors import TransientError
from chalicelib.vendors import deadline, reasons
from chalicelib.vendors.http_answers import retry_after_seconds

CONNECT_TIMEOUT_SECONDS = 3.0
_READ_BYTES = 1024
_PROVIDER, _OPERATION = "webhook", "post"
_TRANSLATED = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
)
"""Networks of IPv6 addresses that contain an IPv4 address, which may be any (NAT64, 6to4, Teredo)."""


@dataclass(frozen=True, slots=True)
class SignedPost:
    """One signed request to a company's endpoint, ready to be sent."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    deadline_seconds: float


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """The status of a company's endpoint, and how long it asks us to wait.

    Attributes:
        retry_after: seconds that the response asks us to wait; None where it asks for none.
    """

    status: int
    retry_after: float | None = None


class NotPublicError(OSError):
    """A host has an address that is not public, so nothing was sent to it."""


def post(signed: SignedPost, *, allows_loopback: bool = False) -> PostAnswer:
    """Send one signed request to a company's endpoint and return the answer, whatever its status.

    Args:
        signed: the request.
        allows_loopback: this machine may be reached too, but no other address that is not public.

    Raises:
        TransientError: no answer came, with the reason: ``address_not_public``, ``connect_failed``,
            ``timeout`` or ``connection_broken``.
    """
    watch = deadline.Watch(signed.deadline_seconds)
    checked = CheckedHosts(allows_loopback)
    timeout = max(signed.deadline_seconds, 0.001)
    headers = {
        "content-type": "application/json",
        "user-agent": "rp-mw",
        **signed.headers,
        "connection": "close",
    }
    try:
        with (
            watch.watching(),
            deadline.session(resolve=checked) as session,
            session.request(
                "POST",
                signed.url,
                headers=headers,
                data=signed.body,
                timeout=(min(CONNECT_TIMEOUT_SECONDS, timeout), timeout),
                allow_redirects=False,
                stream=True,
            ) as response,
        ):
            response.raw.read(_READ_BYTES)
            asked = retry_after_seconds(response.headers.get("retry-after"), datetime.now(UTC))
            receipt = PostAnswer(response.status_code, asked)
    except deadline.BROKEN_ERRORS:
        reason = reasons.CONNECTION_BROKEN if watch.was_sent else reasons.CONNECT_FAILED
        if checked.refused:
            reason = reasons.ADDRESS_NOT_PUBLIC
        elif watch.is_over:
            reason = reasons.TIMEOUT
        raise TransientError(_PROVIDER, _OPERATION, reason=reason) from None
    if watch.is_over:
        raise TransientError(_PROVIDER, _OPERATION, reason=reasons.TIMEOUT)
    return receipt


class CheckedHosts:
    """Resolves a host to one of its addresses if all of them are public, or this machine where allowed.

    `refused` says afterwards whether one was not.
    """

    def __init__(self, allows_loopback: bool) -> None:  # noqa: FBT001 - its only argument
        self._allows_loopback = allows_loopback
        self.refused = False

    def __call__(self, host: str, port: int) -> str:
        """An address of the host to connect to.

        Raises:
            NotPublicError: one of the host's addresses is not public.
            OSError: it has none.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(info[4][0]) for info in found]
        if not all(self._may_be_reached(address) for address in addresses):
            self.refused = True
            raise NotPublicError(reasons.ADDRESS_NOT_PUBLIC)
        return addresses[0]

    def _may_be_reached(self, address: str) -> bool:
        found: Any = ipaddress.ip_address(address.partition("%")[0])
        return is_public(found) or (self._allows_loopback and found.is_loopback)


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an IP address is on the public internet.

    An IPv6 address that maps an IPv4 address is judged by that one; others that may contain any
    IPv4 address are not public.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )
