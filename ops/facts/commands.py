"""`python -m ops.facts`: create the Power BI dataset, list pending and failed facts, rebuild it.

    create                        create the push dataset and print its id, for POWERBI_DATASET_ID
    seed                          post DimDate (five years either side of now) and DimMetric
    pending                       how many facts are not posted yet, and the oldest of them
    failed                        the facts that Power BI rejected individually, and why
    retry [KEY ...]               make these facts, or all failed ones, pending again for the writer
    explain KEY                   one fact: its status and why
    check                         compare the facts by day in the ledger, the archive and the dataset
    correct KEY [--agent A] [--date D] [--metric M]
                                  change what a stored fact says; the former values are kept
    rebuild [--apply]             show what would be posted and lost; with --apply, clear the dataset and
                                  post the facts that the ledger and the archive hold

Each takes `--stage` (its variables come from `.chalice/config.json`; the environment overrides
them), `--json`, and `--yes`, which every command that writes needs in prod.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib import settings as settings_module
from chalicelib.errors import MiddlewareError, SettingsError
from chalicelib.facts.dataset import DATASET, FACT_EVENT, YEARS_AROUND, definition, seed_keys
from chalicelib.facts.model import Fact, FactStatus, Metric
from chalicelib.facts.posting.ndjson import Archive, FileRows, S3Rows
from chalicelib.facts.posting.powerbi import create_dataset, datasets_named, target_of
from chalicelib.wiring import Services
from ops import unreachable
from ops.facts import rebuild_plan
from ops.facts.correction import Correction
from ops.facts.rebuild import Rebuild
from ops.session import EXIT_UNUSABLE, OperatorServices
from ops.stage import config

DEADLINE_SECONDS = 30.0
RUN_SECONDS = 600.0

Result = tuple[int, dict[str, Any], str]
"""A command's result: exit code, the JSON document, the text for people."""


def main(arguments: Sequence[str] | None = None, services: Services | None = None) -> int:
    """Run a command; returns the exit code."""
    options = _options(arguments)
    if options.writes and options.stage == "prod" and not options.yes:
        return _no("this changes prod; add --yes to go ahead")
    try:
        code, document, text = options.command(services or _services(options.stage), options)
    except SettingsError as error:
        return _no(str(error))
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        return _no(unreachable.why(error))
    print(json.dumps(document, indent=2, default=str) if options.json else text)
    return int(code)


def create(parts: Services, options: argparse.Namespace) -> Result:
    """Create the dataset unless one of that name exists; `--again` creates another one anyway."""
    workspace = parts.settings.powerbi_workspace_id
    client = parts.posting.powerbi_client
    existing = datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)
    if existing and not options.again:
        return 0, {"there": list(existing)}, f"{DATASET} exists: {', '.join(existing)}"
    made = create_dataset(client, workspace, definition(), deadline_seconds=DEADLINE_SECONDS)
    return 0, {"made": made}, f"POWERBI_DATASET_ID={made}"


def seed(parts: Services, _options: argparse.Namespace) -> Result:
    """Post the dimension rows that do not depend on facts."""
    keys = seed_keys(datetime.now(UTC).year)
    outcome = parts.posting.writer.seed(keys, time_left_seconds=_budget())
    return int(outcome != "seeded"), {"outcome": outcome}, str(outcome)


def pending(parts: Services, _options: argparse.Namespace) -> Result:
    """Count the facts that are not posted yet."""
    facts = parts.fact_ledger.pending(parts.fact_ledger.pending_keys(at_most=100_000))
    oldest = facts[0].key if facts else None
    text = f"{len(facts)} facts pending" + (f"; the oldest is {oldest}" if facts else "")
    return 0, {"waiting": len(facts), "oldest": oldest}, text


def failed(parts: Services, _options: argparse.Namespace) -> Result:
    """List the failed facts with their reasons."""
    found = parts.fact_ledger.all_failed()
    lines = [f"{key:<60} {reason}" for key, reason in found.items()]
    return 0, found, "\n".join([*lines, f"{len(found)} facts failed"])


def retry(parts: Services, options: argparse.Namespace) -> Result:
    """Make failed facts pending again."""
    keys = options.keys or list(parts.fact_ledger.all_failed())
    reopened = {key: parts.fact_ledger.reopen(key) for key in keys}
    left = [key for key, is_open in reopened.items() if not is_open]
    lines = [f"{key}: has not failed" for key in left]
    text = "\n".join([*lines, f"{len(reopened) - len(left)} facts pending again"])
    return int(bool(left)), reopened, text


def explain(parts: Services, options: argparse.Namespace) -> Result:
    """Print a fact's row."""
    row = parts.fact_ledger.row(options.key)
    if row is None:
        text = f"{options.key}: never received, or no longer kept in the ledger"
        return 1, {"error": "not found"}, text
    return 0, dict(row), "\n".join(f"{name:<12}{value}" for name, value in sorted(row.items()))


def check(parts: Services, _options: argparse.Namespace) -> Result:
    """Compare the facts by day in the ledger, the archive and the dataset."""
    compared = parts.posting.check.compare()
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
    return int(bool(found or compared.corrected)), document, "\n".join(lines)


