"""``python -m tests.attack.neighbours``: how long a company waits while another, or a stranger, floods.

The functions are the real ones, over the local engine; the gateway before them is simulated, on a clock
of its own, with the throttles that the template declares, as token buckets, and the two rules of WAF,
which notice half a minute late.  A company's desk asks for its list every five seconds and repeats what
is refused as ``Retry-After`` says, else after a second.  What it waits is that, and what its function
takes.  Each line is one run without the flood and one with it, and the ratio of both; and, as an order
that no machine changes, how many of the flood's requests are let through between a question and its
answer.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from chalicelib.once.caller_shares import SHARES
from chalicelib.once.token_buckets import Buckets, CallerShare
from chalicelib.wiring import services
from local import company
from local.stack.lambda_events import LambdaContext
from local.stack.resources import Stage
from tests.attack.stage import functions, stage
from tests.rigs.api_gateway import event

ROUTE = "/desk/conversations"
BEFORE = CallerShare(6, 6)
"""The route's throttle when all callers shared it and nothing else."""
EVERY_SECONDS, LATE_SECONDS = 5.0, 30.0
VICTIM, FLOODING = "victim-desk-key", "flooding-desk-key"
WIDE = CallerShare(1e6, 10**6)


@dataclass(frozen=True)
class Layers:
    """What stands between a caller and the door."""

    name: str
    route: CallerShare
    has_shares: bool = True
    has_shield: bool = False


@dataclass
class FloodClock:
    """The clock of the containers' shares."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class Shield:
    """A rule of WAF: what sent more than its limit in the last minute is blocked, a while later."""

    most: int
    _seen: dict[str, deque[float]] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)

    def blocks(self, who: str, now: float) -> bool:
        seen = self._seen.setdefault(who, deque())
        seen.append(now)
        while seen[0] < now - 60:
            seen.popleft()
        if len(seen) <= self.most:
            self._since.pop(who, None)
            return False
        return now - self._since.setdefault(who, now) >= LATE_SECONDS


class SimulatedGateway:
    """Lets a request through to the function, or refuses it as AWS would."""

    def __init__(self, app: ModuleType, layers: Layers, clock: FloodClock) -> None:
        self._app, self._layers, self._clock = app, layers, clock
        self._routes = Buckets()
        self._shields = [Shield(1800), Shield(1800)]
        shares = services().caller_shares
        shares.clock = clock  # type: ignore[assignment]
        shares.shares = SHARES if layers.has_shares else dict.fromkeys(SHARES, WIDE)
        shares._companies = Buckets()
        shares._strangers = Buckets()

    def ask(self, key: str, address: str) -> tuple[int, float, float]:
        """Status, the seconds that the function took, and those to wait before a repetition."""
        now = self._clock.now
        if self._layers.has_shield:
            # Both rules count every request, so both are asked.
            pairs = zip(self._shields, (key, address), strict=True)
            if sum(shield.blocks(who, now) for shield, who in pairs):
                return 429, 0.0, 60.0
        if self._routes.take(ROUTE, self._layers.route, now):
            return 429, 0.0, 1.0
        made = event("GET", ROUTE, b"", {"x-api-key": key}, address=address)
        began = time.perf_counter()
        answer = self._app.app(made, LambdaContext())
        took = time.perf_counter() - began
        return answer["statusCode"], took, float(answer["headers"].get("Retry-After", 1))


def waits(
    gateway: SimulatedGateway, clock: FloodClock, flood: Iterator[float], who: Flooder, seconds: int
) -> list[tuple[float, int]]:
    """What each request of a desk waits: seconds, and the requests of the flood let through meanwhile."""
    asks = deque((at, at) for at in itertools.takewhile(lambda at: at < seconds, _every()))
    found, attack, chance = [], next(flood, None), random.Random(1)
    passed, before = 0, dict[float, int]()
    while asks:
        at, first = asks[0]
        while attack is not None and attack <= at:
            clock.now = attack
            passed += gateway.ask(who.key(), who.address)[0] == 200
            attack = next(flood, None)
        asks.popleft()
        clock.now = at
        before.setdefault(first, passed)
        status, took, pause = gateway.ask(VICTIM, "192.0.2.1")
        if status == 200:
            found.append((at - first + took, passed - before[first]))
        elif status == 429:
            again = at + pause * chance.uniform(1, 1.3)
            asks = deque(sorted((*asks, (again, first))))
        else:
            raise RuntimeError(f"the desk was answered {status}")
    return found


@dataclass(frozen=True)
class Flooder:
    """Who floods: another company with its key, or a stranger with a new key each time."""

    name: str
    key: Callable[[], str]
    address: str = "192.0.2.66"


def _arrivals(rate: int, seconds: int) -> Iterator[float]:
    """Times of requests that come at random, so many a second."""
    chance, at = random.Random(rate), 0.0
    while (at := at + chance.expovariate(rate)) < seconds:
        yield at


def _every() -> Iterator[float]:
    return itertools.count(1.0, EVERY_SECONDS)


def flooders() -> tuple[Flooder, ...]:
    numbers = itertools.count()
    return (
        Flooder("another company", lambda: FLOODING),
        Flooder("a stranger", lambda: f"guessed key {next(numbers)}"),
    )


def declared() -> CallerShare:
    """The route's throttle in the template."""
    template = Path(__file__).resolve().parents[2] / ".chalice" / "functions.json"
    for methodsetting in json.loads(template.read_text())["Resources"]["RestAPI"]["Properties"][
        "MethodSettings"
    ]:
        if methodsetting["ResourcePath"] == "/~1desk~1conversations":
            return CallerShare(
                methodsetting["ThrottlingRateLimit"], methodsetting["ThrottlingBurstLimit"]
            )
    raise LookupError(ROUTE)


