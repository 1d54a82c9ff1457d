"""What every door does alike: a request as it is read, and what came of it answered and counted.

Alarms read these counts, so no door counts for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.clock import iso
from chalicelib.ports import Clock, Log
from chalicelib.sources import InboundRequest


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