def correct(parts: Services, options: argparse.Namespace) -> Result:
    """Correct a stored fact; see `correction`."""
    row = parts.fact_ledger.row(options.key)
    if row is None or not row.get("metric") or row["status"] == FactStatus.SKIPPED:
        text = "not found: never received, not counted, or no longer kept in the ledger"
        return 1, {"outcome": "not_found"}, f"{options.key}: {text}"
    fact = Fact(
        key=options.key,
        source=row["source"],
        agent_id=options.agent or row["agent"],
        date=options.date or row["date"],
        metric=Metric(options.metric or row["metric"]),
        notes=row.get("notes", ""),
    )
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
        owner=_caller(parts),
    ).run(fact, status, time_left_seconds=_budget())
    later = (
        "; the dataset has it after a rebuild" if dataset and status == FactStatus.POSTED else ""
    )
    text = f"{options.key}: {outcome}" + (later if outcome == "corrected" else "; run it again")
    return int(outcome != "corrected"), {"outcome": outcome}, text


def rebuild(parts: Services, options: argparse.Namespace) -> Result:
    """Show what a rebuild would do; with `--apply`, clear the dataset and post the facts again."""
    dataset_id = options.dataset or parts.settings.powerbi_dataset_id
    reader = parts.posting.reader(dataset_id)
    if reader is None:
        return 1, {"outcome": "no_dataset"}, "no dataset: set POWERBI_DATASET_ID or give --dataset"

    def facts() -> list[Fact]:
        archives = [FileRows(options.archive)] if options.archive else [parts.posting.archive]
        return known_facts(parts.fact_ledger.all_posted(), [one for one in archives if one])

    planned = rebuild_plan.plan(reader, facts)
    refusal = planned.refusal(accepts_loss=options.accept_loss)
    if refusal or not options.apply:
        end = f"refused: {refusal}" if refusal else "nothing was changed; --apply does it"
        document = {"outcome": "refused" if refusal else "planned", **planned.document()}
        return int(bool(refusal)), document, f"{planned.text()}\n{end}"
    done = Rebuild(
        ledger=parts.posting.ledger,
        registry=parts.fact_ledger,
        sink=parts.posting.powerbi(dataset_id),
        agents=parts.posting.agents,
        switches=parts.switches,
        clock=parts.clock,
        log=parts.log,
        owner=_caller(parts),
    ).run(facts, time_left_seconds=_budget())
    document = {"outcome": done.outcome, **planned.document(), "posts": done.posts}
    text = f"{done.outcome}: {done.resumed_at + done.facts} facts, {done.posts} posts in this run"
    return int(done.outcome != "rebuilt"), document, text


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


def _caller(parts: Services) -> str:
    """The operator's AWS identity, without the account."""
    return str(parts.client("sts").get_caller_identity()["Arn"]).rpartition(":")[2]


def _budget() -> Callable[[], float]:
    ends = time.monotonic() + RUN_SECONDS
    return lambda: max(0.0, ends - time.monotonic())


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ops.facts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--stage", default=os.environ.get("STAGE", "dev"))
    shared.add_argument("--json", action="store_true", help="print one JSON document")
    shared.add_argument("--yes", action="store_true", help="do it, in prod as well")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(run: Callable[..., Result], about: str, *, writes: bool) -> argparse.ArgumentParser:
        one = commands.add_parser(run.__name__, help=about, parents=[shared])
        one.set_defaults(command=run, writes=writes)
        return one

    one = command(create, "create the dataset", writes=True)
    one.add_argument("--again", action="store_true", help="even if one of that name exists")
    command(seed, "post the dimension rows that do not depend on facts", writes=True)
    command(pending, "count the facts not posted yet", writes=False)
    command(failed, "list the facts Power BI rejected", writes=False)
    command(retry, "make failed facts pending again", writes=True).add_argument("keys", nargs="*")
    command(explain, "show one fact", writes=False).add_argument("key")
    command(check, "compare ledger, archive and dataset by day", writes=False)
    one = command(correct, "change what a stored fact says", writes=True)
    one.add_argument("key")
    one.add_argument("--agent", type=_agent, help="the agent's id in the report")
    one.add_argument("--date", type=_day, help="its day, YYYY-MM-DD")
    one.add_argument("--metric", choices=[metric.value for metric in Metric])
    one = command(rebuild, "clear a dataset and post every stored fact again", writes=True)
    one.add_argument("--apply", action="store_true", help="do it; without, only show it")
    one.add_argument("--accept-loss", action="store_true", help="even if facts would be lost")
    one.add_argument("--archive", type=Path, help="a folder instead of the stage's archive")
    one.add_argument("--dataset", help="another dataset than the configured one")
    options = parser.parse_args(arguments)
    if options.command is correct and not (options.agent or options.date or options.metric):
        parser.error("correct: give --agent, --date or --metric")
    return options


def _agent(text: str) -> str:
    if not re.fullmatch(r"[0-9A-Za-z:_-]{1,64}", text):
        raise argparse.ArgumentTypeError("at most 64 letters, digits, colons and hyphens")
    return text


def _day(text: str) -> str:
    """A day that `DimDate` has."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("not a day as YYYY-MM-DD") from None
    if abs(day.year - datetime.now(UTC).year) > YEARS_AROUND:
        raise argparse.ArgumentTypeError(f"more than {YEARS_AROUND} years away")
    return day.isoformat()


def _services(stage: str) -> Services:
    """The services of a stage's functions; the environment overrides the stage's variables."""
    variables = {**config.configured(stage), **os.environ, "STAGE": stage}
    return OperatorServices(settings_module.load(variables))


def _no(message: str) -> int:
    sys.stderr.write(f"error: {message}\n")
    return EXIT_UNUSABLE
