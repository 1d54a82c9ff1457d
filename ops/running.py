"""Runs a command line: every error becomes one line on standard error and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, partial

import typer
from botocore.exceptions import BotoCoreError, ClientError
from typer._click.exceptions import (  # typer has no name of its own for them
    BadOptionUsage,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError,
)

from chalicelib.errors import MiddlewareError, SettingsError
from ops import completion, marks, unreachable
from ops.identity import of_caller
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.stage.template import StageTemplateError

PROGRAM = "python -m ops"
DEFAULT_STAGE = "dev"
"""Any stage will do: the caller's identity depends on none."""

STOPPED = 130
"""Typer's exit code after Ctrl-C, as in shells; it raises and prints nothing."""


def run(app: typer.Typer, arguments: Sequence[str] | None = None, context: object = None) -> int:
    """Run a command; return the exit code.  Raises only unexpected errors, which `ops.bug` reports.

    An error is a line on standard error, and with ``--json`` also the document ``{"error": ...}``.

    Args:
        app: the commands.
        arguments: the words after the program's name; None for the process's own.
        context: the value of `typer.Context.obj` for the commands.
    """
    typed = sys.argv[1:] if arguments is None else list(arguments)
    as_json = any(word.partition("=")[0] == "--json" for word in typed)
    ends = partial(_ends, Output(as_json))
    try:
        code = _command(app)(
            args=typed,
            obj=context,
            prog_name=PROGRAM,
            complete_var=completion.COMPLETE_VARIABLE,
            standalone_mode=False,  # else typer prints errors with the words typed
        )
    except SystemExit as end:
        code = int(end.code or 0)
    except NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")
        return EXIT_UNUSABLE
    except UsageError as error:
        if error.ctx and not as_json:
            sys.stderr.write(f"{error.ctx.get_usage()}\n")
        return ends(_wrong_usage(error), EXIT_UNUSABLE)
    except typer.Abort:
        return ends("stopped", EXIT_NO)
    except OpsError as error:
        return ends(str(error), error.code)
    except StageTemplateError as error:
        return ends(str(error), EXIT_NO)
    except SettingsError as error:
        return ends(str(error), EXIT_UNUSABLE)
    except unreachable.NOT_LOGGED_IN as error:
        return ends(unreachable.why(error), EXIT_UNUSABLE)
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        return ends(unreachable.why(error, place=_place()), EXIT_UNUSABLE)
    if code == STOPPED:
        return ends("stopped; run it again", code)
    return code or 0


@cache
def _command(app: typer.Typer) -> Callable[..., int | None]:
    """Build an application's click command, once in a process."""
    command = typer.main.get_command(app)
    completion.use_script(command.params)
    return command


def _wrong_usage(error: UsageError) -> str:
    """Describe a usage error without the typed words, one of which may be an address."""
    match error:
        case MissingParameter() | BadOptionUsage():  # these messages name only declared parameters
            why = error.format_message().rstrip(".")
        case NoSuchOption():
            why = "no such option" + "".join(
                f"; {possibility}?" for possibility in error.possibilities or ()
            )
        case typer.BadParameter(param=param) if param is not None:
            why = f"invalid value for {param.get_error_hint()}"
        case UsageError(cmd=typer.core.TyperGroup()):
            why = "no such command"
        case _:
            why = "more arguments than it takes"
    path = error.ctx.command_path if error.ctx else PROGRAM
    return f"{why[0].lower()}{why[1:]}; see {path} --help"


def _place() -> str:
    """The account, region and caller of the command; empty if AWS cannot be asked."""
    try:
        sts = Session(DEFAULT_STAGE).client("sts")
        who = of_caller(sts)
    except (ClientError, BotoCoreError, SettingsError):
        return ""
    return f"account {who.account}, region {sts.meta.region_name} (as {who.name})"


def _ends(output: Output, message: str, code: int) -> int:
    output.show({"error": message})
    sys.stderr.write(f"error: {marks.visible(message)}\n")
    return code
