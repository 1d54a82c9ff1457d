"""The operator's command line against a test's stage: exit code, output, errors."""

import functools
import io
import json
import sys
from dataclasses import dataclass

import pytest
import typer

from ops import cli

GROUPS = frozenset(
    name
    for name, command in typer.main.get_command(cli.app).commands.items()
    if hasattr(command, "commands")
)
"""The commands that have commands of their own."""


@functools.cache
def typer_commands():
    """Every command with its options, by the words that are typed."""

    def walk(group, before=""):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from walk(command, f"{before}{name} ")
            else:
                yield f"{before}{name}", command

    return dict(walk(typer.main.get_command(cli.app)))


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
    """Runs a command in this process, without a terminal; `run("resend", action, typed="y\\n")`."""

    def run(*arguments, typed=""):
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(typed))
            code = cli.main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return CommandResult(code, printed.out, printed.err)

    return run
