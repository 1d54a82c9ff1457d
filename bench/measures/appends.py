"""The cost of appending a message while a conversation grows: write units must not change."""

from __future__ import annotations

import statistics
import time
from datetime import UTC, datetime, timedelta

from bench.report.sizes import Sizes
from bench.report.table import Row
from bench.rig.system import System

RECIPIENT = "+15550100001"
START = datetime(2026, 11, 20, 9, tzinfo=UTC)


def measure(sizes: Sizes) -> list[Row]:
    """Result rows for each length of history, compared with the shortest."""
    with System(on_dynoxide=True) as system:
        points = _points(system, sizes)
    section = "growth of a conversation (dynoxide), one more message"
    (shortest, units, ms), *longer = points
    beside = f"{shortest:,} messages"
    rows = [
        Row(section, f"{beside}: write units", "units", units, is_exact=True),
        Row(section, f"{beside}: time", "ms", ms),
    ]
    for length, more_units, more_ms in longer:
        name = f"{length:,} messages"
        flat = Row(
            section,
            f"{name}: write units",
            "units",
            more_units,
            units,
            beside,
            target=1.0,
            is_exact=True,
        )
        rows += [flat, Row(section, f"{name}: time", "ms", more_ms, ms, beside)]
    return rows


def _points(system: System, sizes: Sizes) -> list[tuple[int, float, float]]:
    """(stored messages, highest write units of an append, median ms) at each length."""
    from chalicelib.clock import iso  # noqa: PLC0415 - after the environment
    from chalicelib.outreach.conversations.records import Entry  # noqa: PLC0415

    store = system.services.outreach.conversations
    record = store.open(_record()).record
    points, number = [], 0

    def append() -> None:
        nonlocal number, record
        entry = Entry(
            entry_id=f"e-{number:05d}",
            message_timestamp=iso(START + timedelta(seconds=number)),
            role="user" if number % 2 else "assistant",
            content=f"message {number:05d} " + "x" * 200,
        )
        record, _ = store.append(record, entry)
        number += 1

    for length in sizes.histories:
        while number < length:
            append()
        units, seconds = set(), []
        for _ in range(sizes.growth_events):
            started = time.perf_counter()
            append()
            seconds.append(time.perf_counter() - started)
        with system.meter.weighing():
            for _ in range(sizes.growth_events):
                system.meter.reset()
                append()
                units.add(system.meter.writes)
        points.append((length, max(units), statistics.median(seconds) * 1000))
    return points


def _record() -> dict[str, object]:
    return {
        "primary_channel": RECIPIENT,
        "conversation_id": f"ci-aaa-001#pi-aaa-001#bench#{RECIPIENT.lstrip('+')}",
        "opaque_id": "opaque-bench",
        "start_event": "evt:start:bench",
        "company_id": "ci-aaa-001",
        "project_id": "pi-aaa-001",
        "request_id": "bench",
        "channel_method": "sms",
        "channel_config": {"company_sms_number": "+15550109002"},
        "recipient_tel": RECIPIENT,
    }
