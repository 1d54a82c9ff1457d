"""How long a company's events take beside 0 to 3 companies whose endpoint or model hangs.

Every such neighbour has many conversations whose calls hang until their deadline.  The company has an
event every few seconds, each in a conversation of its own.  Shares and breakers are the product's
classes on the simulation's clock; runs without them show what they are for.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from bench.load.assumptions import LATENCY_SIGMA, OWN_SECONDS
from bench.load.kinds import Kind
from bench.load.lanes import Account, Job, Lane, Steps, Worker, sent
from bench.load.loop import Loop
from bench.load.scenarios import LAMBDA_LIMIT, quantiles, workers_of
from chalicelib.errors import TransientError
from chalicelib.once.share import Expected, LaneShare
from chalicelib.outreach.company_events import endpoint_breaker
from chalicelib.vendors.breaker import MODEL_TIMEOUTS_TO_OPEN, Breaker
from tests.simulation import tables

CONVERSATIONS = 40
"""Conversations of each neighbour."""
EVERY_SECONDS = 5.0
"""Time between the company's events; each conversation of a neighbour has one every minute."""
SPAN_SECONDS = 1_800.0
MOST_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class HangingKind:
    """Which call of the neighbours hangs, and how long calls take.

    Attributes:
        usual_seconds: how long the company's own calls take.
        answers_after_seconds: a neighbour's call is answered so late; None: never.
    """

    name: str
    lane: str
    deadline_seconds: float
    usual_seconds: float
    answers_after_seconds: float | None = None

    @property
    def is_endpoint(self) -> bool:
        """Whether endpoints hang, so that the company's events are posts; else they send templates."""
        return self.lane == "companies"


PLACES = (
    HangingKind("endpoint", "companies", 10.0, 0.3),
    HangingKind("slow endpoint", "companies", 10.0, 0.3, answers_after_seconds=9.3),
    HangingKind("model", "outreach", 45.0, 0.31),
    HangingKind("slow model", "outreach", 45.0, 0.31, answers_after_seconds=40.0),
)


@dataclass(slots=True)
class EndpointRow:
    """An endpoint's row in memory, as `endpoint_breaker` reads and writes it."""

    open_until: float | None = None
    failures: int = 0

    def take_probe(self, _head: object, until: float, next_until: float) -> bool:
        """Claim the probe, which only one event can."""
        is_mine = self.open_until == until
        self.open_until = next_until if is_mine else self.open_until
        return is_mine

    def count_failure(self, _head: object, _now: float) -> int:
        """Count a failure; returns the failures in a row."""
        self.failures += 1
        return self.failures

    def open_breaker(self, _head: object, until: float) -> None:
        """Let nothing be posted until a time, in epoch seconds."""
        self.open_until = until


@dataclass
class SharingWorker(Worker):
    """A worker whose slow calls count against shares, with breakers for what hangs.

    Args:
        endpoints: the rows of all endpoints, by company; shared by all workers.
        numbers: counts the jobs, as a share's slots are kept by job.
        share: the lane's shares; None: a run without shares and breakers.
    """

    place: HangingKind = PLACES[0]
    endpoints: dict[str, EndpointRow] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    share: LaneShare | None = None
    models: dict[str, Breaker] = field(default_factory=dict)

    def handle(self, job: Job, rng: random.Random) -> Steps:
        """Process one delivery, as `Worker.handle`, under shares and breakers."""
        yield OWN_SECONDS / 2
        if self.loop.seconds >= SPAN_SECONDS:
            return  # hanging events would be repeated for ever
        usual = self.place.usual_seconds * rng.lognormvariate(0.0, LATENCY_SIGMA)
        if not job.is_flood and not self.place.is_endpoint:
            yield usual  # a template asks no model, and a quick send takes no share at first
        else:
            with self._guard(job), self._held(job):
                yield self._seconds(job, usual)
                if job.is_flood and self.place.answers_after_seconds is None:
                    raise self._failed(job)
        yield OWN_SECONDS / 2

    def _seconds(self, job: Job, usual: float) -> float:
        hangs = self.place.answers_after_seconds or self.place.deadline_seconds
        return hangs if job.is_flood else usual

    def _held(self, job: Job) -> AbstractContextManager[None]:
        if self.share is None:
            return nullcontext()
        return self.share.calling(
            _company(job),
            self.place.deadline_seconds,
            job=next(self.numbers),
            expected=self._expected(job),
        )

    def _expected(self, job: Job) -> Expected:
        is_failing = self.place.is_endpoint and self.endpoints[_company(job)].failures > 0
        return Expected.FAILING if is_failing else Expected.SLOW

    def _guard(self, job: Job) -> AbstractContextManager[Any]:
        """The breaker of the call: an endpoint's is shared by all containers, a model's is not."""
        if self.share is None:
            return nullcontext()
        if self.place.is_endpoint:
            endpoint, now = self.endpoints[_company(job)], self._now()
            until = endpoint_breaker.next_post_epoch(endpoint, _head(job), endpoint, now)  # type: ignore[arg-type]
            if until is not None:
                raise self._error(until - now)
            return nullcontext()
        breaker = self.models.setdefault(
            _company(job), Breaker("model", self.loop, failures_to_open=MODEL_TIMEOUTS_TO_OPEN)
        )
        return breaker.attempt("respond")

    def _failed(self, job: Job) -> TransientError:
        if self.share is None or not self.place.is_endpoint:
            return self._error(None)
        now = self._now()
        until = endpoint_breaker.count_failure(self.endpoints[_company(job)], _head(job), now)  # type: ignore[arg-type]
        return self._error(until - now if until else None)

    def _now(self) -> float:
        return self.loop.now().timestamp()

    def _error(self, retry_after: float | None) -> TransientError:
        return TransientError(self.place.name, "call", reason="timeout", retry_after=retry_after)


