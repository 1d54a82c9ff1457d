"""Hand-offs for operators and schedules: what waits, and to take or to approve it as it is now.

`desk.inbox` does the acts; here are those of a caller that has not been shown a version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import ConflictError
from chalicelib.once import keys
from chalicelib.outreach.conversations.handoffs import Handoffs
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts, shown
from chalicelib.outreach.desk.case import Asked
from chalicelib.outreach.desk.inbox import SOURCE, DeskInbox, NoConversationError
from chalicelib.outreach.people import persons

__all__ = ["SOURCE", "Desk", "Waiting"]


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
    """The operators' side of hand-off.

    Where a company is named, another company's conversation is as one that does not exist.
    """

    def __init__(self, *, inbox: DeskInbox, handoffs: Handoffs) -> None:
        self._inbox = inbox
        self._handoffs = handoffs

    def waiting(self, *, company_id: str | None = None) -> Iterator[Waiting]:
        """All waiting conversations, or those of one company."""
        for item in self._handoffs.waiting():
            if company_id in (None, item["company_id"]):
                yield _waiting(item)

    def late(self) -> int:
        """How many wait for longer than their project's target."""
        return self._inbox.late()

    def show(self, opaque_id: str, *, company_id: str | None = None) -> Record | None:
        """The conversation itself, with personal data, for the operator who will answer."""
        try:
            return self._inbox.record(opaque_id, company_id=company_id)
        except NoConversationError:
            return None

    def approve(self, opaque_id: str, *, company_id: str | None = None) -> bool:
        """Return a conversation to automation, which sends the message that is held.

        Returns:
            False if it is not handed off, holds no message, or an operator has taken it over.

        Raises:
            UnavailableError: the release was not queued; approve again.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off:
            return False
        return self._did(acts.APPROVE, record, SOURCE)

    def take(self, opaque_id: str, person: str, *, company_id: str | None = None) -> bool:
        """Take a conversation over: an operator answers from now on, and a held message is never sent.

        Args:
            opaque_id: the conversation.
            person: the operator; the team's own identifier.
            company_id: only a conversation of this company.

        Returns:
            False if it is not handed off, or another operator has taken it.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off:
            return False
        return self._did(acts.TAKE, record, persons.normal(person))

    def _did(self, act: str, record: Record, person: str) -> bool:
        """Whether the act was done to this hand-off: now, or before."""
        key = keys.digest(act, person, str(record.handoff["id"]))
        try:
            self._inbox.act(
                Asked(
                    act,
                    record.opaque_id,
                    shown.version_of(record),
                    key,
                    by=person,
                    actor=person,
                    company_id=record.company_id,
                )
            )
        except ConflictError:
            return False
        return True


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
