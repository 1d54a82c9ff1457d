"""How often people said that an answer was wrong, by day, project and code; in no index.

::

    wrong:{company_id}   day#2026-11-23#{project_id}#{code}   said

A count holds no text and no id of a conversation: erasing a person needs not find it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record

_SAID = "said"


@dataclass(frozen=True, slots=True)
class SaidWrong:
    """How often people said on one day that an answer of a project was wrong in one way.

    Attributes:
        day: ``2026-11-23``, in UTC.
        code: the code of what was wrong.
        said: of how many answers.
    """

    day: str
    project_id: str
    code: str
    said: int


class WrongAnswers(items.OnTable):
    """Counts the answers that people said were wrong, and reads the counts."""

    def count_wrong(self, record: Record, code: str) -> None:
        """Count one answer of a conversation that people said was wrong, under the code of its fault."""
        now = self._clock.now()
        self._table.update(
            {
                "primary_channel": _partition(record.company_id),
                "conversation_id": f"{_on(now)}#{record.project_id}#{code}",
            },
            set_={},
            add={_SAID: 1},
            keep={"ttl": items.ttl_at(now)},
            reading=False,
        )

    def wrong_counts(
        self, company_id: str, since: datetime, until: datetime
    ) -> Iterator[SaidWrong]:
        """A company's counts of wrong answers by day, project and code, oldest first; one query by key."""
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={"p": _partition(company_id), "a": _on(since), "b": f"{_on(until)}#~"},
        )
        for row in rows:
            _, day, of = str(row["conversation_id"]).split("#", 2)
            project_id, _, code = of.rpartition("#")
            yield SaidWrong(day, project_id, code, int(row[_SAID]))


def _partition(company_id: str) -> str:
    return f"wrong:{company_id}"


def _on(day: datetime) -> str:
    return f"day#{day.astimezone(UTC):%Y-%m-%d}"
