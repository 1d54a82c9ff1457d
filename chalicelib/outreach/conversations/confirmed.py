"""Which message's STOP is confirmed: one for each mark of the register, however many ask for it."""

from __future__ import annotations

from chalicelib.outreach.conversations.do_not_contact import UNSAID_WHERE
from chalicelib.outreach.conversations.register_entries import CONFIRMED_BY, WISH
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import SubjectRows


class Confirmed(SubjectRows):
    """Chooses it."""

    def confirms(self, address: str, company_id: str, message: str) -> bool:
        """Whether a message is the one that is confirmed: the first that asks, for each mark.

        A mark that is lifted and made again is confirmed again.

        Args:
            address: the one that the wish came from; a number in any of its forms.
            company_id: the company.
            message: its id; it may ask again.

        Returns:
            False where another message is the one, or a later word has lifted the mark.

        Raises:
            TransientError: the register could not be read or written.
        """
        place = self.place(address, company_id)
        chosen: list[str] = []

        def confirmed(one: Subject) -> Subject | None:
            mark = one.mark(place.member, WISH)
            if not mark or "lifted_at" in mark:
                chosen[:] = []
                return None
            chosen[:] = [str(mark.get(CONFIRMED_BY, message))]
            if chosen != [message]:
                return None
            return one.marked(place.member, WISH, {**mark, CONFIRMED_BY: message})

        self.change(place, confirmed, UNSAID_WHERE)
        return chosen == [message]
