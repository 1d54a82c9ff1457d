"""The commands of `python -m ops facts`: the facts, and the reports they go to."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from chalicelib.facts.dataset import (
    DATASET,
    FACT_EVENT,
    YEARS_AROUND,
    dimension_keys,
    fact_of_row,
    seed_keys,
)
from chalicelib.facts.drift import marks_of
from chalicelib.facts.ledger import fact_of
from chalicelib.facts.model import Fact, FactStatus, Metric
from chalicelib.facts.posting.ndjson import Archive, FileRows
from chalicelib.facts.posting.powerbi import target_of
from ops.command import CommandRun, command, only_with
from ops.facts import rebuild_plan, reports
from ops.facts.correction import Correction, FactCopies
from ops.facts.fact_removal import FactRemoval
from ops.facts.rebuild import Rebuild
from ops.facts.republish import Republish
from ops.session import EXIT_UNUSABLE, OpsError

RUN_SECONDS = 600.0
_UNCOUNTED = frozenset({FactStatus.SKIPPED, FactStatus.REMOVED})

app = typer.Typer(help="The facts, and the reports they go to.", no_args_is_help=True)


class Report(StrEnum):
    """A report that `facts rebuild` can rebuild."""

    POWERBI = "powerbi"
    ONELAKE = "onelake"


Key = Annotated[str, typer.Argument(help="A fact's key, e.g. ALOWARE:719285063")]


def _wrong(why: str) -> OpsError:
    return OpsError(why, code=EXIT_UNUSABLE)


def _agent(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"[0-9A-Za-z:_-]{1,64}", text):
        raise _wrong("--agent: at most 64 letters, digits, colons and hyphens")
    return text


def _day(text: str | None) -> str | None:
    """Validate a day: ISO, and within the years that `DimDate` holds."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise _wrong("--date: not a day as YYYY-MM-DD") from None
    if abs(day.year - datetime.now(UTC).year) > YEARS_AROUND:
        raise _wrong(f"--date: more than {YEARS_AROUND} years away")
    return day.isoformat()


@command(app, "facts create", changes=True, examples=["facts create", "facts create --again"])
def create_command(
    run: CommandRun,
    *,
    again: Annotated[
        bool, typer.Option("--again", help="Make a dataset even if one of its name exists.")
    ] = False,
) -> object:
    """Make what FACTS_REPORT names: tables in OneLake, a push dataset, whose id is printed."""
    posting, settings = run.session.services.posting, run.session.services.settings
    document: dict[str, object] = {}
    lines = []
    if posting.onelake and "onelake" in settings.facts_report:
        run.enter("facts:onelake", tables=len(posting.onelake.tables))
        tables = reports.make_tables(posting.onelake)
        document |= {"tables": tables}
        lines.append(f"tables made in OneLake: {', '.join(tables) or 'none, all are there'}")
    if "powerbi" in settings.facts_report:
        existing = reports.existing_datasets(run.session)
        if existing and not again:
            document |= {"there": list(existing)}
            lines.append(f"{DATASET} exists: {', '.join(existing)}")
        else:
            run.enter("facts:dataset", there=list(existing))
            made = reports.make_dataset(run.session)
            document |= {"made": made}
            lines.append(f"POWERBI_DATASET_ID={made}")
    return _end(run, 0, document, "\n".join(lines) or "FACTS_REPORT needs nothing to be made")


@command(app, "facts seed", changes=True)
def seed_command(run: CommandRun) -> object:
    """Post the dimension rows that do not depend on facts: DimDate and DimMetric."""
    keys = seed_keys(datetime.now(UTC).year)
    run.enter("facts:dataset", rows=len(keys))
    outcome = run.session.services.posting.writer.seed(keys, time_left_seconds=_budget())
    return _end(run, int(outcome != "seeded"), {"outcome": outcome}, str(outcome))


@command(app, "facts pending", examples=["facts pending"])
def pending_command(run: CommandRun) -> object:
    """Count the facts that are not posted yet, and show the oldest."""
    ledger = run.session.services.facts.ledger
    facts = ledger.pending(ledger.pending_keys(at_most=100_000))
    oldest = facts[0].key if facts else None
    text = f"{len(facts)} facts pending" + (f"; the oldest is {oldest}" if facts else "")
    return _end(run, 0, {"waiting": len(facts), "oldest": oldest}, text)


