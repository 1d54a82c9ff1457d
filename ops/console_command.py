"""The command `console`: the pages of `console/` on this machine, and sessions of the deployed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ops import journal
from ops.options import Json, Stage, Yes
from ops.output import Output
from ops.session import EXIT_UNUSABLE, OpsError, Session

if TYPE_CHECKING:
    from console.sessions import Sessions

app = typer.Typer(invoke_without_command=True)
PORT = 8090


@app.callback()
def console_command(
    context: typer.Context,
    stage: Stage = "dev",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = PORT,
) -> None:
    """Serve the console on this machine until Ctrl-C; what you do there is done as you."""
    if context.invoked_subcommand is not None:
        return
    from console import loopback  # noqa: PLC0415 - its packages only where it is used

    session = Session(stage)
    try:
        opened = loopback.listen(session, port=port, who=session.identity.name)
    except OSError as error:
        raise OpsError(f"port {port}: {error.strerror}", code=EXIT_UNUSABLE) from None
    typer.echo(f"console of {stage}, as {session.identity.name}; the link works once:")
    typer.echo(f"  {opened.url}")
    opened.server.serve_forever()


@app.command("sessions")
def sessions_command(stage: Stage = "dev", *, json: Json = False) -> None:
    """Who is signed in to the deployed console, since when and until when."""
    session, output = Session(stage), Output(json)
    names = ("id", "person", "roles", "since", "until")
    found = sorted(_sessions(session).listed(), key=lambda one: one.since)
    lines = [
        dict(
            zip(
                names,
                (one.short_id, one.person, ", ".join(one.grants), one.since, one.until),
                strict=True,
            )
        )
        for one in found
    ]
    output.show(lines)
    output.table(names, [tuple(line.values()) for line in lines])


@app.command("revoke")
def revoke_command(
    session_id: Annotated[str, typer.Argument(help="As `console sessions` shows it.")] = "",
    person: Annotated[str, typer.Option(help="Every session of this person.")] = "",
    stage: Stage = "dev",
    *,
    everyone: Annotated[bool, typer.Option("--everyone", help="Every session.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """End sessions of the deployed console at once; their persons have to sign in again."""
    session, output = Session(stage, yes), Output(json)
    if sum(map(bool, (session_id, person, everyone))) != 1:
        raise OpsError("name one session, --person or --everyone", code=EXIT_UNUSABLE)
    session.may_write("console revoke")
    rows = _sessions(session)
    chosen = [
        one
        for one in rows.listed()
        if everyone or one.person == person or (session_id and one.short_id == session_id)
    ]
    if not chosen:
        raise OpsError("there is no such session; `console sessions` lists them")
    ended = []
    for one in chosen:
        journal.enter(session, "console revoke", f"console-session:{one.short_id}", of=one.person)
        if rows.revoke(one.session_id, by=session.identity.name):
            ended.append(one.short_id)
    output.show({"revoked": ended})
    output.say(f"{len(ended)} revoked: {', '.join(ended)}")


def _sessions(session: Session) -> Sessions:
    from console.sessions import Sessions  # noqa: PLC0415 - as above

    services = session.services
    return Sessions(services.table(services.settings.console_sessions_table), services.clock)
