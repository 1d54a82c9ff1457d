"""`python -m local`: run the whole system on this machine, or inspect the one that is running.

The default command is `run`; ports are options, or PORT, ENGINE_PORT and RICHPANEL_PORT.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from local import aligned, serve
from local.demo import run as demo
from local.stack import environment, resources
from local.stack.engine import REGION, EngineError, PortTakenError
from local.stack.join import answers
from local.stack.system import STAGE
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from collections.abc import Sequence


CANNOT_START = 2
_OTHER_PORTS = "choose others: PORT=8100 ENGINE_PORT=4666 RICHPANEL_PORT=8110 make run"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    options = _options(arguments)
    try:
        status: int = options.command(options)
    except PortTakenError as error:
        print(f"cannot start: {error}; {_OTHER_PORTS}", file=sys.stderr)
        return CANNOT_START
    except EngineError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        return 0
    return status


def show_tables(_options: argparse.Namespace) -> int:
    """Print tables A, B and C of the running stack."""
    hints = _running()
    aws = resources.Aws(hints["AWS_ENDPOINT_URL"], hints["AWS_ACCESS_KEY_ID"])
    template = StageTemplate.load(STAGE, account=aws.account, region=REGION)
    columns = (aligned.LEDGER, aligned.STATE, aligned.AUDIT)
    names = [
        resource.properties["TableName"] for resource in template.resources("AWS::DynamoDB::Table")
    ]
    for name, shown in zip(names, columns, strict=False):
        print(f"\n{name}\n\n{aligned.shown(aligned.rows(aws, name), shown)}")
    return 0


def show_requests(_options: argparse.Namespace) -> int:
    """Print the requests that the running stack's simulated Richpanel has received."""
    url = f"{_running()['RICHPANEL_BASE_URL']}/_sim/requests"
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own loopback address
        calls = json.load(answer)["requests"]
    columns = ("number", "operation", "status", "acted", "path", "body")
    print(aligned.shown(calls, columns))
    return 0


def _running() -> dict[str, str]:
    hints = environment.read_hints()
    if not answers(hints.get("AWS_ENDPOINT_URL", "")):
        raise EngineError("no stack is running; start it with `make run`")
    return hints


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or (given[0].startswith("-") and given[0] not in ("-h", "--help")):
        given.insert(0, "run")
    parser = argparse.ArgumentParser(prog="python -m local", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("run", help="start everything")
    for name, port in (
        ("PORT", "8000"),
        ("ENGINE_PORT", "4566"),
        ("RICHPANEL_PORT", "8010"),
        ("CONSOLE_PORT", "8090"),
    ):
        flag = f"--{name.lower().replace('_', '-')}"
        command.add_argument(flag, type=int, default=os.environ.get(name, str(port)))
    command.add_argument("--reconcile-every", type=float, default=30.0, metavar="SECONDS")
    command.set_defaults(command=serve.run)
    command = commands.add_parser("trial", help="start everything for tests from outside")
    command.set_defaults(command=serve.trial)
    command = commands.add_parser("tables", help="print the running stack's tables")
    command.set_defaults(command=show_tables)
    command = commands.add_parser("requests", help="print what the simulated Richpanel received")
    command.set_defaults(command=show_requests)
    command = commands.add_parser("demo", help="run the demo on free ports and print its results")
    command.add_argument("--log", type=Path, default=environment.RUN / "demo.log")
    command.set_defaults(command=lambda options: demo.main(options.log))
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
