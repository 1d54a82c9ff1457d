"""Pages through a company's register: every marked address with its person's record, by member id."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectRows

PAGE = 50


class RegisterPages(SubjectRows):
    """Reads a company's do-not-contact register page by page, in the order of the addresses' keyed ids."""

    def marked(self, company_id: str, after: str = "", at_most: int = PAGE) -> list[Subject]:
        """One page of a company's marked addresses, by member id, each as the record of its person.

        Args:
            company_id: the company.
            after: the member id after which the page begins.
            at_most: how many addresses.
        """
        found = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id > :after",
            values={"p": items.marked_partition(company_id), "after": after or "-"},
            ConsistentRead=True,
            Limit=at_most,
        )
        members = [str(row["conversation_id"]) for row in islice(found, at_most)]
        places = [Member(member, company_id) for member in members]
        subjects = self.subjects(places) if places else {}
        return [subjects[place.key["primary_channel"]] for place in places]

    def all_marked(self, company_id: str) -> Iterator[Subject]:
        """The person's record of every marked address of a company, page after page."""
        after = ""
        while page := self.marked(company_id, after):
            yield from page
            after = page[-1].own