@command(app, "facts failed", examples=["facts failed"])
def failed_command(run: CommandRun) -> object:
    """List the facts that Power BI rejected individually, and why."""
    found = run.session.services.facts.ledger.failed_facts()
    lines = [f"{key:<60} {reason}" for key, reason in found.items()]
    return _end(run, 0, found, "\n".join([*lines, f"{len(found)} facts failed"]))


@command(app, "facts retry", changes=True, dry_run=True, examples=["facts retry"])
def retry_command(
    run: CommandRun,
    keys: Annotated[list[str] | None, typer.Argument(help="Default: all failed facts.")] = None,
) -> object:
    """Make failed facts pending again for the writer."""
    ledger = run.session.services.facts.ledger
    failed = ledger.failed_facts()
    chosen = keys or list(failed)
    if run.dry_run:
        reopened = {key: key in failed for key in chosen}
    else:
        for key in chosen:
            run.enter(key)
        reopened = {key: ledger.reopen(key) for key in chosen}
    left = [key for key, is_open in reopened.items() if not is_open]
    lines = [f"{key}: has not failed" for key in left]
    would = "would be pending" if run.dry_run else "pending"
    text = "\n".join([*lines, f"{len(reopened) - len(left)} facts {would} again"])
    return _end(run, int(bool(left)), reopened, text)


@command(app, "facts explain", examples=["facts explain <key>"])
def explain_command(run: CommandRun, key: Key) -> object:
    """Show one fact: its status and why."""
    row = run.session.services.facts.ledger.row(key)
    if row is None:
        text = f"{key}: never received, or no longer kept in the ledger"
        return _end(run, 1, {"error": "not found"}, text)
    lines = [f"{name:<12}{value}" for name, value in sorted(row.items())]
    lines += [f"{mark}: {mark.words}" for mark in marks_of(row.get("marks", ()))]
    return _end(run, 0, dict(row), "\n".join(lines))


@command(app, "facts check", examples=["facts check"])
def check_command(run: CommandRun) -> object:
    """Compare the facts by day in the ledger, the archive and the dataset."""
    with run.output.waiting("comparing"):
        compared = run.session.services.posting.fact_check.compare()
    found = compared.differences
    lines = [
        f"{difference.day}  {difference.sink:<8} has {difference.there} of {difference.known}"
        for difference in found
    ]
    lines += [f"onelake     {table}: {why}" for table, why in compared.troubles.items()]
    unread = [
        f"the {name} cannot be counted"
        for name, counts in (("archive", compared.archive), ("dataset", compared.dataset))
        if counts is None
    ]
    if compared.corrected:
        lines.append(f"{len(compared.corrected)} corrected facts reach the dataset with a rebuild")
    for source, drift in compared.drift.items():
        lines.append(
            f"{source}: {drift.drifted} of {drift.facts} facts of a day had another form"
            + "".join(
                f"\n  {count:>6}  {mark}: {mark.words}" for mark, count in drift.marks.items()
            )
        )
    lines += [*unread, f"{len(compared.ledger)} days compared, {len(found)} differ"]
    document = {
        "days": len(compared.ledger),
        "differences": [asdict(difference) for difference in found],
        "corrected": list(compared.corrected),
        "onelake": dict(compared.troubles),
        "unread": unread,
        "drift": {source: asdict(drift) for source, drift in compared.drift.items()},
    }
    differs = bool(found or compared.corrected or compared.troubles)
    return _end(run, int(differs), document, "\n".join(lines))


