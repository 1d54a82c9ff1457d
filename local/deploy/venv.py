"""The engine's own virtual environment, created once per version of its requirements."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from local.stack.engine import ROOT, EngineMissingError

VENV = Path(os.environ.get("SAM_VENV", ROOT / ".venv-sam"))
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
INSTALL_SECONDS = 600


def python() -> Path:
    """The environment's interpreter; installs missing packages first, which takes half a minute.

    Raises:
        EngineMissingError: packages are missing and the package index cannot be reached.
    """
    interpreter = VENV / "bin" / "python"
    mark = VENV / f".ready-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]}"
    if not mark.exists():
        _install(interpreter)
        mark.touch()
    return interpreter


def _install(interpreter: Path) -> None:
    commands = [
        [sys.executable, "-m", "venv", str(VENV)],
        [
            *(str(interpreter), "-m", "pip", "install", "--quiet"),
            *("--disable-pip-version-check", "-r", str(REQUIREMENTS)),
        ],
    ]
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONWARNINGS")}
    for command in commands:
        try:
            subprocess.run(  # noqa: S603 - the commands are ours
                command, check=True, capture_output=True, timeout=INSTALL_SECONDS, env=environment
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise EngineMissingError(f"{VENV.name} cannot be installed: {command[2:5]}") from error
