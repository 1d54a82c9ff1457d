"""JSON lines on standard output, and the metrics of a piece of work in its last line; both redacted.

Example line::

    {"ts": "2026-11-20T09:00:02.000Z", "level": "INFO", "event": "worker.processed",
     "step": "worker", "env": "prod", "mw_release": "1.4.0", "mw_trace_id": "1f...",
     "ticket_id": "9b4e...", "idempotency_key": "77a0...", "attempt": 1}

What a job, a request or a run of a schedule counts is gathered and written once, in the line that
ends it (`CLOSING`), with a further record where two metrics differ in a dimension.  So a process that
is killed loses what it has counted since, and no line but one that was its job's last.
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
from chalicelib.aws.metric_records import packed
from chalicelib.clock import iso
from chalicelib.once import trace
from chalicelib.once.ports import Clock

CLOSING = frozenset(
    {
        *("worker.processed", "worker.failed", "worker.parked", "worker.skipped"),
        *("worker.duplicate_event", "worker.handed_back"),
        *("ingress.accepted", "ingress.request.rejected", "ingress.failed"),
        *("facts.kept", "facts.run", "reconcile.summary"),
    }
)
"""The names of log lines that end a piece of work: such a line is kept back to carry the metrics of
its work, or until the next line comes."""

Metric = tuple[str, float, Mapping[str, str]]
"""A metric's name, value and dimensions."""

_STEPS = {"reconcile": "system", "ops": "system"}
"""Beginnings of event names whose log lines have another `step` than that beginning."""
_WARNING_WORDS = ("failed", "refused", "unknown", "parked", "rejected", "unreadable", "dead_letter")


_XRAY = re.compile(r"Root=(1-[0-9a-f]{8}-[0-9a-f]{24});.*\bSampled=1\b")
"""The trace header that Lambda sets in a sampled invocation."""

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
    """The log lines of one request, held in memory until the request has ended."""

    lines: list[str] = field(default_factory=list)

    def drop(self) -> None:
        """Discard the held log lines: none of them is written."""
        self.lines.clear()


@dataclass(slots=True)
class _Gathered:
    """The metrics that a piece of work has counted so far, and its closing line if that is kept back."""

    metrics: list[Metric] = field(default_factory=list)
    closing: Mapping[str, Any] | None = None
    counted_before: int = 0

    def next(self, line: Mapping[str, Any], *, is_closing: bool) -> list[Mapping[str, Any]]:
        """The log lines to write when a new line comes: the one kept back before, then the new one.

        A line that ends a piece of work is kept back itself, to carry the work's metrics.
        """
        now = [
            waiting
            for waiting in (self.closing, None if is_closing else line)
            if waiting is not None
        ]
        self.closing = line if is_closing else None
        self.counted_before = len(self.metrics)
        return now

    @property
    def in_order(self) -> list[Metric]:
        """The metrics in the order of writing: first those counted since the newest log line."""
        return self.metrics[self.counted_before :] + self.metrics[: self.counted_before]


class JsonLog:
    """Writes JSON log lines and metrics, as the port `once.ports.Log`; one per container.

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
        self._gathered: ContextVar[_Gathered | None] = ContextVar("gathered", default=None)

    def event(self, name: str, **fields: object) -> None:
        """Write one redacted log line with the fields of the open trace.

        The level is WARNING if the name holds a word such as ``failed``, else INFO.
        """
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
        line = {**head, **self._always, **self._safe({**trace.current(), **fields})}
        gathered = self._gathered.get()
        if gathered is None:
            self._write(line)
            return
        for ended in gathered.next(line, is_closing=name in CLOSING):
            self._write(ended)

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """Count a metric: written at the end of the `gathering` block around it, or at once outside one."""
        gathered = self._gathered.get()
        if gathered is None:
            self._close([(name, value, dimensions)], None)
        else:
            gathered.metrics.append((name, value, dimensions))

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Gather the metrics counted in this block and write them at its end, in few log lines."""
        gathered = _Gathered()
        token = self._gathered.set(gathered)
        try:
            yield
        finally:
            self._gathered.reset(token)
            self._close(gathered.in_order, gathered.closing)

    def _close(self, metrics: list[Metric], closing: Mapping[str, Any] | None) -> None:
        records = packed(metrics, stage=self._stage, root=closing)
        if closing is not None and not records:
            self._write(closing)
        now = self._clock.now()
        for record in records:
            self._write(record.line(now))

    @contextmanager
    def holding_back(self) -> Iterator[HeldRequestLines]:
        """Hold back the log lines of this block, and at its end write those that were not dropped."""
        held = HeldRequestLines()
        token = self._held.set(held)
        try:
            yield held
        finally:
            self._held.reset(token)
            for line in held.lines:
                self._put(line)

    def _safe(self, fields: Mapping[str, object]) -> Mapping[str, Any]:
        """The redacted fields of a log line; if redaction fails, they are dropped and the line is written."""
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
