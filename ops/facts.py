"""`python -m ops.facts`: make the dataset, see what waits, rebuild a dataset from what was kept.

    create                        make the push dataset and print its id, for POWERBI_DATASET_ID
    seed                          DimDate five years around, DimMetric
    pending                       how many facts wait, and since when
    explain KEY                   one fact: where it stands and why
    rebuild [--archive FOLDER]    clear the dataset and post what was kept: the ledger's facts
                                  (DYNAMO_TTL_DAYS), or an archive of the sinks, which is older

It reads the deployed stage's environment (STAGE and what `chalice` gives its functions).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from chalicelib import settings as settings_module
from chalicelib.adapters.ndjson import FileRows
from chalicelib.adapters.powerbi import create_dataset, datasets_named
from chalicelib.fact_ports import Fact, Metric
from chalicelib.fact_rebuild import Rebuild
from chalicelib.fact_schema import DATASET, FACT_EVENT, definition, seed_keys
from chalicelib.wiring import Services

DEADLINE_SECONDS = 30.0
RUN_SECONDS = 600.0


def main(arguments: Sequence[str] | None = None, services: Services | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _options(arguments)
    parts = services or Services(settings_module.load(os.environ))
    status: int = options.command(parts, options)
    return status


def create(parts: Services, options: argparse.Namespace) -> int:
    """Make the dataset unless one of the name is there; `--again` makes another all the same."""
    workspace = parts.settings.powerbi_workspace_id
    client = parts.powerbi_client
    there = datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)
    if there and not options.again:
        print(f"{DATASET} is there: {', '.join(there)}")
        return 0
    made = create_dataset(client, workspace, definition(), deadline_seconds=DEADLINE_SECONDS)
    print(f"POWERBI_DATASET_ID={made}")
    return 0


def seed(parts: Services, _options: argparse.Namespace) -> int:
    """Post the dimensions that need no fact."""
    keys = seed_keys(datetime.now(UTC).year)
    outcome = parts.fact_writer.seed(keys, time_left_seconds=_budget())
    print(outcome)
    return 0 if outcome == "seeded" else 1


def pending(parts: Services, _options: argparse.Namespace) -> int:
    """Say how many facts wait."""
    facts = parts.fact_ledger.pending(parts.fact_ledger.pending_keys(at_most=100_000))
    print(f"{len(facts)} facts wait" + (f"; the oldest is {facts[0].key}" if facts else ""))
    return 0


def explain(parts: Services, options: argparse.Namespace) -> int:
    """Print a fact's row."""
    row = parts.fact_ledger.row(options.key)
    if row is None:
        print(f"{options.key}: never seen, or longer ago than the ledger keeps")
        return 1
    for name, value in sorted(row.items()):
        print(f"{name:<12}{value}")
    return 0


def rebuild(parts: Services, options: argparse.Namespace) -> int:
    """Fill the configured dataset anew."""

    def facts() -> list[Fact]:
        if options.archive:
            return archived(FileRows(options.archive))
        return parts.fact_ledger.all_posted()

    dataset_id = options.dataset or parts.settings.powerbi_dataset_id
    done = Rebuild(
        ledger=parts.fact_rows_ledger,
        registry=parts.fact_ledger,
        sink=parts.powerbi(dataset_id),
        roster=parts.roster,
        switches=parts.switches,
        clock=parts.clock,
        log=parts.log,
    ).run(facts, time_left_seconds=_budget())
    print(f"{done.outcome}: {done.facts} facts in {done.posts} posts")
    return 0 if done.outcome == "rebuilt" else 1


def archived(files: FileRows) -> list[Fact]:
    """The facts of an archive, each once."""
    found: dict[str, Fact] = {}
    for row in files.read(FACT_EVENT):
        fact = Fact(
            key=row["EventID"],
            source=row["EventID"].partition(":")[0],
            agent_id=row["AgentID"],
            date=row["FactDateKey"][:10],
            metric=Metric(row["MetricID"]),
            notes=row["Notes"],
        )
        found.setdefault(fact.key, fact)
    return list(found.values())


def _budget() -> Callable[[], float]:
    ends = time.monotonic() + RUN_SECONDS
    return lambda: max(0.0, ends - time.monotonic())


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ops.facts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("create", help="make the dataset")
    one.add_argument("--again", action="store_true")
    one.set_defaults(command=create)
    commands.add_parser("seed", help="dimensions that need no fact").set_defaults(command=seed)
    commands.add_parser("pending", help="what waits").set_defaults(command=pending)
    one = commands.add_parser("explain", help="one fact")
    one.add_argument("key")
    one.set_defaults(command=explain)
    one = commands.add_parser("rebuild", help="fill a dataset anew")
    one.add_argument("--archive", type=Path)
    one.add_argument("--dataset", help="another dataset than the configured one")
    one.set_defaults(command=rebuild)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
