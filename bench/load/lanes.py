"""The simulated queues, FIFO groups, workers and vendors.

A worker is one warm container: it handles one event at a time, with its own rate limits and breakers,
which are the product's classes on the simulation's clock; workers of a lane share a token level where the
product's do.  A FIFO group waits while its first event is handed back or set aside; other groups go on.
Calls that an event has made are not repeated when the event is delivered again.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from bench.load.assumptions import (
    HOP_SECONDS,
    LATENCY_SECONDS,
    LATENCY_SIGMA,
    LATER_SECONDS,
    OTHERS_PER_30_S,
)
from bench.load.kinds import Call, Kind
from bench.load.loop import Loop
from bench.load.traffic import NEVER, Window
from chalicelib.errors import PacedError, ProviderError, TransientError
from chalicelib.once import backoff
from chalicelib.once.current_job import LATE_AFTER_SECONDS, TurnPlace
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import CONNECT_SECONDS
from chalicelib.vendors.level import Levels
from chalicelib.vendors.rate_limit import LONGEST_SLEEP_SECONDS, LevelPace, RateLimit

MAX_RECEIVES = 10
_NUMBERS = itertools.count(1)
WINDOW_SECONDS = 30.0

Steps = Generator[float, None, None]


@dataclass(slots=True)
class Job:
    """One event on its queue.

    Attributes:
        arrived: when its sender sent it, in seconds.
        took: seconds from then to its effect; None until then.
        begun: how many of its calls are done.
        waits: how often it was set aside for a rate limit.
        rounds: how often it was set aside at all.
        is_flood: it belongs to the company that floods the lane.
    """

    kind: Kind
    group: str
    arrived: float
    receives: int = 0
    begun: int = 0
    took: float | None = None
    is_dead: bool = False
    waits: int = 0
    rounds: int = 0
    is_flood: bool = False


class Vendor:
    """A simulated vendor, with its latency, rate limit, outages, and times of answering 429 to all."""

    def __init__(
        self,
        name: str,
        loop: Loop,
        *,
        out: Window = NEVER,
        refuses: Window = NEVER,
        limit: float = 0,
    ) -> None:
        self.name = name
        self.calls = 0
        self._loop = loop
        self._out = out
        self._refuses = refuses
        self._limit = limit
        self._recent: deque[float] = deque()

    def answer(self, rng: random.Random) -> tuple[float, TransientError | None]:
        """Seconds until the response to a call now, and its error; None for a success."""
        now = self._loop.seconds
        if now in self._out:
            return CONNECT_SECONDS, self._error("connect_timeout")
        self.calls += 1
        if now in self._refuses:
            return 0.1, TransientError(self.name, "call", status=429)
        if self._limit:
            while self._recent and self._recent[0] <= now - WINDOW_SECONDS:
                self._recent.popleft()
            if len(self._recent) >= self._limit:
                return 0.1, TransientError(self.name, "call", status=429)
            self._recent.append(now)
        return LATENCY_SECONDS[self.name] * rng.lognormvariate(0.0, LATENCY_SIGMA), None

    def _error(self, reason: str) -> TransientError:
        return TransientError(self.name, "call", reason=reason)


@dataclass(slots=True)
class Account:
    """Lambda's limit of concurrent executions, for all functions of the account."""

    limit: int
    running: int = 0
    lanes: list[Lane] = field(default_factory=list)

    def wake(self) -> None:
        """Let every lane, in turn, start events on free executions."""
        for lane in self.lanes:
            lane.begin()
        self.lanes.append(self.lanes.pop(0))


