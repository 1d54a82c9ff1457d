"""Writes the tables of the pages on cost, and what others say of it: `python -m bench.report.cost_page`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.report import marked
from chalicelib.once.lanes import LANES
from chalicelib.outreach.channels import Channel
from ops.cost import assumptions, bill, month
from ops.cost.assumptions import FunctionSize
from ops.cost.bill import CostCause, Gateway, Terms
from ops.cost.event_kinds import EventCount, MessageEvent, counted, on_channel
from ops.cost.prices import prices, unit_price

PAGE, BASIS, CAPACITY, COLD = (
    marked.ROOT / "docs" / name
    for name in ("cost.md", "cost-basis.md", "capacity-cost.md", "cold-start.md")
)
GOALS = ((5, 22.0), (2, 12.0))
"""Dollars of a million routed events of so many actions, behind an HTTP API."""
UNITS_GOAL = 45
"""Write units of a start, and of an answer."""
MEMORIES = (256, 512, 1024, assumptions.WHOLE_PROCESSOR_MB)
ALIKE = ("routed event, long ids", "routed, two tags already there", "duplicate in the worker")
"""Kinds of events that cost the same as another; the page leaves them out, `ops cost` lists them."""
LATENCIES = (0.03, 0.1, 0.3)
SIZES = tuple(
    FunctionSize(memory, architecture)
    for architecture in ("x86_64", "arm64")
    for memory in (256, 512, 1024)
)


def pages() -> Mapping[Path, str]:
    """The pages as they should be."""
    found: dict[Path, str] = {}
    for page, mark, lines in (
        (PAGE, "events", _events()),
        (BASIS, "counts", _counts()),
        (PAGE, "goals", _goals()),
        (PAGE, "goals of units", _unit_goals()),
        (PAGE, "sizes", _sizes()),
        (PAGE, "month", _month()),
        (BASIS, "prices", _prices()),
        (CAPACITY, "cost", _in_words()),
        (COLD, "memory", _memory()),
    ):
        text = found.get(page) or page.read_text()
        marks = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
        found[page] = marked.replaced(text, *marks, ["", *lines, ""])
    return found


def routed(actions: int) -> EventCount:
    """A routed event of so many actions."""
    return bill.with_actions(counted()[bill.ROUTED], actions)


def _shown() -> list[EventCount]:
    return [count for count in bill.each_kind(counted().values()) if count.name not in ALIKE]


def _events() -> list[str]:
    rows = []
    for count in _shown():
        rest, http = (bill.times(bill.of_event(count, Terms(gateway)), 1e6) for gateway in Gateway)
        dollars = [f"{rest[cause]:,.1f}" for cause in CostCause]
        totals = (bill.total(rest, bill.AWS), bill.total(http, bill.AWS), bill.total(rest))
        rows.append((count.name, *dollars, *(f"{total:,.1f}" for total in totals)))
    names = [cause.value for cause in CostCause]
    return marked.table(("event", *names, "AWS, REST", "AWS, HTTP", "all, REST"), rows)


def _counts() -> list[str]:
    rows = []
    for count in _shown():
        calls = f"{count.door_calls} + {count.worker_calls}"
        seconds = sum(bill.billed_seconds(count, Terms()))
        bytes_ = count.log_bytes + count.functions * assumptions.LAMBDA_LINES_BYTES
        units = f"{count.writes:g} + {count.reads:g}"
        row = (calls, units, count.vendor_requests, f"{seconds * 1000:,.0f}")
        rows.append((count.name, count.actions, *row, f"{bytes_:,} + {count.metric_bytes:,}"))
    heads = ("AWS calls, door + worker", "write + read units", "vendor requests", "billed ms")
    return marked.table(("event", "actions", *heads, "bytes of log + metrics"), rows)


def _goals() -> list[str]:
    rows = []
    for actions, goal in GOALS:
        count = routed(actions)
        rest, http = (bill.million(count, Terms(gateway)) for gateway in Gateway)
        waits = sum(
            many * assumptions.mean_seconds(vendor) for vendor, many in count.vendors.items()
        )
        size = assumptions.deployed("worker")
        waiting = waits * size.gigabytes * unit_price(f"lambda_{size.architecture}") * 1e6
        rows.append(
            (
                f"routed event, {actions} actions",
                f"{goal:g}",
                f"{http:.1f}, {_verdict(http - goal)}",
                f"{rest:.1f}, {_verdict(rest - goal)}",
                f"{waiting:.1f}",
            )
        )
    heads = ("event", "goal", "HTTP API", "REST API", "of it waiting for Richpanel")
    return marked.table(heads, rows)


def _unit_goals() -> list[str]:
    """Write units of a message on each channel, its own and with its receipts'."""
    rows = []
    for kind in (MessageEvent.START, MessageEvent.REPLY):
        for channel in Channel:
            count = on_channel(kind, channel)
            gap = count.writes - UNITS_GOAL
            receipts = count.receipts * counted()[count.receipt].writes
            rows.append(
                (count.name, UNITS_GOAL, f"{count.writes:g}", _verdict(gap, "g"), f"{receipts:g}")
            )
    return marked.table(("event", "goal", "write units", "goal is", "its receipts' beside"), rows)


