"""Reads time series of the stage's metrics from CloudWatch, where a table would need a scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from ops.session import Session


@dataclass(frozen=True, slots=True)
class Query:
    """The metric and statistic of one series.

    Attributes:
        name: the series' name for the reader.
        stat: ``Sum``, ``Maximum`` or a percentile such as ``p95``.
        namespace: None for the stage's own.
    """

    name: str
    metric: str
    stat: str
    dimensions: Mapping[str, str] = field(default_factory=dict)
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """The values of several metrics in equal periods; None where nothing was measured.

    Attributes:
        times: the ISO time at which each period begins.
    """

    times: Sequence[str]
    values: Mapping[str, Sequence[float | None]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured in any period."""
        return not self.measured

    @property
    def measured(self) -> list[int]:
        """The indexes of the periods in which anything was measured."""
        columns = self.values.values()
        return [
            at for at in range(len(self.times)) if any(column[at] is not None for column in columns)
        ]


def read(session: Session, queries: Sequence[Query], *, period: timedelta, periods: int) -> Series:
    """Read the newest periods of some metrics, in one call.

    Args:
        session: the stage.
        queries: at most a hundred.
        period: whole minutes.
        periods: the number of periods, with the current one.
    """
    seconds = int(period.total_seconds())
    now = session.services.clock.now().timestamp()
    first = (int(now) // seconds - periods + 1) * seconds
    starts = [first + number * seconds for number in range(periods)]
    answer = session.client("cloudwatch").get_metric_data(
        MetricDataQueries=[
            _query(session, f"m{number}", query, seconds) for number, query in enumerate(queries)
        ],
        StartTime=datetime.fromtimestamp(first, UTC),
        EndTime=datetime.fromtimestamp(first + periods * seconds, UTC),
        ScanBy="TimestampAscending",
    )
    found = {result["Id"]: result for result in answer["MetricDataResults"]}
    values = {
        query.name: _placed(found.get(f"m{number}", {}), starts, seconds)
        for number, query in enumerate(queries)
    }
    return Series([iso(datetime.fromtimestamp(start, UTC)) for start in starts], values)


def _query(session: Session, name: str, query: Query, seconds: int) -> dict[str, Any]:
    own = query.namespace is None
    dimensions = {**query.dimensions, **({"stage": session.stage} if own else {})}
    return {
        "Id": name,
        "MetricStat": {
            "Metric": {
                "Namespace": query.namespace or f"rp-mw/{session.stage}",
                "MetricName": query.metric,
                "Dimensions": [
                    {"Name": dimension, "Value": dimensions[dimension]} for dimension in dimensions
                ],
            },
            "Period": seconds,
            "Stat": query.stat,
        },
    }


def _placed(result: Mapping[str, Any], starts: Sequence[int], seconds: int) -> list[float | None]:
    """The values of a result placed into their periods."""
    by_start = {
        int(at.timestamp()) // seconds * seconds: float(value)
        for at, value in zip(result.get("Timestamps", ()), result.get("Values", ()), strict=True)
    }
    return [by_start.get(start) for start in starts]