@dataclass
class Worker:
    """One warm container of a lane."""

    loop: Loop
    vendors: Mapping[str, Vendor]
    paces: Mapping[str, LevelPace]
    shared: Mapping[str, Levels] = field(default_factory=dict)
    sharing: int = 1

    @cached_property
    def limits(self) -> Mapping[str, RateLimit]:
        """The rate limits by vendor; a vendor without a pace has none."""
        return {
            name: RateLimit(
                provider=name,
                clock=self.loop,
                levels=self.shared.get(name),
                containers=self.sharing if name in self.shared else 1,
                pace=pace,
            )
            for name, pace in self.paces.items()
        }

    @cached_property
    def breakers(self) -> Mapping[str, Breaker]:
        """The circuit breakers by vendor."""
        return {name: Breaker(name, self.loop) for name in self.vendors}

    def handle(self, job: Job, rng: random.Random) -> Steps:
        """Process one delivery; yields each pause in seconds.

        Raises:
            ProviderError: the event is handed back.
        """
        yield job.kind.own_seconds / 2
        place = TurnPlace(next(_NUMBERS), job.waits, self._age(job) > LATE_AFTER_SECONDS)
        for call in job.kind.calls[job.begun :]:
            with self.breakers[call.vendor].attempt("call"):
                yield from self._turn(call, place)
                seconds, error = self.vendors[call.vendor].answer(rng)
                yield seconds
                if error is not None:
                    if error.status is not None:
                        self.limits[call.vendor].cool_down(WINDOW_SECONDS)
                    raise error
            job.begun += 1
        yield job.kind.own_seconds / 2

    def pause_of(self, job: Job, error: ProviderError, rng: random.Random) -> float | None:
        """Seconds for which the product sets the event aside; None: it is handed back to the queue."""
        age = self._age(job)
        return backoff.asked_pause(error, age_seconds=age, jitter=rng.random)

    def _age(self, job: Job) -> float:
        return self.loop.seconds - job.arrived

    def _turn(self, call: Call, place: TurnPlace) -> Steps:
        """Wait for the rate limit as `RateLimit.acquire` does, yielding pauses instead of sleeping."""
        limit = self.limits.get(call.vendor)
        slept = 0.0
        while limit is not None and (wait := limit.ask(call.urgency, place)):
            slept += wait
            if slept > LONGEST_SLEEP_SECONDS:
                raise PacedError(call.vendor, "call", wait)
            yield wait
            place = replace(place, turns=place.turns + 1)


class Lane:
    """A FIFO queue and its workers."""

    def __init__(
        self, loop: Loop, account: Account, workers: list[Worker], rng: random.Random
    ) -> None:
        self.done: list[Job] = []
        self.invocations: list[tuple[float, float]] = []
        """For each invocation, when it ended and how many seconds it took."""
        self._loop = loop
        self._account = account
        self._idle = deque(workers)
        self._rng = rng
        self._groups: dict[str, deque[Job]] = {}
        self._ready: deque[str] = deque()
        account.lanes.append(self)

    def arrive(self, job: Job) -> None:
        """Put an event on the queue."""
        group = self._groups.setdefault(job.group, deque())
        group.append(job)
        if len(group) == 1:
            self._ready.append(job.group)
        self.begin()

    def begin(self) -> None:
        """Give the first events of ready groups to idle workers, the oldest group first."""
        while self._ready and self._idle and self._account.running < self._account.limit:
            self._account.running += 1
            group, worker = self._ready.popleft(), self._idle.popleft()
            job = self._groups[group][0]
            job.receives += 1
            self._step(worker, job, worker.handle(job, self._rng), self._loop.seconds)

    def _step(self, worker: Worker, job: Job, steps: Steps, began: float) -> None:
        try:
            pause = next(steps)
        except StopIteration:
            self._end(job)
        except ProviderError as error:
            self._hand_back(worker, job, error)
        else:
            self._loop.after(pause, lambda: self._step(worker, job, steps, began))
            return
        self.invocations.append((self._loop.seconds, self._loop.seconds - began))
        self._idle.append(worker)
        self._account.running -= 1
        self._account.wake()

    def _end(self, job: Job) -> None:
        if not job.is_dead:
            job.took = self._loop.seconds - job.arrived
        self.done.append(job)
        group = self._groups[job.group]
        group.popleft()
        if group:
            self._ready.append(job.group)
        else:
            del self._groups[job.group]

    def _hand_back(self, worker: Worker, job: Job, error: ProviderError) -> None:
        pause = worker.pause_of(job, error, self._rng)
        if pause is not None:
            job.receives, job.rounds = 0, job.rounds + 1
            job.waits += isinstance(error, PacedError) or backoff.is_rate_limited(error)
            self._loop.after(pause + LATER_SECONDS, lambda: self._return(job.group))
            return
        if job.receives >= MAX_RECEIVES:
            job.is_dead = True
            self._end(job)
            return
        asked = backoff.wait(error, job.receives, self._rng.random)
        self._loop.after(max(backoff.SHORTEST_WAIT_SECONDS, asked), lambda: self._return(job.group))

    def _return(self, group: str) -> None:
        self._ready.append(group)
        self.begin()


def vendors(
    loop: Loop,
    outages: Mapping[str, Window],
    refusals: Mapping[str, Window] = MappingProxyType({}),
    *,
    others_per_30_s: float = OTHERS_PER_30_S,
) -> dict[str, Vendor]:
    """Every vendor, by name."""
    return {
        name: Vendor(
            name,
            loop,
            out=outages.get(name, NEVER),
            refuses=refusals.get(name, NEVER),
            limit=REQUESTS_PER_30_S - others_per_30_s if name == "richpanel" else 0,
        )
        for name in LATENCY_SECONDS
    }


def sent(job: Job, loop: Loop, lane: Lane) -> None:
    """Schedule a job's arrival at the lane, a hop after it was sent."""
    loop.after(job.arrived + HOP_SECONDS - loop.seconds, lambda: lane.arrive(job))