@command(
    app,
    "facts correct",
    changes=True,
    examples=["facts correct ALOWARE:719285063 --agent 102 --date 2026-11-19 --metric TEXTS"],
)
def correct_command(
    run: CommandRun,
    key: Key,
    agent: Annotated[
        str | None, typer.Option(help="The agent's id in the report.", callback=_agent)
    ] = None,
    day: Annotated[
        str | None,
        typer.Option("--date", help="Its day, YYYY-MM-DD.", callback=_day),
    ] = None,
    metric: Annotated[Metric | None, typer.Option(help="What it counts as.")] = None,
) -> object:
    """Change what a stored fact says; the former values are kept."""
    if not (agent or day or metric):
        raise _wrong("give --agent, --date or --metric")
    parts = run.session.services
    row = parts.facts.ledger.row(key)
    if row is None or not row.get("metric") or row["status"] in _UNCOUNTED:
        text = "not found: never received, not counted, or no longer kept in the ledger"
        return _end(run, 1, {"outcome": "not_found"}, f"{key}: {text}")
    stored = fact_of(row)
    fact = replace(
        stored,
        agent_id=agent or stored.agent_id,
        date=day or stored.date,
        metric=metric or stored.metric,
    )
    changed = [
        name
        for name, value in (("agent", agent), ("date", day), ("metric", metric))
        if value is not None
    ]
    run.enter(key, changed=changed)
    status, posting, dataset = (
        FactStatus(row["status"]),
        parts.posting,
        parts.posting.dataset_reader(),
    )
    outcome = Correction(
        ledger=posting.ledger,
        store=parts.facts.ledger,
        effects=posting.effects,
        owner=run.session.identity.name,
        copies=FactCopies(
            accepting=posting.writer.sinks.accepting,
            by_day=frozenset(archive.target for archive in posting.archives),
            dataset=target_of(dataset.dataset_id) if dataset else None,
        ),
        runtime=parts.runtime,
    ).run(fact, status, time_left_seconds=_budget())
    later = (
        "; the dataset has it after a rebuild" if dataset and status == FactStatus.POSTED else ""
    )
    text = f"{key}: {outcome}" + (later if outcome == "corrected" else "; run it again")
    return _end(run, int(outcome != "corrected"), {"outcome": outcome}, text)


@command(
    app,
    "facts remove",
    changes=True,
    asks="Remove them for good?",
    dry_run=True,
    examples=["facts remove ALOWARE:719285063"],
)
def remove_command(
    run: CommandRun,
    keys: Annotated[list[str], typer.Argument(help="Keys of facts, e.g. ALOWARE:719285063")],
) -> object:
    """Take facts out of OneLake and the archive for good, if they should never have been sent."""
    parts, dataset = run.session.services, run.session.services.posting.dataset_reader()
    known = [key for key in keys if parts.facts.ledger.row(key)]
    if run.dry_run:
        text = f"{len(keys)} facts would be removed; the ledger knows {len(known)}"
        return _end(run, 0, {"outcome": "planned", "known": known}, text)
    run.confirm()
    for key in keys:
        run.enter(key)
    posting = parts.posting
    outcome = FactRemoval(
        store=parts.facts.ledger,
        archives=posting.archives,
        onelake=posting.fact_check.onelake,
        writer=posting.writer,
        clock=parts.clock,
        owner=run.session.identity.name,
    ).run(keys, time_left_seconds=_budget())
    is_done = outcome == "removed"
    later = "; the dataset loses them with a rebuild" if dataset else ""
    text = f"{outcome}: {len(keys)} facts{later}" if is_done else f"{outcome}; run it again"
    return _end(run, int(not is_done), {"outcome": outcome, "facts": list(keys)}, text)


