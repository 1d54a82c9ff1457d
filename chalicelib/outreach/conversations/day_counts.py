"""What happened in a company's conversations, by day and project: counts alone, in no index.

::

    days:{company_id}   day#2026-11-23#{project_id}#{shard}   one number for each name, see `DayCount`

What happens to a draft or to the register is counted in the transaction that stores it, so that a
repetition counts nothing twice.  A message and a failure are counted right after they were stored, by one
write: a crash in between loses the count, and where its answer is lost it may count twice.  A day of a
project has `SHARDS` rows, one for each share of the conversations, since two transactions on one row are
in each other's way.  A row has no text and no id of a conversation: erasing a person needs not find it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import Item, Store, TransactionConflict
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import UNSAID, Entry, Record

SHARDS = 8
EVERY_PROJECT = "-"
"""In place of a project: what belongs to the company, as an address that refuses does."""
WITHIN_SECONDS = (
    *(15, 30, 60, 120, 300, 600, 1_200, 1_800),
    *(3_600, 7_200, 14_400, 28_800, 86_400, 259_200),
)
"""Bounds by which the time to an answer is counted; what took longer is counted as `LONGER`."""
LONGER = "longer"
_NO_NAME = re.compile(r"\W")


class DayCount(StrEnum):
    """What is counted for a project each day; the values are the names of the stored counts."""

    OPENED = "opened"
    """A first message went to the carrier; this and each answer also by its channel."""
    BY_MACHINE = "by_machine"
    """A later message of the machine did: an answer."""
    BY_PERSON = "by_person"
    """An answer that a person has written, or edited."""
    APPROVED = "approved"
    """A held draft was released word for word."""
    EDITED = "edited"
    """A held draft was released after a person had changed it."""
    DECLINED = "declined"
    """A held draft was never sent."""
    FAILED = "failed"
    """A conversation whose first message was not sent or not delivered; also by its reason."""
    OPTED_OUT = "opted_out"
    """An address whose owner wants no further message; also by the reason."""


ANSWERS = (DayCount.BY_MACHINE, DayCount.BY_PERSON)
WITH_REASON = (DayCount.FAILED, DayCount.OPTED_OUT)


@dataclass(frozen=True, slots=True)
class CountedDay:
    """The counts of one day and project; a day has several such rows (shards), to be added up.

    Attributes:
        day: ``2026-11-23``, in UTC.
        counts: number by name, see `DayCount`; a name that was never counted is missing.
    """

    day: str
    project_id: str
    counts: Mapping[str, int] = field(default_factory=dict)


class DayCounts(items.OnTable):
    """Adds to the daily counts of companies' projects, and reads them."""

    def counting(self, record: Record, counts: Sequence[str]) -> Item:
        """The transaction write that adds one to each named count of a conversation's project today."""
        now = self._clock.now()
        of = record.company_id, record.project_id
        return counting(self._table, now, of, record.opaque_id, counts)

    def count(self, record: Record, counts: Sequence[str]) -> None:
        """Add one to each named count of a conversation's project today, in a write of its own."""
        now = self._clock.now()
        key = _key(now, (record.company_id, record.project_id), record.opaque_id)
        how: dict[str, Any] = {"add": dict.fromkeys(counts, 1), "keep": {"ttl": items.ttl_at(now)}}
        attempts = Attempts(self._clock, no_pauses(items.TRIES))
        while True:
            try:
                self._table.update(key, set_={}, reading=False, **how)
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return

    def count_failed(self, record: Record, reason: str) -> None:
        """Count that a conversation has failed, in total and by its reason."""
        self.count(record, names_with_reason(DayCount.FAILED, reason))

    def days(self, company_id: str, since: datetime, until: datetime) -> Iterator[CountedDay]:
        """A company's rows of counts from one day to another, oldest first; one query by key."""
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={"p": _partition(company_id), "a": _on(since), "b": f"{_on(until)}#~"},
        )
        for row in rows:
            _, day, of = str(row["conversation_id"]).split("#", 2)
            skipped = ("primary_channel", "conversation_id", "ttl")
            counts = {name: int(many) for name, many in row.items() if name not in skipped}
            yield CountedDay(day, of.rpartition("#")[0], counts)


