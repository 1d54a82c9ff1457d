"""Chooses which of a recipient's STOP messages is answered with a confirmation: one for each opt-out."""

from __future__ import annotations

from chalicelib.outreach.conversations.do_not_contact import REGISTER_STATEMENT
from chalicelib.outreach.conversations.register_entries import CONFIRMED_BY, WISH
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import SubjectRows


class Confirmations(SubjectRows):
    """Chooses, for each opt-out in the register, the one STOP message that gets the confirmation."""

    def claim_confirmation(self, address: str, company_id: str, message: str) -> bool:
        """Choose whether to confirm a STOP message: of each opt-out, only one message gets the confirmation.

        The first message that is asked about is chosen; its id is stored in the opt-out's mark. An
        opt-out that is lifted and made again is confirmed again.

        Args:
            address: the address that the STOP came from; a number in any of its forms.
            company_id: the company.
            message: the message's id; asking again with it gives the same answer.

        Returns:
            True for the chosen message; False for every other, and where no opt-out is in force.

        Raises:
            TransientError: the register could not be read or written.
        """
        place = self.place(address, company_id)
        chosen: list[str] = []

        def confirmed(subject: Subject) -> Subject | None:
            mark = subject.mark(place.member, WISH)
            if not mark or "lifted_at" in mark:
                chosen[:] = []
                return None
            chosen[:] = [str(mark.get(CONFIRMED_BY, message))]
            if chosen != [message]:
                return None
            return subject.with_mark(place.member, WISH, {**mark, CONFIRMED_BY: message})

        self.change(place, confirmed, REGISTER_STATEMENT)
        return chosen == [message]
