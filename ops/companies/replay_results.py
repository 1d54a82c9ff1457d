"""Compares a project's past answers with those that other settings would give.

Nothing is sent or stored; texts are returned only on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import BudgetReachedError
from ops.companies import company
from ops.companies.replay_answers import (
    ReplayedAnswer,
    Replayer,
    ReplayPurse,
    differ,
    kinds,
    verdict_on_written,
)
from ops.companies.replay_moments import Moment
from ops.session import EXIT_UNUSABLE, OpsError, Session

MICRO = 1_000_000


@dataclass(slots=True)
class Replay:
    """The result of a replay.

    Attributes:
        rows: one row for each compared message.
        not_judged: messages whose answer no model wrote, in a run without a model.
        not_asked: messages left when the cost limit was reached.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    not_judged: int = 0
    not_asked: int = 0

    def value(self, purse: ReplayPurse | None) -> dict[str, Any]:
        """The result as a JSON-ready dictionary."""
        return {
            "differ": sum(row["differs"] for row in self.rows),
            "not_judged": self.not_judged,
            "not_asked": self.not_asked,
            "cost_usd": 0.0 if purse is None else purse.spent / MICRO,
            "moments": self.rows,
        }


def project_of(
    session: Session, company_id: str, project_id: str, item: Mapping[str, Any]
) -> Project:
    """The project of an item, validated as `company put` validates it.

    Raises:
        OpsError: the project is not stored, the item is another project's, or it is not valid.
    """
    company.projects(session, company_id, project_id)
    if (item.get("company_id"), item.get("project_id")) != (company_id, project_id):
        raise OpsError("the item is of another company or project", code=EXIT_UNUSABLE)
    wrong = company.faults(session, dict(item))
    if wrong:
        raise OpsError("the item is not valid: " + "; ".join(wrong))
    return Project(item)


def run(
    session: Session,
    project: Project,
    moments: Iterable[Moment],
    purse: ReplayPurse | None,
    *,
    shows_texts: bool,
) -> Replay:
    """Replay moments in order until the cost limit is reached.

    Args:
        session: the stage.
        project: the settings to try.
        moments: the project's past messages.
        purse: the cost limit; None to judge without a model.
        shows_texts: add texts and the words that break a rule, not only the kinds of those words.
    """
    found, replayer = Replay(), Replayer.of(session, project, purse)
    left = iter(moments)
    for moment in left:
        try:
            after = replayer.answer(moment)
        except BudgetReachedError:
            found.not_asked = 1 + sum(1 for _ in left)
            break
        if after is None:
            found.not_judged += 1
        else:
            found.rows.append(
                _row(moment, verdict_on_written(moment.written), after, shows_texts=shows_texts)
            )
    return found


def _row(
    moment: Moment, before: ReplayedAnswer, after: ReplayedAnswer, *, shows_texts: bool
) -> dict[str, Any]:
    row = {
        "conversation": moment.record.opaque_id,
        "message": moment.message_id,
        "at": iso(moment.at),
        "revision": moment.written.revision,
        "model": moment.written.model,
        "differs": differ(before, after),
        "before": _shown(before),
        "after": {**_shown(after), "span_kinds": _span_kinds(after.span)},
    }
    if shows_texts:
        row["texts"] = {
            "message": moment.history[-1].content,
            "before": before.text,
            "after": after.text,
            "span": after.span,
        }
    return row


def _shown(answer: ReplayedAnswer) -> dict[str, Any]:
    return {
        "verdict": answer.verdict,
        "rule": answer.rule,
        "letters": len(answer.text),
        "kinds": kinds(answer.text),
    }


def _span_kinds(span: str) -> list[str]:
    return (kinds(span) or ["words"]) if span else []
