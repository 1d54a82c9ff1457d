"""`cost`: dollars by kind of event and cause, and what a stage or a company has cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.cost import bill, happened
from ops.cost.bill import CostCause, Dollars, Gateway, Terms
from ops.cost.event_kinds import counted
from ops.cost.happened import Charged
from ops.session import EXIT_UNUSABLE, OpsError
from ops.stage import config
from ops.times import span

app = typer.Typer()
LONGEST = timedelta(days=400)
"""Counts of a day are kept for about a year, CloudWatch's for fifteen months."""
MONTH = "30d"
_COLUMNS = (*(one.value for one in CostCause), "total")


@command(app, "cost", examples=["cost", "cost --since 30d", "cost --company <company> --since 30d"])
def cost(
    run: CommandRun,
    company_id: Annotated[
        str | None, typer.Option("--company", help="What this company has cost.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="What the stage has cost since: 24h, 30d; whole days."),
    ] = None,
    gateway: Annotated[
        Gateway, typer.Option("--gateway", help="What leads to the functions.")
    ] = Gateway.REST_API,
) -> object:
    """Print what a million events of each kind cost, by cause; or what a stage or a company has."""
    if company_id is None and since is None:
        return _each_kind(run)
    period = span(since or MONTH)
    if period > LONGEST:
        raise OpsError(f"--since: at most {LONGEST.days}d", code=EXIT_UNUSABLE)
    terms = Terms(gateway, is_traced=config.is_traced(run.session.stage))
    if company_id is None:
        found: Sequence[Charged] = happened.of_stage(run.session, period, terms)
    else:
        found = happened.of_company(run.session, company_id, period, terms)
    rows: list[dict[str, object]] = [
        {"project": one.project, "event": one.name, "count": one.count, **_shown(one.dollars)}
        for one in found
    ]
    whole = bill.added(*(one.dollars for one in found))
    shown: dict[str, object] = {"project": "", "event": "all", "count": None, **_shown(whole)}
    return run.output.records(("project", "event", "count", *_COLUMNS), [*rows, shown])


def _each_kind(run: CommandRun) -> object:
    """Dollars of a million events, behind either gateway."""
    terms = [Terms(one, is_traced=config.is_traced(run.session.stage)) for one in Gateway]
    kinds = counted()
    two = bill.with_actions(kinds["routed event"], 2)
    rows: list[dict[str, object]] = []
    for count in (*kinds.values(), two):
        rest, http = (bill.times(bill.of_event(count, one), 1e6) for one in terms)
        aws = {
            "aws, rest api": round(bill.total(rest, bill.AWS), 2),
            "aws, http api": round(bill.total(http, bill.AWS), 2),
        }
        causes = {cause.value: round(rest[cause], 2) for cause in CostCause}
        rows.append({"event": count.name, "actions": count.actions, **causes, **aws})
    run.output.say("dollars for a million events; the table's causes are behind a REST API")
    columns = (
        "event",
        "actions",
        *(one.value for one in CostCause),
        "aws, rest api",
        "aws, http api",
    )
    return run.output.records(columns, rows)


def _shown(dollars: Dollars) -> dict[str, float]:
    """Dollars by cause, and their sum, to a hundredth of a cent."""
    causes = {cause.value: round(dollars.get(cause, 0.0), 4) for cause in CostCause}
    return {**causes, "total": round(bill.total(dollars), 4)}
