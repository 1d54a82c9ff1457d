"""How much one caller may ask of the doors: a proven company, or a stranger's address.

A company that has proven itself is charged for its own requests only.  A caller that proves nothing is
charged by its address, and only for refused requests.  A proven request is never checked against its
address, so a stranger behind the same address locks out neither a company nor Twilio.  A request beyond
its caller's share is answered 429 with ``Retry-After``.

The buckets are one container's.  Lambda starts a container for each request that comes while others
are answered, so N busy containers let N shares through: the gateway's throttles stay the ceiling.
"""

from __future__ import annotations

import ipaddress
import math
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Protocol

from chalicelib.errors import OverShareError
from chalicelib.once.door import Answer
from chalicelib.once.ports import Clock, Log
from chalicelib.once.token_buckets import Buckets, CallerShare

SHARES: Mapping[str, CallerShare] = {
    "channel_router": CallerShare(20, 100),
    "may_send": CallerShare(10, 50),
    "register": CallerShare(4, 40),
    "desk": CallerShare(10, 60),
    "tool_result": CallerShare(10, 50),
    "unsubscribe": CallerShare(1, 20),
}
"""The limit on each company's requests, by door; at `unsubscribe`, on those of each link."""
STRANGERS = CallerShare(1, 30)
"""The limit on each address's requests that are refused because they proved nothing."""
TELL_SECONDS = 10.0
"""A caller's refusals are always counted; the count is logged at most once in this time."""
TOO_MANY = "RATE_LIMIT_EXCEEDED"
_UNPROVEN = frozenset({401, 413})
"""Statuses of requests that proved nothing; a body that is too large is refused before its proof is read."""
_NO_LINK = ("unsubscribe", 404)
"""The door and status of a request with an unsubscribe link that is not ours."""


class HeldLines(Protocol):
    """The log lines of one request, held back until it is known whether they are written."""

    def drop(self) -> None:
        """Discard the held log lines: none of them is written."""
        ...


class HoldingLog(Log, Protocol):
    """A log that can hold back the lines of one request."""

    def holding_back(self) -> AbstractContextManager[HeldLines]:
        """Hold back the log lines of this block; they are written at its end unless they are dropped."""
        ...


class CallerShares:
    """Limits how many requests this container answers for each company, and for each unproven address.

    Attributes:
        shares: the limit of each company, by door.
    """

    def __init__(self, *, clock: Clock, log: HoldingLog) -> None:
        self.clock = clock
        self.log = log
        self.shares = SHARES
        self._companies, self._strangers = Buckets(), Buckets()
        self._untold: Counter[tuple[str, str]] = Counter()
        self._told_at: dict[tuple[str, str], float] = {}

    def charge(self, door: str, company_id: str, *, link: str = "") -> None:
        """Count a request against the share of the company that has proven who it is.

        Args:
            door: the name of the entry point, as in `SHARES`.
            company_id: whose request it is.
            link: the id of a recipient's unsubscribe link, which has a share of its own; else
                empty.

        Raises:
            OverShareError: the share is used up; the error says after how many seconds a request is allowed.
        """
        key = f"{door} {company_id} {link}"
        wait = self._companies.take(key, self.shares[door], self.clock.monotonic())
        if wait:
            self._count(door, company_id)
            raise OverShareError(math.ceil(wait))

    def answered(self, door: str, address: str, answering: Callable[[], Answer]) -> Answer:
        """The answer of an HTTP entry point, or 429 to a caller beyond its share of requests.

        Refusals of an address that is already beyond its share are not logged, only counted: at the
        gateway's full rate their lines would cost more than the function does.
        """
        network = network_of(address)
        if not self._strangers.is_empty(network, STRANGERS, self.clock.monotonic()):
            return self._judge(door, network, answering)[0]
        with self.log.holding_back() as lines:
            answer, is_refused = self._judge(door, network, answering)
            if is_refused:
                lines.drop()
        if is_refused:
            self._count(door, "")
        return answer

    def _judge(
        self, door: str, network: str, answering: Callable[[], Answer]
    ) -> tuple[Answer, bool]:
        """The answer to a request, and whether it is the 429 of an unproven address beyond its share.

        For any other answer, also the 429 of a company beyond its own share, the second value is False.
        """
        try:
            answer = answering()
        except OverShareError as error:
            return too_many(door, error.retry_after_seconds), False
        if answer.status not in _UNPROVEN and (door, answer.status) != _NO_LINK:
            return answer, False
        wait = self._strangers.take(network, STRANGERS, self.clock.monotonic())
        return (too_many(door, math.ceil(wait)), True) if wait else (answer, False)

    def _count(self, door: str, company_id: str) -> None:
        """Count one refusal with 429 for a door and a company; log the counts at most every `TELL_SECONDS`.

        The company is empty for a caller that has not proven who it is.
        """
        who, now = (door, company_id), self.clock.monotonic()
        self._untold[who] += 1
        if now - self._told_at.get(who, -math.inf) < TELL_SECONDS:
            return
        self._told_at[who] = now
        times = self._untold.pop(who)
        if company_id:
            self.log.event("door.refused", source=door, company_id=company_id, times=times)
            self.log.metric("mw.door.refused", times, source=door, company=company_id)
        else:
            self.log.metric("mw.door.strangers_refused", times, source=door)


@lru_cache(maxsize=1_024)
def network_of(address: str) -> str:
    """The key under which a caller that proves nothing is counted; empty where the text is no address.

    It is the caller's IPv4 address, or the /64 network of its IPv6 address: one subscriber has a whole
    /64.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.IPv6Network((found, 64), strict=False))
    return str(found)


def too_many(door: str, retry_after_seconds: int) -> Answer:
    """A 429 answer, in the format of the entry point that was called.

    The Channel Router's entry points name the code `error_code`, all others `code`.
    """
    is_router = door in ("channel_router", "may_send")
    body = {
        "status": "error",
        "error_code" if is_router else "code": TOO_MANY,
        "message": "too many requests of one caller; wait as Retry-After says, then repeat it",
        **({"request_id": "unknown"} if is_router else {}),
    }
    return Answer(429, body, {"Retry-After": str(retry_after_seconds)})
