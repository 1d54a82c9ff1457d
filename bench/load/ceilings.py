"""The lanes' ceilings (possible events a minute), from the product's constants and the vendors' limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.load.assumptions import LATENCY_SECONDS
from bench.load.kinds import ROUTED, Kind, kinds_of
from bench.load.scenarios import deployed, paces_of, workers_of
from chalicelib.facts.dataset import ROWS_PER_POST
from chalicelib.facts.posting.powerbi import POSTS_PER_MINUTE

FIFO_SENDS_PER_SECOND = 300
"""Limit of one partition of our FIFO queues, which have high throughput."""
POWERBI_ROWS_PER_HOUR = 1_000_000
POWERBI_ROWS_PER_TABLE = 5_000_000
ALARM_AT = 0.7


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A lane's ceiling.

    Attributes:
        per_minute: maximum number of events a minute.
        set_by: what limits them.
    """

    lane: str
    per_minute: float
    set_by: str

    @property
    def alarm_at(self) -> float:
        """Events a minute at which an alarm is raised."""
        return self.per_minute * ALARM_AT


def seconds_of(kind: Kind) -> float:
    """Seconds for which one event of a kind keeps a worker, without waits."""
    return kind.own_seconds + sum(LATENCY_SECONDS[call.vendor] for call in kind.calls)


def by_workers(lane: str) -> float:
    """Events a minute that a lane's workers can process, in the lane's mix of kinds."""
    mean = sum(kind.share * seconds_of(kind) for kind in kinds_of(lane))
    return workers_of(lane) / mean * 60


def by_richpanel(calls: float, *, share: float | None = None) -> float:
    """Tickets a minute, at so many calls each, that the rate limit at Richpanel allows."""
    pace = paces_of("tickets", share)["richpanel"]
    return pace.requests_per_window * workers_of("tickets") * 2 / calls


def richpanel_calls() -> float:
    """Mean calls at Richpanel for a ticket, in the lane's mix of kinds."""
    return sum(kind.share * kind.calls_of("richpanel") for kind in kinds_of("tickets"))


def ceilings() -> Sequence[Ceiling]:
    """Every lane's ceilings."""
    share = deployed()[0].richpanel_requests_per_30_s
    routed, mix = ROUTED.calls_of("richpanel"), richpanel_calls()
    rows = min(POWERBI_ROWS_PER_HOUR / 60, POSTS_PER_MINUTE * ROWS_PER_POST)
    return (
        Ceiling("tickets, routed", by_richpanel(routed), f"{share:g} Richpanel calls in 30 s"),
        Ceiling("tickets, the mix", by_richpanel(mix), f"{mix:.2f} calls a ticket"),
        Ceiling("outreach", by_workers("outreach"), f"{workers_of('outreach')} workers"),
        Ceiling("email", by_workers("email"), f"{workers_of('email')} workers"),
        Ceiling("facts, kept", by_workers("facts"), f"{workers_of('facts')} workers"),
        Ceiling("facts, posted", rows, "Power BI's rows an hour"),
    )
