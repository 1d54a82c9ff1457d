"""Compiles the shipped code: Lambda's code folder is read-only, so each cold start would compile it.

The files are unchecked hash-based pycs (PEP 552): Python loads them without looking at the source.
They hold no time, so the same sources give the same bytes.  Sources stay beside them, for
tracebacks and for a Python that refuses the files.  `runtime` makes sure that the compiling Python
is the functions'.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PLACE = "/var/task"
"""The folder into which Lambda unpacks the code, for tracebacks."""
COMPILE_SECONDS = 600


def compile_folder(folder: Path, parts: Sequence[str] = (".",)) -> None:
    """Compile every module of a folder, or only of some subfolders.

    A separate process with a fixed hash seed does it: earlier imports and the order of sets would
    change the bytes.

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