@command(
    app,
    "facts rebuild",
    changes=True,
    guard=only_with("apply"),
    dry_run=True,
    examples=["facts rebuild", "facts rebuild --apply", "facts rebuild --to onelake --apply"],
)
def rebuild_command(
    run: CommandRun,
    archive: Annotated[
        Path | None, typer.Option(help="A folder instead of the stage's archive.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Another dataset than the configured one.")
    ] = None,
    to: Annotated[
        Report, typer.Option("--to", help="The dataset, or OneLake, where nothing is cleared.")
    ] = Report.POWERBI,
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; by default only show it.")] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Even if facts would be lost.")
    ] = False,
) -> object:
    """Show what would be posted and lost; with --apply, post it to the cleared dataset, or OneLake."""
    parts = run.session.services
    dataset_id = dataset or parts.settings.powerbi_dataset_id
    if to is Report.ONELAKE:
        return _republished(run, archive, is_applied=apply and not run.dry_run)
    reader = parts.posting.dataset_reader(dataset_id)
    if reader is None:
        text = "no dataset: set POWERBI_DATASET_ID, or give --dataset or --to onelake"
        return _end(run, 1, {"outcome": "no_dataset"}, text)

    def facts() -> list[Fact]:
        return _stored(run, archive)

    with run.output.waiting("reading the facts"):
        stale = parts.facts.ledger.survey().stale.get(target_of(dataset_id), {})
        planned = rebuild_plan.plan(reader, facts, stale)
    refusal = planned.refusal(accepts_loss=accept_loss)
    if refusal or run.dry_run or not apply:
        end = f"refused: {refusal}" if refusal else "nothing was changed; --apply does it"
        document = {"outcome": "refused" if refusal else "planned", **planned.document()}
        return _end(run, int(bool(refusal)), document, f"{planned.text()}\n{end}")
    run.enter("facts:dataset", accept_loss=accept_loss)
    with run.output.waiting("posting"):
        done = Rebuild(
            ledger=parts.posting.ledger,
            registry=parts.facts.ledger,
            sink=parts.posting.powerbi(dataset_id),
            agents=parts.posting.agents,
            owner=run.session.identity.name,
            runtime=parts.runtime,
        ).run(facts, time_left_seconds=_budget())
    document = {"outcome": done.outcome, **planned.document(), "posts": done.posts}
    text = f"{done.outcome}: {done.resumed_at + done.facts} facts, {done.posts} posts in this run"
    return _end(run, int(done.outcome != "rebuilt"), document, text)


def _republished(run: CommandRun, archive: Path | None, *, is_applied: bool) -> object:
    """Publish the stored facts and the dimensions to OneLake again, or only count them."""
    parts = run.session.services
    sink = parts.posting.onelake
    if sink is None:
        text = "onelake: no mirrored database: set FABRIC_WORKSPACE_ID and FABRIC_DATABASE_ID"
        return _end(run, 1, {"outcome": "no_onelake"}, text)
    with run.output.waiting("reading the facts"):
        stored = _stored(run, archive)
    if not is_applied:
        text = f"to be published {len(stored)}\nnothing was changed; --apply does it"
        return _end(run, 0, {"outcome": "planned", "facts": len(stored)}, text)
    run.enter("facts:onelake", facts=len(stored))
    left = _budget()
    with run.output.waiting("publishing"):
        done = Republish(
            ledger=parts.posting.ledger,
            registry=parts.facts.ledger,
            sink=sink,
            runtime=parts.runtime,
        ).run(lambda: _stored(run, archive), time_left_seconds=left)
        outcome = done.outcome
        if outcome == "republished":
            year = datetime.now(UTC).year
            wanted = dimension_keys(stored, year)
            keys = {
                table: wanted[table] | seed_keys(year).get(table, frozenset()) for table in wanted
            }
            outcome = parts.posting.writer.seed(keys, time_left_seconds=left)
        if outcome == "seeded":
            outcome = parts.posting.writer.refresh(time_left_seconds=left)
    is_done = outcome == "refreshed"
    document = {"outcome": "rebuilt" if is_done else outcome, "facts": done.facts}
    text = f"{document['outcome']}: {done.facts} facts in {done.files} files"
    return _end(run, int(not is_done), document, text if is_done else f"{text}; run it again")


def _stored(run: CommandRun, archive: Path | None) -> list[Fact]:
    """The facts of the ledger and of the archive, or of a folder instead of the archive."""
    parts = run.session.services
    archives = [FileRows(archive)] if archive else [parts.posting.archive]
    return known_facts(parts.facts.ledger.posted_facts(), [rows for rows in archives if rows])


def known_facts(posted: Sequence[Fact], archives: Sequence[Archive]) -> list[Fact]:
    """Facts of the ledger and of archives, each once; the ledger's version wins."""
    found = {fact.key: fact for archive in archives for fact in archived(archive)}
    return list((found | {fact.key: fact for fact in posted}).values())


def archived(archive: Archive) -> Iterator[Fact]:
    """Every current row of an archive as a fact."""
    for row in archive.read(FACT_EVENT):
        yield fact_of_row(row)


def _end(run: CommandRun, code: int, document: object, text: str) -> object:
    """Print a command's result, set its exit code, and return its document."""
    run.output.say(text)
    run.code = code
    return document


def _budget() -> Callable[[], float]:
    ends = time.monotonic() + RUN_SECONDS
    return lambda: max(0.0, ends - time.monotonic())
