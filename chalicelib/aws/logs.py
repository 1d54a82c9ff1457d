"""JSON lines on standard output, and metrics in CloudWatch's embedded format; both redacted.

Example line::

    {"ts": "2026-11-20T09:00:02.000Z", "level": "INFO", "event": "worker.processed",
     "step": "worker", "env": "prod", "mw_release": "1.4.0", "mw_trace_id": "1f...",
     "ticket_id": "9b4e...", "idempotency_key": "77a0...", "attempt": 1}

A metric is stored under every set of dimensions that its record names, and an alarm reads exactly
one set.  Each metric is written by stage alone and with all its dimensions; `ROLLUPS` adds the
partial sums that alarms and the dashboard read.  Every set is billed as a metric, so there are no
more of them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TextIO

from chalicelib import redaction
from chalicelib.clock import iso
from chalicelib.once import trace
from chalicelib.once.ports import Clock

ROLLUPS: Mapping[str, tuple[str, ...]] = {
    "mw.effects": ("outcome",),
    "mw.ingress.rejected": ("code",),
    "mw.vendor.failed": ("outcome",),
}
"""Metric to the further dimensions under which it is summed, each together with the stage."""

_STEPS = {"reconcile": "system", "ops": "system"}
"""Event prefixes whose step has another name."""
_WARNING_WORDS = ("failed", "refused", "unknown", "parked", "rejected", "unreadable", "dead_letter")


_XRAY = re.compile(r"Root=(1-[0-9a-f]{8}-[0-9a-f]{24});.*\bSampled=1\b")
"""Lambda's trace header of a sampled invocation."""

_DIGESTS = ("mw_trace_id", "ticket_id", "idempotency_key")
_DIGEST = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{16}")
"""Our own digests skip redaction.

Redaction takes longer over a digest than over the rest of a line, and it would mask three in a
hundred as order numbers, which breaks the trace.  Sixteen digits without a letter could be a card
number, so they are redacted.
"""
_ENCODE = json.JSONEncoder(default=str, separators=(",", ":")).encode


@dataclass(slots=True)
class HeldRequestLines:
    """The lines of one request, held in memory until the request has ended."""

    lines: list[str] = field(default_factory=list)

    def drop(self) -> None:
        """Write none of them."""
        self.lines.clear()


class JsonLog:
    """`once.ports.Log` as JSON lines; one writer per container.

    Args:
        xray: returns the trace header of the invocation, empty where there is none.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        stage: str,
        release: str,
        stream: TextIO | None = None,
        xray: Callable[[], str] = str,
    ) -> None:
        self._clock = clock
        self._xray = xray
        self._always = {"env": stage, "mw_release": release}
        self._stage = stage
        self._stream = stream
        self._held: ContextVar[HeldRequestLines | None] = ContextVar("held", default=None)

    def event(self, name: str, **fields: object) -> None:
        """Write one redacted line with the fields of the open trace; its level follows from its name."""
        level = "WARNING" if any(word in name for word in _WARNING_WORDS) else "INFO"
        first = name.partition(".")[0]
        head = {
            "ts": iso(self._clock.now()),
            "level": level,
            "event": name,
            "step": _STEPS.get(first, first),
        }
        sampled = _XRAY.search(self._xray())
        if sampled:
            head["xray_trace_id"] = sampled[1]
        self._write({**head, **self._always, **self._safe({**trace.current(), **fields})})

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """Write a metric as a line in CloudWatch's embedded metric format."""
        labels = {"stage": self._stage, **dimensions}
        sets = [["stage"]]
        sets += [[one, "stage"] for one in ROLLUPS.get(name, ()) if one in dimensions]
        everything = sorted(labels)
        self._write(
            {
                "_aws": {
                    "Timestamp": int(self._clock.now().timestamp() * 1000),
                    "CloudWatchMetrics": [
                        {
                            "Namespace": f"rp-mw/{self._stage}",
                            "Dimensions": [*(s for s in sets if s != everything), everything],
                            "Metrics": [{"Name": name, "Unit": _unit(name)}],
                        }
                    ],
                },
                **labels,
                name: value,
            }
        )

    @contextmanager
    def held(self) -> Iterator[HeldRequestLines]:
        """Hold the lines of this context until the end of the block, then write those not dropped."""
        held = HeldRequestLines()
        token = self._held.set(held)
        try:
            yield held
        finally:
            self._held.reset(token)
            for line in held.lines:
                self._put(line)

    def _safe(self, fields: Mapping[str, object]) -> Mapping[str, Any]:
        """The redacted fields; if redaction fails, the fields are dropped and the line is written."""
        present = {name: value for name, value in fields.items() if value is not None}
        kept = {name: present.pop(name) for name in _DIGESTS if _is_digest(present.get(name))}
        try:
            return {**redaction.redact_mapping(present), **kept}
        except Exception:  # noqa: BLE001 - whatever fails, nothing unredacted may be logged
            self.metric("mw.redaction.failed")
            return {"redaction": "failed"}

    def _write(self, line: Mapping[str, Any]) -> None:
        held = self._held.get()
        if held is None:
            self._put(_ENCODE(line) + "\n")
        else:
            held.lines.append(_ENCODE(line) + "\n")

    def _put(self, line: str) -> None:
        stream = self._stream or sys.stdout
        stream.write(line)
        stream.flush()


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _unit(metric: str) -> str:
    if metric.endswith("_seconds"):
        return "Seconds"
    return "Milliseconds" if metric.endswith("_ms") else "Count"
