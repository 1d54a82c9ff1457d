"""Recipients that a company must not contact: a mark that outlives the conversations, until lifted."""

from __future__ import annotations

import contextlib
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.once.store import ConditionFailed
from chalicelib.outreach.conversations import items

DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""The mark outlives the conversations; no item is without an end date."""
NOT_FORBIDDEN = "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"
"""The condition on the mark under which a conversation may be opened."""


class DoNotContact(items.OnTable):
    """Sets, lifts and reads the marks."""

    def forbid(self, primary_channel: str, company_id: str, reason: str) -> None:
        """Mark that a company must not contact a recipient; doing it again changes nothing."""
        now = self._clock.now()
        self._table.update(
            items.do_not_contact(primary_channel, company_id),
            set_={"reason": reason, "ttl": int((now + DO_NOT_CONTACT_TTL).timestamp())},
            keep={"since": iso(now)},
            remove=["lifted_at"],
        )

    def allow(self, primary_channel: str, company_id: str) -> None:
        """Lift the mark at the recipient's request; does nothing where there is none."""
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                items.do_not_contact(primary_channel, company_id),
                set_={"lifted_at": iso(self._clock.now())},
                condition="attribute_exists(#conversation_id)",
            )

    def is_forbidden(self, primary_channel: str, company_id: str) -> bool:
        """Whether the company must not contact the recipient."""
        mark = self._table.get(items.do_not_contact(primary_channel, company_id))
        return mark is not None and "lifted_at" not in mark
