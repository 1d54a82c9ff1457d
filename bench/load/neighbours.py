"""What a company notices of neighbours whose endpoint or model hangs: alone, and beside one, two, three.

Every neighbour has many conversations whose calls hang until their deadline, from the first one on.
The company has an event every few seconds, each in a conversation of its own.  Shares and breakers
are the product's classes on the model's clock; without them it is shown what they are for.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from bench.load.assumptions import HOP_SECONDS, LATENCY_SIGMA, LATER_SECONDS, OWN_SECONDS
from bench.load.loop import Loop
from bench.load.scenarios import quantiles, workers_of
from chalicelib.errors import ProviderError, TransientError
from chalicelib.once.backoff import SHORTEST_WAIT_SECONDS, wait
from chalicelib.once.share import LaneShare
from chalicelib.outreach.company_events import endpoint_breaker
from chalicelib.vendors.breaker import MODEL_TIMEOUTS_TO_OPEN, Breaker
from tests.simulation import tables

CONVERSATIONS = 40
"""Of each neighbour."""
EVERY_SECONDS = 5.0
"""The company's events; each neighbour's conversations have one every minute."""
SPAN_SECONDS = 1_800.0
MOST_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class HangingKind:
    """Where a neighbour hangs, and what its calls and the company's take.

    Attributes:
        answers_after_seconds: it is that slow and answers; None: never.
    """

    name: str
    lane: str
    deadline_seconds: float
    usual_seconds: float
    answers_after_seconds: float | None = None

    @property
    def is_endpoint(self) -> bool:
        """Whether the company's own events are posts, too; else they are templates."""
        return self.lane == "companies"


PLACES = (
    HangingKind("endpoint", "companies", 10.0, 0.3),
    HangingKind("slow endpoint", "companies", 10.0, 0.3, answers_after_seconds=9.3),
    HangingKind("model", "outreach", 45.0, 0.31),
    HangingKind("slow model", "outreach", 45.0, 0.31, answers_after_seconds=40.0),
)


@dataclass(slots=True)
class EndpointRow:
    """The row of an endpoint, as `endpoint_breaker` reads and writes it."""

    open_until: float | None = None
    failures: int = 0

    def take_probe(self, _head: object, until: float, next_until: float) -> bool:
        """Only one event is the probe."""
        is_mine = self.open_until == until
        self.open_until = next_until if is_mine else self.open_until
        return is_mine

    def count_failure(self, _head: object, _now: float) -> int:
        """Failures in a row."""
        self.failures += 1
        return self.failures

    def open_breaker(self, _head: object, until: float) -> None:
        """Nothing is posted until then."""
        self.open_until = until


@dataclass(slots=True)
class LaneEvent:
    """One event: whose it is, and its conversation."""

    key: str
    group: str
    arrived: float
    hangs: bool
    receives: int = 0


@dataclass
class LaneWorker:
    """One worker of the lane, with what it remembers."""

    share: LaneShare
    breakers: dict[str, Breaker] = field(default_factory=dict)


