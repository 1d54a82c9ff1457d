"""Figures of a company's conversations by day or week, from counters kept as they happened.

Two queries by key, of at most `chalicelib.outreach.conversations.day_counts.SHARDS` rows for a day and
a project; nothing is scanned.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from chalicelib.outreach.conversations.day_counts import (
    ANSWERS,
    DayCount,
    reasons_of,
    seconds_of_share,
)
from ops.session import Session

WRONG = "said_wrong"
"""The counter of answers that people marked as wrong."""
MEDIAN, NEARLY_ALL = 0.5, 0.9


class Step(StrEnum):
    """The length of a period."""

    DAY = "day"
    WEEK = "week"


PERIODS = {Step.DAY: 28, Step.WEEK: 13}


@dataclass(frozen=True, slots=True)
class CountedPeriod:
    """The counters of one day or week.

    Attributes:
        begins: the first day in UTC, such as ``2026-11-23``; a week's is its Monday.
        counts: by `DayCount` name.
    """

    begins: str
    counts: Counter[str]

    @property
    def answers(self) -> int:
        """The number of answers sent."""
        return sum(self.counts[answer] for answer in ANSWERS)

    def within(self, by: DayCount, share: float) -> int | None:
        """The seconds within which a share of the answers came; None without timed answers."""
        return seconds_of_share(self.counts, by, share)

    def reasons(self, what: DayCount) -> list[tuple[str, int]]:
        """How often each reason was counted, the most frequent first."""
        return reasons_of(self.counts, what).most_common()


def read(
    session: Session, company_id: str, step: Step, project_id: str = ""
) -> tuple[list[CountedPeriod], list[str]]:
    """Read the newest periods, oldest first, empty ones included; and the projects with counts.

    Args:
        session: the stage.
        company_id: the company.
        step: a day or a week.
        project_id: count this project only, without counters of the whole company.
    """
    now = session.services.clock.now()
    first = _begin(now.date(), step) - (PERIODS[step] - 1) * _length(step)
    since = now - timedelta(days=(now.date() - first).days)
    sums = {str(first + number * _length(step)): Counter[str]() for number in range(PERIODS[step])}
    projects: set[str] = set()
    conversations = session.services.outreach.conversations
    counted = [
        *(
            (day.day, day.project_id, day.counts)
            for day in conversations.days(company_id, since, now)
        ),
        *(
            (wrong.day, wrong.project_id, {WRONG: wrong.said})
            for wrong in conversations.wrong_counts(company_id, since, now)
        ),
    ]
    for day, project, counts in counted:
        projects.add(project)
        if project_id in ("", project):
            sums[str(_begin(date.fromisoformat(day), step))].update(counts)
    return [CountedPeriod(*item) for item in sums.items()], sorted(projects)


def total(periods: list[CountedPeriod]) -> CountedPeriod:
    """The sum of all periods."""
    summed: Counter[str] = Counter()
    for period in periods:
        summed.update(period.counts)
    return CountedPeriod(periods[0].begins, summed)


def _length(step: Step) -> timedelta:
    return timedelta(weeks=1) if step is Step.WEEK else timedelta(days=1)


def _begin(day: date, step: Step) -> date:
    return day - timedelta(days=day.weekday()) if step is Step.WEEK else day
