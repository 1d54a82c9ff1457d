"""Hand-offs for operators and schedules: counts what waits; takes or approves a conversation as it is now.

`desk.inbox` does the acts; here are those of a caller that has not been shown a version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from chalicelib.errors import ConflictError
from chalicelib.once import keys
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.handoffs import UNANSWERED_LANES, HandoffLane, company_of
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import acts, shown
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.inbox import SOURCE, DeskInbox, NoConversationError
from chalicelib.outreach.desk.inbox_order import COUNTED_AT_MOST
from chalicelib.outreach.people import persons

_COUNTED = ("handoff_state", "unanswered_since", "snoozed_until", "answer_due_at", "since")
__all__ = ["SOURCE", "OperatorsDesk", "WaitingHandoff"]


@dataclass(frozen=True, slots=True)
class WaitingHandoff:
    """One handed-off conversation that no person has taken; identifiers only, no personal data.

    Attributes:
        held: the message that an approval sends: ``start``, ``reply``, or empty for none.
        reason: fixed code of why it was handed off.
    """

    handoff_id: str
    opaque_id: str
    company_id: str
    project_id: str
    held: str
    reason: str
    since: str


@dataclass(frozen=True, slots=True)
class HandoffFigures:
    """How many hand-offs wait for persons, of all companies.

    Attributes:
        waiting: number that no person has taken.
        late: number that have waited for an answer for longer than their project's target.
        oldest: ISO time since which the oldest of those not taken waits; empty for none.
    """

    waiting: int
    late: int
    oldest: str


class OperatorsDesk:
    """Lists, counts, takes and approves handed-off conversations for operators.

    Where a company is named, another company's conversation is treated as not existing.
    """

    def __init__(self, *, inbox: DeskInbox, handoffs: Handoffs) -> None:
        self._inbox = inbox
        self._handoffs = handoffs

    def waiting(self, *, company_id: str | None = None) -> Iterator[WaitingHandoff]:
        """The handed-off conversations of one or all companies that no person has taken, oldest first."""
        return map(_waiting, self._handoffs.waiting(company_id))

    def figures(self, now: datetime) -> HandoffFigures:
        """Count the hand-offs that wait for persons, in each company's lane up to `COUNTED_AT_MOST`."""
        waiting, late, oldest = 0, 0, ""
        for company_id in self._handoffs.companies():
            for lane in UNANSWERED_LANES:
                entries = self._handoffs.entries(
                    company_id, lane, page=COUNTED_AT_MOST, columns=_COUNTED
                )
                for entry in islice(entries, COUNTED_AT_MOST):
                    late += shown.is_late(entry, now)
                    if lane is HandoffLane.WAITING:
                        waiting += 1
                        oldest = min(oldest or entry["since"], entry["since"])
        return HandoffFigures(waiting, late, oldest)

    def show(self, opaque_id: str, *, company_id: str | None = None) -> Record | None:
        """A conversation with its personal data, for the operator who will answer.

        None where there is none.
        """
        try:
            return self._inbox.record(opaque_id, company_id=company_id)
        except NoConversationError:
            return None

    def approve(self, opaque_id: str, *, company_id: str | None = None) -> bool:
        """Approve the held message of a conversation: automation sends it, and has the conversation again.

        Returns:
            False if it is not handed off, holds no message, or another person has it.

        Raises:
            UnavailableError: the release was not queued; approve again.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off:
            return False
        return self._do(acts.APPROVE, record, SOURCE)

    def take(self, opaque_id: str, person: str, *, company_id: str | None = None) -> bool:
        """Give a conversation to an operator, who answers from now on; a held message is not sent meanwhile.

        Args:
            opaque_id: the conversation.
            person: the operator, as the team identifies them.
            company_id: only a conversation of this company.

        Returns:
            False if it is not handed off, or another operator has taken it.
        """
        record = self.show(opaque_id, company_id=company_id)
        if record is None or not record.is_handed_off:
            return False
        return self._do(acts.TAKE, record, persons.normal_name(person))

    def _do(self, act: str, record: Record, person: str) -> bool:
        """Do an act on a hand-off; False where the act was refused.

        One person's same act on a hand-off with the same id is done only once.
        """
        key = keys.digest(act, person, str(record.handoff["id"]))
        try:
            self._inbox.act(
                AskedAct(
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


def _waiting(item: dict[str, Any]) -> WaitingHandoff:
    handoff_id, _, opaque_id = item["conversation_id"].rpartition("#")
    return WaitingHandoff(
        handoff_id=handoff_id,
        opaque_id=opaque_id,
        company_id=company_of(item),
        project_id=item["project_id"],
        held=item["held"],
        reason=item["reason"],
        since=item["since"],
    )
