"""Operators' actions on handed-off conversations: list them, approve a held message, take one over.

Approving sends nothing by itself: it queues a release, and the worker sends the held message through
the normal door, once per hand-off however often it is approved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.intake import Intake
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.handoffs import TAKEN, Handoffs
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import HandoffRelease

CLOSED_FOR = timedelta(days=1)
"""A closed hand-off stays on the list, marked as closed, for this long."""
SOURCE = "handoff"


@dataclass(frozen=True, slots=True)
class Waiting:
    """One conversation that waits for an operator; identifiers only.

    Attributes:
        held: the message an approval sends: ``start``, ``reply``, or none.
        reason: why it was handed off, as a fixed code.
    """

    handoff_id: str
    opaque_id: str
    company_id: str
    project_id: str
    held: str
    reason: str
    since: str


class Desk:
    """The operators' side of hand-off, for `ops` and for a user interface.

    Where a company is named, another company's conversation is as one that does not exist.
    """

    def __init__(
        self, conversations: Conversations, handoffs: Handoffs, intake: Intake, clock: Clock
    ) -> None:
        self._conversations = conversations
        self._handoffs = handoffs
        self._intake = intake
        self._clock = clock

    def waiting(self, *, company_id: str | None = None) -> Iterator[Waiting]:
        """All waiting conversations, or those of one company."""
        for item in self._handoffs.waiting():
            if company_id in (None, item["company_id"]):
                yield _waiting(item)

    def show(self, opaque_id: str, *, company_id: str | None = None) -> Record | None:
        """The conversation itself, with personal data, for the operator who will answer."""
        record = self._conversations.find(opaque_id)
        is_theirs = record is not None and company_id in (None, record.company_id)
        return record if is_theirs else None

    def approve(self, opaque_id: str, *, company_id: str | None = None) -> bool:
        """Return a conversation to automation: the held message is sent, or the next reply answered.

        Returns:
            False if it is not handed off, or an operator has taken it over.

        Raises:
            UnavailableError: the release was not queued; approve again.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off or record.handoff.get("taken_by"):
            return False
        handoff_id = str(record.handoff["id"])
        self._intake.accept(
            HandoffRelease(
                event_key=outreach_keys.release(opaque_id, handoff_id),
                conversation_id=opaque_id,
                received_at=iso(self._clock.now()),
                source=SOURCE,
                trace_id=keys.digest(opaque_id, handoff_id)[:16],
                handoff_id=handoff_id,
                pair=(record.sender, record.primary_channel),
            )
        )
        self._handoffs.close(record, "approved", self._clock.now() + CLOSED_FOR)
        return True

    def take(
        self,
        opaque_id: str,
        person: str,
        *,
        company_id: str | None = None,
        journal: Sequence[Item] = (),
    ) -> bool:
        """Take a conversation over: an operator answers from now on, and a held message is never sent.

        Args:
            opaque_id: the conversation.
            person: the operator; the team's own identifier.
            company_id: only a conversation of this company.
            journal: writes of the journal's entry.

        One transaction.  The same operator's repetition closes an entry that an earlier version left
        on the list.

        Returns:
            False if it is not handed off, or another operator has taken it.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off:
            return False
        holder = record.handoff.get("taken_by")
        if holder not in (None, person):
            return False
        closes = self._clock.now() + CLOSED_FOR
        if holder is not None:
            self._handoffs.close(record, "taken", closes)
            return True
        taken = {**record.handoff, "id": f"{TAKEN}{record.handoff['id']}", "taken_by": person}
        closing = self._handoffs.closing(record, "taken", closes)
        return self._conversations.take_over(record, taken, closing, journal)


def _waiting(item: dict[str, Any]) -> Waiting:
    handoff_id, _, opaque_id = item["conversation_id"].rpartition("#")
    return Waiting(
        handoff_id=handoff_id,
        opaque_id=opaque_id,
        company_id=item["company_id"],
        project_id=item["project_id"],
        held=item["held"],
        reason=item["reason"],
        since=item["since"],
    )
