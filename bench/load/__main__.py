"""`python -m bench.load`: seconds until the effect, by lane and load; exit code 1 for a missed target.

`--short` simulates two hours instead of a day; `--measured` compares the simulation's calls with the real
system's; `--plan` shows what breaks first as traffic grows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.load import ceilings, neighbours, plan
from bench.load.assumptions import OTHERS_PER_30_S
from bench.load.frame import framed
from bench.load.kinds import KINDS, LANES, ROUTED, Kind, vendors_of
from bench.load.scenarios import (
    NEW_ACCOUNT_LIMIT,
    Load,
    Result,
    deployed,
    quantiles,
    routed_per_minute,
    run,
)
from bench.load.traffic import DAY_SECONDS, Window
from chalicelib.support.richpanel.calls import REQUESTS_PER_30_S

NOON = DAY_SECONDS / 2
AFTER_SECONDS = 1_800.0
VENDORS = ("richpanel", "shopify", "openai", "twilio", "ses")
REPLY = next(kind for kind in KINDS if kind.name == "reply, written by the model")
START = next(kind for kind in KINDS if kind.name == "start, from a template")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a run: the span, a burst and an outage within it, a backlog, a flood."""

    span: Window
    burst: Window
    outage: Window
    backlog: int
    flood: int


FULL = Size(
    Window(0, DAY_SECONDS), Window(NOON, NOON + 600), Window(NOON, NOON + 7_200), 1_000, 10_000
)
SHORT = Size(
    Window(NOON - 1_800, NOON + 5_400),
    Window(NOON, NOON + 120),
    Window(NOON, NOON + 1_200),
    300,
    500,
)


@dataclass(frozen=True, slots=True)
class Target:
    """A figure and its limit: at most, or with `is_least` at least."""

    name: str
    figure: float
    limit: float
    is_least: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the figure keeps its limit."""
        return self.figure >= self.limit if self.is_least else self.figure <= self.limit

    def __str__(self) -> str:
        """One line of the table."""
        sign = ">=" if self.is_least else "<="
        verdict = "met" if self.is_met else "MISSED"
        return f"{self.name:<66} {self.figure:>8.2f} {sign} {self.limit:<6g} {verdict}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; returns 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.load")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--measured", action="store_true")
    parser.add_argument("--plan", action="store_true", help="what breaks first as traffic grows")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.measured:
        from bench.load.measured import printed  # noqa: PLC0415 - it starts the engine

        print("\n".join(printed()))
        return 0
    if options.plan:
        print("\n".join(_plan()))
        return 0
    size = SHORT if options.short else FULL
    print("\n".join(_ceilings()))
    targets = list(figures(size, options.seed))
    print("\ntargets")
    print("\n".join(map(str, targets)))
    return int(not all(target.is_met for target in targets))


def figures(size: Size, seed: int) -> Iterator[Target]:
    """Run every scenario, print its table, and yield its targets."""
    ordinary = run(Load(size.span), seed=seed)
    _print("an ordinary day", ordinary)
    _print("ten times as much for ten minutes", run(_burst(size), seed=seed), size.burst)
    small = run(Load(size.span, lambda_limit=NEW_ACCOUNT_LIMIT), seed=seed)
    _print(f"an ordinary day, Lambda's limit {NEW_ACCOUNT_LIMIT}", small)
    yield from _outages(size, seed, ordinary)
    yield _refused(size, seed)
    yield from _backlog(size, seed)
    yield from _flood(size, seed)
    yield from _neighbours(seed)
    yield from _throughput(seed)


def _burst(size: Size) -> Load:
    return Load(size.span, burst=size.burst, factor=10.0)


def _outages(size: Size, seed: int, ordinary: Result) -> Iterator[Target]:
    """Each vendor in turn is out: how much slower the lanes that do not call it become."""
    minutes = round((size.outage.ends - size.outage.begins) / 60)
    for vendor in VENDORS:
        result = run(Load(size.span, outages={vendor: size.outage}), seed=seed)
        _print(f"{vendor} out for {minutes} minutes", result, size.outage)
        after = Window(size.outage.ends, size.outage.ends + AFTER_SECONDS)
        if vendor == "richpanel":
            _print("richpanel is back, its backlog drains", result, after)
        others = [lane for lane in LANES if vendor not in vendors_of(lane)]
        change = max(_p95(result, lane, size) / _p95(ordinary, lane, size) - 1 for lane in others)
        yield Target(f"{vendor} out: the p95 of another lane grows by, %", change * 100, 10)


def _refused(size: Size, seed: int) -> Target:
    """Richpanel answers 429 to every call: its tickets must wait and not become dead letters."""
    minutes = round((size.outage.ends - size.outage.begins) / 60)
    result = run(Load(size.span, refusals={"richpanel": size.outage}), seed=seed)
    _print(f"richpanel answers 429 for {minutes} minutes", result, size.outage)
    return Target(f"429 for {minutes} minutes: dead letters", result.dead("tickets"), 0)


def _p95(result: Result, lane: str, size: Size) -> float:
    return quantiles(result.times(lane, size.outage))[1]


def _backlog(size: Size, seed: int) -> Iterator[Target]:
    """Many tickets wait: how long ordinary starts and facts take meanwhile."""
    span = Window(NOON, NOON + 1_800)
    result = run(Load(span, at_once=((NOON, ROUTED, size.backlog),)), seed=seed)
    _print(f"{size.backlog:,} tickets waiting", result, kinds=(START,))
    p95 = quantiles(result.times("outreach", kind=START))[1]
    yield Target(f"{size.backlog:,} tickets waiting: an SMS start leaves, p95 s", p95, 5)
    p95 = quantiles(result.times("facts"))[1]
    yield Target(f"{size.backlog:,} tickets waiting: a fact is kept, p95 s", p95, 5)


def _flood(size: Size, seed: int) -> Iterator[Target]:
    """One company posts thousands of starts: how long other companies' starts and replies take."""
    span = Window(NOON, NOON + 3_600)
    result = run(Load(span, flood=(NOON, START, size.flood)), seed=seed)
    title = f"{size.flood:,} starts of one company: what others notice"
    _print(title, result, kinds=(START, REPLY))
    for kind, name in ((START, "another company's start"), (REPLY, "a reply")):
        p95 = quantiles(result.times("outreach", kind=kind))[1]
        yield Target(f"{size.flood:,} starts of one company: {name} leaves, p95 s", p95, 5)


