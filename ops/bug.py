"""What no command expects: one line that names the place, and a file with the traceback."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".run" / "tracebacks"
"""Of this machine, and in no repository: a traceback may show what a command has read."""
EXIT_NO = 1
"""As `ops.session` has it, which may be what cannot be imported."""


def report(error: Exception, arguments: Sequence[str]) -> int:
    """Say where a command ended that met what it does not expect; returns the exit code.

    With OPS_LOG set, or where no file can be written, the traceback is printed too.

    Args:
        error: what was raised.
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
    """The file that has the traceback; only who ran the command may read it.  Empty: none was written."""
    file = FOLDER / f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}.txt"
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as opened:
            opened.write(trace)
    except OSError:
        return ""
    return str(file)