def counting(
    table: Store, now: datetime, of: tuple[str, str], shared_by: str, counts: Collection[str]
) -> Item:
    """The transaction write that adds one to each named count of a company's project on one day.

    Args:
        table: ``conversations``.
        now: a time on the day.
        of: company id and project id.
        shared_by: an id by which one of the day's `SHARDS` rows is chosen.
        counts: the names.
    """
    key = _key(now, of, shared_by)
    return table.updating(
        key, set_={}, add=dict.fromkeys(counts, 1), keep={"ttl": items.ttl_at(now)}
    )


def answer_names(waiting: Sequence[Entry], entry: Entry) -> list[str]:
    """The names of the counts to which an answer to the recipient adds one: who answered, and how fast.

    Machine or person only, where the recipient's waiting time is unknown.

    Args:
        waiting: the entries between our last message and the answer.
        entry: the answer.
    """
    by = DayCount.BY_PERSON if entry.by else DayCount.BY_MACHINE
    since, at = waits_since(waiting), parsed(entry.message_timestamp)
    if since is None or at is None:
        return [by]
    took = (at - since).total_seconds()
    within = next((str(second) for second in WITHIN_SECONDS if took <= second), LONGER)
    return [by, within_name(by, within)]


def waits_since(waiting: Sequence[Entry]) -> datetime | None:
    """The time of the recipient's first own message among the entries since our last message.

    None where there is none; entries with a note of `UNSAID`, such as automatic replies, do not
    count.
    """
    said = (entry for entry in waiting if entry.role == "user" and entry.note not in UNSAID)
    return next((parsed(entry.message_timestamp) for entry in said), None)


def names_with_reason(what: DayCount, reason: str) -> list[str]:
    """The names of the two counts for something with a reason: its total, and that of the reason."""
    return [what, f"{what}__{_NO_NAME.sub('_', reason)}"]


def channel_name(what: DayCount, channel: str) -> str:
    """The name of the count for one channel, kept in addition to the count of all channels."""
    return f"{what}__{channel}"


def reasons_of(counts: Mapping[str, int], what: DayCount) -> Counter[str]:
    """How often each reason of `what` (failures or opt-outs) was counted, from the counts of a day."""
    begins = f"{what}__"
    return Counter(
        {name.removeprefix(begins): n for name, n in counts.items() if name.startswith(begins)}
    )


def within_name(by: DayCount, within: str) -> str:
    """The name of the count of answers by a machine, or by persons, that took up to so many seconds.

    `within` is a number of `WITHIN_SECONDS`, as text, or `LONGER`.
    """
    return f"{by}_within_{within}"


def seconds_of_share(counts: Mapping[str, int], by: DayCount, share: float) -> int | None:
    """The number of seconds within which a share (0 to 1) of the answers came.

    None where no answer was timed.

    Answers are counted in steps (`WITHIN_SECONDS`), so this is a step's upper bound; the last bound
    also stands for all that took longer.
    """
    steps = [(second, counts.get(within_name(by, str(second)), 0)) for second in WITHIN_SECONDS]
    steps.append((WITHIN_SECONDS[-1], counts.get(within_name(by, LONGER), 0)))
    timed, found = sum(many for _, many in steps), 0
    for bound, many in steps:
        found += many
        if timed and found >= share * timed:
            return bound
    return None


def _key(now: datetime, of: tuple[str, str], shared_by: str) -> Item:
    company_id, project_id = of
    shard = int(keys.digest(shared_by)[:8], 16) % SHARDS
    return {
        "primary_channel": _partition(company_id),
        "conversation_id": f"{_on(now)}#{project_id}#{shard}",
    }


def _partition(company_id: str) -> str:
    return f"days:{company_id}"


def _on(day: datetime) -> str:
    return f"day#{day.astimezone(UTC):%Y-%m-%d}"
