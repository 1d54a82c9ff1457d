"""The command `console`: the pages of `console/` on this machine, with the operator's credentials."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.options import Stage
from ops.session import EXIT_UNUSABLE, OpsError, Session

app = typer.Typer()
PORT = 8090


@app.command("console")
def console_command(
    stage: Stage = "dev",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = PORT,
) -> None:
    """Serve the console on this machine until Ctrl-C; what you do there is done as you."""
    from console import loopback  # noqa: PLC0415 - its packages only where it is used

    session = Session(stage)
    try:
        opened = loopback.listen(session, port=port, who=session.identity.name)
    except OSError as error:
        raise OpsError(f"port {port}: {error.strerror}", code=EXIT_UNUSABLE) from None
    typer.echo(f"console of {stage}, as {session.identity.name}; the link works once:")
    typer.echo(f"  {opened.url}")
    opened.server.serve_forever()
