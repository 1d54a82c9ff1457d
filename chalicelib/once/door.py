"""What every door does alike: a request as it is read, and what came of it answered and counted.

Alarms read these counts, so no door counts for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.ports import Clock, Log


@dataclass(frozen=True, slots=True)
class Answer:
    """What the caller gets."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def heard(
    headers: Mapping[str, str], body: bytes, clock: Clock, new_id: Callable[[], str]
) -> InboundRequest:
    """A request as sources read it; headers may have any case."""
    return InboundRequest(
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        received_at=iso(clock.now()),
        delivery_id=new_id(),
    )


def accepted(log: Log, source: str, **fields: object) -> None:
    """It is kept."""
    log.event("ingress.accepted", source=source, **fields)
    log.metric("mw.ingress.accepted", source=source)


def rejected(log: Log, source: str, code: str) -> None:
    """The caller's mistake; nothing is kept."""
    log.event("ingress.request.rejected", source=source, code=code)
    log.metric("mw.ingress.rejected", source=source, code=code)


def failed(log: Log, source: str, code: str) -> None:
    """Our own trouble; nothing is kept, and the caller is told to come again."""
    log.event("ingress.failed", source=source, code=code)
    log.metric("mw.ingress.failed", source=source, code=code)


def refusal(status: int, code: str, message: str) -> Answer:
    """The answer of a webhook that keeps nothing."""
    return Answer(status, {"status": "error", "code": code, "message": message})


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
