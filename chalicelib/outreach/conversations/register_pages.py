"""A company's register, address by address: those that have marks, in force or lifted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectRows

PAGE = 50


class RegisterPages(SubjectRows):
    """Reads it."""

    def marked(self, company_id: str, after: str = "", at_most: int = PAGE) -> list[Subject]:
        """The subject of each marked address, by its member id (`Subject.own`), in their order.

        Args:
            company_id: the company.
            after: the member id before the first one.
            at_most: how many addresses.
        """
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id > :after",
            values={"p": items.marked_partition(company_id), "after": after or "-"},
            ConsistentRead=True,
            Limit=at_most,
        )
        members = [str(one["conversation_id"]) for one in islice(found, at_most)]
        places = [Member(member, company_id) for member in members]
        subjects = self.subjects(places) if places else {}
        return [subjects[place.key["primary_channel"]] for place in places]

    def all_marked(self, company_id: str) -> Iterator[Subject]:
        """The subject of every marked address."""
        after = ""
        while page := self.marked(company_id, after):
            yield from page
            after = page[-1].own
