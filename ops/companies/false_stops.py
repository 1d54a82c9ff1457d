"""Counts how often people sent a draft that a rule had stopped, and marked a sent answer as wrong."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from chalicelib.outreach.conversations.stop_counts import HELD, StopEnd
from ops.session import Session
from ops.support.bounds import said, share

DAYS = 28
_FALSE = (StopEnd.AS_IS, StopEnd.EDITED)
_RIGHT = (StopEnd.OTHER, StopEnd.DISCARDED)
WRONG_COLUMNS = ("project", "code", "answers")
COLUMNS = ("project", "rule", HELD, *(end.value for end in StopEnd), "false")


def by_rule(
    session: Session, company_id: str, project_id: str | None = None, days: int = DAYS
) -> list[dict[str, Any]]:
    """One row for each rule that has stopped a draft, of each project; the most stops first.

    ``false`` is text for people; ``false_stops`` holds the count, the number of decided stops, and
    the share with its 95 % bounds.  A rewritten draft counts as undecided.  An unknown company has no
    row.
    """
    now = session.services.clock.now()
    found: dict[tuple[str, str], Counter[str]] = {}
    stops = session.services.outreach.conversations.stops
    for stop in stops(company_id, now - timedelta(days=days - 1), now):
        if project_id in (None, stop.project_id):
            counts = found.setdefault((stop.project_id, stop.rule), Counter())
            counts.update({HELD: stop.held, **stop.ends})
    rows = [_row(project, rule, counts) for (project, rule), counts in found.items()]
    return sorted(rows, key=lambda row: (row["project"], -row[HELD], row["rule"]))


def said_wrong(
    session: Session, company_id: str, project_id: str | None = None, days: int = DAYS
) -> list[dict[str, Any]]:
    """One row for each project and code of wrong answers, the most frequent first."""
    now = session.services.clock.now()
    counts: Counter[tuple[str, str]] = Counter()
    for wrong in session.services.outreach.conversations.wrong_counts(
        company_id, now - timedelta(days=days - 1), now
    ):
        if project_id in (None, wrong.project_id):
            counts[wrong.project_id, wrong.code] += wrong.said
    return [
        {"project": project, "code": code, "answers": many}
        for (project, code), many in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    ]


def _row(project_id: str, rule: str, counts: Counter[str]) -> dict[str, Any]:
    false = sum(counts[end] for end in _FALSE)
    rate = share(false, false + sum(counts[end] for end in _RIGHT))
    return {
        "project": project_id,
        "rule": rule,
        HELD: counts[HELD],
        **{end.value: counts[end] for end in StopEnd},
        "false": said(rate),
        "false_stops": rate,
    }
