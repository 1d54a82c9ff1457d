"""The commands `writer replay` and `writer revisions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ops.command import CommandRun, command
from ops.companies import company, replay_results, revisions
from ops.companies.replay_answers import Replayer, ReplayPurse, estimated_cost
from ops.companies.replay_moments import moments
from ops.output import Output

app = typer.Typer()
MOST = 500
_COLUMNS = ("at", "conversation", "before", "after", "letters", "span")

Company = Annotated[str, typer.Argument(help="A stored company.")]
Project = Annotated[str, typer.Argument(help="A project of the company.")]


@command(
    app,
    "writer replay",
    changes=True,
    asks="Ask the language model?",
    dry_run=True,
    examples=(
        "writer replay <company> <project> --with item.json --rules-only",
        "writer replay <company> <project> --with item.json --last 20 --max-cost 0.50",
    ),
)
def writer_replay(
    run: CommandRun,
    company_id: Company,
    project_id: Project,
    file: Annotated[Path, typer.Option("--with", help="A JSON file with the whole item.")],
    last: Annotated[
        int, typer.Option("--last", min=1, max=MOST, help="The number of newest messages.")
    ] = 50,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Only this conversation, by its id.")
    ] = None,
    max_cost: Annotated[
        float,
        typer.Option("--max-cost", min=0, max=1_000, help="US dollars that the model may cost."),
    ] = 1.0,
    *,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Judge what was said then; ask no model.")
    ] = False,
    show_texts: Annotated[
        bool, typer.Option("--show-texts", help="Show messages and answers: personal data.")
    ] = False,
) -> object:
    """Try settings on the project's past conversations; nothing is stored or sent.

    Each message that the machine answered is answered again with what was known then; with
    --rules-only its answer is judged again.  The journal keeps who ran it.
    """
    session, output = run.session, run.output
    settings = replay_results.project_of(session, company_id, project_id, company.read(file))
    found = moments(session, settings, last=last, conversation=conversation)
    purse = ReplayPurse(int(max_cost * replay_results.MICRO))
    writer = Replayer.of(session, settings, purse)
    asks = not rules_only and any(map(writer.writes_for, found.found))
    estimate = (
        estimated_cost(session, settings, found.found) / replay_results.MICRO if asks else 0.0
    )
    about: dict[str, Any] = {
        "company": company_id,
        "project": project_id,
        "revision": settings.ai_config.writer.revision,
        "messages": len(found.found),
        "without_draft": found.without_draft,
        "asks_model": asks,
        "estimate_usd": estimate,
    }
    if run.dry_run:
        return output.facts(about)
    if asks:
        run.confirm({"messages": len(found.found), "estimate, USD": estimate, "at most": max_cost})
    seen = {name: about[name] for name in ("project", "revision", "messages", "asks_model")}
    run.enter(f"company:{company_id}", **seen, texts=show_texts)
    shown = output.following(found.found, "replaying", total=len(found.found))
    used = purse if asks else None
    done = replay_results.run(session, settings, shown, used, shows_texts=show_texts).value(used)
    if asks:
        run.enter(f"company:{company_id}", result="done", cost_usd=done["cost_usd"], **seen)
    _print(output, {**about, **done})
    return {**about, **done}


@command(app, "writer revisions", examples=("writer revisions <company> <project>",))
def writer_revisions(run: CommandRun, company_id: Company, project_id: Project) -> object:
    """List the revisions of a project's writer, as its messages name them, and since when each holds."""
    found = revisions.of_project(run.session, company_id, project_id)
    return run.output.records(revisions.COLUMNS, found)


def _print(output: Output, done: dict[str, Any]) -> None:
    """Print the answers that differ and what was left out."""
    differing = [moment for moment in done["moments"] if moment["differs"]]
    output.table(_COLUMNS, map(_line, differing))
    for moment in differing:
        for name, text in moment.get("texts", {}).items():
            output.say(f"{moment['at']} {name}: {text}")
    judged = len(done["moments"])
    output.say(f"{done['differ']} of {judged} answers end differently; nothing was sent or stored")
    for name, why in (
        ("without_draft", "messages that no model had answered"),
        ("not_judged", "answers without a text of a model's"),
        ("not_asked", "messages were left when --max-cost was reached"),
    ):
        if done[name]:
            output.say(f"left out: {done[name]} {why}")
    if done["asks_model"]:
        output.say(f"{done['cost_usd']:.4f} USD; company usage and budgets do not count it")


def _line(moment: dict[str, Any]) -> list[str]:
    before, after = moment["before"], moment["after"]
    ends = (f"{verdict['verdict']} {verdict['rule'] or ''}".strip() for verdict in (before, after))
    letters = f"{before['letters']} to {after['letters']}"
    return [moment["at"], moment["conversation"], *ends, letters, ", ".join(after["span_kinds"])]
