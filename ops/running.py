"""Runs a command line: every error becomes one line on standard error and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, partial

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import MiddlewareError, SettingsError
from ops import completion, unreachable
from ops.identity import of_caller
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.stage.provision import OwnedByStackError
from ops.stage.template import StageTemplateError

DEFAULT_STAGE = "dev"
"""Any stage: who the caller is depends on none."""


def run(app: typer.Typer, arguments: Sequence[str] | None = None, context: object = None) -> int:
    """Run a command; returns the exit code.  Only a bug of ours ends in a traceback.

    What went wrong is a line on standard error, and with ``--json`` the document ``{"error": ...}`` too.

    Args:
        app: the commands.
        arguments: the words after the program's name; None for the process's own.
        context: what commands find as `typer.Context.obj`.
    """
    as_json = "--json" in (sys.argv[1:] if arguments is None else arguments)
    ends = partial(_ends, Output(as_json))
    try:
        _command(app)(
            args=None if arguments is None else list(arguments),
            obj=context,
            complete_var=completion.COMPLETE_VARIABLE,
        )
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return ends("stopped", EXIT_NO)
    except OpsError as error:
        return ends(str(error), error.code)
    except (OwnedByStackError, StageTemplateError) as error:
        return ends(str(error), EXIT_NO)
    except SettingsError as error:
        return ends(str(error), EXIT_UNUSABLE)
    except unreachable.NOT_LOGGED_IN as error:
        return ends(unreachable.why(error), EXIT_UNUSABLE)
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        return ends(unreachable.why(error, place=_place()), EXIT_UNUSABLE)
    return 0


@cache
def _command(app: typer.Typer) -> Callable[..., object]:
    """An application's commands; a process that runs several reads them once."""
    command = typer.main.get_command(app)
    completion.use_script(command.params)
    return command


def _place() -> str:
    """The account and region that the command used; empty where AWS does not say."""
    sts = Session(DEFAULT_STAGE).client("sts")
    try:
        who = of_caller(sts)
    except (ClientError, BotoCoreError):
        return ""
    return f"account {who.account}, region {sts.meta.region_name} (as {who.name})"


def _ends(output: Output, message: str, code: int) -> int:
    output.show({"error": message})
    sys.stderr.write(f"error: {message}\n")
    return code
