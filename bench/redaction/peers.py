"""Installs and runs the peers, each in its own environment under `.venv-peers/`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

NAMES = ("presidio-analyzer", "presidio-all", "scrubadub", "datafog", "commonregex-improved")
_PACKAGES = {"presidio-all": "presidio-analyzer"}
_HOME = Path(".venv-peers")
_WORKER = Path(__file__).with_name("peer_worker.py")
_TIMEOUT_SECONDS = 900


class Answer(NamedTuple):
    """A peer's outputs and its seconds for each timed message, or the reason why it did not run."""

    outputs: list[str]
    seconds: list[float]
    reason: str = ""


def install() -> None:
    """Create missing environments; a peer that cannot be installed is reported in the table."""
    for name in sorted({_PACKAGES.get(name, name) for name in NAMES}):
        home = _HOME / name
        if (home / "bin" / "python").exists():
            continue
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=False)
        pip = [str(home / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", name]
        subprocess.run(pip, check=False)


def ask(name: str, messages: list[str], timed: list[str]) -> Answer:
    """Run one peer over the messages in its own process."""
    python = _HOME / _PACKAGES.get(name, name) / "bin" / "python"
    if not python.exists():
        return Answer([], [], "not installed")
    body = json.dumps([messages, timed])
    try:
        run = subprocess.run(
            [str(python), "-I", str(_WORKER), name], input=body, capture_output=True, text=True,
            timeout=_TIMEOUT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Answer([], [], "timed out")
    if run.returncode:
        return Answer([], [], (run.stderr.strip().splitlines() or ["failed"])[-1][:60])
    outputs, seconds = json.loads(run.stdout[run.stdout.index("[[") :])
    return Answer(outputs, seconds)
