"""The result rows of the section on events: calls and units, processor time, dollars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bench.measures import event_counts, ingress, worker
from bench.report.event_figures import POWERTOOLS, SAME_GRAIN, counted, dollars
from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig.system import whole

if TYPE_CHECKING:
    from bench.measures.worker import Side


def events(sizes: Sizes) -> list[Row]:
    """Measure door and worker, and return their rows: calls and units, processor time, dollars."""
    with whole() as system:
        found = event_counts.measure(system)
        door = ingress.measure(system, sizes.requests)
        sides = worker.measure(system, sizes)
    theirs = {
        name: (float(side.dynamodb_calls), side.writes)
        for name, by_side in sides.items()
        if (side := by_side.get(SAME_GRAIN))
    }
    return [
        *_door(door),
        *counted(found),
        *(row for name, by_side in sides.items() for row in _by_peers(name, by_side)),
        *(row for name, by_side in sides.items() for row in _worked(name, by_side)),
        *dollars(found, theirs),
    ]


def _door(door: dict[str, float]) -> list[Row]:
    section, bare = "ingress: one webhook", "bare Chalice route"
    return [
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


def _by_peers(kind: str, sides: dict[str, Side]) -> Iterator[Row]:
    section = "calls and units of the same event by a peer"
    for peer, side in sides.items():
        if peer != "ours":
            name = f"{kind} by {POWERTOOLS.format(peer)}"
            yield Row(
                section, f"{name}: DynamoDB calls", "calls", side.dynamodb_calls, is_exact=True
            )
            yield Row(section, f"{name}: write units", "units", side.writes, is_exact=True)


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
            target=1.0 if peer == SAME_GRAIN else None,
            note="" if peer == SAME_GRAIN else "no record of single actions",
        )
        for peer, side in peers
    ]
