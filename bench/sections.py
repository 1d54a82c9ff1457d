"""The parts of the bench, each run in a process of its own, each a list of rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bench.measures import appends, cold, counts, growth, ingress, throughput, worker
from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig import cost
from bench.rig.system import System, whole
from bench.rig.unpacked import unpacked
from chalicelib.once.lanes import LANES

if TYPE_CHECKING:
    from bench.measures.counts import Count
    from bench.measures.worker import Side

POWERTOOLS = "Powertools, {}"
ALARMS_OF_A_LANE = 3
MODULES_OF_A_FACT = 30
"""A worker that builds a part of another system loads many more."""


def events(sizes: Sizes) -> list[Row]:
    """Door and worker: calls and units, processor time, dollars."""
    with whole() as system:
        found = counts.measure(system)
        door = ingress.measure(system, sizes.requests)
        sides = worker.measure(system, sizes.events)
    return [
        *_door(door, found[0]),
        *(row for count in found[1:] for row in _counted(count, sides[count.name])),
        *(row for name, one in sides.items() for row in _worked(name, one)),
        *_costs(found, sides),
    ]


def _door(door: dict[str, float], count: Count) -> list[Row]:
    section, bare = "ingress: one webhook", "bare Chalice route"
    return [
        Row(section, "AWS calls", "calls", count.aws_calls, target=1, is_exact=True),
        Row(
            section,
            "processor time, median",
            "us",
            door["ours_p50"],
            door["bare_p50"],
            bare,
            target=1.3,
        ),
        Row(section, "processor time, 99 %", "us", door["ours_p99"], door["bare_p99"], bare),
    ]


def _counted(count: Count, sides: dict[str, Side]) -> list[Row]:
    section = "worker: DynamoDB calls and units of one event"
    peers = {POWERTOOLS.format(name): side for name, side in sides.items() if name != "ours"}
    rows = [
        Row(
            section,
            f"{count.name}, {count.actions} actions: calls",
            "calls",
            count.dynamodb_calls,
            target=count.limit_calls,
            is_exact=True,
            note="; ".join(f"{name}: {side.dynamodb_calls}" for name, side in peers.items()),
        ),
        Row(
            section,
            f"{count.name}: write units",
            "units",
            count.writes,
            target=count.limit_writes,
            is_exact=True,
            note="; ".join(f"{name}: {side.writes:g}" for name, side in peers.items()),
        ),
    ]
    if count.reads:
        rows.append(Row(section, f"{count.name}: read units", "units", count.reads))
    return rows


def _worked(name: str, sides: dict[str, Side]) -> list[Row]:
    section, ours = "worker: processor time of one event, median", sides["ours"]
    peers = [(peer, side) for peer, side in sides.items() if peer != "ours"]
    if not peers:
        return [Row(section, name, "us", ours.us(50))]
    return [
        Row(
            section,
            name,
            "us",
            ours.us(50),
            side.us(50),
            POWERTOOLS.format(peer),
            target=1.0 if peer == worker.SAME_GRAIN else None,
            note="" if peer == worker.SAME_GRAIN else "no record of single actions",
        )
        for peer, side in peers
    ]


def _costs(found: list[Count], sides: dict[str, dict[str, Side]]) -> list[Row]:
    section = "dollars for a million events, all in, at list prices"
    rows = []
    for count in found[1:]:
        ours = _dollars(count)
        theirs = sides[count.name].get(worker.SAME_GRAIN)
        beside = theirs and cost.of(
            writes=theirs.writes,
            reads=theirs.reads,
            aws_calls=theirs.aws_calls,
            vendor_calls=theirs.vendor,
        )
        rows.append(
            Row(
                section,
                count.name,
                "$",
                ours.total,
                beside.total if beside else None,
                POWERTOOLS.format(worker.SAME_GRAIN) if beside else "",
                note=f"HTTP API {ours.http_api:.2f}, function URL {ours.function_url:.2f}",
            )
        )
    return [*rows, _two_actions(found, section), _idle_lanes()]


def _idle_lanes() -> Row:
    """What the lanes beyond the first, and the queue `later`, cost in a month without an event."""
    added = len(LANES) - 1
    month = cost.idle(fifo_queues=added, standard_queues=1, alarms=added * ALARMS_OF_A_LANE)
    section = "dollars a month without an event, at list prices"
    return Row(section, f"{added} further lanes and `later`", "$", month, target=5.0)


def _two_actions(found: list[Count], section: str) -> Row:
    """An event of two actions, by the steps between two kinds that differ by one action."""
    by_name = {count.name: count for count in found}
    one, more = by_name["routed event"], by_name["event that moves a ticket"]
    fewer = (one.actions - 2) / (more.actions - one.actions)
    writes = one.writes - fewer * (more.writes - one.writes)
    two = cost.of(
        writes=writes, reads=one.reads, aws_calls=one.aws_calls - round(fewer), vendor_calls=2
    )
    note = f"{writes:g} write units; function URL {two.function_url:.2f}, REST API {two.total:.2f}"
    name = "routed event with two actions, behind an HTTP API"
    return Row(section, name, "$", two.http_api, target=12.0, note=note)


def _dollars(count: Count) -> cost.Cost:
    return cost.of(
        writes=count.writes,
        reads=count.reads,
        aws_calls=count.aws_calls,
        vendor_calls=count.vendor_calls,
    )


def rates(sizes: Sizes) -> list[Row]:
    """Throughput by processes."""
    with System() as system:
        runs = throughput.measure(system, sizes)
    return [
        Row(
            "throughput through engine and worker",
            f"{run.shape}, {run.processes} process{'es' * (run.processes > 1)}",
            "events/s",
            run.ours,
            run.raw,
            "the same AWS requests alone",
            target=0.8 if (run.shape, run.processes) == ("parallel", 2) else None,
            at_least=True,
        )
        for run in runs
    ]


def grown(sizes: Sizes) -> list[Row]:
    """A routed event while the ledger grows."""
    with System(on_dynoxide=True) as system:
        points = growth.measure(system, sizes)
    section, (first, *later) = "growth of the ledger (dynoxide), a routed event", points
    rows = [
        Row(section, f"{first.items:,} items: {what}", unit, figure)
        for what, unit, figure in (*_units(first), ("time", "ms", first.ms))
    ]
    beside = f"{first.items:,} items"
    for point in later:
        name = f"{point.items:,} items"
        rows += [
            Row(section, f"{name}: {what}", unit, now, then, beside, target=1.0, is_exact=True)
            for (what, unit, now), (_, _, then) in zip(_units(point), _units(first), strict=True)
        ]
        rows.append(Row(section, f"{name}: time", "ms", point.ms, first.ms, beside))
    return rows


def _units(point: growth.Point) -> tuple[tuple[str, str, float], ...]:
    return (
        ("calls", "calls", point.calls),
        ("write units", "units", point.writes),
        ("read units", "units", point.reads),
    )


def histories(sizes: Sizes) -> list[Row]:
    """One more message while a conversation grows."""
    return appends.measure(sizes)


def started(sizes: Sizes) -> list[Row]:
    """A cold container's first job, from the bundle that is deployed."""
    with unpacked() as bundle, System() as system:
        found = cold.measure(system, bundle, max(3, sizes.imports // 2))
        parts = cold.parts_mb(bundle.archive)
        size, files = bundle.size / 1e6, bundle.files
        zipped = bundle.archive.stat().st_size / 1e6
    section, libraries, bare = "cold start", found[cold.ONLY_LIBRARIES], found[cold.BARE]
    rows = [
        Row(
            section,
            "import app: processor time",
            "ms",
            found[cold.WEBHOOK].init.cpu_ms,
            libraries.init.cpu_ms,
            "its libraries alone",
        )
    ]
    for name, goal in ((cold.WEBHOOK, 500), (cold.EVENT, 700), (cold.FACT, None)):
        one = found[name]
        beside = bare.cpu_ms if name == cold.WEBHOOK else None
        rows += [
            Row(
                section,
                f"first {name}: processor time, import and job",
                "ms",
                one.cpu_ms,
                beside,
                "bare Chalice route" if beside else None,
                target=goal,
            ),
            Row(section, f"first {name}: the job alone", "ms", one.call.cpu_ms),
            Row(section, f"first {name}: modules of ours", "modules", one.ours),
            Row(section, f"first {name}: memory", "MB", one.memory_mb),
        ]
    return [
        *rows,
        Row(section, "bundle, zipped", "MB", zipped, target=25),
        Row(
            section,
            "bundle, unzipped",
            "MB",
            size,
            target=60,
            note=f"{files:,} files; " + ", ".join(f"{k} {mb:.1f}" for k, mb in parts.items()),
        ),
    ]


def first_job(sizes: Sizes) -> list[Row]:
    """A cold worker whose first job is a fact."""
    with unpacked() as bundle, System() as system:
        one = cold.measure(system, bundle, sizes.imports, only=(cold.FACT,))[cold.FACT]
    section = "cold worker that keeps one fact"
    return [
        Row(section, "import app and one fact: processor time", "ms", one.cpu_ms),
        Row(
            section, "one fact after the import: processor time", "ms", one.call.cpu_ms, target=150
        ),
        Row(
            section,
            "  modules of chalicelib",
            "modules",
            one.call.ours,
            target=MODULES_OF_A_FACT,
            is_exact=True,
        ),
        Row(section, "  memory", "MB", one.memory_mb),
    ]


def redacted(sizes: Sizes) -> list[Row]:
    """Redaction of typical and dense messages, and of a long one."""
    from bench.redaction.timed import MESSAGES  # noqa: PLC0415
    from chalicelib.redaction.redactor import redact  # noqa: PLC0415

    section = "redaction"
    rows = []
    for name, message in MESSAGES.items():
        us = _spent(lambda message=message: redact(message), sizes.requests) * 1e6
        rows.append(Row(section, f"{name} message of 1 KB", "us", us))
        rows.append(Row(section, f"{name} messages", "MB/s", 1024 / us))
    return rows


def _spent(call: Callable[[], object], rounds: int) -> float:
    call()
    seconds = []
    for _ in range(rounds):
        started = time.thread_time()
        call()
        seconds.append(time.thread_time() - started)
    return statistics.median(seconds)


SECTIONS: dict[str, Callable[[Sizes], list[Row]]] = {
    "events": events,
    "throughput": rates,
    "growth": grown,
    "conversations": histories,
    "cold": started,
    "cold_worker": first_job,
    "redaction": redacted,
}
