"""JSON lines on standard output, and metrics in CloudWatch's embedded format; both redacted.

Example line::

    {"ts": "2026-11-20T09:00:02.000Z", "level": "INFO", "event": "worker.processed",
     "env": "prod", "mw_release": "1.4.0", "mw_trace_id": "1f...", "attempt": 1}
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from chalicelib.clock import iso
from chalicelib.ports import Clock

_WARNING_WORDS = ("failed", "refused", "unknown", "parked", "rejected", "unreadable", "dead_letter")


class JsonLog:
    """`ports.Log` as JSON lines; one writer per container."""

    def __init__(
        self, clock: Clock, *, stage: str, release: str, stream: TextIO | None = None
    ) -> None:
        self._clock = clock
        self._always = {"env": stage, "mw_release": release}
        self._stage = stage
        self._stream = stream

    def event(self, name: str, **fields: object) -> None:
        """See `ports.Log.event`."""
        level = "WARNING" if any(word in name for word in _WARNING_WORDS) else "INFO"
        head = {"ts": iso(self._clock.now()), "level": level, "event": name}
        self._write({**head, **self._always, **self._safe(fields)})

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """See `ports.Log.metric`; the format is CloudWatch's embedded metric format."""
        labels = {"stage": self._stage, **dimensions}
        self._write(
            {
                "_aws": {
                    "Timestamp": int(self._clock.now().timestamp() * 1000),
                    "CloudWatchMetrics": [
                        {
                            "Namespace": f"rp-mw/{self._stage}",
                            "Dimensions": [sorted(labels)],
                            "Metrics": [{"Name": name, "Unit": "Count"}],
                        }
                    ],
                },
                **labels,
                name: value,
            }
        )

    def _safe(self, fields: Mapping[str, object]) -> Mapping[str, Any]:
        """The fields redacted; if that fails, the text is dropped and not the line."""
        from chalicelib.redaction import redact_mapping  # noqa: PLC0415 - its tables load at the first line, not at the cold start's import

        present = {name: value for name, value in fields.items() if value is not None}
        try:
            return dict(redact_mapping(present))
        except Exception:  # noqa: BLE001 - whatever fails, nothing unredacted may leave
            return {"redaction": "failed"}

    def _write(self, line: Mapping[str, Any]) -> None:
        stream = self._stream or sys.stdout
        stream.write(json.dumps(line, default=str, separators=(",", ":")) + "\n")
        stream.flush()
