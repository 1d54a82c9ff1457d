"""Plans a rebuild: whether the dataset fits, what it holds, what would be posted and lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chalicelib.facts.dataset import TABLES
from chalicelib.facts.model import Fact
from chalicelib.facts.posting.comparison import counts_by_day
from chalicelib.facts.posting.dataset_reader import DatasetReader

DEADLINE_SECONDS = 20.0
ROWS_PER_TABLE = 5_000_000
"""Power BI's limit: https://learn.microsoft.com/power-bi/developer/embedded/push-datasets-limitations."""


@dataclass(frozen=True, slots=True)
class RebuildPlan:
    """The expected effects of a rebuild.

    Attributes:
        facts: the facts that would be posted.
        there: the number of facts in the dataset; None if it cannot be counted.
        lost: the number of facts in the dataset that neither ledger nor archive holds; None if
            unknown.
        problems: why the rebuild cannot start.
    """

    facts: Sequence[Fact]
    there: int | None
    lost: int | None
    problems: tuple[str, ...]

    def refusal(self, *, accepts_loss: bool) -> str | None:
        """Why the rebuild must not start; None if it may."""
        if self.problems:
            return "; ".join(self.problems)
        if accepts_loss or self.lost == 0:
            return None
        if self.lost is None:
            return (
                "the dataset's facts cannot be counted, so a loss cannot be ruled out;"
                " --accept-loss to go ahead"
            )
        return f"{self.lost} facts of the dataset could not be put back; --accept-loss to go ahead"

    def text(self) -> str:
        """The plan as lines for people."""
        there = "not countable" if self.there is None else str(self.there)
        lost = "unknown" if self.lost is None else str(self.lost)
        lines = [
            f"in the dataset  {there}",
            f"to be posted    {len(self.facts)}",
            f"lost            {lost}",
        ]
        return "\n".join([*lines, *(f"problem         {problem}" for problem in self.problems)])

    def document(self) -> Mapping[str, object]:
        """The plan as data for `--json`."""
        return {
            "there": self.there,
            "facts": len(self.facts),
            "lost": self.lost,
            "problems": list(self.problems),
        }


def plan(
    reader: DatasetReader, facts: Callable[[], Sequence[Fact]], stale: Mapping[str, str]
) -> RebuildPlan:
    """Compare the dataset with the stored facts; changes nothing.

    Args:
        reader: reads the dataset.
        facts: returns the stored facts.
        stale: by key of a corrected fact, the day that the dataset still has.

    Raises:
        ProviderError: the dataset or the archive cannot be read now.
    """
    tables = reader.tables(deadline_seconds=DEADLINE_SECONDS)
    if tables is None:
        return RebuildPlan((), None, None, ("the workspace has no such dataset",))
    problems = [f"the dataset has no table {name}" for name in sorted(set(TABLES) - tables)]
    missing = reader.missing_columns(deadline_seconds=DEADLINE_SECONDS)
    problems += [f"the dataset has no column {name}" for name in sorted(missing or ())]
    stored = facts()
    if len(stored) > ROWS_PER_TABLE:
        problems.append(f"{len(stored)} facts are more than a table holds ({ROWS_PER_TABLE})")
    counted = reader.counts_by_day(deadline_seconds=DEADLINE_SECONDS)
    if counted is None:
        return RebuildPlan(stored, None, None, tuple(problems))
    ours = counts_by_day((fact.key, stale.get(fact.key, fact.date)) for fact in stored)
    lost = sum(max(0, count - ours.get(day, 0)) for day, count in counted.items())
    return RebuildPlan(stored, sum(counted.values()), lost, tuple(problems))
