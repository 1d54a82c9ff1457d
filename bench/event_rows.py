"""The result rows of the section on events: calls and units, processor time, dollars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.measures import counts, ingress, worker
from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig import cost
from bench.rig.system import whole
from chalicelib.once.lanes import LANES

if TYPE_CHECKING:
    from bench.measures.counts import Count
    from bench.measures.worker import Side

POWERTOOLS = "Powertools, {}"
ALARMS_OF_A_LANE = 3


def events(sizes: Sizes) -> list[Row]:
    """Measure door and worker, and return their rows: calls and units, processor time, dollars."""
    with whole() as system:
        found = counts.measure(system)
        door = ingress.measure(system, sizes.requests)
        sides = worker.measure(system, sizes)
    return [
        *_door(door, found[0]),
        *(row for count in found[1:] for row in _counted(count, sides[count.name])),
        *(row for name, one in sides.items() for row in _worked(name, one)),
        *_costs(found, sides),
    ]


def _door(door: dict[str, float], count: Count) -> list[Row]:
    section, bare = "ingress: one webhook", "bare Chalice route"
    return [
        Row(section, "one webhook: AWS calls", "calls", count.aws_calls, target=1, is_exact=True),
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
    section = "worker: calls and units of one event"

    def row(name: str, which: str, unit: str, figure: float, target: float | None = None) -> Row:
        return Row(section, f"{name}: {which}", unit, figure, target=target, is_exact=True)

    rows = [
        row(count.name, "actions", "actions", count.actions),
        row(count.name, "AWS calls", "calls", count.aws_calls),
        row(count.name, "DynamoDB calls", "calls", count.dynamodb_calls, count.limit_calls),
        row(count.name, "write units", "units", count.writes, count.limit_writes),
        row(count.name, "read units", "units", count.reads),
        row(count.name, "vendor requests", "requests", count.vendor_calls),
    ]
    for peer, side in sides.items():
        if peer != "ours":
            name = f"{count.name} by {POWERTOOLS.format(peer)}"
            rows += [
                row(name, "DynamoDB calls", "calls", side.dynamodb_calls),
                row(name, "write units", "units", side.writes),
            ]
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
    """The cost of the lanes beyond the first, and of the queue `later`, in a month without events."""
    added = len(LANES) - 1
    month = cost.idle(fifo_queues=added, standard_queues=1, alarms=added * ALARMS_OF_A_LANE)
    section = "dollars a month without an event, at list prices"
    return Row(section, f"{added} further lanes and `later`", "$", month, target=5.0)


def _two_actions(found: list[Count], section: str) -> Row:
    """The cost of an event with two actions, interpolated between two measured kinds of event."""
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
