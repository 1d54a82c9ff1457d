"""The fact part of `make demo`: a call, a batch, the batch again, an outage of Power BI."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.posting.ndjson import FileRows
from local import aligned, chart
from local.stack import environment
from local.vendors import hubspot
from local.vendors.aloware import Aloware
from local.vendors.hubspot import HubSpot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from local.stack.system import Stack

QUIET_SECONDS = 60.0
EXPECTED: chart.Cells = Counter(
    {
        ("2025-11-20", "hubspot:5001", "CASES"): 8,
        ("2025-11-20", "hubspot:5002", "EMAILS"): 4,
        ("2026-11-20", "101", "CALLS"): 1,
        ("2026-11-20", "102", "CALLS"): 1,
    }
)
"""The report's figures after the story, whatever is repeated or down meanwhile."""


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    aloware = Aloware(f"{stack.http.url}/webhook/aloware", token=stack.stage.secrets.aloware_token)
    sender = HubSpot(f"{stack.http.url}/webhook/hubspot", secret=stack.stage.secrets.hubspot_secret)
    batch = [hubspot.event() for _ in range(8)]
    batch += [hubspot.event(objectTypeId="0-49", sourceId="userId:5002") for _ in range(4)]
    repeated = [{**event, "attemptNumber": 1} for event in reversed(batch)]

    def outage() -> None:
        stack.powerbi.down()
        aloware.call(owner_id=102)
        _settle(stack)
        stack.powerbi.up()

    story: list[tuple[str, Callable[[], object], int]] = [
        ("one call, six deliveries", aloware.call, 1),
        ("a HubSpot batch of 12", lambda: sender.send(batch), 12),
        ("the same batch again", lambda: sender.send(repeated), 0),
        ("the batch's events, one by one", lambda: [sender.send([event]) for event in batch], 0),
        ("a call during an outage of Power BI", outage, 1),
    ]
    lines, problems = [], []
    for what, act, expected in story:
        before = len(_rows(stack))
        act()
        _settle(stack)
        new = len(_rows(stack)) - before
        lines.append((what, f"{new} new", f"{len(_rows(stack))} in total"))
        if new != expected:
            problems.append(f"{what}: {new} facts instead of {expected}")
    ids = Counter(row["EventID"] for row in _rows(stack))
    if set(ids.values()) - {1}:
        problems.append("a fact is in Power BI twice")
    if set(aloware.answers + sender.answers) != {200}:
        problems.append(f"a webhook was rejected: {aloware.answers} {sender.answers}")
    sinks = {
        "the dataset": chart.counted(chart.simulated(stack.powerbi.url)),
        "OneLake": chart.counted(stack.onelake.rows(FACT_EVENT)),
        "the archive": chart.counted(FileRows(environment.FACTS).read(FACT_EVENT)),
    }
    for sink, cells in sinks.items():
        problems += [f"{sink}: {difference}" for difference in chart.differences(cells, EXPECTED)]
    problems += [f"OneLake stopped {item}" for item in stack.onelake.stopped().items()]
    report = "\n\n".join(
        [
            "Facts: Aloware and HubSpot events, each one row of the report",
            aligned.aligned(("what was posted", "rows in Power BI", ""), lines),
            chart.as_text(cells, EXPECTED),
            aligned.aligned(("day", "agent", "metric", *sinks), _side_by_side(sinks)),
            f"as a picture: {chart.PICTURE}",
        ]
    )
    return report, problems


def _side_by_side(sinks: Mapping[str, chart.Cells]) -> list[tuple[str, ...]]:
    """A line per day, agent and metric: the facts in each sink."""
    cells = sorted({cell for counted in sinks.values() for cell in counted})
    return [(*cell, *(str(counted[cell]) for counted in sinks.values())) for cell in cells]


def _settle(stack: Stack) -> None:
    stack.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
    stack.facts_schedule.tick()


def _rows(stack: Stack) -> list[dict[str, str]]:
    return stack.powerbi.rows(stack.dataset, FACT_EVENT)
