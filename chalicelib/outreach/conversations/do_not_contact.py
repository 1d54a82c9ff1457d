"""Recipients that a company must not contact: a mark that outlives the conversations, until lifted."""

from __future__ import annotations

import contextlib
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach.conversations import items

DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""The mark outlives the conversations; no item is without an end date."""
NOT_FORBIDDEN = (
    "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"
    " OR attribute_exists(#opaque_id)"
)
"""The condition on a mark, new or old, under which a conversation may be opened.

An item with an opaque id is a conversation: in older versions a request could give it a mark's key.
"""


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
        for key in _marks(primary_channel, company_id):
            with contextlib.suppress(ConditionFailed):
                self._table.update(
                    key,
                    set_={"lifted_at": iso(self._clock.now())},
                    condition="attribute_exists(#conversation_id) AND attribute_not_exists(#opaque_id)",
                )

    def is_forbidden(self, primary_channel: str, company_id: str) -> bool:
        """Whether the company must not contact the recipient."""
        marks = map(self._table.get, _marks(primary_channel, company_id))
        return any(
            mark is not None and "lifted_at" not in mark and "opaque_id" not in mark
            for mark in marks
        )


def _marks(primary_channel: str, company_id: str) -> tuple[Item, Item]:
    """Keys of the mark, and of the one that older versions wrote."""
    return (
        items.do_not_contact(primary_channel, company_id),
        items.old_do_not_contact(primary_channel, company_id),
    )