def _neighbours(seed: int) -> Iterator[Target]:
    """Endpoints and models of other companies hang: how long a company's own events take."""
    print("\nneighbours hang for half an hour: seconds until a company's effect")
    found = list(neighbours.noticed(seed))
    print("\n".join(framed(neighbours.HEADS, (notice.row for notice in found))))
    for notice in found:
        if notice.is_guarded and notice.hanging:
            name = f"{notice.hanging} hanging, {notice.place.name}: a company's effect, p95 s"
            yield Target(name, notice.p95, 5)


def _throughput(seed: int) -> Iterator[Target]:
    share = deployed()[0].richpanel_requests_per_30_s
    ours = routed_per_minute(seed=seed, others=OTHERS_PER_30_S)
    print(f"\ntickets routed a minute at our share of {share:g} calls in 30 s: {ours:.1f}")
    most = routed_per_minute(seed=seed, share=REQUESTS_PER_30_S, others=0)
    yield Target("tickets routed a minute at Richpanel's documented limit", most, 40, is_least=True)


def _print(
    title: str, result: Result, within: Window | None = None, kinds: Sequence[Kind] = ()
) -> None:
    """Print one row for each lane, and for the given kinds of events."""
    print(f"\n{title}: seconds until the effect" + (" of what arrived in it" if within else ""))
    rows = [_row(lane, result.times(lane, within), result.dead(lane)) for lane in LANES]
    rows += [_row(kind.name, result.times(kind.lane, within, kind)) for kind in kinds]
    heads = ("lane", "events", "p50", "p95", "p99", "dead letters")
    print("\n".join(framed(heads, rows)))


def _row(name: str, times: Sequence[float], dead: int | None = None) -> tuple[object, ...]:
    return (name, len(times), *quantiles(times), "" if dead is None else f"{dead:>12}")


def _plan() -> Iterator[str]:
    heads = ("times", "now/s", "at most/s", "what", "what sets it")
    rows = ((limit.factor, limit.now, limit.most, limit.what, limit.why) for limit in plan.limits())
    return framed(heads, rows)


def _ceilings() -> Iterator[str]:
    heads = ("ceiling", "a minute", "a second", "70 %", "set by")
    rows = (
        (
            ceiling.lane,
            ceiling.per_minute,
            ceiling.per_minute / 60,
            ceiling.alarm_at,
            ceiling.set_by,
        )
        for ceiling in ceilings.ceilings()
    )
    return framed(heads, rows)


if __name__ == "__main__":
    sys.exit(main())
