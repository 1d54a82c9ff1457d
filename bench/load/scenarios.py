"""Runs scenarios: days with bursts and outages, a backlog, and one company's flood."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from bench.load.assumptions import HOP_SECONDS, OTHERS_PER_30_S, PER_MINUTE
from bench.load.kinds import LANES, ROUTED, Kind, kinds_of
from bench.load.lanes import Account, Job, Lane, Vendor, Worker, sent, vendors
from bench.load.loop import Loop
from bench.load.traffic import NEVER, Window, arrivals
from chalicelib import settings
from chalicelib.once.lanes import LANES as LANES_OF_JOBS
from chalicelib.outreach.carriers import TWILIO_REQUESTS_PER_30_S
from chalicelib.outreach.door.shares import StartShares
from chalicelib.outreach.model_drafts import OPENAI_REQUESTS_PER_30_S
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.settings import Settings
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from chalicelib.support.work import SHOPIFY_REQUESTS_PER_30_S
from chalicelib.vendors.level import OwnLevel
from chalicelib.vendors.rate_limit import LevelPace, split

CONFIG = Path(__file__).resolve().parents[2] / ".chalice" / "config.json"
LAMBDA_LIMIT = 1_000
NEW_ACCOUNT_LIMIT = 10
QUANTILES = (0.5, 0.95, 0.99)


@cache
def deployed(stage: str = "prod") -> tuple[Settings, Mapping[str, str]]:
    """The settings and environment variables with which a stage is deployed."""
    config = json.loads(CONFIG.read_text())
    own = config["stages"][stage]["environment_variables"]
    variables = config["environment_variables"] | own
    return settings.load(variables), variables


def workers_of(lane: str, stage: str = "prod") -> int:
    """How many workers a lane has."""
    name = "WORKER_CONCURRENCY" if lane == "tickets" else "LANE_CONCURRENCY"
    return int(deployed(stage)[1][name])


def paces_of(lane: str, richpanel_per_30_s: float | None = None) -> Mapping[str, LevelPace]:
    """The rate of each of a lane's workers at each vendor, as the product sets it."""
    if lane == "tickets":
        ours = richpanel_per_30_s or deployed()[0].richpanel_requests_per_30_s
        return {
            "richpanel": split(ours, limit=REQUESTS_PER_30_S, shares=workers_of(lane)),
            "shopify": _alone(SHOPIFY_REQUESTS_PER_30_S),
        }
    return {"twilio": _alone(TWILIO_REQUESTS_PER_30_S), "openai": _alone(OPENAI_REQUESTS_PER_30_S)}


def _alone(requests_per_window: float) -> LevelPace:
    return LevelPace(requests_per_window, requests_per_window / 2)


@dataclass(frozen=True, slots=True)
class Load:
    """A scenario: which events arrive, and which vendors fail when.

    Attributes:
        refusals: when a vendor answers every call with 429.
        at_once: further events, all at one moment: time, kind, number.
        flood: the same, all of one company; the door keeps it to its share of the lane.
        richpanel_per_30_s: our share of the tenant's rate limit; None: the deployed one.
    """

    span: Window
    burst: Window = NEVER
    factor: float = 1.0
    outages: Mapping[str, Window] = field(default_factory=dict)
    refusals: Mapping[str, Window] = field(default_factory=dict)
    at_once: Sequence[tuple[float, Kind, int]] = ()
    lanes: Sequence[str] = LANES
    richpanel_per_30_s: float | None = None
    others_per_30_s: float = OTHERS_PER_30_S
    flood: tuple[float, Kind, int] | None = None
    lambda_limit: int = LAMBDA_LIMIT


@dataclass(frozen=True, slots=True)
class Result:
    """The ended events by lane, the vendors' calls, and the workers' invocations by lane."""

    jobs: Mapping[str, Sequence[Job]]
    calls: Mapping[str, int]
    invocations: Mapping[str, Sequence[tuple[float, float]]]

    def times(
        self, lane: str, within: Window | None = None, kind: Kind | None = None
    ) -> list[float]:
        """Seconds until the effect of a lane's events that arrived within a window, sorted.

        Events of a flood are left out.
        """
        return sorted(
            job.took
            for job in self.jobs[lane]
            if job.took is not None
            and not job.is_flood
            and (within is None or job.arrived in within)
            and (kind is None or job.kind is kind)
        )

    def dead(self, lane: str) -> int:
        """How many of a lane's events went to the dead-letter queue."""
        return sum(job.is_dead for job in self.jobs[lane])


