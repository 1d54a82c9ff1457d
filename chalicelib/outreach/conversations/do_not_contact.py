"""Recipients that a company must not contact: a mark that outlives the conversations, until lifted."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach import numbers
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

    def forbid(
        self, primary_channel: str, company_id: str, reason: str, *, said_at: str | None = None
    ) -> None:
        """Mark that a company must not contact a recipient; doing it again changes nothing.

        Args:
            primary_channel: the recipient.
            company_id: the company.
            reason: a fixed code.
            said_at: ISO time of the recipient's message that asks for it, where one does.  The mark
                keeps the newest: a START sent before it and found after it lifts nothing.
        """
        now = self._clock.now()
        key = items.do_not_contact(primary_channel, company_id)
        mark = {"reason": reason, "ttl": int((now + DO_NOT_CONTACT_TTL).timestamp())}
        known: dict[str, Any] = {"keep": {"since": iso(now)}, "remove": ["lifted_at"]}
        if said_at is not None:
            with contextlib.suppress(ConditionFailed):  # a newer one was heard already
                newest = "attribute_not_exists(#said_at) OR #said_at <= :at"
                said = {**mark, "said_at": said_at}
                self._table.update(key, set_=said, **known, condition=newest, at=said_at)
                return
        self._table.update(key, set_=mark, **known)

    def allow(self, primary_channel: str, company_id: str, *, said_at: str | None = None) -> None:
        """Lift the mark at the recipient's request; does nothing where there is none.

        Args:
            primary_channel: the recipient.
            company_id: the company.
            said_at: ISO time of the request, now by default; a mark by a later message stays.
        """
        now = iso(self._clock.now())
        for key in marks_of(primary_channel, company_id):
            with contextlib.suppress(ConditionFailed):
                self._table.update(
                    key,
                    set_={"lifted_at": now},
                    condition="attribute_exists(#conversation_id) AND attribute_not_exists(#opaque_id)"
                    " AND (attribute_not_exists(#said_at) OR #said_at <= :at)",
                    at=said_at or now,
                )

    def is_forbidden(self, primary_channel: str, company_id: str) -> bool:
        """Whether the company must not contact the recipient."""
        marks = map(self._table.get, marks_of(primary_channel, company_id))
        return any(
            mark is not None and "lifted_at" not in mark and "opaque_id" not in mark
            for mark in marks
        )


def marks_of(primary_channel: str, company_id: str) -> tuple[Item, ...]:
    """Keys of the marks: of every form of the number, and those that older versions wrote."""
    return tuple(
        key(form, company_id)
        for form in numbers.forms(primary_channel)
        for key in (items.do_not_contact, items.old_do_not_contact)
    )
