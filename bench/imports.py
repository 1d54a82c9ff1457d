"""Time to import the app against importing its libraries alone, each in a fresh interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = "import chalice, boto3, pydantic, requests"
APP = "import app"
ROUNDS = 11


def measure(rounds: int = ROUNDS) -> tuple[float, float]:
    """Median milliseconds: the app's import, its libraries' imports; taken in turns."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(_milliseconds(LIBRARIES))
        ours.append(_milliseconds(APP))
    return statistics.median(ours), statistics.median(theirs)


def _milliseconds(statement: str) -> float:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
        env={**os.environ, "STAGE": "dev"},
    )
    return float(done.stdout) * 1000