def run(load: Load, *, seed: int) -> Result:
    """Run a scenario to its end; a lane's random draws depend only on the seed and the lane's name."""
    loop, account = Loop(), Account(load.lambda_limit)
    called = vendors(loop, load.outages, load.refusals, others_per_30_s=load.others_per_30_s)
    lanes = {}
    for name in load.lanes:
        rng = random.Random(f"{seed}/{name}")  # noqa: S311 - draws of a model
        lane = Lane(loop, account, _workers(loop, name, called, load), rng)
        arriving = random.Random(f"{seed}/{name}/arrivals")  # noqa: S311 - draws of a model
        for job in _jobs(name, load, arriving):
            sent(job, loop, lane)
        _flood(name, load, loop, lane)
        lanes[name] = lane
    loop.run()
    return Result(
        jobs={name: lane.done for name, lane in lanes.items()},
        calls={name: vendor.calls for name, vendor in called.items()},
        invocations={name: lane.invocations for name, lane in lanes.items()},
    )


def _workers(loop: Loop, lane: str, called: Mapping[str, Vendor], load: Load) -> list[Worker]:
    paces = paces_of(lane, load.richpanel_per_30_s)
    workers, levels = workers_of(lane), {"richpanel": OwnLevel()}
    return [Worker(loop, called, paces, levels, workers) for _ in range(workers)]


def _jobs(lane: str, load: Load, rng: random.Random) -> Iterable[Job]:
    kinds = kinds_of(lane)
    weights = [kind.share for kind in kinds]
    number = 0
    if lane in PER_MINUTE:
        times = arrivals(PER_MINUTE[lane], load.span, rng, burst=load.burst, factor=load.factor)
        for number, at in enumerate(times, 1):
            yield Job(rng.choices(kinds, weights)[0], f"{lane}-{number}", at)
    for at, kind, count in load.at_once:
        if kind.lane == lane:
            for more in range(count):
                yield Job(kind, f"{lane}-{at}-{more}", at)


def _flood(name: str, load: Load, loop: Loop, lane: Lane) -> None:
    """Schedule a flood of starts; as at the door, those beyond the company's share wait outside."""
    if load.flood is None or load.flood[1].lane != name:
        return
    at, kind, count = load.flood
    level, known = OwnLevel(), next(lane for lane in LANES_OF_JOBS if lane.name == name)
    shares = StartShares(levels=lambda _: level, clock=loop, workers=workers_of(name))
    limits = RateLimits(
        requests_per_minute=count, requests_per_day=count, concurrent_conversations=count
    )

    def post() -> None:
        for number in range(count):
            wait = shares.seconds_to_wait("flooding", known, limits)
            job = Job(kind, f"{name}-flood-{number}", loop.seconds, is_flood=True)
            loop.after(wait + HOP_SECONDS, partial(lane.arrive, job))

    loop.after(at - loop.seconds, post)


def quantiles(times: Sequence[float]) -> tuple[float, ...]:
    """The `QUANTILES` of sorted times; nan without times."""
    if not times:
        return tuple(float("nan") for _ in QUANTILES)
    return tuple(times[min(len(times) - 1, int(part * len(times)))] for part in QUANTILES)


# --- the targets' figures ---------------------------------------------------------------------


def routed_per_minute(*, seed: int, share: float | None = None, others: float) -> float:
    """Tickets routed a minute while 1,000 wait.

    Args:
        seed: the seed of the draws.
        share: our share of Richpanel's limit, in calls per 30 s; None: the deployed one.
        others: calls per 30 s of the tenant's other integrations.
    """
    load = Load(
        span=NEVER,
        at_once=((0.0, ROUTED, 1_000),),
        lanes=("tickets",),
        richpanel_per_30_s=share,
        others_per_30_s=others,
    )
    jobs = run(load, seed=seed).jobs["tickets"]
    took = sorted(job.took for job in jobs if job.took is not None)
    return (len(took) - 1) / (took[-1] - took[0]) * 60
