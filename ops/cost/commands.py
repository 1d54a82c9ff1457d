"""The command `cost`: dollars by kind of event and cause, and what a stage or a company has cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.cost import assumptions, bill, happened
from ops.cost.bill import CostCause, Dollars, Gateway, Terms
from ops.cost.event_kinds import counted
from ops.cost.happened import Charged
from ops.cost.prices import prices as all_prices
from ops.session import EXIT_UNUSABLE, OpsError
from ops.stage import config
from ops.times import span

app = typer.Typer()
LONGEST = timedelta(days=400)
"""The longest period: counts by day are kept for about a year, CloudWatch's for fifteen months."""
MONTH = "30d"
REGION = "us-east-1"
"""The region of AWS's prices; carriers' prices are for the United States."""
_COLUMNS = (*(cause.value for cause in CostCause), "total")


@command(app, "cost", examples=["cost", "cost --since 30d", "cost --company <company> --since 30d"])
def cost(
    run: CommandRun,
    company_id: Annotated[
        str | None, typer.Option("--company", help="What this company has cost.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            help="What the stage has cost since: 24h, 30d; whole days, today the last. A company: 30d.",
        ),
    ] = None,
    gateway: Annotated[
        Gateway, typer.Option("--gateway", help="What leads to the functions.")
    ] = Gateway.REST_API,
    *,
    counts: Annotated[
        bool, typer.Option("--counts", help="What an event of each kind uses, in place of dollars.")
    ] = False,
    prices: Annotated[
        bool, typer.Option("--prices", help="Every price behind the dollars, with its source.")
    ] = False,
) -> object:
    """Print what a million events of each kind cost, by cause; or what a stage or a company has."""
    if company_id is not None and not company_id.strip():
        raise OpsError("--company: the id of a company is empty", code=EXIT_UNUSABLE)
    is_general = company_id is None and since is None
    if (counts or prices) and not is_general:
        raise OpsError("--counts and --prices go with no company and no period", code=EXIT_UNUSABLE)
    if is_general:
        return _prices(run) if prices else _counts(run) if counts else _each_kind(run)
    period = _period(MONTH if since is None else since)
    terms = Terms(gateway, is_traced=config.is_traced(run.session.stage))
    if company_id is None:
        found: Sequence[Charged] = happened.of_stage(run.session, period, terms)
    else:
        found = happened.of_company(run.session, company_id, period, terms)
    rows: list[dict[str, object]] = [
        {
            "project": charged.project,
            "event": charged.name,
            "count": charged.count,
            **_shown(charged.dollars),
        }
        for charged in found
    ]
    whole = bill.sum_of_bills(*(charged.dollars for charged in found))
    shown: dict[str, object] = {"project": "", "event": "all", "count": None, **_shown(whole)}
    return run.output.records(("project", "event", "count", *_COLUMNS), [*rows, shown])


def _period(text: str) -> timedelta:
    """The period of ``--since``; raises `OpsError`, which names the option."""
    try:
        period = span(text)
    except OpsError as error:
        raise OpsError(f"--since: {error}", code=EXIT_UNUSABLE) from None
    if not timedelta() < period <= LONGEST:
        raise OpsError(f"--since: 1m to {LONGEST.days}d", code=EXIT_UNUSABLE)
    return period


def _prices(run: CommandRun) -> object:
    """Print the table of prices."""
    rows: list[dict[str, object]] = [
        {
            "price": price.name,
            "usd": price.shown,
            "per": price.per,
            "unit": price.unit,
            "region": REGION,
            "read": price.read.isoformat(),
            "source": price.source,
            "note": price.note,
        }
        for price in all_prices().values()
    ]
    run.output.say("list prices without free tiers, discounts and taxes")
    return run.output.records(tuple(rows[0]), rows)


def _each_kind(run: CommandRun) -> object:
    """Print the dollars of a million events of each kind, behind either gateway."""
    terms = [Terms(gateway, is_traced=config.is_traced(run.session.stage)) for gateway in Gateway]
    rows: list[dict[str, object]] = []
    for count in bill.each_kind(counted().values()):
        rest, http = (bill.times(bill.of_event(count, term), 1e6) for term in terms)
        totals = {
            "aws, rest api": bill.total(rest, bill.AWS),
            "aws, http api": bill.total(http, bill.AWS),
            "all, rest api": bill.total(rest),
        }
        causes = {cause.value: rest[cause] for cause in CostCause}
        dollars = {name: round(usd, 2) for name, usd in {**causes, **totals}.items()}
        rows.append({"event": count.name, "actions": count.actions, **dollars})
    run.output.say(
        "dollars for a million events; the table's causes are behind a REST API, and a message has"
        " its receipts; Meta's fee for a WhatsApp template is left out"
    )
    return run.output.records(tuple(rows[0]), rows)


def _counts(run: CommandRun) -> object:
    """Print what an event of each kind uses, counted or assumed."""
    rows: list[dict[str, object]] = []
    for count in bill.each_kind(counted().values()):
        door, worker = bill.billed_seconds(count, Terms())
        rows.append(
            {
                "event": count.name,
                "actions": count.actions,
                "gateway": count.doors,
                "functions": count.functions,
                "queue": count.queue_requests,
                "door calls": count.door_calls,
                "worker calls": count.worker_calls,
                "write units": count.writes,
                "read units": count.reads,
                "vendor requests": count.vendor_requests,
                "billed ms": round((door + worker) * 1000, 1),
                "log bytes": count.log_bytes + count.functions * assumptions.LAMBDA_LINES_BYTES,
                "metric bytes": count.metric_bytes,
                "model": assumptions.MODEL if count.model_calls else "",
                "input tokens": count.model_calls * assumptions.MODEL_INPUT_TOKENS,
                "output tokens": count.model_calls * assumptions.MODEL_OUTPUT_TOKENS,
                "receipts": count.receipts,
            }
        )
    run.output.say("one event of each kind; a receipt is an event of its own")
    return run.output.records(tuple(rows[0]), rows)


def _shown(dollars: Dollars) -> dict[str, float]:
    """Dollars by cause, and their sum, to a hundredth of a cent."""
    causes = {cause.value: round(dollars.get(cause, 0.0), 4) for cause in CostCause}
    return {**causes, "total": round(bill.total(dollars), 4)}
