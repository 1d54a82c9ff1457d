"""The cost of language models: by project and day, and by conversation."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from chalicelib.outreach.spending.budget_limits import Budget
from ops.companies import company
from ops.session import OpsError, Session

_TOKENS = ("input_tokens", "cached_tokens", "output_tokens")
DAY = ("day", "project", "calls", *_TOKENS, "usd", "budget_usd", "left_usd")
CALL = ("at", "model", *_TOKENS, "usd", "budget_usd", "left_usd")
_MICRO = 1_000_000


def by_day(
    session: Session, company_id: str, project_id: str | None, days: int
) -> list[dict[str, Any]]:
    """One row for each day with calls, oldest first; ``left_usd`` is known for today alone.

    Raises:
        OpsError: the company or project is not stored.
    """
    services = session.services
    now = services.clock.now()
    today = f"{now:%Y-%m-%d}"
    found = []
    for project in company.projects(session, company_id, project_id):
        budget, its_id = Budget.of(project), project.project_id
        since = now - timedelta(days=days - 1)
        for day, sums in services.outreach_work.spending.sums_by_day(
            company_id, its_id, since, now
        ):
            left = None if budget is None or day != today else budget.hard - sums["committed"]
            found.append(
                {
                    "day": day,
                    "project": its_id,
                    **{name: sums[name] for name in ("calls", *_TOKENS)},
                    "usd": sums["microusd"] / _MICRO,
                    "budget_usd": None if budget is None else budget.hard / _MICRO,
                    "left_usd": None if left is None else max(left, 0) / _MICRO,
                }
            )
    return sorted(found, key=lambda row: (row["day"], row["project"]))


def calls(session: Session, company_id: str, conversation: str) -> list[dict[str, Any]]:
    """The model calls of one conversation, oldest first.

    Only the newest call has ``budget_usd`` and ``left_usd``.

    Raises:
        OpsError: the company has no such conversation.
    """
    record = session.services.outreach.conversations.find(conversation)
    if record is None or record.company_id != company_id:
        raise OpsError("no such conversation of the company")
    spending = session.services.outreach_work.spending
    shown = [{**call, "usd": call["microusd"] / _MICRO} for call in spending.calls_of(record)]
    budget = Budget.of_conversation(session.services.outreach.current_settings(record))
    if shown and budget is not None:
        left = max(budget.hard - spending.committed_by(record), 0) / _MICRO
        shown[-1] |= {"budget_usd": budget.hard / _MICRO, "left_usd": left}
    return shown
