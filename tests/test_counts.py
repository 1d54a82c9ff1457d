"""What an event costs is exact, known and guarded: a call more is a bill more."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_kind_of_event_stays_within_its_calls_and_units():
    """In a process of its own: the meter sits in the SDK's session before any client is made."""
    code = (
        "from bench import counts\n"
        "from bench.system import System\n"
        "with System() as system:\n"
        "    for one in counts.measure(system):\n"
        "        print(one.name, one.aws_calls, one.dynamodb_calls, one.writes, one.vendor_calls,"
        " sep='|')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    rows = [line.split("|") for line in done.stdout.splitlines()]
    assert rows == [
        ["webhook at the door", "1", "0", "0.0", "0"],
        ["routed event", "10", "10", "16.0", "2"],
        ["event that moves a ticket", "12", "12", "19.0", "3"],
        ["duplicate in the worker", "1", "1", "1.0", "0"],
    ]


def test_importing_the_app_builds_no_client_and_imports_nothing_only_the_worker_needs():
    code = (
        "import sys, boto3\n"
        "boto3.client = boto3.resource = None\n"
        "import app\n"
        "from chalicelib import wiring\n"
        "assert not wiring._services\n"
        "late = ('chalicelib.adapters.', 'chalicelib.worker', 'chalicelib.redaction')\n"
        "print([m for m in sys.modules if m.startswith(late)])\n"
    )
    environ = {**os.environ, "STAGE": "dev"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env=environ,
    )
    assert done.stdout.strip() == "[]"
