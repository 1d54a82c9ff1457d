"""The commands `writer try` and `writer check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chalicelib.outreach.channels import Channel
from ops.command import CommandRun, command
from ops.companies import company, writer_lines, writing
from ops.output import JsonLines

writer_app = typer.Typer(help="What a language model writes for a project.", no_args_is_help=True)


@command(writer_app, "writer try")
def writer_try(
    run: CommandRun,
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str, typer.Argument(help="A project of the company.")],
    channel: Annotated[
        Channel | None, typer.Option("--channel", help="Default: the first.")
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option("--message", help="A customer's message to answer; may be repeated."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="A JSON file: project_data of the sample request.")
    ] = None,
) -> object:
    """Draft an opening and answers with the project's own model; nothing is stored or sent."""
    output = run.output
    trial = writing.attempt(
        run.session,
        company_id,
        project_id,
        channel=channel.value if channel else None,
        messages=texts or (),
        project_data=company.read(data) if data else None,
    )
    output.facts(
        {
            "channel": trial.channel,
            "revision": trial.revision,
            "model sees": "; ".join(trial.sees),
            "opening prompt": trial.opening_prompt,
            "answer prompt": trial.answer_prompt,
            "shown with the opening": trial.turns[0].shown[0],
        }
    )
    rows = []
    for turn in trial.turns:
        asked = turn.message or "(opening)"
        for number, draft in enumerate(turn.drafts, 1):
            broken = ", ".join(draft.rules) or "ok"
            rows.append([asked, f"draft {number}", broken, str(draft.tokens), draft.text])
        shown = turn.text or turn.reason
        sms = f"{turn.segments} SMS" if turn.segments else ""
        rows.append([asked, turn.result, sms, str(turn.tokens), shown])
    output.table(("message", "what", "checks", "tokens", "text"), rows)
    output.say(f"{trial.tokens} tokens; nothing was sent")
    return trial.value()


@command(
    writer_app,
    "writer check",
    examples=("writer check <company> <project> drafts.jsonl --rules-only --json",),
)
def writer_check(
    run: CommandRun,
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str, typer.Argument(help="A project of the company.")],
    file: Annotated[
        Path | None, typer.Argument(help="JSON lines; by default standard input.")
    ] = None,
    *,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Ask no model, neither judge nor moderation.")
    ] = False,
) -> object:
    """Judge drafts by a project's settings, as before a message is sent; nothing is stored or sent.

    A line is {"id", "now", "recipient": {"first_name", "language", "time_zone"}, "project_data",
    "conversation": [{"from", "at", "text"}], "draft": {"text", "claims"}}; see docs/writer-trying.md.
    """
    found = writer_lines.checked(run.session, company_id, project_id, file, rules_only=rules_only)
    columns = ("id", "verdict", "rule", "span", "cost_usd", "rendered")
    return JsonLines(run.output.records(columns, found))
