"""Writes the tables of `docs/cost.md`: `python -m bench.report.cost_page`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.report import marked
from bench.rig import cost
from chalicelib.once.lanes import LANES
from ops.cost import assumptions, bill
from ops.cost.assumptions import FunctionSize
from ops.cost.bill import CostCause, Gateway, Terms
from ops.cost.event_kinds import COUNTED, EventCount, counted
from ops.cost.prices import each, prices

PAGE = marked.ROOT / "docs" / "cost.md"
RESOURCES = marked.ROOT / ".chalice" / "resources.json"
DASHBOARD, COMPOSITE = 3.0, 0.5
"""Dollars a month of a dashboard and a composite alarm: https://aws.amazon.com/cloudwatch/pricing/ ."""
GOALS = (("routed event, 5 actions", 22.0), ("routed event, 2 actions", 12.0))
"""Goals in dollars for a million events, behind an HTTP API."""
ALIKE = ("routed event, long ids", "routed, two tags already there", "duplicate in the worker")
"""Kinds of events that cost the same as another; the page leaves them out, `ops cost` lists them."""
LATENCIES = (0.03, 0.1, 0.3)
SIZES = tuple(
    FunctionSize(memory, architecture)
    for architecture in ("x86_64", "arm64")
    for memory in (256, 512, 1024)
)


def page() -> str:
    """The new text of the page."""
    text = PAGE.read_text()
    for mark, lines in (
        ("events", _events()),
        ("goals", _goals()),
        ("sizes", _sizes()),
        ("month", _month()),
        ("prices", _prices()),
    ):
        text = marked.replaced(
            text, f"<!-- {mark} -->", f"<!-- end of {mark} -->", ["", *lines, ""]
        )
    return text


def million(count: EventCount, terms: Terms) -> float:
    """AWS's bill for a million events, in dollars."""
    return bill.total(bill.of_event(count, terms), bill.AWS) * 1e6


def routed(actions: int) -> EventCount:
    """A routed event with a number of actions."""
    return bill.with_actions(counted()["routed event"], actions)


def _events() -> list[str]:
    rows = []
    shown = [one for name, one in counted().items() if name not in ALIKE]
    for count in (routed(2), *shown):
        rest, http = (Terms(one) for one in Gateway)
        by_cause = bill.times(bill.of_event(count, rest), 1e6)
        causes = [f"{by_cause[one]:,.1f}" for one in CostCause if one is not CostCause.MODEL]
        totals = [f"{million(count, one):.1f}" for one in (rest, http)]
        rows.append((count.name, count.actions, *causes, *totals))
    names = [one.value for one in CostCause if one is not CostCause.MODEL]
    return marked.table(("event", "actions", *names, "AWS, REST", "AWS, HTTP"), rows)


def _goals() -> list[str]:
    rows = []
    for name, goal in GOALS:
        count = routed(int(name.split()[-2]))
        rest, http = (million(count, Terms(one)) for one in Gateway)
        waits = sum(many * assumptions.mean_seconds(one) for one, many in count.vendors.items())
        size = assumptions.deployed("worker")
        waiting = waits * size.gigabytes * each(f"lambda_{size.architecture}") * 1e6
        gap = http - goal
        verdict = "met" if gap <= 0 else f"missed by {gap:.1f}"
        rows.append((name, goal, f"{http:.1f}", f"{rest:.1f}", verdict, f"{waiting:.1f}"))
    heads = ("event", "goal", "HTTP API", "REST API", "goal is", "of it waiting for Richpanel")
    return marked.table(heads, rows)


def _sizes() -> list[str]:
    count, rows = routed(5), []
    for size in SIZES:
        terms = Terms(Gateway.HTTP_API, door=size, worker=size)
        rest = million(count, terms) - bill.of_event(count, terms)[CostCause.COMPUTING] * 1e6
        row = [f"{rest + _at(seconds, count, size):.1f}" for seconds in LATENCIES]
        rows.append((f"{size.memory_mb} MB, {size.architecture}", *row))
    heads = ("functions", *(f"Richpanel takes {one * 1000:.0f} ms" for one in LATENCIES))
    return marked.table(heads, rows)


def _at(latency: float, count: EventCount, size: FunctionSize) -> float:
    """Computing for a million events, in dollars, if Richpanel's median latency were `latency` seconds."""
    computing = bill.of_event(count, Terms(door=size, worker=size))[CostCause.COMPUTING]
    calls = count.vendors["richpanel"]
    more = latency / assumptions.LATENCY_SECONDS["richpanel"] - 1
    waits = calls * assumptions.mean_seconds("richpanel") * more
    return (computing + waits * size.gigabytes * each(f"lambda_{size.architecture}")) * 1e6


def _month() -> list[str]:
    """The lines on what a stage costs in a month without events."""
    types = [one["Type"] for one in json.loads(RESOURCES.read_text())["Resources"].values()]
    alarms, composites = (
        types.count(f"AWS::CloudWatch::{one}") for one in ("Alarm", "CompositeAlarm")
    )
    metrics = json.loads(COUNTED.read_text())["metrics"]
    polls = cost.idle(fifo_queues=len(LANES), standard_queues=1, alarms=0)
    rows: Sequence[tuple[str, int, str]] = (
        ("alarms", alarms, f"{alarms * each('alarm_month'):.2f}"),
        ("composite alarms", composites, f"{composites * COMPOSITE:.2f}"),
        (
            "metrics, where each kind of event ends well",
            metrics,
            f"{metrics * each('metric_month'):.2f}",
        ),
        ("long polls of queues", len(LANES) + 1, f"{polls:.2f}"),
        ("dashboard", 1, f"{DASHBOARD:.2f}"),
        ("a secret, of each system that is used", 1, f"{each('secret_month'):.2f}"),
    )
    return marked.table(("what", "how many", "$ a month"), rows)


def _prices() -> list[str]:
    rows = [
        (f"`{one.name}`", f"{one.usd:g}", one.per, f"[{one.read}]({one.source})")
        for one in prices().values()
        if not one.name.startswith(("fabric", "onelake", "athena", "waf", "kms"))
    ]
    return marked.table(("price", "$", "per", "read"), rows)


if __name__ == "__main__":
    PAGE.write_text(page())
