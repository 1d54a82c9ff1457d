"""Reads the list of hand-offs in its order, only as far as a page needs.

First recipients who may have asked to stop, by the time at which silence becomes a STOP; then those
who wait for an answer, the longest first; then those where nothing waits.  A question whether
somebody asked to stop concerns a person: the open hand-offs of all their conversations are listed
for it.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, islice
from typing import Any, Self

from chalicelib.errors import PayloadError
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.doubts import OpenQuestion
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.handoffs import HandoffLane
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.desk import shown

READ_AT_ONCE = 200
"""Entries of a read where a filter lets few through."""
READ_AT_MOST = 1_000
"""Entries that a page reads to find those that a filter lets through; the next page goes on behind them."""
COUNTED_AT_MOST = 1_000
"""Entries of a company's list that are read to count; of more it is said that there are more."""
_ASKED, _WAITS, _REST = range(3)
_RANKS = (
    (_WAITS, handoffs.UNANSWERED_LANES),
    (_REST, (HandoffLane.ANSWERED, HandoffLane.ENDED)),
)
_LANES: Mapping[str, Collection[HandoffLane]] = {
    handoffs.WAITING: (HandoffLane.WAITING,),
    handoffs.TAKEN_BY_PERSON: (HandoffLane.TAKEN,),
    shown.ANSWERED: (HandoffLane.ANSWERED,),
    shown.SNOOZED: (HandoffLane.TAKEN, HandoffLane.ANSWERED),
}
"""Where the entries of an open state are; those of any other are in the lane of what has ended."""
_STATE = ("handoff_state", "unanswered_since", "snoozed_until")
_BETWEEN = "~"
_PLACE = re.compile(r"[0-2]~[0-9TZ:.-]{1,40}~[0-9a-f]{32}")

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class InboxPlace:
    """The position of a hand-off in the desk's list, by which it is sorted and paged.

    Attributes:
        rank: 0 for possible opt-outs, 1 for recipients who wait, 2 for the rest.
        at: ISO time within the rank.
        opaque_id: the conversation's opaque id.
    """

    rank: int
    at: str
    opaque_id: str

    def __str__(self) -> str:
        return _BETWEEN.join((str(self.rank), self.at, self.opaque_id))

    @classmethod
    def parsed(cls, text: str) -> Self:
        """Parse a position in the list from the text that the page before gave as its end.

        Raises:
            PayloadError: the text has not the form of a position.
        """
        if not _PLACE.fullmatch(text):
            raise PayloadError("INVALID_AFTER", "parameter after is not one that was given out")
        rank, at, opaque_id = text.split(_BETWEEN)
        return cls(int(rank), at, opaque_id)


_START = InboxPlace(_ASKED, "", "")


@dataclass(frozen=True, slots=True)
class HandoffFilter:
    """Selects hand-offs of the desk's list.

    Attributes:
        states: only these, of `shown.STATES`.
        project_id: only this project's.
        channel: only those on this channel.
        taken_by: returns whether to select a hand-off, given the stored name of its person (empty for none).
    """

    states: Collection[str]
    project_id: str | None = None
    channel: str | None = None
    taken_by: Callable[[str], bool] | None = None

    @property
    def lanes(self) -> frozenset[HandoffLane]:
        """The lanes of the list in which the selected hand-offs are."""
        wanted = {lane for state in self.states for lane in _LANES.get(state, (HandoffLane.ENDED,))}
        return frozenset(wanted - ({HandoffLane.WAITING} if self.taken_by else set()))

    @property
    def is_narrow(self) -> bool:
        """Whether the filter selects by project, channel or person.

        Its lanes then hold other hand-offs too.
        """
        return any(value is not None for value in (self.project_id, self.channel, self.taken_by))

    @property
    def columns(self) -> Sequence[str]:
        """The attributes that must be read to apply the filter."""
        asked = {"project_id": self.project_id, "channel": self.channel, "taken_by": self.taken_by}
        return (*_STATE, *(name for name, value in asked.items() if value is not None))

    def selects(self, entry: Entry, now: datetime) -> bool:
        """Whether the filter selects a hand-off."""
        return (
            shown.state_of(entry, now) in self.states
            and self.project_id in (None, entry.get("project_id"))
            and self.channel in (None, entry.get("channel"))
            and (self.taken_by is None or self.taken_by(str(entry.get("taken_by") or "")))
        )


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """One hand-off of the list, its position, and the open question whether its recipient asked to stop."""

    place: InboxPlace
    entry: Entry
    question: OpenQuestion | None = None


@dataclass(frozen=True, slots=True)
class InboxPart:
    """Some hand-offs in order, and the position up to which the list was read; None at its end."""

    entries: Sequence[InboxEntry]
    end: InboxPlace | None


