"""How often each rule has stopped a draft, and what persons have made of the drafts, by day; in no index.

::

    stops:{company_id}   day#2026-11-23#{project_id}#{rule}   held, and one count for each `StopEnd`

Counts are added after a hand-off or an act is stored, and by nothing that repeats one: a crash in between
loses a count and counts nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record

HELD = "held"
"""The draft was stopped, and a person got the conversation."""
_STOPPED = "draft_"
"""Begins the reason of a hand-off whose draft a rule has stopped; the rule follows."""


class StopEnd(StrEnum):
    """What a person did with a draft that a rule had stopped."""

    AS_IS = "as_is"
    """It was sent word for word: the stop was false."""
    EDITED = "edited"
    """It was sent with small edits that change no figure, address or link: the stop was false."""
    OTHER = "other"
    """Something else was sent: the stop was right."""
    DISCARDED = "discarded"
    """Nothing was sent: the stop was right."""
    AGAIN = "again"
    """The machine was to write once more: it says nothing of the stop."""


@dataclass(frozen=True, slots=True)
class RuleStops:
    """How many drafts one rule stopped on one day, and what persons did with its stopped drafts.

    Attributes:
        day: ``2026-11-23``, in UTC.
        held: number of drafts that the rule stopped on the day.
        ends: number by `StopEnd`: what persons did on the day with drafts stopped then or before.
    """

    day: str
    project_id: str
    rule: str
    held: int
    ends: Mapping[str, int]


class StopCounts(items.OnTable):
    """Counts the drafts that rules stopped and what persons did with them, and reads the counts."""

    def count_stop(self, record: Record, rule: str, what: str) -> None:
        """Count a draft that a rule stopped, or what a person did with it.

        Args:
            record: the conversation.
            rule: the first rule that the draft broke.
            what: `HELD`, or a `StopEnd`.
        """
        now = self._clock.now()
        self._table.update(
            {
                "primary_channel": _partition(record.company_id),
                "conversation_id": f"{_on(now)}#{record.project_id}#{rule}",
            },
            set_={},
            add={what: 1},
            keep={"ttl": items.ttl_at(now)},
            reading=False,
        )

    def stops(self, company_id: str, since: datetime, until: datetime) -> Iterator[RuleStops]:
        """A company's counts of stopped drafts, by day, project and rule, oldest first; one query by key."""
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={
                "p": _partition(company_id),
                "a": _on(since),
                "b": f"{_on(until)}#~",
            },
        )
        for row in rows:
            _, day, of = str(row["conversation_id"]).split("#", 2)
            project_id, _, rule = of.rpartition("#")
            ends = {end.value: int(row.get(end, 0)) for end in StopEnd}
            yield RuleStops(day, project_id, rule, int(row.get(HELD, 0)), ends)


def rule_of(handoff: Mapping[str, Any]) -> str:
    """The rule that stopped the message that a hand-off holds.

    Empty where no rule did, or no message is held.
    """
    reason = str(handoff.get("reason") or "")
    is_stop = handoff.get("held") and reason.startswith(_STOPPED)
    return reason.removeprefix(_STOPPED) if is_stop else ""


def _partition(company_id: str) -> str:
    return f"stops:{company_id}"


def _on(day: datetime) -> str:
    return f"day#{day.astimezone(UTC):%Y-%m-%d}"
