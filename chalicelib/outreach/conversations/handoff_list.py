"""Reads companies' lists of hand-offs in the `conversations` table, in order and never whole.

The partition ``handoffs`` names the companies that have a list, one row each.  A partition
``handed#{company_id}`` has, under the keyed id of an address, the opaque ids of its conversations
that were handed off: with these, a question about an address is shown with all its conversations.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from chalicelib.once.store import Item, Store
from chalicelib.outreach.conversations import handoffs, items
from chalicelib.outreach.conversations.handoffs import HandoffLane
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.subject_rows import SubjectRows

_COMPANIES = "handoffs"
PAGE = 100
"""Entries of a read, where its caller does not know how many it needs."""


class Handoffs:
    """Reads companies' lists of hand-offs (conversations that wait for a person or are with one)."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def companies(self) -> Iterator[str]:
        """The ids of the companies that have, or had, hand-offs."""
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p", values={"p": _COMPANIES}
        )
        return (str(row["conversation_id"]) for row in found)

    def entries(
        self,
        company_id: str,
        lane: HandoffLane,
        *,
        after: str = "",
        page: int = PAGE,
        columns: Collection[str] = (),
    ) -> Iterator[Item]:
        """The hand-offs in one lane of a company's list, in order, fetched as they are read.

        Args:
            company_id: the company.
            lane: the part of the list: waiting, taken, answered or ended.
            after: the sort key, without its lane, of the entry after which to begin.
            page: how many entries each request fetches.
            columns: names of the attributes to read; all by default.
        """
        projected = {"ProjectionExpression": ", ".join(columns)} if columns else {}
        return self._table.query_pages(
            IndexName=handoffs.INDEX,
            KeyConditionExpression="primary_channel = :p AND created_at BETWEEN :a AND :b",
            values={
                "p": handoffs.partition(company_id),
                "a": f"{lane}#{after}~" if after else f"{lane}#",
                "b": f"{lane}#~",
            },
            Limit=page,
            **projected,
        )

    def whole_entries(self, entries: Sequence[Mapping[str, Any]]) -> dict[str, Item]:
        """Given hand-off entries with all their attributes, by sort key; those that are gone are left out."""
        keys = [
            {name: entry[name] for name in ("primary_channel", "conversation_id")}
            for entry in entries
        ]
        return {str(row["conversation_id"]): row for row in self._table.get_all(keys)}

    def waiting(self, company_id: str | None = None) -> Iterator[Item]:
        """The hand-offs that no person has taken, longest waiting first; for None, those of every company."""
        companies = self.companies() if company_id is None else (company_id,)
        lists = [self.entries(company, HandoffLane.WAITING) for company in companies]
        return heapq.merge(*lists, key=lambda entry: str(entry["created_at"]))

    def find(self, handoff_id: str, opaque_id: str = "") -> Item | None:
        """A hand-off's entry in its company's list, by the hand-off's id; None where there is none.

        With `opaque_id`, only an entry of that conversation. Costs up to one query for each
        company.
        """
        for company_id in self.companies():
            start = handoffs.key(company_id, handoff_id, opaque_id)
            for page in self._table.query_pages(
                KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :id)",
                values={"p": start["primary_channel"], "id": start["conversation_id"]},
            ):
                return page
        return None


class HandoffHistory(SubjectRows):
    """Notes which companies and which recipients have, or had, hand-offs.

    Each row is written before the hand-off, by itself, and never removed: it only says where to
    look. So no two hand-offs contend for one row.
    """

    def announce_handoff(self, record: Record) -> None:
        """Store, just before a hand-off, that the conversation's company and address have one.

        Repeating it changes nothing.
        """
        now, member = (
            self._clock.now(),
            self.place(record.primary_channel, record.company_id).member,
        )
        ends = items.consent_ttl(now)
        self._table.put(
            {"primary_channel": _COMPANIES, "conversation_id": record.company_id, "ttl": ends}
        )
        self._table.update(
            items.handed_key(member, record.company_id),
            set_={"ttl": ends},
            add={items.CONVERSATIONS: frozenset({record.opaque_id})},
            reading=False,
        )

    def handed_off_conversations(
        self, company_id: str, members: Collection[str]
    ) -> dict[str, list[str]]:
        """For each given address, the opaque ids of its conversations that are or were handed off.

        By the address's keyed id; an address without any is left out. One read fetches all rows.
        """
        rows = self._table.get_all([items.handed_key(member, company_id) for member in members])
        return {str(row["conversation_id"]): sorted(row[items.CONVERSATIONS]) for row in rows}
