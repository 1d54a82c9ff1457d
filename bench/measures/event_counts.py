"""What one event of each kind uses, from the request to its end: the input of `ops cost`.

    python -m bench.measures.event_counts

It counts requests at the wire and bytes in the log, and writes `ops/cost/counted.json`.  Log bytes are
rounded, as times and ids differ between runs.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.rig.kinds import KINDS, Kind
from bench.rig.system import System, whole
from ops.cost import assumptions
from ops.cost.event_kinds import COUNTED, EventCount

RECEIVE_AND_DELETE = 2
"""Requests that Lambda itself makes for each queue message."""
ROUND_BYTES = 100


def measure(system: System, log: io.StringIO | None = None) -> list[EventCount]:
    """Every kind of event, after a warm-up; `log` receives what is written meanwhile."""
    unread, system.services.log._stream = system.services.log._stream, log or io.StringIO()  # noqa: SLF001 - as `System` sets it
    for number, kind in enumerate(KINDS):
        kind.send(system, f"warm-up {number}")
        system.work()
    system.post(system.message("counted"))  # two calls share a turn at Richpanel
    system.work()
    found = [_of(system, kind, number) for number, kind in enumerate(KINDS)]
    system.services.log._stream = unread  # noqa: SLF001
    return found


def stored_metrics(written: str) -> set[tuple[str, ...]]:
    """The metrics that CloudWatch stores of log lines: each name with the values of its dimensions."""
    found = set()
    for line in written.splitlines():
        record = json.loads(line)
        for group in record.get("_aws", {}).get("CloudWatchMetrics", ()):
            for names in group["Dimensions"]:
                labels = tuple(f"{name}={record[name]}" for name in names)
                found |= {(metric["Name"], *labels) for metric in group["Metrics"]}
    return found


def _of(system: System, kind: Kind, number: int) -> EventCount:
    written, door = system.services.log._stream, _Door(system)  # noqa: SLF001
    with door:
        kind.send(system, f"count {number}")
    before = system.actions_begun()
    system.read_switches()
    system.reset_counts()
    start = written.tell()
    with system.meter.weighing():
        assert system.work() == kind.jobs
    worked, meter = written.getvalue()[start:], system.meter
    lines = (door.written + worked).splitlines(keepends=True)
    plain = sum(map(_plain_bytes, lines))
    sends = sum(
        many for name, many in (door.requests + meter.requests).items() if "sqs.Send" in name
    )
    by_vendor = {
        vendor.name: Counter(call.operation for call in vendor.calls) for vendor in system.vendors
    }
    asked = by_vendor.pop("openai")
    return EventCount(
        name=kind.name,
        actions=system.actions_begun() - before,
        doors=int(not door.is_notice),
        notices=int(door.is_notice),
        jobs=kind.jobs,
        door_calls=door.requests.total(),
        worker_calls=meter.total - meter.of("sesv2"),
        queue_requests=sends + RECEIVE_AND_DELETE * kind.jobs,
        writes=door.writes + meter.writes,
        door_writes=door.writes,
        index_units=dict(sorted((door.indexes + meter.indexes).items())),
        reads=door.reads + meter.reads,
        vendors={name: calls.total() for name, calls in by_vendor.items() if calls}
        | ({"moderation": asked["moderate"]} if asked["moderate"] else {}),
        log_bytes=round(plain, -2),
        metric_bytes=round(sum(map(len, lines)) - plain, -2),
        carrier=dict(Counter(kind.carrier)),
        model_calls=asked["respond"],
        receipt=kind.receipt,
        receipts=assumptions.RECEIPTS.get(kind.receipt.rpartition(", ")[2], 0),
    )


class _Door:
    """Counts only the last request at a door, as a kind of event may need earlier ones."""

    is_notice = False

    def __init__(self, system: System) -> None:
        self._system = system
        self._invoked = system.at_door

    def __enter__(self) -> None:
        self._system.at_door = self._counted  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        self._system.at_door = self._invoked  # type: ignore[method-assign]

    def _counted(self, invoke: Callable[[], Any], *, is_notice: bool = False) -> Any:  # noqa: ANN401 - a function's answer
        system, stream = self._system, self._system.services.log._stream  # noqa: SLF001
        system.reset_counts()
        start = stream.tell()
        with system.meter.weighing():
            answer = invoke()
        self.is_notice = is_notice
        self.requests = system.meter.requests.copy()
        self.writes, self.reads = system.meter.writes, system.meter.reads
        self.indexes = system.meter.indexes.copy()
        self.written = stream.getvalue()[start:]
        return answer


def _plain_bytes(line: str) -> int:
    """Bytes of a log line without its metrics; 0 for a line with nothing but metrics."""
    record = json.loads(line)
    if "_aws" not in record:
        return len(line)
    groups = record["_aws"]["CloudWatchMetrics"]
    added = {metric["Name"] for group in groups for metric in group["Metrics"]} | {"_aws", "stage"}
    added |= {"outcome", "answer", "kind", "vendor"} & {
        name for group in groups for names in group["Dimensions"] for name in names
    }
    left = {name: value for name, value in record.items() if name not in added}
    return len(json.dumps(left, separators=(",", ":"))) + 1 if "event" in left else 0


def main() -> int:
    """Count every kind of event, and write and print the result."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.event_counts")
    parser.add_argument("--to", type=Path, default=COUNTED)
    file: Path = parser.parse_args().to
    written = io.StringIO()
    with whole() as system:
        found = measure(system, written)
    document = {
        "metrics": len(stored_metrics(written.getvalue())),
        "kinds": [asdict(kind) for kind in found],
    }
    file.write_text(json.dumps(document, indent=1) + "\n")
    for kind in found:
        sys.stdout.write(
            f"{kind.name:<32} {kind.door_calls + kind.worker_calls:>3} calls {kind.writes:>5.1f} WRU"
            f" {kind.log_bytes:>6,} B of log {kind.metric_bytes:>6,} B of metrics\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
