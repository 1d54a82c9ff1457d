"""Gives an event that failed to a person, in the way that its flow names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.once.action import Action, ActionRow, ActionStatus
from chalicelib.once.audit import Audit
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.outcome import audit_rows, event_end
from chalicelib.once.ports import Log, Modes

EARLIER = "earlier"
"""Asked with this reason, a flow only names the action that an earlier run may have begun."""


@dataclass(frozen=True, slots=True)
class Escalation:
    """Asks a person, by one effect that happens once like any other."""

    ledger: Ledger
    audit: Audit
    effects: Effects
    log: Log

    def of_refused(
        self,
        flow: Flow,
        event: Event,
        attempt: Attempt,
        rows: Mapping[str, ActionRow],
    ) -> dict[str, ActionRow]:
        """Give the conversation to a person."""
        action = flow.escalation(event, event_end(rows)[1] or "")
        if action is None or action.key in rows:
            return {}
        return self._perform(attempt, action)

    def of_earlier(
        self, flow: Flow, event: Event, attempt: Attempt, rows: Mapping[str, ActionRow]
    ) -> dict[str, ActionRow]:
        """An earlier run asked a person and died before it said so, and this one needs nobody.

        What it began is brought to its end and into the audit; otherwise nobody could tell later
        who asked, and why.

        Returns:
            How that ended; nothing where it was refused, as nobody is needed any more.
        """
        if attempt.lease.attempts == 1:
            return {}
        action = flow.escalation(event, EARLIER)
        if action is None or action.key in rows or self.ledger.action(action.key) is None:
            return {}
        asked = self._perform(replace(attempt, operator=False), action)
        return {} if asked[action.key].status == ActionStatus.REFUSED else asked

    def dead_letter(
        self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str
    ) -> bool:
        """The queue's last receive has failed: say so on the row and ask a person.

        Returns:
            False where the event had ended all the same, and nobody was asked: what failed was
            the answer to its last write.
        """
        is_told = True
        try:
            if self._has_ended(lease):
                return False
            self._ask(flow, lease, event, modes, reason)
        except MiddlewareError as error:
            is_told = False
            self.log.event("worker.escalation_failed", reason=reason_of(error))
        self.ledger.finish(
            lease, EventStatus.FAILED, reason=f"dead_letter:{reason}", handoff_due=not is_told
        )
        return True

    def tell_at_last(self, flow: Flow, lease: Lease, modes: Modes) -> None:
        """The event has failed and stays so; the person who was never told is told now."""
        event = Event(lease.event, None)
        try:
            self._ask(flow, lease, event, modes, "repeated")
        except MiddlewareError:
            self.ledger.finish(lease, EventStatus.FAILED, handoff_due=True)
            raise
        self.ledger.finish(lease, EventStatus.FAILED)
        self.log.event("worker.handoff_repeated", mw_trace_id=event.facts.trace_id)

    def _has_ended(self, lease: Lease) -> bool:
        key = lease.event.event_key
        return self.ledger.statuses([key]).get(key) not in (None, EventStatus.PROCESSING)

    def _ask(self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str) -> None:
        action = flow.escalation(event, f"dead_letter:{reason}")
        if action is not None:
            self._perform(Attempt(lease=lease, modes=modes), action)

    def _perform(self, attempt: Attempt, action: Action) -> dict[str, ActionRow]:
        """Through the door out like any other, and into the audit; it depends on nothing."""
        asking = replace(attempt, while_held=True)
        rows = self.effects.perform(asking, [StepAction(action)], {})
        self.audit.write(audit_rows([action], rows))
        return rows
