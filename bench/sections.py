"""The parts of the bench, each run in a process of its own, each a list of rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from bench.event_rows import events
from bench.measures import appends, cold, facts, growth, outreach, throughput
from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig.system import System

MODULES_OF_A_FACT = 40
"""A worker that builds a part of another system loads many more."""


def rates(sizes: Sizes) -> list[Row]:
    """Throughput by processes, each contest's further sides beside ours."""
    with System() as system:
        found = throughput.measure(system, sizes)
    return [_rate(contest, rated, other) for contest, rated in found for other in contest.sides[1:]]


BESIDE = {
    throughput.REQUESTS: "the same requests alone",
    throughput.AWS: "those to AWS alone",
    throughput.OURS: "ours, {} processes",
}
LEAST_RATES = {(2, throughput.REQUESTS): 0.8, (4, throughput.OURS): 0.95}
"""Of the limit with two processes; and four, on two cores, take no more than noise from two."""


def _rate(contest: throughput.Contest, rated: throughput.Rates, other: throughput.Side) -> Row:
    ours = contest.sides[0]
    shape = "one hot conversation" if contest.is_hot else "parallel"
    return Row(
        "throughput through engine and worker",
        f"{shape}, {ours.processes} process{'es' * (ours.processes > 1)}",
        "events/s",
        rated[ours],
        rated[other],
        BESIDE[other.name].format(other.processes),
        target=None if contest.is_hot else LEAST_RATES.get((ours.processes, other.name)),
        at_least=True,
    )


def grown(sizes: Sizes) -> list[Row]:
    """A routed event while the ledger grows."""
    with System(on_dynoxide=True) as system:
        points = growth.measure(system, sizes)
    section, (first, *later) = "growth of the ledger (dynoxide), a routed event", points
    beside = f"{first.items:,} items"
    rows = [
        Row(section, f"{beside}: {what}", unit, figure, is_exact=True)
        for what, unit, figure in _units(first)
    ]
    rows.append(Row(section, f"{beside}: time", "ms", first.ms))
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
    """A cold container."""
    ours, libraries = cold.imports(sizes.imports)
    with System() as system:
        first, bare = cold.first_requests(system, max(3, sizes.imports // 2))
    section, beside = "cold start", "its libraries alone"
    return [
        Row(
            section,
            "import app: processor time",
            "ms",
            ours.cpu_ms,
            libraries.cpu_ms,
            beside,
            target=1.3,
        ),
        Row(section, "import app: on the wall", "ms", ours.ms, libraries.ms, beside),
        Row(section, "import app: memory", "MB", ours.memory_mb, libraries.memory_mb, beside),
        Row(section, "import app: modules", "modules", ours.modules, libraries.modules, beside),
        Row(
            section, "first webhook after the import", "ms", first[0], bare[0], "bare Chalice route"
        ),
        Row(
            section,
            "  more than the bare route's first",
            "ms",
            first[0] - bare[0],
            target=150,
        ),
        Row(section, "second webhook", "ms", first[1], bare[1], "bare Chalice route"),
        *([_package(section)] if sizes.package else []),
    ]


def _package(section: str) -> Row:
    package = cold.package_mb()
    return Row(
        section,
        "package without boto3, unzipped",
        "MB",
        sum(package[part] for part in ("ours", "chalice's runtime", "libraries")),
        target=40,
        note=", ".join(f"{name} {size:.1f}" for name, size in package.items()),
    )


def first_job(sizes: Sizes) -> list[Row]:
    """A cold worker whose first job is a fact."""
    with System() as system:
        found = cold.first_fact(system, sizes.imports)
    section, beside = "cold worker that keeps one fact", "its parts alone"
    whole, invocation, alone = found.whole, found.invocation, found.alone
    return [
        Row(section, "import app and one fact", "ms", whole.ms, alone.ms, beside),
        Row(section, "  processor time", "ms", whole.cpu_ms, alone.cpu_ms, beside),
        Row(section, "  modules of chalicelib", "modules", whole.modules, alone.modules, beside),
        Row(section, "  memory", "MB", whole.memory_mb, alone.memory_mb, beside),
        Row(section, "one fact after the import", "ms", invocation.ms),
        Row(section, "  processor time", "ms", invocation.cpu_ms),
        Row(
            section,
            "one fact after the import: modules of chalicelib",
            "modules",
            invocation.modules,
            target=MODULES_OF_A_FACT,
            is_exact=True,
        ),
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


def begun(_: Sizes) -> list[Row]:
    """A conversation's start on each channel."""
    section = "start of a conversation"
    return [
        Row(section, f"start, {one.channel}: {which}", unit, figure, target=limit, is_exact=True)
        for one in outreach.starts()
        for which, unit, figure, limit in (
            ("AWS calls of the door", "calls", one.door, outreach.DOOR_LIMIT),
            ("AWS calls of the worker", "calls", one.worker, outreach.WORKER_LIMIT),
            ("write units", "units", one.writes, None),
        )
    ]


def reported(_: Sizes) -> list[Row]:
    """A thousand facts on their way to the dataset."""
    return facts.measure()


SECTIONS: dict[str, Callable[[Sizes], list[Row]]] = {
    "events": events,
    "throughput": rates,
    "starts": begun,
    "facts": reported,
    "growth": grown,
    "conversations": histories,
    "cold": started,
    "cold_worker": first_job,
    "redaction": redacted,
}
