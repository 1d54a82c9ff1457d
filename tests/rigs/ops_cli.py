"""The operator's command line against a test's stage: exit code, output, errors."""

import json
from dataclasses import dataclass

import typer

from ops import cli

GROUPS = frozenset(
    name
    for name, command in typer.main.get_command(cli.app).commands.items()
    if hasattr(command, "commands")
)
"""The commands that have commands of their own."""


@dataclass(frozen=True)
class CommandResult:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


def runner(capsys):
    """Runs a command in this process; `run("explain", "1042")`."""

    def run(*arguments):
        capsys.readouterr()
        code = cli.main([str(one) for one in arguments])
        printed = capsys.readouterr()
        return CommandResult(code, printed.out, printed.err)

    return run
