"""The commands that an operator types, in processes that know nothing of the tests' machine."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def own_environment():
    """Without settings of this machine that would reach the stack."""
    names = ("PATH", "HOME", "LANG", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV")
    return {name: os.environ[name] for name in names if name in os.environ}


@dataclass(frozen=True)
class Printed:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


class Operator:
    """Types `python -m ops ...` with these variables; on a trial stack, by the stack's clock."""

    def __init__(self, hints):
        self._hints = hints
        self._process = None

    def types(self, *arguments, code=0, typed=""):
        """Run one command.

        Args:
            code: the exit status that it must have; None where any will do.
            typed: what is typed while it runs.
        """
        if self._process is None:
            self._process = self._start()
        asked = {"arguments": [str(argument) for argument in arguments], "input": typed}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        printed = Printed(**json.loads(self._process.stdout.readline()))
        assert code in (printed.code, None), printed
        return printed

    def close(self):
        """End the process, if a command was run."""
        if self._process is not None:
            self._process.communicate(timeout=60)

    def _start(self):
        return subprocess.Popen(
            [sys.executable, "-m", "local.operator"],
            cwd=ROOT,
            env={**own_environment(), **self._hints, "COLUMNS": "200"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
