"""The commands of `python -m ops facts`: the Power BI dataset and the facts in it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from chalicelib import settings
from chalicelib.facts.dataset import DATASET, FACT_EVENT, YEARS_AROUND, definition, seed_keys
from chalicelib.facts.model import Fact, FactStatus, Metric
from chalicelib.facts.posting.ndjson import Archive, FileRows, S3Rows
from chalicelib.facts.posting.powerbi import create_dataset, datasets_named, target_of
from chalicelib.once.journal import Act
from chalicelib.wiring import Services
from ops.facts import rebuild_plan
from ops.facts.correction import Correction
from ops.facts.rebuild import Rebuild
from ops.identity import of_caller
from ops.options import Json, Stage, Yes
from ops.output import Output
from ops.session import OperatorServices, Session
from ops.stage import config

DEADLINE_SECONDS = 30.0
RUN_SECONDS = 600.0

app = typer.Typer(help="The Power BI dataset and its facts.", no_args_is_help=True)

Context = typer.Context
Key = Annotated[str, typer.Argument(help="A fact's key, e.g. ALOWARE:719285063")]


def _agent(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"[0-9A-Za-z:_-]{1,64}", text):
        raise typer.BadParameter("at most 64 letters, digits, colons and hyphens")
    return text


def _day(text: str | None) -> str | None:
    """A day that `DimDate` has."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("not a day as YYYY-MM-DD") from None
    if abs(day.year - datetime.now(UTC).year) > YEARS_AROUND:
        raise typer.BadParameter(f"more than {YEARS_AROUND} years away")
    return day.isoformat()


