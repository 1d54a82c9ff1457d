"""The exact cost of a start and a message on each channel, which does not grow."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "import json\n"
    "from dataclasses import asdict\n"
    "from bench.measures import outreach\n"
    "found = outreach.starts() if {starts} else outreach.appends((10, 100, 300))\n"
    "print(json.dumps([asdict(one) for one in found]))\n"
)


def counted(*, starts):
    """In a process of its own: the meter sits in the SDK's session before any client is made."""
    code = CODE.replace("{starts}", str(starts))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_a_start_takes_four_calls_at_the_door_and_ten_in_the_worker():
    assert counted(starts=True) == [
        {"channel": channel, "door": 4, "worker": 10} for channel in ("whatsapp", "sms", "email")
    ]


@pytest.fixture(scope="module")
def appends():
    return counted(starts=False)


def test_a_message_costs_the_same_however_long_its_conversation_is(appends):
    tenth, *later = [one["computed"] for one in appends]
    assert max(later) <= 1.2 * min(later)
    assert tenth <= min(later)


def test_the_units_of_a_message_are_the_documented_ones(appends):
    assert [(one["number"], one["computed"]) for one in appends] == [
        (10, 60),
        (100, 60),
        (300, 60),
    ]
