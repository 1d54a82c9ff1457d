"""The command `console`: the pages of `console/` on this machine, and sessions of the deployed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chalicelib.outreach.people import persons
from ops.command import CommandRun, command
from ops.options import Stage
from ops.session import EXIT_UNUSABLE, OpsError, Session

if TYPE_CHECKING:
    from console.sessions import Sessions

app = typer.Typer(invoke_without_command=True)
PORT = 8090


@app.callback()
def console_command(
    context: typer.Context,
    stage: Stage = "dev",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any free port.")] = PORT,
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


@command(app, "console sessions")
def sessions_command(run: CommandRun) -> object:
    """List who is signed in to the deployed console, since when and until when."""
    lines = [
        {
            "id": console_session.short_id,
            "person": console_session.person,
            "roles": ", ".join(console_session.grants),
            "since": console_session.since,
            "until": console_session.until,
        }
        for console_session in sorted(
            _sessions(run.session).listed(), key=lambda console_session: console_session.since
        )
    ]
    return run.output.records(("id", "person", "roles", "since", "until"), lines)


@command(app, "console revoke", changes=True, dry_run=True)
def revoke_command(
    run: CommandRun,
    session_id: Annotated[str, typer.Argument(help="As `console sessions` shows it.")] = "",
    person: Annotated[
        str, typer.Option(help="Every session of this person, by name or subject.")
    ] = "",
    *,
    everyone: Annotated[bool, typer.Option("--everyone", help="Every session.")] = False,
) -> object:
    """End sessions of the deployed console at once; their persons have to sign in again."""
    if sum(map(bool, (session_id, person, everyone))) != 1:
        raise OpsError("name one session, --person or --everyone", code=EXIT_UNUSABLE)
    rows = _sessions(run.session)
    chosen = [
        console_session
        for console_session in rows.listed()
        if everyone
        or (person and persons.is_same_person(person, console_session.person))
        or (session_id and console_session.short_id == session_id)
    ]
    if not chosen:
        raise OpsError("there is no such session; `console sessions` lists them")
    if run.dry_run:
        ended = [console_session.short_id for console_session in chosen]
        run.output.say(f"{len(ended)} would be revoked: {', '.join(ended)}")
        return {"would_be_revoked": ended}
    ended = []
    for console_session in chosen:
        run.enter(f"console-session:{console_session.short_id}", of=console_session.person)
        if rows.revoke(console_session.session_id, by=run.session.identity.name):
            ended.append(console_session.short_id)
    run.output.say(f"{len(ended)} revoked: {', '.join(ended)}")
    return {"revoked": ended}


def _sessions(session: Session) -> Sessions:
    from console.sessions import Sessions  # noqa: PLC0415 - as above

    services = session.services
    return Sessions(services.table(services.settings.console_sessions_table), services.clock)
