"""One read of a ticket, used for all new comments that it showed.

Each event's effects change the ticket, but the next event need not read it again: an executor ends an
action as done only after the ticket has shown its tags.  So after an event that only changes tags, the
ticket is the one before with those tags changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.keys import Suffix
from chalicelib.once.plan import Plan
from chalicelib.support import keys as ticket_keys
from chalicelib.support.tickets import Ticket

FRESH_SECONDS = 15.0
"""How old a read may be for a further event, as people write and move tickets, too."""


@dataclass(slots=True)
class TicketReading:
    """One read of a ticket, updated by the tags that the events of its job have changed since.

    Attributes:
        began: when the read began.
        passed: how many of the job's events have already changed `ticket`; -1 if `ticket` may be
            out of date.
    """

    ticket: Ticket
    began: datetime
    passed: int = 0

    def ticket_before(self, number: int, now: datetime) -> Ticket | None:
        """The ticket as it is just before the job's event of this number, counted from 0, is handled.

        Returns None if the ticket must be read again.
        """
        is_fresh = (now - self.began).total_seconds() < FRESH_SECONDS
        return self.ticket if is_fresh and self.passed == number else None

    def replace_read(self, number: int, ticket: Ticket, began: datetime) -> None:
        """Replace the read by a new one, made just before the job's event of this number was handled."""
        self.ticket, self.began, self.passed = ticket, began, number

    def advance(
        self, number: int, plan: Plan, rows: Mapping[str, ActionRow], suffix: Suffix
    ) -> None:
        """Update the ticket's tags by the plan that the job's event of this number has carried out.

        `rows` are the stored actions of that plan.  If more than tags may have changed, the next
        event reads the ticket again.
        """
        tags = self._tags_after(plan, rows, suffix)
        if tags is None or self.passed != number:
            self.passed = -1
            return
        self.ticket, self.passed = replace(self.ticket, tags=tags), number + 1

    def _tags_after(
        self, plan: Plan, rows: Mapping[str, ActionRow], suffix: Suffix
    ) -> frozenset[str] | None:
        """The ticket's tags after the plan's actions were carried out.

        Returns None if the tags are not known, or if the actions may have changed more than tags.
        """
        tags, ours = set(self.ticket.tags), set[str]()
        for planned in plan.actions:
            if planned.kind not in _KEYS:
                return None
            key = _KEYS[planned.kind](self.ticket.id, planned.arg, suffix)
            row = rows.get(key)
            if row is None or not (row.status == ActionStatus.DONE or row.reason == "already"):
                return None
            ours.add(key)
            if row.status == ActionStatus.DONE and (row.finished_at or "") >= iso(self.began):
                # The read shows an earlier change already, unless it was undone before the read.
                (tags.add if planned.kind == "add_tag" else tags.discard)(planned.arg)
        return None if rows.keys() - ours else frozenset(tags)


_KEYS = {"add_tag": ticket_keys.tag_action, "remove_tag": ticket_keys.untag_action}