@dataclass(frozen=True, slots=True)
class BoundedCount:
    """A count of hand-offs; `is_more` where counting stopped at a bound."""

    number: int
    is_more: bool = False

    def __bool__(self) -> bool:
        return bool(self.number)

    def __str__(self) -> str:
        return f"{self.number:,}{'+' if self.is_more else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxOrder:
    """Reads companies' lists of hand-offs in the desk's order."""

    conversations: Conversations
    handoffs: Handoffs

    def part(
        self,
        company_ids: Collection[str],
        wanted: HandoffFilter,
        *,
        now: datetime,
        limit: int,
        after: str = "",
    ) -> InboxPart:
        """Up to `limit` selected hand-offs of the given companies' lists, behind the position `after`.

        Fewer where more follow, if `READ_AT_MOST` entries were read without finding enough.

        Raises:
            PayloadError: `after` has not the form of a position.
        """
        start = InboxPlace.parsed(after) if after else _START
        size, end = READ_AT_ONCE if wanted.is_narrow else limit + 1, start
        found: list[InboxEntry] = []
        rows = self._in_order(company_ids, wanted, start, size)
        for _ in range(max(1, READ_AT_MOST // size)):
            some = list(islice(rows, size))
            if not some:
                return InboxPart(found, None)
            matching = [listed for listed in some if wanted.selects(listed.entry, now)]
            found += self._with_questions(
                self._with_all_attributes(matching) if wanted.is_narrow else matching
            )
            if len(found) > limit:
                return InboxPart(found[:limit], found[limit - 1].place)
            end = some[-1].place
        return InboxPart(found, end)

    def unanswered(
        self, company_ids: Iterable[str], wanted: HandoffFilter, now: datetime
    ) -> BoundedCount:
        """The number of selected hand-offs that wait for an answer, up to `COUNTED_AT_MOST` a company."""
        number, is_more = 0, False
        for company_id in company_ids:
            lanes = (lane for lane in handoffs.UNANSWERED_LANES if lane in wanted.lanes)
            rows = chain.from_iterable(
                self.handoffs.entries(
                    company_id, lane, page=COUNTED_AT_MOST + 1, columns=wanted.columns
                )
                for lane in lanes
            )
            number += sum(wanted.selects(row, now) for row in islice(rows, COUNTED_AT_MOST))
            is_more = is_more or next(rows, None) is not None
        return BoundedCount(number, is_more)

    def _in_order(
        self,
        company_ids: Collection[str],
        wanted: HandoffFilter,
        start: InboxPlace,
        size: int,
    ) -> Iterator[InboxEntry]:
        """Every hand-off in the filter's lanes behind a position, in the list's order.

        Hand-offs that the filter does not select are among them.
        """
        if start.rank == _ASKED and wanted.lanes != {HandoffLane.ENDED}:
            yield from _merged(self._possible_stops(id_, start) for id_ in company_ids)
        for rank, lanes in _RANKS:
            if rank < start.rank:
                continue
            after = f"{start.at}#{start.opaque_id}" if rank == start.rank else ""
            yield from _merged(
                self._lane(rank, id_, lane, after, size, wanted)
                for id_ in company_ids
                for lane in wanted.lanes.intersection(lanes)
            )

    def _lane(
        self,
        rank: int,
        company_id: str,
        lane: HandoffLane,
        after: str,
        size: int,
        wanted: HandoffFilter,
    ) -> Iterator[InboxEntry]:
        """The hand-offs in one lane (part) of a company's list, in order.

        For a narrow filter, each has only the attributes that the filter needs.
        """
        columns = (*handoffs.PLACE_ATTRIBUTES, *wanted.columns) if wanted.is_narrow else ()
        for entry in self.handoffs.entries(
            company_id, lane, after=after, page=size, columns=columns
        ):
            _, at, opaque_id = str(entry["created_at"]).split("#")
            yield InboxEntry(InboxPlace(rank, at, opaque_id), entry)

    def _with_all_attributes(self, rows: Sequence[InboxEntry]) -> list[InboxEntry]:
        """The given hand-offs with all their attributes, of which a narrow filter has read only some.

        Hand-offs that are gone are left out. A page needs two reads at most.
        """
        found = self.handoffs.whole_entries([row.entry for row in rows if row.question is None])
        whole = [(row, found.get(row.entry["conversation_id"], row.entry)) for row in rows]
        return [
            InboxEntry(row.place, entry, row.question)
            for row, entry in whole
            if "points_to" in entry
        ]

    def _possible_stops(self, company_id: str, start: InboxPlace) -> Iterator[InboxEntry]:
        """A company's open hand-offs whose recipients may have asked to stop, behind a position in the list.

        The earliest deadline for a person to decide comes first.
        """
        found = self._possible_stops_by_due(company_id, start.at)
        for _, some in groupby(found, key=lambda entry: entry.place.at):
            yield from (listed for listed in sorted(some, key=_place_of) if listed.place > start)

    def _possible_stops_by_due(self, company_id: str, since: str) -> Iterator[InboxEntry]:
        for questions in self.conversations.open_questions(company_id, since):
            members = {member for asked in questions for member in asked.members}
            theirs = self.conversations.handed_off_conversations(company_id, members)
            records = self.conversations.find_all({id_ for ids in theirs.values() for id_ in ids})
            for question in questions:
                ids = {id_ for member in question.members for id_ in theirs.get(member, ())}
                for record in (records[id_] for id_ in ids if id_ in records):
                    entry = handoffs.entry(record, record.handoff) if record.is_handed_off else None
                    if entry is not None and _is_open(entry):
                        place = InboxPlace(_ASKED, question.mark.stop_at, record.opaque_id)
                        yield InboxEntry(place, entry, question)

    def _with_questions(self, rows: Sequence[InboxEntry]) -> Iterator[InboxEntry]:
        """The given hand-offs, each with the open question, if any, whether its recipient asked to stop.

        An open hand-off with such a question is left out, since the list has shown it first. One
        read fetches all questions.
        """
        pairs = {
            row.place: (row.entry["points_to"]["primary_channel"], handoffs.company_of(row.entry))
            for row in rows
            if row.question is None
        }
        questions = self.conversations.questions(list(pairs.values())) if pairs else {}
        for row in rows:
            question = questions.get(pairs[row.place]) if row.place in pairs else None
            if question is None:
                yield row
            elif not _is_open(row.entry):
                yield InboxEntry(row.place, row.entry, question)


def _merged(lists: Iterable[Iterator[InboxEntry]]) -> Iterator[InboxEntry]:
    return heapq.merge(*lists, key=_place_of)


def _place_of(entry: InboxEntry) -> InboxPlace:
    return entry.place


def _is_open(entry: Entry) -> bool:
    return entry["handoff_state"] in handoffs.OPEN
