"""Handles what is due, found by the sparse index: settle, resume, send again, mark failed, notify.

Every look at a row dates the next one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.effects import STOPPED_REPEATABLE
from chalicelib.once.event import LATE_SECONDS, SWEEP_SECONDS, EventStatus, StrandedEvent
from chalicelib.once.job import Recovery
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import SETTLED
from chalicelib.once.recovery.rebuilders import Rebuilder, rebuilt
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.once.settlement import SECOND_CHECK_SECONDS, Settlement, Verdict

RESUMABLE_FOR = timedelta(days=29)
"""The age up to which a parked event resumes. The rows of its actions expire after 30 days; later
an operator must decide."""
LOOKS_PER_AGE = 8
"""The pause before a row is handled again is its age divided by this, so every run handles young rows."""
LIMIT = 1_000
"""The most actions that are read at a time, among which vendors take turns."""
COUNTED = 200_000
"""The most remaining rows that are counted, where time ran out."""
FAILING_SECONDS = 30.0
"""How much time of one run may be lost on one kind of action whose vendor fails."""


@dataclass(slots=True)
class Failing:
    """The pairs of action kind and account that failed in one run, and the seconds lost by kind."""

    groups: set[tuple[str, str]] = field(default_factory=set)
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def note(self, kind: str, account: str, seconds: float) -> None:
        """Note that asking about an action of this kind and account failed after so many seconds."""
        self.groups.add((kind, account))
        self.spent[kind] += seconds

    def is_left(self, kind: str, account: str) -> bool:
        """Whether a vendor's account is left out for the rest of this run of the sweep.

        It is after a failure of its own, or once the kind of action has lost `FAILING_SECONDS`.
        """
        return (kind, account) in self.groups or self.spent[kind] >= FAILING_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSweep:
    """Handles every unfinished row that is due, in one run of the sweep."""

    ledger: Ledger
    settlement: Settlement
    rebuilders: Mapping[str, Rebuilder]
    clock: Clock
    sweep: SweepActions

    def run(self) -> None:
        """Settle unknown actions that are due, then handle the events that are due.

        In this order, the events of settled actions resume in the same run.
        """
        with self.sweep.guard("rows"):
            self._settle_all()
        with self.sweep.guard("rows"):
            self._handle_due()

    def _settle_all(self) -> None:
        """Settle the unknown actions that are due, up to `LIMIT` at a time, in half of the run's time."""
        actions = self.ledger.unsettled(due_by_epoch=self._now(), limit=LIMIT)
        enough = self.sweep.time_left_seconds() / 2 if actions else 0.0
        failing = Failing()
        while actions:
            self._settle_due(actions, enough, failing)
            if self.sweep.dry_run or len(actions) < LIMIT or not self._has_more_than(enough):
                return
            seen = {action.key for action in actions}
            found = self.ledger.unsettled(due_by_epoch=self._now(), limit=LIMIT)
            actions = [action for action in found if action.key not in seen]

    def _has_more_than(self, enough: float) -> bool:
        return self.sweep.has_time and self.sweep.time_left_seconds() >= enough

    def _settle_due(
        self, actions: Sequence[UnsettledAction], enough: float, failing: Failing
    ) -> None:
        """Ask about the actions of each vendor and account in turn, for half of the run's time at most.

        An account that fails is not asked again in this run, and after `FAILING_SECONDS` lost on one kind
        of action, none of that kind is asked about.  Each action reached in time gets its next time,
        whether it was asked about or not.
        """
        for action in _in_turn(actions):
            group = _group(action)
            next_look: float | None = self._next_look(action.started_epoch)
            if not self._has_more_than(enough) or self.sweep.dry_run:
                self.sweep.summary.unknown += 1
                continue
            if failing.is_left(*group):
                self.sweep.summary.unknown += 1
            else:
                began = self.clock.monotonic()
                with self.sweep.guard("settle") as raised:
                    next_look = next_look if self._stays_unknown(action) else None
                if raised:
                    failing.note(*group, self.clock.monotonic() - began)
                    self.sweep.summary.unknown += 1
            if next_look is not None:
                with self.sweep.guard("keep"):
                    self.sweep.set_due(action, next_look)

    def _handle_due(self) -> None:
        """Handle the events that are due, until a third of the run's time is left for its other parts."""
        # A row that is looked at again and again is never due later than this.
        soon = self._now() + LATE_SECONDS
        self.sweep.summary.oldest_seconds = self._oldest(
            self.ledger.stranded(due_by_epoch=soon, limit=LIMIT)
        )
        enough, began = self.sweep.time_left_seconds() / 3, self._now()
        for handled, row in enumerate(self.ledger.due_events(began)):
            if not self._has_more_than(enough):
                self._note_remaining(began, handled)
                return
            waiting_since = parsed(row.updated_at)
            next_look = self._next_look(waiting_since.timestamp() if waiting_since else 0.0)
            with self.sweep.guard("event") as raised:
                self._handle(row, next_look)
            if raised:
                with self.sweep.guard("keep"):
                    self.sweep.set_due(row, next_look)

    def _note_remaining(self, began: float, handled: int) -> None:
        """Add to the summary how many rows are left for later runs, and when the last one will be done."""
        summary = self.sweep.summary
        summary.problems.append("rows:out_of_time")
        summary.remaining = self.ledger.count_due(began, at_most=COUNTED)
        runs = -(-summary.remaining // max(1, handled))
        summary.done_in_seconds = int(runs * SWEEP_SECONDS)

    def _oldest(self, found: Sequence[StrandedEvent]) -> int:
        """The age in seconds of the oldest event that is due, parked or failed; 0 where there is none.

        The age counts from the event's receipt, or from the time until which it waited, if later.
        """
        now = self._now()
        stuck = [event for event in found if event.due_epoch <= now or not _is_explained(event)]
        since = (_wanted_since(row) for row in stuck)
        return int(max((now - at for at in since if at is not None), default=0))

    # --- actions ------------------------------------------------------------------------------

    def _stays_unknown(self, action: UnsettledAction) -> bool:
        """Ask the vendor for an action's outcome and store it; True where it is still unknown."""
        settled = self.settlement.judge(action)
        match settled.verdict:
            case Verdict.HAPPENED:
                self.sweep.settle(action, ActionStatus.DONE, reason=SETTLED, ref=settled.ref)
            case Verdict.NOT_HAPPENED:
                self.sweep.settle(action, ActionStatus.PENDING, reason=settled.saw)
            case Verdict.UNDECIDED:
                # The worker repeats a stopped one that is safe to repeat.
                self.sweep.summary.unknown += action.reason != STOPPED_REPEATABLE
                return True
        return False

    # --- events -------------------------------------------------------------------------------

    def _handle(self, row: StrandedEvent, next_look: float) -> None:
        """Resume, queue or mark failed one due event, by its status, and store when it is due next."""
        late = self._now() + LATE_SECONDS
        if row.is_asked:
            self._send(row, Recovery.OPERATOR)
            self.sweep.set_due(row, late)
            return
        match row.status:
            case EventStatus.RECEIVED:
                self.sweep.summary.stranded += row.last_reason is None
                self._send(row, Recovery.SWEEP)
                self.sweep.set_due(row, late)
            case EventStatus.PARKED:
                if self._may_resume(row) and self._send(row, Recovery.SETTLED):
                    self.sweep.summary.resumed += 1
                    self.sweep.set_due(row, late)
                else:
                    self.sweep.set_due(row, next_look)
            case EventStatus.PROCESSING:
                self._handle_stalled(row, late)
            case EventStatus.FAILED:
                self._hand_off(row)
                self.sweep.set_due(row, late)
            case _:  # it has ended since it was read
                return

    def _may_resume(self, row: StrandedEvent) -> bool:
        """Whether a parked event may resume: every outcome that it waited for is known now.

        An outcome of a repeatable action that a switch stopped counts as known.  False where the
        event's plan cannot be read by this version, or the event is older than `RESUMABLE_FOR`.
        """
        received = parsed(row.event.received_at)
        age = self._now() - received.timestamp() if received is not None else float("inf")
        if age >= RESUMABLE_FOR.total_seconds() or not (row.reason or "").startswith("unknown:"):
            return False
        reasons = self.ledger.reasons_of_unknown(row.waits_for).values() if row.waits_for else ()
        return all(reason == STOPPED_REPEATABLE for reason in reasons)  # the worker repeats those

    def _handle_stalled(self, row: StrandedEvent, late: float) -> None:
        """Handle a claimed event that has neither ended nor been claimed again in time.

        It waits for the end of its lease, is marked failed if that was the message's last receive,
        and is queued again otherwise.
        """
        if row.lease_until_epoch >= self._now():  # claimed since the index was read
            self.sweep.set_due(row, row.lease_until_epoch + 1)
        elif row.is_last_receive and row.lease_until_epoch:  # its worker died: nothing follows
            if self.sweep.mark_failed(row.key):
                self._hand_off(row)
        else:
            if self._send(row, Recovery.SWEEP):
                self.sweep.summary.left_behind += row.until_epoch is None
            self.sweep.set_due(row, late)

    def _hand_off(self, row: StrandedEvent) -> None:
        if self._send(row, Recovery.HANDOFF):
            self.sweep.summary.handoffs += 1

    def _send(self, row: StrandedEvent, recovery: Recovery) -> bool:
        job = rebuilt(self.rebuilders, row.event)
        if job is None:
            self.sweep.summary.orphans += 1
            return False
        self.sweep.send(job.model_copy(update={"turns": row.turns}), recovery)
        return True

    def _now(self) -> float:
        return self.clock.now().timestamp()

    def _next_look(self, since_epoch: float) -> float:
        """When the sweep handles a row next, in epoch seconds, by the time since which the row has waited.

        The longer it has waited, the longer the pause, up to `LATE_SECONDS`.
        """
        pause = (self._now() - since_epoch) / LOOKS_PER_AGE
        return self._now() + min(LATE_SECONDS, max(SECOND_CHECK_SECONDS, pause))


def _is_explained(row: StrandedEvent) -> bool:
    """Whether an unfinished event waits as intended: True if received or processing, False otherwise."""
    return row.status in (EventStatus.RECEIVED, EventStatus.PROCESSING)


def _wanted_since(row: StrandedEvent) -> float | None:
    """When an event was received, or the later time until which it waited; None if its time is unreadable."""
    received = parsed(row.event.received_at)
    return None if received is None else max(received.timestamp(), row.until_epoch or 0.0)


def _group(action: UnsettledAction) -> tuple[str, str]:
    """The vendor account that an action belongs to, by which actions take turns.

    It is the action's kind, which has one vendor, and the account's name there; empty where none is named.
    """
    return action.kind, action.probe.get("account", "")


def _in_turn(actions: Sequence[UnsettledAction]) -> list[UnsettledAction]:
    """The actions in turn: the first of each vendor's account, then the second of each, and so on."""
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for number, action in enumerate(actions):
        group = _group(action)
        turns.append((seen[group], number, action))
        seen[group] += 1
    return [action for _, _, action in sorted(turns, key=lambda turn: turn[:2])]
