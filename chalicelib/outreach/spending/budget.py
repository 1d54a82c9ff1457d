"""A project's budget of a day; pure.

Optional setting of a project; without it nothing bounds the day but the limits of answers::

    model_budget   {"cents_per_day": 500, "soft_percent": 80}

At the soft limit an alarm is raised, once a day.  At the hard one no model is asked any more: a
recipient who wrote gets a fixed wording, once, and a person answers; a start waits for a person.
A day is one of UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from chalicelib.errors import PermanentError

SOFT_PERCENT = 80
BUDGET_REACHED = "budget_reached"
"""Reason of a hand-off."""
_MICRO_PER_CENT = 10_000


class BudgetReachedError(PermanentError):
    """The project's budget of the day is spent; no model was asked."""

    def __init__(self) -> None:
        super().__init__("writer", "compose", reason=BUDGET_REACHED)


@dataclass(frozen=True, slots=True)
class Budget:
    """`model_budget` of a project, in millionths of a US dollar."""

    hard: int
    soft: int

    @classmethod
    def of(cls, project: Mapping[str, Any]) -> Budget | None:
        """A project's budget; None where it has none that can be read."""
        raw = project.get("model_budget")
        given = raw if isinstance(raw, Mapping) else {}
        cents, percent = given.get("cents_per_day"), given.get("soft_percent", SOFT_PERCENT)
        if not _is_positive(cents):
            return None
        hard = cents * _MICRO_PER_CENT
        share = percent if _is_positive(percent) and percent <= 100 else SOFT_PERCENT  # noqa: PLR2004
        return cls(hard, hard * share // 100)


def _is_positive(value: Any) -> TypeGuard[int]:  # noqa: ANN401 - whatever the project's item holds
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
