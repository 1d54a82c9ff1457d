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
    for one in counted().values():
        assert events[f"{one.name}: write units"] == one.writes
        assert events[f"{one.name}: AWS calls of the door"] == one.door_calls
        assert events[f"{one.name}: AWS calls of the worker"] == one.worker_calls
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
    then, now = (json.loads(one.read_text())["kinds"] for one in (COUNTED, file))
    for one, other in zip(then, now, strict=True):
        for name in ROUNDED:
            assert abs(one.pop(name) - other.pop(name)) <= 100, (one["name"], name)
        assert one == other, AGAIN
