"""The sections of the bench: each runs in a process of its own and returns result rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from bench.event_rows import events
from bench.measures import appends, cold, facts, growth, throughput
from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig.system import ANSWERING, System
from bench.rig.unpacked import unpacked

MODULES_OF_A_FACT = 30
"""Limit of modules that a fact's worker loads after the import; another system's would be many more."""


def throughput_rows(sizes: Sizes) -> list[Row]:
    """Throughput by number of processes, ours compared with each contest's other sides."""
    with System() as system:
        found = throughput.measure(system, sizes)
    return [_rate(contest, rated, other) for contest, rated in found for other in contest.sides[1:]]


BESIDE = {
    throughput.REQUESTS: "the same requests alone",
    throughput.AWS: "those to AWS alone",
    throughput.OURS: "ours, {} processes",
}
LEAST_RATES = {(2, throughput.REQUESTS): 0.8, (4, throughput.OURS): 0.95}
"""Minimum ratios: two processes reach 0.8 of the requests alone; four on two cores are as fast as two."""


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


def growth_rows(sizes: Sizes) -> list[Row]:
    """A routed event while the ledger grows."""
    with System(on_dynoxide=True, **ANSWERING) as system:
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
    """The cost of appending a message while a conversation grows."""
    return appends.measure(sizes)


def first_job_rows(sizes: Sizes) -> list[Row]:
    """A cold container's first job, from the deployed bundle; empty in runs without a bundle."""
    if not sizes.bundle:
        return []
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
        ),
        Row(
            section,
            "first webhook beside a bare Chalice route's",
            "ms",
            found[cold.WEBHOOK].cpu_ms,
            bare.cpu_ms,
            "bare Chalice route",
        ),
    ]
    for name, goal in ((cold.WEBHOOK, 500), (cold.EVENT, 700), (cold.FACT, None)):
        job = found[name]
        rows += [
            Row(
                section,
                f"first {name}: processor time, import and job",
                "ms",
                job.cpu_ms,
                target=goal,
            ),
            Row(section, f"first {name}: the job alone", "ms", job.call.cpu_ms),
            Row(section, f"first {name}: modules of ours", "modules", job.ours),
            Row(section, f"first {name}: memory", "MB", job.memory_mb),
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
    """A cold worker whose first job is a fact; empty in runs without a bundle."""
    if not sizes.bundle:
        return []
    with unpacked() as bundle, System() as system:
        job = cold.measure(system, bundle, sizes.imports, only=(cold.FACT,))[cold.FACT]
    section = "cold worker that keeps one fact"
    return [
        Row(section, "import app and one fact: processor time", "ms", job.cpu_ms),
        Row(
            section, "one fact after the import: processor time", "ms", job.call.cpu_ms, target=150
        ),
        Row(
            section,
            "one fact after the import: modules of chalicelib",
            "modules",
            job.call.ours,
            target=MODULES_OF_A_FACT,
            is_exact=True,
        ),
        Row(section, "  memory", "MB", job.memory_mb),
    ]


def redaction_rows(sizes: Sizes) -> list[Row]:
    """The speed of redacting typical and dense messages."""
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


def fact_report_rows(_: Sizes) -> list[Row]:
    """The requests and rows of a thousand HubSpot events on their way to Power BI."""
    return facts.measure()


SECTIONS: dict[str, Callable[[Sizes], list[Row]]] = {
    "events": events,
    "throughput": throughput_rows,
    "facts": fact_report_rows,
    "growth": growth_rows,
    "conversations": histories,
    "cold": first_job_rows,
    "cold_worker": first_job,
    "redaction": redaction_rows,
}