def seconds_beside_neighbours(
    place: HangingKind, hanging: int, *, is_guarded: bool, seed: int
) -> list[float]:
    """Seconds that each event of a company took in a lane with its neighbours, sorted.

    Args:
        place: which calls of the neighbours hang.
        hanging: the number of neighbours.
        is_guarded: with shares and breakers.
        seed: the seed of all draws.
    """
    loop, table, owners = Loop(), tables.ledger(), itertools.count()
    rng = random.Random(f"{seed}/{place.name}")  # noqa: S311 - draws of a model
    endpoints: dict[str, EndpointRow] = defaultdict(EndpointRow)
    numbers, count = itertools.count(), workers_of(place.lane)

    def worker() -> SharingWorker:
        name = f"owner-{next(owners)}"
        share = (
            LaneShare(
                table=table, lane=place.lane, workers=count, clock=loop, new_owner=lambda: name
            )
            if is_guarded
            else None
        )
        return SharingWorker(
            loop, {}, {}, place=place, endpoints=endpoints, numbers=numbers, share=share
        )

    lane = Lane(loop, Account(LAMBDA_LIMIT), [worker() for _ in range(count)], rng)
    for job in _events(place, hanging, rng):
        sent(job, loop, lane)
    loop.run()
    return sorted(job.took for job in lane.done if not job.is_flood and job.took is not None)


def _events(place: HangingKind, hanging: int, rng: random.Random) -> Iterator[Job]:
    kind = Kind(place.name, place.lane, 1.0, (), 0)
    for number, at in enumerate(_times(EVERY_SECONDS, rng)):
        yield Job(kind, f"company/{number}", at)
    for neighbour in range(hanging):
        for conversation in range(CONVERSATIONS):
            for at in _times(60.0, rng):
                yield Job(kind, f"neighbour-{neighbour}/{conversation}", at, is_flood=True)


def _company(job: Job) -> str:
    return job.group.partition("/")[0]


def _head(job: Job) -> SimpleNamespace:
    return SimpleNamespace(opaque_id=job.group)


def _times(every: float, rng: random.Random) -> Iterator[float]:
    at = rng.uniform(0.0, every)
    while at < SPAN_SECONDS:
        yield at
        at += every


@dataclass(frozen=True, slots=True)
class Noticed:
    """Seconds that a company's events take beside some hanging neighbours."""

    place: HangingKind
    hanging: int
    is_guarded: bool
    took: Sequence[float]

    @property
    def p95(self) -> float:
        """The 95th percentile of the company's events, in seconds."""
        return quantiles(self.took)[1]

    @property
    def row(self) -> tuple[object, ...]:
        """Its cells below `HEADS`."""
        guards, p50 = "yes" if self.is_guarded else "no", quantiles(self.took)[0]
        return (
            self.place.name,
            self.hanging,
            guards,
            len(self.took),
            p50,
            self.p95,
            self.took[-1],
        )


HEADS = ("hangs", "neighbours", "guards", "events", "p50", "p95", "longest")


def noticed(seed: int) -> Iterator[Noticed]:
    """Run each kind with 0 to 3 neighbours, without and with shares and breakers."""
    for place in PLACES:
        for hanging in range(MOST_NEIGHBOURS + 1):
            for is_guarded in (False, True):
                took = seconds_beside_neighbours(place, hanging, is_guarded=is_guarded, seed=seed)
                yield Noticed(place, hanging, is_guarded, took)
