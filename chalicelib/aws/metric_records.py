"""Metrics as CloudWatch's embedded format has them: records that are log lines at the same time.

Example record::

    {"_aws": {"Timestamp": 1795902977897, "CloudWatchMetrics": [
        {"Namespace": "rp-mw/dev", "Dimensions": [["stage"], ["outcome", "stage"]],
         "Metrics": [{"Name": "mw.worker.events", "Unit": "Count"}]}]},
     "stage": "dev", "outcome": "processed", "mw.worker.events": 1}

A metric is stored under every set of dimensions that its record names, and an alarm reads exactly
one set.  Each metric is written by stage alone and with all its dimensions; `ROLLUPS` adds the
partial sums that alarms and the dashboard read.  Every set is billed as a metric, so there are no
more of them.

Dimensions and values are members at the root, so a name has one value in a record, and a metric up to
100 values: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ , page
CloudWatch_Embedded_Metric_Format_Specification.html .
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ROLLUPS: Mapping[str, tuple[str, ...]] = {
    "mw.effects": ("outcome",),
    "mw.ingress.rejected": ("code",),
    "mw.vendor.failed": ("outcome",),
}
"""For a metric's name, the further dimensions under which it is summed, each together with the stage."""

MOST_VALUES = 100
"""The most values of one metric in a record."""


@dataclass(slots=True)
class MetricRecord:
    """One record in CloudWatch's embedded format: metrics whose dimensions agree, each with its values.

    Args:
        stage: names the namespace, and is a dimension of every metric.
        root: members of the log line that carries the record; a dimension may be one of them.
    """

    stage: str
    root: Mapping[str, object] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict)
    _values: dict[str, list[float]] = field(default_factory=dict)
    _sets: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def take(self, name: str, value: float, dimensions: Mapping[str, str]) -> bool:
        """Add a metric's value to the record and return True; False where the record cannot hold it.

        It cannot if it has another value of a dimension, other dimensions of the metric, or no room.
        """
        labels = {"stage": self.stage, **dimensions}
        there = {**self.root, **self._labels}
        if any(there.get(name, label) != label for name, label in labels.items()):
            return False
        sets = _sets(name, labels)
        values = self._values.get(name, [])
        if self._sets.get(name, sets) != sets or name in there or len(values) >= MOST_VALUES:
            return False
        self._labels |= labels
        self._sets[name] = sets
        self._values[name] = [*values, value]
        return True

    def line(self, at: datetime) -> dict[str, Any]:
        """The members of the log line that carries this record; without a metric, only those of `root`."""
        if not self._values:
            return dict(self.root)
        by_sets: dict[tuple[tuple[str, ...], ...], list[dict[str, str]]] = {}
        for name, sets in self._sets.items():
            by_sets.setdefault(sets, []).append({"Name": name, "Unit": _unit(name)})
        directives = [
            {"Namespace": f"rp-mw/{self.stage}", "Dimensions": sets, "Metrics": metrics}
            for sets, metrics in by_sets.items()
        ]
        values = {
            name: given[0] if len(given) == 1 else given for name, given in self._values.items()
        }
        head = {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": directives}
        return {"_aws": head, **self.root, **self._labels, **values}


def packed(
    metrics: list[tuple[str, float, Mapping[str, str]]],
    *,
    stage: str,
    root: Mapping[str, object] | None = None,
) -> list[MetricRecord]:
    """Records that hold these metrics, each in the first record with room; an empty list without metrics.

    The first record carries `root`.
    """
    records = [MetricRecord(stage, root or {})] if metrics else []
    for name, value, dimensions in metrics:
        if not any(record.take(name, value, dimensions) for record in records):
            records.append(MetricRecord(stage))
            records[-1].take(name, value, dimensions)
    return records


def _sets(name: str, labels: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    everything = tuple(sorted(labels))
    partial = [(label, "stage") for label in ROLLUPS.get(name, ()) if label in labels]
    return (*(names for names in [("stage",), *partial] if names != everything), everything)


def _unit(metric: str) -> str:
    if metric.endswith("_seconds"):
        return "Seconds"
    return "Milliseconds" if metric.endswith("_ms") else "Count"
