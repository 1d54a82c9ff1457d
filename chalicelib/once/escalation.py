"""Hands a failed event to a person, by the action that its flow names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.audit import Audit
from chalicelib.once.effect import Effect
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.outcome import audit_rows, event_end
from chalicelib.once.ports import Log, Modes
from chalicelib.once.reasons import DEAD_LETTER, NOT_NEEDED, REPEATED

EARLIER = "earlier"
"""The reason with which a flow is asked only to name the notifying action that an earlier run may
have started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """Notifies a person of a failed event by one action, performed exactly once like any other."""

    ledger: Ledger
    audit: Audit
    effects: Effects
    log: Log

    def escalate_refused(
        self,
        flow: Flow,
        event: Event,
        attempt: Attempt,
        rows: Mapping[str, ActionRow],
    ) -> dict[str, ActionRow]:
        """Notify a person that an action of the conversation was refused.

        Returns:
            The row of the notifying action, by key; empty where the flow names none, or
                where the plan has that action already.
        """
        action = flow.escalation(event, event_end(rows)[1] or "")
        if action is None or action.key in rows:
            return {}
        return self._perform(attempt, action)

    def finish_earlier(
        self, flow: Flow, event: Event, attempt: Attempt, rows: Mapping[str, ActionRow]
    ) -> dict[str, ActionRow]:
        """Finish an escalation that an earlier run started before it died, although none is needed now.

        Its action is completed and audited; otherwise the audit would not show who was notified,
        and why.  If the action certainly never left and everything else is done, it is ended
        instead: no person is needed any more.

        Returns:
            The row of that action, by key; empty where it was refused or ended, or there is none.
        """
        if attempt.lease.attempts == 1:
            return {}
        action = flow.escalation(event, EARLIER)
        if action is None or action.key in rows:
            return {}
        begun = self.ledger.action(action.key)
        if begun is None or begun.reason == NOT_NEEDED:
            return {}
        never_left = begun.status == ActionStatus.PENDING and not begun.started
        if never_left and rows and event_end(rows) == (EventStatus.PROCESSED, None):
            ended = self.ledger.skip(attempt.lease, action, attempt.modes, reason=NOT_NEEDED)
            self.audit.write(audit_rows([action], {action.key: ended}))
            return {}
        asked = self._perform(replace(attempt, operator=False), action)
        return {} if asked[action.key].status == ActionStatus.REFUSED else asked

    def dead_letter(
        self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str
    ) -> bool:
        """End an event as failed after the last receive of its message, and notify a person.

        Where the person cannot be notified now, the row says so and the sweep repeats it.

        Returns:
            False where the event had ended after all and no person is notified: only the response
                to its last write was lost.
        """
        is_notified = True
        try:
            if self._has_ended(lease):
                return False
            self._escalate(flow, lease, event, modes, reason)
        except MiddlewareError as error:
            is_notified = False
            self.log.event("worker.escalation_failed", reason=reason_of(error))
        self.ledger.finish(
            lease, EventStatus.FAILED, reason=f"{DEAD_LETTER}{reason}", handoff_due=not is_notified
        )
        return True

    def notify_late(self, flow: Flow, lease: Lease, modes: Modes) -> None:
        """Send the notification of a failed event that could not be sent before; the event stays failed.

        Raises:
            MiddlewareError: it could not be sent again; the row keeps it due for the sweep.
        """
        event = Event(lease.event, None)
        try:
            self._escalate(flow, lease, event, modes, REPEATED)
        except MiddlewareError:
            self.ledger.finish(lease, EventStatus.FAILED, handoff_due=True)
            raise
        self.ledger.finish(lease, EventStatus.FAILED)
        self.log.event("worker.handoff_repeated", mw_trace_id=event.facts.trace_id)

    def _has_ended(self, lease: Lease) -> bool:
        key = lease.event.event_key
        return self.ledger.statuses([key]).get(key) not in (None, EventStatus.PROCESSING)

    def _escalate(self, flow: Flow, lease: Lease, event: Event, modes: Modes, reason: str) -> None:
        action = flow.escalation(event, f"{DEAD_LETTER}{reason}")
        if action is not None:
            self._perform(Attempt(lease=lease, modes=modes), action)

    def _perform(self, attempt: Attempt, action: Effect) -> dict[str, ActionRow]:
        """Perform and audit the notifying action, like any other; it depends on no other action."""
        asking = replace(attempt, while_held=True)
        rows = self.effects.perform(asking, [StepAction(action)], {})
        self.audit.write(audit_rows([action], rows))
        return rows
