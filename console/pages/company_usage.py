"""What a company has cost this month: language models by day against their budgets, and messages."""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint

from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import Budget
from console import drawing
from console.backend import reading
from console.pages import company
from console.pages.charts import Chart
from console.rights import Right, needs
from ops.companies import company as stored
from ops.companies import usage
from ops.cost import happened
from ops.cost.bill import Terms
from ops.cost.happened import Charged
from ops.inspect.metrics import Series
from ops.session import Session
from ops.stage import config

pages = Blueprint("company_usage", __name__)
_MICRO = 1_000_000
_DAY = slice(8, 10)
"""The part of an ISO date that labels a bar."""


@pages.get("/company/usage")
@needs(Right.BUILD)
def show() -> str:
    """This month by day, and today against each project's budget."""
    session, company_id = reading(), company.chosen()
    now = session.services.clock.now()
    found = usage.by_day(session, company_id, None, now.day)
    first = now.replace(day=1)
    days = [f"{first + timedelta(days=number):%Y-%m-%d}" for number in range(now.day)]
    cost: dict[str, dict[str, float]] = defaultdict(dict)
    for row in found:
        cost[row["project"]][row["day"]] = row["usd"]
    values = {name: [of.get(day, 0.0) for day in days] for name, of in sorted(cost.items())}
    title = "Cost by day"
    chart = Chart(
        title,
        "What the language models of each project have cost.",
        "US dollars",
        Series(days, {name: list(of) for name, of in values.items()}),
        drawing.bars(title, [day[_DAY] for day in days], values),
        tuple(values),
    )
    return company.page(
        "company_usage.html",
        company_id,
        month=f"{now:%B %Y}",
        days=now.day,
        spent=sum(row["usd"] for row in found),
        calls=sum(row["calls"] for row in found),
        projects=[
            _project(project, cost.get(project.project_id, {}), now)
            for project in stored.projects(session, company_id, None)
        ],
        chart=chart if values else None,
        messages=_messages(session, company_id, now),
    )


def _messages(session: Session, company_id: str, now: datetime) -> list[Charged]:
    """The charges for the company's messages of this month, without the models that wrote them."""
    terms = Terms(is_traced=config.is_traced(session.stage))
    charged = happened.of_company(session, company_id, timedelta(days=now.day), terms)
    return [charge for charge in charged if charge.name != happened.MODEL_SPENT]


def _project(project: Project, cost: Mapping[str, float], now: datetime) -> dict[str, Any]:
    """A project's costs, and the daily and monthly sum that its budget allows."""
    budget = Budget.of(project)
    day = None if budget is None else budget.hard / _MICRO
    days = monthrange(now.year, now.month)[1]
    return {
        "id": project.project_id,
        "usd": sum(cost.values()),
        "today": cost.get(f"{now:%Y-%m-%d}", 0.0),
        "budget": day,
        "month": None if day is None else day * days,
    }