def layers() -> tuple[Layers, ...]:
    now = declared()
    return (
        Layers("6/s for all", BEFORE, has_shares=False),
        Layers("shares", now),
        Layers("shares and WAF", now, has_shield=True),
    )


def open_desks(made: Stage) -> None:
    """Two companies with a desk each; the first has been created."""
    keys = {
        name: {"api_keys": [f"router of {name}"], "desk_keys": {"lead": [key]}}
        for name, key in (("ci-victim", VICTIM), ("ci-flooding", FLOODING))
    }
    company.put_secrets(made, {f"rp-mw/{made.name}/router/api_keys": json.dumps(keys)})


def compare(app: ModuleType, rates: list[int], seconds: int) -> Iterator[tuple[str, ...]]:
    """A line for each of layers, flooder and rate."""
    for layer, who, rate in itertools.product(layers(), flooders(), rates):
        runs = []
        for flood in ((), _arrivals(rate, seconds)):
            clock = FloodClock()
            gateway = SimulatedGateway(app, layer, clock)
            runs.append(waits(gateway, clock, iter(flood), who, seconds))
        figures = []
        for quantile in (50, 95):
            without, during = (_quantile([wait for wait, _ in run], quantile) for run in runs)
            figures += [f"{during:.2f}", f"{during / without:,.1f}"]
        figures.append(f"{max(number for _, number in runs[1]) + 1:,}")
        yield (layer.name, who.name, f"{rate:,}", *figures)


def _quantile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--rates", type=int, nargs="+", default=[20, 100, 1_000])
    chosen = parser.parse_args()
    with stage() as (made, variables):
        open_desks(made)
        app = functions(variables)
        services().log._stream = open("/dev/null", "w")  # noqa: PTH123, SIM115
        titles = (
            "layers",
            "who floods",
            "a second",
            "p50 s",
            "ratio",
            "p95 s",
            "ratio",
            "before its",
        )
        print("| " + " | ".join(titles) + " |\n|---|---|---:|---:|---:|---:|---:|---:|")
        for line in compare(app, chosen.rates, chosen.seconds):
            print("| " + " | ".join(line) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
