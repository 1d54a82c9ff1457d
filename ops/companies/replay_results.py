"""A project's stored conversations under other settings: what would have been sent, and what not.

Nothing is sent, stored or copied; the texts stay where they are, and are shown on demand alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget import BudgetReachedError
from ops.companies import company
from ops.companies.replay_answers import (
    ReplayedAnswer,
    Replayer,
    ReplayPurse,
    differ,
    ended,
    kinds,
)
from ops.companies.replay_moments import Moment
from ops.session import EXIT_UNUSABLE, OpsError, Session

MICRO = 1_000_000


@dataclass(slots=True)
class Replay:
    """What a run has found.

    Attributes:
        rows: a message each.
        not_judged: messages of which no text was a model's, where none was asked.
        not_asked: messages that were left when the run could cost no more.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    not_judged: int = 0
    not_asked: int = 0

    def value(self, purse: ReplayPurse | None) -> dict[str, Any]:
        """As JSON."""
        return {
            "differ": sum(one["differs"] for one in self.rows),
            "not_judged": self.not_judged,
            "not_asked": self.not_asked,
            "cost_usd": 0.0 if purse is None else purse.spent / MICRO,
            "moments": self.rows,
        }


def project_of(
    session: Session, company_id: str, project_id: str, item: Mapping[str, Any]
) -> Project:
    """The settings of an item, as `company put` would take them.

    Raises:
        OpsError: there is no such project, the item is another's, or it is not valid.
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
    """Replay moments one after the other.

    Args:
        session: the stage.
        project: the settings.
        moments: of its conversations.
        purse: what the model may cost; None where none is asked.
        shows_texts: texts and the words that break a rule too; else only what kind of words they are.
    """
    found, replayer = Replay(), Replayer.of(session, project, purse)
    left = iter(moments)
    for one in left:
        try:
            after = replayer.answer(one)
        except BudgetReachedError:
            found.not_asked = 1 + sum(1 for _ in left)
            break
        if after is None:
            found.not_judged += 1
        else:
            found.rows.append(_row(one, ended(one.written), after, shows_texts=shows_texts))
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


def _shown(one: ReplayedAnswer) -> dict[str, Any]:
    return {
        "verdict": one.verdict,
        "rule": one.rule,
        "letters": len(one.text),
        "kinds": kinds(one.text),
    }


def _span_kinds(span: str) -> list[str]:
    return (kinds(span) or ["words"]) if span else []
