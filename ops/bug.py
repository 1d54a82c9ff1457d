"""Reports an unexpected error: one line that names the place, and a file with the traceback."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".run" / "tracebacks"
"""A local folder outside version control: a traceback may show data that a command has read."""
EXIT_NO = 1
"""Equals `ops.session.EXIT_NO`, which may itself fail to import."""


def report(error: Exception, arguments: Sequence[str]) -> int:
    """Print where a command ended with an unexpected error; return the exit code.

    The traceback is printed too if OPS_LOG is set or the file cannot be written.

    Args:
        error: the exception.
        arguments: the words after the program's name.
    """
    last = traceback.extract_tb(error.__traceback__)[-1]
    message = (
        f"{type(error).__name__} at {last.filename}:{last.lineno}: a bug of ours, please report it"
    )
    trace = "".join(traceback.format_exception(error))
    kept = _kept(trace)
    if kept:
        message = f"{message}, with {kept}"
    if os.environ.get("OPS_LOG") or not kept:
        sys.stderr.write(trace)
    if "--json" in arguments:
        sys.stdout.write(json.dumps({"error": message}, indent=2) + "\n")
    sys.stderr.write(f"error: {message}\n")
    return EXIT_NO


def _kept(trace: str) -> str:
    """Write the traceback to a file that only this user can read; return its path, empty on failure."""
    file = FOLDER / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}.txt"
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as opened:
            opened.write(trace)
    except OSError:
        return ""
    return str(file)
