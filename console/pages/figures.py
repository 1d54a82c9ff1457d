"""A company's conversations in figures: what waits, who answered and how fast, what failed, the cost.

For leads and developers, of their own companies.  It shows counts and codes, and no recipient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, render_template, request, url_for

from chalicelib.clock import parsed
from chalicelib.outreach.conversations.day_counts import WITHIN_SECONDS, DayCount
from console import drawing
from console.backend import reading
from console.pages import desk_words
from console.pages.charts import Chart
from console.rights import Right, needs, person
from ops.companies import company_figures, usage
from ops.companies.company_figures import MEDIAN, NEARLY_ALL, WRONG, CountedPeriod, Step
from ops.inspect.metrics import Series
from ops.session import OpsError, Session

pages = Blueprint("figures", __name__)

LONGEST_ID = 100
MOST_WAITING = 100
"""Waiting conversations that are counted at most; more are shown as "100+"."""
UNANSWERED = ("waiting", "taken")
BUDGET_DAYS = 31
COLUMNS = (
    ("opened", DayCount.OPENED),
    ("by the machine", DayCount.BY_MACHINE),
    ("by people", DayCount.BY_PERSON),
    ("sent as drafted", DayCount.APPROVED),
    ("edited first", DayCount.EDITED),
    ("declined", DayCount.DECLINED),
    ("said to be wrong", WRONG),
    ("failed", DayCount.FAILED),
    ("opted out", DayCount.OPTED_OUT),
)


@dataclass(frozen=True, slots=True)
class WaitingNow:
    """The conversations that wait for a person now.

    Attributes:
        many: how many; `MOST_WAITING` where there are more.
        late: how many of them have waited longer than their project's target.
        oldest: seconds that the longest has waited; None where none waits.
        beyond: seconds by which `oldest` is over the target; 0 where it is not, or there is none.
    """

    many: int
    is_more: bool
    late: int
    oldest: int | None
    beyond: int


@pages.get("/figures")
@needs(Right.BUILD)
def show() -> str:
    """The form to choose a company, or that company's figures by day or by week."""
    company, project = _named("company"), _named("project")
    by = request.args.get("by", Step.DAY)
    if by not in list(Step):
        abort(400, f"by: one of {', '.join(Step)}")
    company = company or min(person().built or (), default="")
    if company and not person().builds(company):
        abort(404)
    about = _about(reading(), company, Step(by), project) if company else {}
    return render_template(
        "company_figures.html",
        company=company,
        companies=sorted(person().built or ()),
        project=project,
        by=by,
        spans={step: f"{company_figures.PERIODS[step]} {step}s" for step in Step},
        steps=[(step, _address(company, project, step)) for step in Step],
        **about,
    )


def _about(session: Session, company: str, step: Step, project: str) -> dict[str, Any]:
    periods, projects = company_figures.read(session, company, step, project)
    whole = company_figures.total(periods)
    return {
        "waiting": _waiting(session, company, project),
        "newest": periods[-1],
        "whole": whole,
        "projects": projects,
        "speeds": [(title, whole.counts[by], *_speed(whole, by)) for title, by in _WRITERS],
        "columns": [title for title, _ in COLUMNS],
        "rows": [
            (
                period,
                [period.counts[name] for _, name in COLUMNS],
                _speed(period, DayCount.BY_PERSON),
            )
            for period in reversed(periods)
            if period.counts
        ],
        "chart": _chart(periods, step),
        "failures": whole.reasons(DayCount.FAILED),
        "opt_outs": whole.reasons(DayCount.OPTED_OUT),
        "spent": _spent(session, company, project),
        "waited": desk_words.waited,
    }


_WRITERS = (("the machine", DayCount.BY_MACHINE), ("people", DayCount.BY_PERSON))


def _waiting(session: Session, company: str, project: str) -> WaitingNow:
    found = session.services.outreach.inbox.list(
        company_id=company, project_id=project or None, states=UNANSWERED, limit=MOST_WAITING
    )
    waits = [entry for entry in found.entries if entry["waiting_seconds"] is not None]
    oldest = max(waits, key=lambda wait: wait["waiting_seconds"], default=None)
    now = session.services.clock.now()
    return WaitingNow(
        len(waits),
        is_more=bool(found.after),
        late=sum(wait["is_late"] for wait in waits),
        oldest=oldest["waiting_seconds"] if oldest else None,
        beyond=_beyond(oldest["due_at"], now) if oldest else 0,
    )


def _beyond(due_at: str | None, now: datetime) -> int:
    due = parsed(due_at)
    return max(0, int((now - due).total_seconds())) if due else 0


def _speed(period: CountedPeriod, by: DayCount) -> tuple[str, str]:
    """The times within which half of the messages, and nine of ten, were answered."""
    return _bound(period.within(by, MEDIAN)), _bound(period.within(by, NEARLY_ALL))


def _bound(seconds: int | None) -> str:
    if seconds is None:
        return "\u2013"
    if seconds == WITHIN_SECONDS[-1]:
        return "3 d or more"
    return f"{seconds} s" if seconds < 60 else desk_words.waited(seconds)  # noqa: PLR2004 - a minute


def _chart(periods: Sequence[CountedPeriod], step: Step) -> Chart:
    title = f"Answers by {step}"
    names = {"the machine": DayCount.BY_MACHINE, "people": DayCount.BY_PERSON}
    drawn = {name: [float(period.counts[by]) for period in periods] for name, by in names.items()}
    measured: dict[str, list[float | None]] = {
        name: [
            value if period.answers else None for value, period in zip(values, periods, strict=True)
        ]
        for name, values in drawn.items()
    }
    times = [period.begins for period in periods]
    return Chart(
        title,
        "Messages after the first that went to a carrier, by who wrote them.",
        "answers",
        Series(times, measured),
        drawing.bars(title, [time[5:] for time in times], drawn),
        tuple(names),
    )


def _spent(session: Session, company: str, project: str) -> dict[str, float | None]:
    """The cost of models in a month, and today's cost and budget; None where there is no budget."""
    try:
        rows = usage.by_day(session, company, project or None, BUDGET_DAYS)
    except OpsError:
        return {"usd": 0.0, "today": None, "left": None, "budget": None}
    today = f"{session.services.clock.now():%Y-%m-%d}"
    now = [row for row in rows if row["day"] == today]
    budgets = [row["budget_usd"] for row in now if row["budget_usd"] is not None]
    return {
        "usd": sum(row["usd"] for row in rows),
        "today": sum(row["usd"] for row in now),
        "left": sum(row["left_usd"] for row in now if row["left_usd"] is not None),
        "budget": sum(budgets) if budgets else None,
    }


def _address(company: str, project: str, step: Step) -> str:
    chosen: dict[str, Any] = {"company": company, "project": project or None, "by": step}
    return url_for("figures.show", **chosen)


def _named(name: str) -> str:
    found = request.args.get(name, "").strip()
    if len(found) > LONGEST_ID:
        abort(400, f"{name}: an id")
    return found
