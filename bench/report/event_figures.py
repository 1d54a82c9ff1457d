"""The rows of each kind of event: its counts, and what `ops cost` says that it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bench.report.table import Row
from bench.rig.kinds import KINDS
from ops.cost import bill, month
from ops.cost.bill import Gateway, Terms
from ops.cost.event_kinds import EventCount

SAME_GRAIN = "a key per action"
POWERTOOLS = "Powertools, {}"
DOLLARS = "dollars for a million events, all on AWS's bill, at list prices"
MONTH = "dollars a month without an event, at list prices"
Peers = Mapping[str, tuple[float, float]]
"""DynamoDB calls and write units of the same work, by the name of a kind."""


def counted(found: Iterable[EventCount]) -> Iterator[Row]:
    """The counts of each kind, as the bill rests on them: door and worker together, but for their calls.

    The receipts of a message are kinds of their own.
    """
    section, kinds = "calls and units of one event", {kind.name: kind for kind in KINDS}
    for count in found:
        requests = count.vendor_requests
        calls, writes = kinds[count.name].limits(count.actions, requests)
        rows: tuple[tuple[str, str, float, float | None], ...] = (
            ("actions", "actions", count.actions, None),
            ("AWS calls of the door", "calls", count.door_calls, None),
            ("AWS calls of the worker", "calls", count.worker_calls, calls),
            ("write units", "units", count.writes, writes),
            ("read units", "units", count.reads, None),
            ("vendor requests", "requests", requests, None),
        )
        for which, unit, figure, target in rows:
            name = f"{count.name}: {which}"
            yield Row(section, name, unit, figure, target=target, is_exact=True)


def peers_of(counts: Mapping[str, float]) -> Peers:
    """What the peer of the same grain needs, from the expected counts."""
    by, found = f" by {POWERTOOLS.format(SAME_GRAIN)}: ", {}
    for name, calls in counts.items():
        kind, _, which = name.partition(by)
        if which == "DynamoDB calls":
            found[kind] = (calls, counts[f"{kind}{by}write units"])
    return found


def dollars(found: Iterable[EventCount], theirs: Peers) -> Iterator[Row]:
    """What `ops cost` says of each kind, and of a month without an event.

    A peer's event is charged for its own calls and write units, and for all else as ours.
    """
    for count in bill.each_kind(found):
        rest, http = (bill.million(count, Terms(gateway)) for gateway in Gateway)
        peer = theirs.get(count.name)
        beside = None
        if peer is not None:
            beside = bill.million(
                replace(count, worker_calls=int(peer[0]), writes=peer[1]), Terms(Gateway.REST_API)
            )
        yield Row(
            DOLLARS,
            count.name,
            "$",
            rest,
            beside,
            POWERTOOLS.format(SAME_GRAIN) if beside else "",
            note=f"HTTP API {http:.2f}",
        )
    yield Row(MONTH, "a stage", "$", month.total(), note=f"of it queues {month.queues():.2f}")
