"""Shows each lane's backlog and workers, and Richpanel's call budget."""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.once.lanes import LANES, Lane
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from chalicelib.vendors.level import WINDOW_SECONDS
from chalicelib.vendors.rate_limit import split
from ops.inspect.finding import Finding
from ops.inspect.whereabouts import oldest_seconds
from ops.session import Session
from ops.stage import config

OLD_SECONDS = 120
"""The alarms' threshold."""


def lanes(session: Session) -> Iterator[Finding]:
    """Yield each lane's state and Richpanel's budget; warns of a backlog older than `OLD_SECONDS`."""
    for lane in LANES:
        yield _lane(session, lane, _workers(session, lane))
    yield _budget(session)


def _lane(session: Session, lane: Lane, workers: int) -> Finding:
    sqs, name = session.client("sqs"), session.services.settings.queue_of(lane)
    found = sqs.get_queue_attributes(QueueUrl=session.queue_url(name), AttributeNames=["All"])
    counts = found["Attributes"]
    waiting = int(counts["ApproximateNumberOfMessages"])
    in_flight = int(counts["ApproximateNumberOfMessagesNotVisible"])
    age = oldest_seconds(session, name)
    shown = "age not known" if age is None else f"oldest {age:.0f} s"
    is_late = (age or 0.0) >= OLD_SECONDS
    return Finding(
        f"lane {lane.name}",
        "warn" if is_late else "ok",
        f"{waiting} waiting, {in_flight} in flight, {shown}; {workers} workers",
    )


def _budget(session: Session) -> Finding:
    """The remaining call budget at Richpanel, and how long a ticket that arrives now waits for it."""
    services = session.services
    share = (
        f"{services.settings.richpanel_requests_per_30_s:g} of {REQUESTS_PER_30_S} calls in 30 s"
    )
    level = services.support.richpanel_level.read()
    if level is None:
        return Finding("richpanel budget", "ok", f"{share}; unused for two days")
    now = services.clock.now().timestamp()
    turn = level.turn_in(now)
    whole = split(services.settings.richpanel_requests_per_30_s, limit=REQUESTS_PER_30_S, shares=1)
    per_second = whole.requests_per_window / WINDOW_SECONDS
    left = max(0.0, level.tokens(now, per_second, whole.at_once))
    shown = f"{share}; {left:.0f} left, next free turn in {turn:.0f} s"
    return Finding("richpanel budget", "warn" if turn >= OLD_SECONDS else "ok", shown)


def _workers(session: Session, lane: Lane) -> int:
    return config.lane_concurrency(session.stage, lane.handler)