def _verdict(gap: float, form: str = ".1f") -> str:
    return "met" if gap <= 0 else f"missed by {gap:{form}}"


def _sizes() -> list[str]:
    count, rows = routed(5), []
    for size in SIZES:
        terms = Terms(Gateway.HTTP_API, door=size, worker=size)
        rest = bill.million(count, terms) - bill.of_event(count, terms)[CostCause.COMPUTING] * 1e6
        row = [f"{rest + _at(seconds, count, size):.1f}" for seconds in LATENCIES]
        rows.append((f"{size.memory_mb} MB, {size.architecture}", *row))
    heads = ("functions", *(f"Richpanel takes {latency * 1000:.0f} ms" for latency in LATENCIES))
    return marked.table(heads, rows)


def _at(latency: float, count: EventCount, size: FunctionSize) -> float:
    """Computing for a million events, in dollars, if Richpanel's median latency were `latency` seconds."""
    computing = bill.of_event(count, Terms(door=size, worker=size))[CostCause.COMPUTING]
    calls = count.vendors["richpanel"]
    more = latency / assumptions.LATENCY_SECONDS["richpanel"] - 1
    waits = calls * assumptions.mean_seconds("richpanel") * more
    return (computing + waits * size.gigabytes * unit_price(f"lambda_{size.architecture}")) * 1e6


def _month() -> list[str]:
    """What a stage costs in a month in which nothing arrives."""
    rows = [(f"{row.what}", row.many, f"{row.usd:.2f}") for row in month.rows()]
    return marked.table(
        ("what", "how many", "$ a month"), [*rows, ("**all**", "", f"**{month.total():.2f}**")]
    )


def _prices() -> list[str]:
    rows = [
        (
            f"`{price.name}`",
            price.shown,
            price.unit if price.per == "one" else f"{price.per}, {price.unit}",
            f"[{price.read}]({price.source})",
            price.note.replace("|", "/"),
        )
        for price in prices().values()
    ]
    return marked.table(("price", "$", "for", "read", "remark"), rows)


def _in_words() -> list[str]:
    """What the page on capacity says of the same figures."""
    rest, http = (bill.million(routed(2), Terms(gateway)) for gateway in Gateway)
    lanes = (
        f"Idle lanes: Lambda asks each of {len(LANES) + 1} queues with {month.POLLERS} long polls of"
        f" {month.LONG_POLL_SECONDS} seconds, {month.POLLS:,.0f} requests a month,"
        f" ${month.queues():.2f} for all; a stage without an event costs ${month.total():.2f} a month."
    )
    events = (
        f"A million routed events of two actions cost ${http:.1f} behind an HTTP API and ${rest:.1f}"
        " behind the REST API that Chalice deploys, with logs and metrics."
    )
    return [events, lanes]


def _memory() -> list[str]:
    """A routed event and a webhook by memory, as `ops cost` bills them."""
    count, rows = routed(5), []
    for memory in MEMORIES:
        row = []
        for side in range(2):
            for architecture in ("x86_64", "arm64"):
                size = FunctionSize(memory, architecture)
                seconds = bill.billed_seconds(count, Terms(door=size, worker=size))[1 - side]
                usd = seconds * size.gigabytes * unit_price(f"lambda_{architecture}") * 1e6
                row.append((seconds, usd))
        (event, x86), (_, arm), (webhook, at_door), _ = row
        rows.append(
            (
                f"{memory:,} MB",
                f"{event * 1000:.0f} ms",
                f"${x86:.2f}",
                f"${arm:.2f}",
                f"{webhook * 1000:.1f} ms",
                f"${at_door:.2f}",
            )
        )
    heads = ("a million, x86_64", "arm64", "webhook", "a million, x86_64")
    return marked.table(("memory", "routed event", *heads), rows)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text)
