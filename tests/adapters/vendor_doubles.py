"""A clock and a log for adapter tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


class ManualClock:
    """Time that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.elapsed = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 20, 9, tzinfo=UTC) + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.elapsed += seconds


@dataclass
class RecordingLog:
    events: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    metrics: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def event(self, name: str, **fields: object) -> None:
        self.events.append((name, fields))

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        assert value == 1
        self.metrics.append((name, dimensions))
