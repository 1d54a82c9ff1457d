"""The commands about events to companies: attempts, one posted again, a test, a pause, and the secret."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import endpoint_events, event_posts, event_secrets
from ops.companies.commands import CompanyId
from ops.session import EXIT_NO

app = typer.Typer()
Project = Annotated[str, typer.Argument(help="The project's id.")]


@command(app, "company attempts", examples=["company attempts <company> <project>"])
def attempts(run: CommandRun, company_id: CompanyId, project_id: Project) -> object:
    """List the newest requests to a company's endpoint, with the answers' status."""
    found = event_posts.attempts(run.session, company_id, project_id)
    return run.output.records(
        event_posts.COLUMNS, [event_posts.shown(attempt) for attempt in found]
    )


@command(
    app,
    "company resend-event",
    changes=True,
    examples=["company resend-event <company> <id> 4"],
)
def resend(
    run: CommandRun,
    company_id: CompanyId,
    conversation: Annotated[
        str, typer.Argument(help="The conversation's id, from `company attempts`.")
    ],
    number: Annotated[int, typer.Argument(min=1, help="The event's number in the conversation.")],
) -> object:
    """Post one event to its endpoint again, under its own id; exit code 1 if it is not accepted."""
    done = event_posts.resend(run.session, company_id, conversation, number, because=run.because)
    run.code = run.code if done.is_accepted else EXIT_NO
    return run.output.facts(event_posts.shown(done))


@command(
    app,
    "company test-event",
    changes=True,
    examples=["company test-event <company> <project>"],
)
def try_endpoint(run: CommandRun, company_id: CompanyId, project_id: Project) -> object:
    """Post a signed test event; exit code 1 if it is not accepted."""
    done = event_posts.try_endpoint(run.session, company_id, project_id, because=run.because)
    run.code = run.code if done.is_accepted else EXIT_NO
    return run.output.facts(event_posts.shown(done))


@command(
    app,
    "company pause-events",
    changes=True,
    examples=['company pause-events <company> <project> --because "they move their server"'],
)
def pause(run: CommandRun, company_id: CompanyId, project_id: Project) -> object:
    """Stop posting to an endpoint; events are kept until it is resumed."""
    done = endpoint_events.pause(run.session, company_id, project_id, because=run.because)
    return run.output.facts(done)


@command(
    app,
    "company event-secret",
    changes=True,
    examples=["company event-secret <company>", "company event-secret <company> --finish"],
)
def event_secret(
    run: CommandRun,
    company_id: CompanyId,
    *,
    finish: Annotated[
        bool, typer.Option("--finish", help="Instead of making one, end all but the newest.")
    ] = False,
) -> object:
    """Add a secret that signs a company's events beside the previous one; shown only this once."""
    result: dict[str, object] = {"company": company_id}
    if finish:
        result["ended"] = event_secrets.finish(run.session, company_id, because=run.because)
    else:
        result["secret"] = event_secrets.rotate(run.session, company_id, because=run.because)
    run.output.facts(result)
    run.output.say("Every container has it within 5 minutes.")
    return result
