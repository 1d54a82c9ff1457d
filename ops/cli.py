"""The whole command line: it joins the packages' commands and maps every error to an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import MiddlewareError, SettingsError
from ops import unreachable
from ops.companies import commands as company_commands
from ops.inspect import commands as inspect_commands
from ops.repair import commands as repair_commands
from ops.repair import dead_letter_commands
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError
from ops.stage import commands as stage_commands
from ops.stage import provision
from ops.stage.template import TemplateError
from ops.support import commands as support_commands

app = typer.Typer(
    help="Inspect a stage, repair it, prepare it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(inspect_commands.app)
app.add_typer(repair_commands.app)
app.add_typer(stage_commands.app)
app.add_typer(company_commands.app)
app.add_typer(dead_letter_commands.dlq_app, name="dlq")
app.add_typer(stage_commands.switch_app, name="switch")
app.add_typer(company_commands.handoff_app, name="handoff")
app.add_typer(company_commands.company_app, name="company")
app.add_typer(support_commands.app)
app.add_typer(support_commands.settings_app, name="support-settings")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code.  Only a bug of ours ends in a traceback."""
    try:
        app(args=None if arguments is None else list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    except KeyboardInterrupt:
        return _no("stopped", EXIT_NO)
    except OpsError as error:
        return _no(str(error), error.code)
    except (provision.OwnedByStackError, TemplateError) as error:
        return _no(str(error), EXIT_NO)
    except SettingsError as error:
        return _no(str(error), EXIT_UNUSABLE)
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        return _no(unreachable.why(error), EXIT_UNUSABLE)
    return 0


def _no(message: str, code: int) -> int:
    sys.stderr.write(f"error: {message}\n")
    return code
