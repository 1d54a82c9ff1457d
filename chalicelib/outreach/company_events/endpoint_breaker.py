"""Circuit breaker of one endpoint, kept in the endpoint's `state` row, which every post reads anyway.

After three failures in a row nothing is posted for 30 s, then one event as a probe; every further
failure doubles the pause, up to 15 minutes.  So an endpoint that hangs holds one worker now and then,
instead of one worker for each of its conversations.
"""

from __future__ import annotations

from chalicelib.once import keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.outbox import EndpointState, EventRows, Head

FAILURES_TO_OPEN = 3
FIRST_PAUSE_SECONDS = 30.0
MAX_PAUSE_SECONDS = 900.0
PROBE_PAUSE_SECONDS = 15.0
"""Time between two probes of an endpoint: one attempt's deadline, and what its worker needs besides."""
SPREAD_SECONDS = 30.0
"""Conversations that wait for the same moment are spread over this time."""
OPEN = reasons.ENDPOINT_BREAKER_OPEN


def next_post_epoch(rows: EventRows, head: Head, state: EndpointState, now: float) -> float | None:
    """When an event may next be posted to an endpoint: None for now, else epoch seconds to try again at.

    When the wait of the endpoint's circuit breaker is over, one event goes as the probe (trial
    post), which costs one write.
    """
    if state.open_until is None:
        return None
    until = state.open_until
    if until <= now:
        taken = rows.take_probe(head, until, now + PROBE_PAUSE_SECONDS)
        if taken:
            return None
        until = now + PROBE_PAUSE_SECONDS
    return until + _spread(head.opaque_id)


def count_failure(rows: EventRows, head: Head, now: float) -> float:
    """Count a failed post; returns epoch seconds to try again at, or 0 while the breaker is closed."""
    failures = rows.count_failure(head, now)
    if failures < FAILURES_TO_OPEN:
        return 0.0
    doublings = min(failures - FAILURES_TO_OPEN, 10)
    until = now + min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0**doublings)
    rows.open_breaker(head, until)
    return until + _spread(head.opaque_id)


def _spread(opaque_id: str) -> float:
    return int(keys.digest("spread", opaque_id)[:4], 16) / 0x10000 * SPREAD_SECONDS
