"""The exact cost of a start and a message on each channel, which does not grow."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import boto3
import pytest

from bench.measures.outreach import starts_of
from bench.rig.meter import Meter
from tests.rigs.memory_stage import another_session

ROOT = Path(__file__).resolve().parents[3]
CODE = (
    "import json\n"
    "from dataclasses import asdict\n"
    "from bench.measures import outreach\n"
    "found = outreach.starts() if {starts} else outreach.appends((10, 100, 300))\n"
    "print(json.dumps([asdict(start) for start in found]))\n"
)
STARTS = [{"channel": channel, "door": 3, "worker": 13} for channel in ("whatsapp", "sms", "email")]
UNITS = 16
"""Write units of a message, as documented: its item with indexes, and page and mark of one that leaves it."""


def calls(start):
    return {name: start[name] for name in ("channel", "door", "worker")}


@pytest.fixture
def meter(outreach, monkeypatch):
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", another_session())
    outreach.new_container()
    return Meter(boto3.DEFAULT_SESSION)


def test_a_start_takes_three_calls_at_the_door_and_thirteen_in_the_worker(outreach, meter):
    found = starts_of(outreach.services, outreach.app, outreach.stage, meter)
    assert [calls(asdict(start)) for start in found] == STARTS


def counted(*, starts):
    """Count in a process of its own, as the meter must be in the SDK's session before any client is made."""
    code = CODE.replace("{starts}", str(starts))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long  # the same figures at the wire of the engine, as the measurement takes them
def test_the_measurement_at_the_wire_finds_the_same_figures():
    assert [calls(start) for start in counted(starts=True)] == STARTS
    assert [(row["number"], row["writes"]) for row in counted(starts=False)] == [
        (10, UNITS),
        (100, UNITS),
        (300, UNITS),
    ]
