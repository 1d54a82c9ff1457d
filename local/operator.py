r"""Runs an operator's commands for a caller that has many of them.

``python -m local.operator`` imports `ops` once and runs each command in a fork of its own, so a
command takes hundredths of a second instead of seconds.  It reads and writes a JSON line each::

    {"arguments": ["explain", "1042"], "input": "y\\n"}
    {"code": 0, "out": "...", "err": ""}
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import boto3

from local.stack.turned_clock import MovedClock
from ops import cli

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVICES = ("cloudwatch", "dynamodb", "lambda", "secretsmanager", "sqs", "ssm", "sts")
"""What most commands ask."""


def main() -> None:
    """Run commands until the input ends; on a trial stack, by its clock."""
    if "LOCAL_CLOCK" in os.environ:
        clock = MovedClock(Path(os.environ["LOCAL_CLOCK"]))
        clock.follow()
        clock.passes_pauses()
    _warm()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_run(asked["arguments"], asked.get("input", ""))), flush=True)


def _warm() -> None:
    """Read once what every fork would read again: the commands, and what AWS's services look like."""
    with contextlib.redirect_stdout(io.StringIO()):
        cli.main(["--help"])
    for service in SERVICES:
        boto3.client(service).close()


def _run(arguments: Sequence[str], typed: str) -> dict[str, object]:
    files = [tempfile.TemporaryFile() for _ in range(3)]  # noqa: SIM115 - closed below
    given, out, err = files
    given.write(typed.encode())
    given.seek(0)
    process = os.fork()
    if not process:
        _become(arguments, [file.fileno() for file in files])
    _, status = os.waitpid(process, 0)
    printed = [(file.seek(0), file.read().decode())[1] for file in (out, err)]
    for file in files:
        file.close()
    return {"code": os.waitstatus_to_exitcode(status), "out": printed[0], "err": printed[1]}


def _become(arguments: Sequence[str], files: Sequence[int]) -> NoReturn:
    """Run the command in this process, which is the fork, and end it."""
    code = 1
    try:
        for standard, file in enumerate(files):
            os.dup2(file, standard)
        code = cli.main(list(arguments))
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
