"""Reads from Lambda's log lines what it billed for a stage's functions, and their start times.

Lambda ends each invocation with a ``REPORT`` line, which has the billed duration:
https://docs.aws.amazon.com/lambda/latest/dg/python-logging.html
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.rig.cost import LAMBDA_GB_SECOND, LAMBDA_REQUEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from local.acceptance.stage_day import StageDay

REPORT = re.compile(
    r"REPORT RequestId: .*?Billed Duration: (?P<billed>[\d.]+) ms\s+Memory Size: (?P<memory>\d+) MB"
    r"(?:.*?Init Duration: (?P<init>[\d.]+) ms)?"
)


@dataclass(slots=True)
class Billed:
    """The billed invocations of one function.

    Attributes:
        milliseconds: the billed duration of each invocation.
        starts: the milliseconds of each container's start.
        memory_mb: the function's memory.
    """

    milliseconds: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    memory_mb: int = 0

    @property
    def dollars(self) -> float:
        """The cost at list price, in US dollars."""
        seconds = sum(self.milliseconds) / 1000
        per_million = seconds * self.memory_mb / 1024 * LAMBDA_GB_SECOND
        return (per_million + len(self.milliseconds) * LAMBDA_REQUEST) / 1e6


def read(messages: Iterable[str]) -> Billed:
    """Sum up the reports among a function's log lines."""
    found = Billed()
    for message in messages:
        for report in REPORT.finditer(message):
            found.milliseconds.append(float(report["billed"]))
            found.memory_mb = int(report["memory"])
            if report["init"]:
                found.starts.append(float(report["init"]))
    return found


def rows(day: StageDay) -> list[dict[str, Any]]:
    """A table row for each function that was called."""
    logs, prefix = day.account.client("logs"), f"/aws/lambda/rp-mw-{day.stage}"
    messages: dict[str, list[str]] = defaultdict(list)
    groups = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix)
    for name in (group["logGroupName"] for page in groups for group in page["logGroups"]):
        for page in logs.get_paginator("filter_log_events").paginate(logGroupName=name):
            messages[name.rpartition("/")[2]] += [event["message"] for event in page["events"]]
    found = {name: read(lines) for name, lines in messages.items()}
    return [
        {
            "function": name,
            "calls": len(billed.milliseconds),
            "billed ms, median": round(median(billed.milliseconds)),
            "most": round(max(billed.milliseconds)),
            "starts": len(billed.starts),
            "start ms, median": round(median(billed.starts)) if billed.starts else None,
            "dollars": f"{billed.dollars:.6f}",
        }
        for name, billed in sorted(found.items())
        if billed.milliseconds
    ]
