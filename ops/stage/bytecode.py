"""Compiles what ships: Lambda's folder of code is read-only, so each cold start would compile it all.

The files are unchecked hash-based pycs (PEP 552): Python takes them without a look at the source, and
they carry no time, so the same sources give the same bytes.  Sources stay beside them, for tracebacks
and for a runtime whose Python refuses them.  They are those of the Python that compiles: `runtime`
refuses to package by another one than the functions'.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PLACE = "/var/task"
"""Where Lambda unpacks the code; tracebacks name it."""
COMPILE_SECONDS = 600


def compiled(folder: Path, parts: Sequence[str] = (".",)) -> None:
    """Compile every module of a folder, or of parts of it.

    In a process of its own, with one seed for hashes and in the order of names: what has been
    compiled or imported before, and the order of sets, leave traces in the bytes.

    Raises:
        subprocess.CalledProcessError: a module has an error.
    """
    subprocess.run(  # noqa: S603 - the command is ours
        [
            *(sys.executable, "-S", "-m", "compileall", "-q", "-f"),
            *("--invalidation-mode", "unchecked-hash"),
            *("-s", str(folder), "-p", PLACE),
            *(str(folder / part) for part in parts),
        ],
        check=True,
        capture_output=True,
        timeout=COMPILE_SECONDS,
        cwd=folder,
        env={"PYTHONHASHSEED": "0"},
    )