@app.command("create")
def create_command(
    context: Context,
    stage: Stage = "dev",
    *,
    again: Annotated[
        bool, typer.Option("--again", help="Even if one of that name exists.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Create the push dataset and print its id, for POWERBI_DATASET_ID."""
    parts = _writing(context, Session(stage, yes), "create")
    workspace = parts.settings.powerbi_workspace_id
    client = parts.posting.powerbi_client
    existing = datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)
    if existing and not again:
        _end(Output(json), 0, {"there": list(existing)}, f"{DATASET} exists: {', '.join(existing)}")
        return
    _enter(parts, "facts create", "facts:dataset", there=list(existing))
    made = create_dataset(client, workspace, definition(), deadline_seconds=DEADLINE_SECONDS)
    _end(Output(json), 0, {"made": made}, f"POWERBI_DATASET_ID={made}")


@app.command("seed")
def seed_command(
    context: Context, stage: Stage = "dev", *, yes: Yes = False, json: Json = False
) -> None:
    """Post the dimension rows that do not depend on facts: DimDate and DimMetric."""
    parts = _writing(context, Session(stage, yes), "seed")
    keys = seed_keys(datetime.now(UTC).year)
    _enter(parts, "facts seed", "facts:dataset", rows=len(keys))
    outcome = parts.posting.writer.seed(keys, time_left_seconds=_budget())
    _end(Output(json), int(outcome != "seeded"), {"outcome": outcome}, str(outcome))


@app.command("pending")
def pending_command(context: Context, stage: Stage = "dev", *, json: Json = False) -> None:
    """Count the facts that are not posted yet, and show the oldest."""
    parts = _parts(context, stage)
    facts = parts.fact_ledger.pending(parts.fact_ledger.pending_keys(at_most=100_000))
    oldest = facts[0].key if facts else None
    text = f"{len(facts)} facts pending" + (f"; the oldest is {oldest}" if facts else "")
    _end(Output(json), 0, {"waiting": len(facts), "oldest": oldest}, text)


@app.command("failed")
def failed_command(context: Context, stage: Stage = "dev", *, json: Json = False) -> None:
    """List the facts that Power BI rejected individually, and why."""
    found = _parts(context, stage).fact_ledger.all_failed()
    lines = [f"{key:<60} {reason}" for key, reason in found.items()]
    _end(Output(json), 0, found, "\n".join([*lines, f"{len(found)} facts failed"]))


@app.command("retry")
def retry_command(
    context: Context,
    keys: Annotated[list[str] | None, typer.Argument(help="Default: all failed facts.")] = None,
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Make failed facts pending again for the writer."""
    parts = _writing(context, Session(stage, yes), "retry")
    chosen = keys or list(parts.fact_ledger.all_failed())
    for key in chosen:
        _enter(parts, "facts retry", key)
    reopened = {key: parts.fact_ledger.reopen(key) for key in chosen}
    left = [key for key, is_open in reopened.items() if not is_open]
    lines = [f"{key}: has not failed" for key in left]
    text = "\n".join([*lines, f"{len(reopened) - len(left)} facts pending again"])
    _end(Output(json), int(bool(left)), reopened, text)


@app.command("explain")
def explain_command(
    context: Context, key: Key, stage: Stage = "dev", *, json: Json = False
) -> None:
    """Show one fact: its status and why."""
    row = _parts(context, stage).fact_ledger.row(key)
    if row is None:
        text = f"{key}: never received, or no longer kept in the ledger"
        _end(Output(json), 1, {"error": "not found"}, text)
        return
    lines = [f"{name:<12}{value}" for name, value in sorted(row.items())]
    _end(Output(json), 0, dict(row), "\n".join(lines))


@app.command("check")
def check_command(context: Context, stage: Stage = "dev", *, json: Json = False) -> None:
    """Compare the facts by day in the ledger, the archive and the dataset."""
    output = Output(json)
    with output.waiting("comparing"):
        compared = _parts(context, stage).posting.check.compare()
    found = compared.differences
    lines = [f"{one.day}  {one.sink:<8} has {one.there} of {one.known}" for one in found]
    unread = [
        f"the {name} cannot be counted"
        for name, counts in (("archive", compared.archive), ("dataset", compared.dataset))
        if counts is None
    ]
    if compared.corrected:
        lines.append(f"{len(compared.corrected)} corrected facts reach the dataset with a rebuild")
    lines += [*unread, f"{len(compared.ledger)} days compared, {len(found)} differ"]
    document = {
        "days": len(compared.ledger),
        "differences": [asdict(one) for one in found],
        "corrected": list(compared.corrected),
        "unread": unread,
    }
    _end(output, int(bool(found or compared.corrected)), document, "\n".join(lines))


@app.command("correct")
def correct_command(
    context: Context,
    key: Key,
    stage: Stage = "dev",
    agent: Annotated[
        str | None, typer.Option(help="The agent's id in the report.", callback=_agent)
    ] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", help="Its day, YYYY-MM-DD.", callback=_day),
    ] = None,
    metric: Annotated[Metric | None, typer.Option(help="What it counts as.")] = None,
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Change what a stored fact says; the former values are kept."""
    if not (agent or day or metric):
        raise typer.BadParameter("give --agent, --date or --metric")
    parts = _writing(context, Session(stage, yes), "correct")
    row = parts.fact_ledger.row(key)
    if row is None or not row.get("metric") or row["status"] == FactStatus.SKIPPED:
        text = "not found: never received, not counted, or no longer kept in the ledger"
        _end(Output(json), 1, {"outcome": "not_found"}, f"{key}: {text}")
        return
    fact = Fact(
        key=key,
        source=row["source"],
        agent_id=agent or row["agent"],
        date=day or row["date"],
        metric=metric or Metric(row["metric"]),
        notes=row.get("notes", ""),
    )
    changed = [
        name
        for name, one in (("agent", agent), ("date", day), ("metric", metric))
        if one is not None
    ]
    _enter(parts, "facts correct", key, changed=changed)
    status, posting, dataset = FactStatus(row["status"]), parts.posting, parts.posting.reader()
    outcome = Correction(
        ledger=posting.ledger,
        store=parts.fact_ledger,
        archives=[
            one
            for one in posting.writer.sinks
            if isinstance(posting.sinks[one.target], FileRows | S3Rows)
        ],
        dataset=target_of(dataset.dataset_id) if dataset else None,
        effects=posting.effects,
        switches=parts.switches,
        clock=parts.clock,
        owner=of_caller(parts.client("sts")).name,
    ).run(fact, status, time_left_seconds=_budget())
    later = (
        "; the dataset has it after a rebuild" if dataset and status == FactStatus.POSTED else ""
    )
    text = f"{key}: {outcome}" + (later if outcome == "corrected" else "; run it again")
    _end(Output(json), int(outcome != "corrected"), {"outcome": outcome}, text)


@app.command("rebuild")
def rebuild_command(
    context: Context,
    stage: Stage = "dev",
    archive: Annotated[
        Path | None, typer.Option(help="A folder instead of the stage's archive.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Another dataset than the configured one.")
    ] = None,
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without, only show it.")] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Even if facts would be lost.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Show what would be posted and lost; with --apply, clear the dataset and post it again."""
    parts, output = _writing(context, Session(stage, yes), "rebuild"), Output(json)
    dataset_id = dataset or parts.settings.powerbi_dataset_id
    reader = parts.posting.reader(dataset_id)
    if reader is None:
        text = "no dataset: set POWERBI_DATASET_ID or give --dataset"
        _end(output, 1, {"outcome": "no_dataset"}, text)
        return

    def facts() -> list[Fact]:
        archives = [FileRows(archive)] if archive else [parts.posting.archive]
        return known_facts(parts.fact_ledger.all_posted(), [one for one in archives if one])

    with output.waiting("reading the facts"):
        planned = rebuild_plan.plan(reader, facts)
    refusal = planned.refusal(accepts_loss=accept_loss)
    if refusal or not apply:
        end = f"refused: {refusal}" if refusal else "nothing was changed; --apply does it"
        document = {"outcome": "refused" if refusal else "planned", **planned.document()}
        _end(output, int(bool(refusal)), document, f"{planned.text()}\n{end}")
        return
    _enter(parts, "facts rebuild", "facts:dataset", accept_loss=accept_loss)
    with output.waiting("posting"):
        done = Rebuild(
            ledger=parts.posting.ledger,
            registry=parts.fact_ledger,
            sink=parts.posting.powerbi(dataset_id),
            agents=parts.posting.agents,
            switches=parts.switches,
            clock=parts.clock,
            log=parts.log,
            owner=of_caller(parts.client("sts")).name,
        ).run(facts, time_left_seconds=_budget())
    document = {"outcome": done.outcome, **planned.document(), "posts": done.posts}
    text = f"{done.outcome}: {done.resumed_at + done.facts} facts, {done.posts} posts in this run"
    _end(output, int(done.outcome != "rebuilt"), document, text)


def known_facts(posted: Sequence[Fact], archives: Sequence[Archive]) -> list[Fact]:
    """The facts of the ledger and of archives, each once: the ledger's, else the newest archived."""
    found = {fact.key: fact for archive in archives for fact in archived(archive)}
    return list((found | {fact.key: fact for fact in posted}).values())


def archived(archive: Archive) -> Iterator[Fact]:
    """Every row of an archive as a fact, oldest batch first."""
    for row in archive.read(FACT_EVENT):
        yield Fact(
            key=row["EventID"],
            source=row["EventID"].partition(":")[0],
            agent_id=row["AgentID"],
            date=row["FactDateKey"][:10],
            metric=Metric(row["MetricID"]),
            notes=row["Notes"],
        )


def _parts(context: Context, stage: str) -> Services:
    """The services of a stage's functions, or those that the caller gave."""
    if isinstance(context.obj, Services):
        return context.obj
    variables = {**config.configured(stage), **os.environ, "STAGE": stage}
    return OperatorServices(settings.load(variables))


def _writing(context: Context, session: Session, command: str) -> Services:
    """The services for a command that writes; prod needs `--yes`."""
    session.must_be_confirmed(f"facts {command}")
    return _parts(context, session.stage)


def _enter(parts: Services, what: str, key: str, **seen: object) -> None:
    """Enter an act in the journal, right before it is done."""
    actor = of_caller(parts.client("sts")).name
    parts.journal.enter(Act(what=what, key=key, actor=actor, evidence=seen))


def _end(output: Output, code: int, document: Any, text: str) -> None:  # noqa: ANN401 - JSON
    """Print a command's result, and leave with its exit code."""
    output.show(document)
    output.say(text)
    if code:
        raise typer.Exit(code)


def _budget() -> Callable[[], float]:
    ends = time.monotonic() + RUN_SECONDS
    return lambda: max(0.0, ends - time.monotonic())
