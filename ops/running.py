"""Runs a command line: every error becomes one line on standard error and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import MiddlewareError, SettingsError
from ops import unreachable
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError
from ops.stage.provision import OwnedByStackError
from ops.stage.template import TemplateError


def run(app: typer.Typer, arguments: Sequence[str] | None = None, context: object = None) -> int:
    """Run a command; returns the exit code.  Only a bug of ours ends in a traceback.

    Args:
        app: the commands.
        arguments: the words after the program's name; None for the process's own.
        context: what commands find as `typer.Context.obj`.
    """
    try:
        app(args=None if arguments is None else list(arguments), obj=context)
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _no("stopped", EXIT_NO)
    except OpsError as error:
        return _no(str(error), error.code)
    except (OwnedByStackError, TemplateError) as error:
        return _no(str(error), EXIT_NO)
    except SettingsError as error:
        return _no(str(error), EXIT_UNUSABLE)
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        return _no(unreachable.why(error), EXIT_UNUSABLE)
    return 0


def _no(message: str, code: int) -> int:
    sys.stderr.write(f"error: {message}\n")
    return code
