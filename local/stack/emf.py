"""Does as CloudWatch does with the functions' output: turns metric lines into the engine's metrics."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = '{"_aws"'
"""The beginning of a line in CloudWatch's embedded metric format."""
EVERY_SECONDS = 2.0
AT_ONCE = 500
"""The most values sent in one `PutMetricData` call."""


class Metrics:
    """Sends the metrics of such lines to the engine every few seconds, on its own thread.

    Args:
        cloudwatch: a boto3 client of the engine.
    """

    def __init__(self, cloudwatch: Any) -> None:  # noqa: ANN401 - boto3 builds clients at run time
        self._cloudwatch = cloudwatch
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @contextlib.contextmanager
    def running(self) -> Iterator[Metrics]:
        """Run the thread until the end of the block."""
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join(EVERY_SECONDS)

    def take(self, line: str) -> None:
        """Queue a metric line, to be sent soon."""
        self._lines.put(line)

    def put(self) -> None:
        """Send the queued lines' metrics."""
        found: dict[str, list[dict[str, Any]]] = {}
        while not self._lines.empty():
            for namespace, datum in values_of(self._lines.get()):
                found.setdefault(namespace, []).append(datum)
        for namespace, data in found.items():
            for start in range(0, len(data), AT_ONCE):
                part = data[start : start + AT_ONCE]
                with contextlib.suppress(ClientError, BotoCoreError):  # the engine is being stopped
                    self._cloudwatch.put_metric_data(Namespace=namespace, MetricData=part)

    def _run(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            self.put()


def values_of(line: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a line's values as (namespace, datum), one for each value and set of dimensions."""
    try:
        record = json.loads(line)
    except ValueError:
        return
    at = datetime.fromtimestamp(record["_aws"]["Timestamp"] / 1000, UTC)
    for group in record["_aws"]["CloudWatchMetrics"]:
        for metric in group["Metrics"]:
            given = record[metric["Name"]]
            for value in given if isinstance(given, list) else [given]:
                for names in group["Dimensions"]:
                    yield (
                        group["Namespace"],
                        {
                            "MetricName": metric["Name"],
                            "Timestamp": at,
                            "Value": float(value),
                            "Unit": metric["Unit"],
                            "Dimensions": [
                                {"Name": name, "Value": str(record[name])} for name in names
                            ],
                        },
                    )


def without_metrics(line: str) -> str:
    """The line without metrics, with its line end; empty if it holds nothing else."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    names = {
        metric["Name"]
        for group in record["_aws"]["CloudWatchMetrics"]
        for metric in group["Metrics"]
    }
    shown = {name: value for name, value in record.items() if name != "_aws" and name not in names}
    return json.dumps(shown, separators=(",", ":")) + "\n" if "event" in shown else ""
