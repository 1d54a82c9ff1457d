"""The stage's metrics over time: effects, time to effect, backlogs, the automation rate, facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from flask import Blueprint, abort, render_template, request
from markupsafe import Markup

from chalicelib.once.action import ActionStatus
from chalicelib.once.lanes import LANES
from console import drawing
from console.backend import reading
from console.rights import Right, needs
from ops.inspect import automation, metrics
from ops.inspect.metrics import Query, Series
from ops.session import Session

pages = Blueprint("charts", __name__)

SPANS = {
    "day": (timedelta(hours=1), 24),
    "week": (timedelta(hours=6), 28),
    "quarter": (timedelta(weeks=1), 13),
}
"""Length of a period, and number of periods, by span."""
FEWEST_DRAWN = 4
"""With fewer measured times a chart is shown as a sentence and a table."""
_SHORT = 13
"""Characters of an ISO time that label an hour."""
_DAY = 10
Group = tuple[str, str, str, drawing.Draw, list[Query]]
"""A chart to be drawn: title, meaning, unit, drawing function, and its queries."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart and its table.

    Attributes:
        series: the table's columns.
        names: the series that are drawn.
    """

    title: str
    means: str
    unit: str
    series: Series
    drawn: Markup
    names: tuple[str, ...]

    @property
    def is_sparse(self) -> bool:
        """Whether too little was measured for a picture to say more than the table."""
        return len(self.series.measured) < FEWEST_DRAWN


@pages.get("/charts")
@needs(Right.LOOK)
def show() -> str:
    """Every chart of a span."""
    span = request.args.get("span", "day")
    if span not in SPANS:
        abort(400, f"span: one of {', '.join(SPANS)}")
    return render_template("charts.html", charts=_all(reading(), span), span=span, spans=SPANS)


@pages.get("/charts/overview")
@needs(Right.LOOK)
def brief() -> str:
    """The charts of the overview: the last day's effects and times, and automation by week."""
    session = reading()
    day = _charts(session, "day", _groups(session)[:2])
    return render_template("figures.html", charts=[*day, _by_week(session)])


def _by_week(session: Session) -> Chart:
    counts, shares = automation.weeks(session)
    title = "Automation by week, and how good it was"
    labels = [time[5:_DAY] for time in counts.times]
    return Chart(
        title,
        "Customers' messages that were answered automatically, and how often the customer wrote"
        " again, or complained, after such an answer.",
        "per cent",
        Series(counts.times, {**shares.values, **counts.values}),
        drawing.lines(title, labels, shares.values),
        tuple(shares.values),
    )


def _all(session: Session, span: str) -> list[Chart]:
    """Every chart of a span; the chart by week only for the quarter."""
    charts = _charts(session, span, _groups(session))
    return [*charts, _by_week(session)] if span == "quarter" else charts


def _charts(session: Session, span: str, groups: Sequence[Group]) -> list[Chart]:
    period, periods = SPANS[span]
    wanted = [query for *_, queries in groups for query in queries]
    found = metrics.read(session, wanted, period=period, periods=periods)
    long = _SHORT if period < timedelta(days=1) else _DAY
    labels = [
        time[5:long].replace("T", " ") + ("h" if long == _SHORT else "") for time in found.times
    ]
    charts = []
    for title, means, unit, draw, queries in groups:
        series = Series(found.times, {query.name: found.values[query.name] for query in queries})
        drawn = draw(title, labels, series.values)
        charts.append(Chart(title, means, unit, series, drawn, tuple(series.values)))
    return charts


def _groups(session: Session) -> list[Group]:
    settings = session.services.settings
    return [
        (
            "Effects by outcome",
            "What left for customers and systems, and what did not.",
            "effects",
            drawing.bars,
            [
                Query(status.value, "mw.effects", "Sum", {"outcome": status.value})
                for status in (
                    *(ActionStatus.DONE, ActionStatus.SKIPPED),
                    *(ActionStatus.REFUSED, ActionStatus.UNKNOWN),
                )
            ],
        ),
        (
            "Time to effect",
            "From the arrival of a message to the end of its processing.",
            "milliseconds",
            drawing.lines,
            [
                Query(percentile, "mw.worker.lag_ms", percentile)
                for percentile in ("p50", "p95", "p99")
            ],
        ),
        (
            "Age of the oldest message by lane",
            "How far a lane is behind.",
            "seconds",
            drawing.lines,
            [
                Query(
                    lane.name,
                    "ApproximateAgeOfOldestMessage",
                    "Maximum",
                    {"QueueName": settings.queue_of(lane)},
                    "AWS/SQS",
                )
                for lane in LANES
            ],
        ),
        (
            "Facts",
            "Kept when they arrived, and posted to the report.",
            "facts",
            drawing.bars,
            [
                Query(f"facts {status}", f"mw.facts.{status}", "Sum")
                for status in ("kept", "posted")
            ],
        ),
        (
            "Lag of the facts",
            "How long the oldest fact has waited for the report.",
            "seconds",
            drawing.lines,
            [Query("oldest", "mw.facts.oldest_pending_seconds", "Maximum")],
        ),
        (
            "Automatic answers",
            "Customers' messages on tickets that were decided, by what they got.",
            "messages",
            drawing.bars,
            [
                Query(who, "mw.support.messages", "Sum", {"answer": answer})
                for who, answer in (
                    ("answered automatically", "automatic"),
                    ("left to people", "none"),
                )
            ],
        ),
        (
            "Conversations that wait for a person",
            "At most at one time.",
            "conversations",
            drawing.bars,
            [Query("waiting", "mw.handoffs.waiting", "Maximum")],
        ),
    ]
