"""The counts that the bill rests on are those of the code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ops.cost.event_kinds import COUNTED, counted
from tests.house.test_counts import COUNTS

ROOT = Path(__file__).resolve().parents[2]
AGAIN = "python -m bench.measures.event_counts counts them again"
ROUNDED = ("log_bytes", "metric_bytes")


def test_a_routed_event_is_billed_for_the_calls_and_units_that_it_has():
    (name, actions, calls, _, writes, reads, vendor_calls) = next(
        row for row in COUNTS if row[0] == "routed event"
    )
    one = counted()[name]
    assert (one.actions, one.worker_calls, one.reads) == (actions, calls, reads), AGAIN
    assert (one.writes - one.door_writes, sum(one.vendors.values())) == (writes, vendor_calls)


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