@dataclass
class BesideNeighbours:
    """One lane with its neighbours.

    Args:
        hanging: how many neighbours hang.
        is_guarded: with shares and breakers.
    """

    place: HangingKind
    hanging: int
    is_guarded: bool
    seed: int
    loop: Loop = field(default_factory=Loop)
    took: list[float] = field(default_factory=list)

    def run(self) -> list[float]:
        """Seconds that each event of the company took, sorted."""
        table, owners, self._jobs = tables.ledger(), itertools.count(), itertools.count()
        self._rng = random.Random(f"{self.seed}/{self.place.name}")  # noqa: S311 - draws of a model
        self._groups: dict[str, deque[LaneEvent]] = {}
        self._ready: deque[str] = deque()
        self._endpoints: dict[str, EndpointRow] = {}
        workers = workers_of(self.place.lane)
        self._idle = deque(
            LaneWorker(
                LaneShare(
                    table, self.place.lane, workers, self.loop, lambda: f"owner-{next(owners)}"
                )
            )
            for _ in range(workers)
        )
        for event in self._events():
            self.loop.after(event.arrived + HOP_SECONDS, partial(self._arrive, event))
        self.loop.run()
        return sorted(self.took)

    def _events(self) -> Iterator[LaneEvent]:
        for number, at in enumerate(_times(EVERY_SECONDS, self._rng)):
            yield LaneEvent("company", f"company/{number}", at, hangs=False)
        for neighbour in range(self.hanging):
            key = f"neighbour-{neighbour}"
            for conversation in range(CONVERSATIONS):
                for at in _times(60.0, self._rng):
                    yield LaneEvent(key, f"{key}/{conversation}", at, hangs=True)

    # --- the lane: FIFO groups, the oldest first ----------------------------------------------

    def _arrive(self, event: LaneEvent) -> None:
        group = self._groups.setdefault(event.group, deque())
        group.append(event)
        if len(group) == 1:
            self._return(event.group)

    def _return(self, group: str) -> None:
        self._ready.append(group)
        self._begin()

    def _begin(self) -> None:
        while self._ready and self._idle:
            group, container = self._ready.popleft(), self._idle.popleft()
            event = self._groups[group][0]
            event.receives += 1
            self._step(container, event, self._handled(container, event))

    def _step(
        self, container: LaneWorker, event: LaneEvent, steps: Generator[float, None, None]
    ) -> None:
        comes_in: float | None = None
        try:
            pause = next(steps)
        except StopIteration:
            pass
        except ProviderError as error:
            asked = error.retry_after or wait(error, event.receives, self._rng.random)
            comes_in = max(SHORTEST_WAIT_SECONDS, asked) + LATER_SECONDS
        else:
            self.loop.after(pause, partial(self._step, container, event, steps))
            return
        self._idle.append(container)
        if comes_in is not None and self.loop.seconds < SPAN_SECONDS:
            self.loop.after(comes_in, partial(self._return, event.group))
        else:
            self._end(event)
        self._begin()

    def _end(self, event: LaneEvent) -> None:
        if not event.hangs:
            self.took.append(self.loop.seconds - event.arrived)
        group = self._groups[event.group]
        group.popleft()
        if group and self.loop.seconds < SPAN_SECONDS:
            self._ready.append(event.group)

    # --- one event ------------------------------------------------------------------------------

    def _handled(self, container: LaneWorker, event: LaneEvent) -> Generator[float, None, None]:
        yield OWN_SECONDS / 2
        usual = self.place.usual_seconds * self._rng.lognormvariate(0.0, LATENCY_SIGMA)
        slow, deadline = self.place.answers_after_seconds, self.place.deadline_seconds
        if not event.hangs and not self.place.is_endpoint:
            yield usual  # a template: it asks no model, and a send is free at first
        else:
            with self._guard(container, event), self._share(container, event):
                yield (slow or deadline) if event.hangs else usual
                if event.hangs and slow is None:
                    raise self._failed(event)
        yield OWN_SECONDS / 2

    def _share(self, container: LaneWorker, event: LaneEvent) -> AbstractContextManager[None]:
        if not self.is_guarded:
            return nullcontext()
        return container.share.held(
            event.key,
            self.place.deadline_seconds,
            job=next(self._jobs),
            is_suspect=self.place.is_endpoint and self._endpoint(event).failures > 0,
        )

    def _guard(self, container: LaneWorker, event: LaneEvent) -> AbstractContextManager[Any]:
        """The breaker of what is called: of an endpoint for all containers, of a model for each."""
        if not self.is_guarded:
            return nullcontext()
        if self.place.is_endpoint:
            endpoint, now = self._endpoint(event), self._now()
            until = endpoint_breaker.admitted(endpoint, _head(event), endpoint, now)  # type: ignore[arg-type]
            if until is not None:
                raise self._error(until - now)
            return nullcontext()
        breaker = container.breakers.setdefault(
            event.key, Breaker("model", self.loop, failures_to_open=MODEL_TIMEOUTS_TO_OPEN)
        )
        return breaker.attempt("respond")

    def _failed(self, event: LaneEvent) -> TransientError:
        if not self.is_guarded or not self.place.is_endpoint:
            return self._error(None)
        now = self._now()
        until = endpoint_breaker.failed(self._endpoint(event), _head(event), now)  # type: ignore[arg-type]
        return self._error(until - now if until else None)

    def _endpoint(self, event: LaneEvent) -> EndpointRow:
        return self._endpoints.setdefault(event.key, EndpointRow())

    def _now(self) -> float:
        return self.loop.now().timestamp()

    def _error(self, retry_after: float | None) -> TransientError:
        return TransientError(self.place.name, "call", reason="timeout", retry_after=retry_after)


def _times(every: float, rng: random.Random) -> Iterator[float]:
    at = rng.uniform(0.0, every)
    while at < SPAN_SECONDS:
        yield at
        at += every


def _head(event: LaneEvent) -> SimpleNamespace:
    return SimpleNamespace(opaque_id=event.group)


@dataclass(frozen=True, slots=True)
class Noticed:
    """Seconds that a company's events take beside some hanging neighbours."""

    place: HangingKind
    hanging: int
    is_guarded: bool
    took: Sequence[float]

    @property
    def p95(self) -> float:
        """Of the company's events."""
        return quantiles(self.took)[1]

    def __str__(self) -> str:
        """One line of the table."""
        guards, p50 = "yes" if self.is_guarded else "no", quantiles(self.took)[0]
        return (
            f"  {self.place.name:<14} {self.hanging:>10} {guards:>8} {len(self.took):>7}"
            f" {p50:>9.2f} {self.p95:>9.2f} {self.took[-1]:>9.2f}"
        )


HEADER = (
    f"  {'hangs':<14} {'neighbours':>10} {'guards':>8} {'events':>7}"
    f" {'p50':>9} {'p95':>9} {'longest':>9}"
)


def noticed(seed: int) -> Iterator[Noticed]:
    """Each kind, with up to three neighbours, without and with what guards."""
    for place in PLACES:
        for hanging in range(MOST_NEIGHBOURS + 1):
            for is_guarded in (False, True):
                took = BesideNeighbours(place, hanging, is_guarded, seed).run()
                yield Noticed(place, hanging, is_guarded, took)
