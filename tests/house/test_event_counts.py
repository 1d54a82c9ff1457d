"""The counts that the bill rests on are those of the code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.report import counts
from ops.cost.event_kinds import COUNTED, counted

ROOT = Path(__file__).resolve().parents[2]
AGAIN = "python -m bench.measures.event_counts counts them again"
ROUNDED = ("log_bytes", "metric_bytes")


def test_the_counts_of_the_bench_are_those_of_the_bill():
    """One file holds them: the bench adds the peers' and other sections' alone."""
    events = counts.expected()["events"]
    for event in counted().values():
        assert events[f"{event.name}: write units"] == event.writes
        assert events[f"{event.name}: AWS calls of the door"] == event.door_calls
        assert events[f"{event.name}: AWS calls of the worker"] == event.worker_calls
    kept = json.loads(counts.COUNTS.read_text())["events"]
    assert kept, "those of the peers"
    assert all("by Powertools" in name for name in kept)


@pytest.mark.long  # every kind in the whole system
def test_every_kind_is_billed_for_what_it_uses(tmp_path):
    """In its own process: the meter must be in the SDK's session before any client is created."""
    file = tmp_path / "counted.json"
    subprocess.run(
        [sys.executable, "-m", "bench.measures.event_counts", "--to", file],
        cwd=ROOT,
        check=True,
        env=os.environ,
        capture_output=True,
    )
    then, now = (json.loads(counts_file.read_text())["kinds"] for counts_file in (COUNTED, file))
    for before, after in zip(then, now, strict=True):
        for name in ROUNDED:
            assert abs(before.pop(name) - after.pop(name)) <= 100, (before["name"], name)
        assert before == after, AGAIN
