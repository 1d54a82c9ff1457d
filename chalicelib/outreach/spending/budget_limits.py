"""A project's budgets for language models, per day and per conversation; pure.

The setting is optional, and so is each budget in it; without it only the limits on answers bound costs::

    model_budget   {"cents_per_day": 500, "cents_per_conversation": 20, "soft_percent": 80}

The soft limit raises an alarm, once a day and once a conversation.  At the hard limit no model is asked
any more: a recipient who wrote gets a fixed text, once a conversation, and a person answers; a start
waits for a person.  Days are UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons
from chalicelib.outreach.project.project import Project

BUDGET_REACHED = reasons.BUDGET_REACHED
"""Reason of a hand-off to a person: the project's model budget of the day is spent."""
CONVERSATION_BUDGET_REACHED = reasons.CONVERSATION_BUDGET_REACHED
"""Reason of a hand-off to a person: the conversation's own model budget is spent."""
_MICRO_PER_CENT = 10_000


class BudgetReachedError(PermanentError):
    """The model budget of the day or of the conversation is spent; no model was asked."""

    def __init__(self, reason: str = BUDGET_REACHED) -> None:
        super().__init__("writer", "compose", reason=reason)


@dataclass(frozen=True, slots=True)
class Budget:
    """What language models may cost, in millionths of a US dollar.

    Attributes:
        hard: once this sum is spent or reserved, no further request is made.
        soft: reaching this sum is only logged.
    """

    hard: int
    soft: int

    @classmethod
    def of(cls, project: Project) -> Budget | None:
        """A project's model budget of a day; None where none is set, or it cannot be read."""
        return cls._of(project, "cents_per_day")

    @classmethod
    def of_conversation(cls, project: Project) -> Budget | None:
        """A project's model budget of each conversation; None where none is set, or it cannot be read."""
        return cls._of(project, "cents_per_conversation")

    @classmethod
    def _of(
        cls, project: Project, name: Literal["cents_per_day", "cents_per_conversation"]
    ) -> Budget | None:
        given = project.model_budget
        cents = getattr(given, name) if given else None
        if given is None or cents is None:
            return None
        hard = cents * _MICRO_PER_CENT
        return cls(hard, hard * given.soft_percent // 100)


@dataclass(frozen=True, slots=True)
class Budgets:
    """The model budgets that bound a conversation's calls: the project's of the day, and its own."""

    day: Budget | None = None
    conversation: Budget | None = None

    @classmethod
    def of(cls, project: Project) -> Budgets:
        """The model budgets of a project, of the day and of each conversation."""
        return cls(Budget.of(project), Budget.of_conversation(project))
