"""The one door out: every side effect at a vendor goes through this module.

Per step, in this order: already in place by the plan, dependencies, switches, lease, ledger row,
preparation, switches, the system's own last look and the lease again, vendor call, outcome.  Each
action ends in a row with a reason; an action of unknown outcome is never repeated automatically
unless repeating it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chalicelib.errors import (
    HandBackError,
    PermanentError,
    ProviderError,
    TransientError,
    UnavailableError,
    UncertainError,
    WithdrawnError,
)
from chalicelib.once import reasons as why
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.backoff import SHORTEST_WAIT_SECONDS
from chalicelib.once.effect import Effect, Executor, LeftOut, Settle, WhenStopped
from chalicelib.once.event import Lease
from chalicelib.once.flow import NotYet
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log, Modes, Switches, SwitchesPort
from chalicelib.once.retry import Attempts
from chalicelib.once.settlement import Settlement, Verdict

DEADLINE_SECONDS = 20.0
"""Total time of one vendor request, connecting included."""
LONG_LOOK_SECONDS = 2.0
"""If a kind's `last_look` took longer than this, the switches are checked once more after it."""
LEASE_MARGIN_SECONDS = 130.0
"""Lease time that must remain after the deadline: clocks differ by up to 120 s between hosts, and
Lambda kills up to a second late."""
RECORD_PAUSES_SECONDS = (0.2, 0.4, 0.8)
"""Pauses between attempts to write that an action begins, was surely not done, or how it ended; after
the last one the action is left to be settled."""

STOPPED_REPEATABLE = why.STOPPED_REPEATABLE
"""Stored reason: a switch stopped a repeatable action; it is repeated once the switch allows it."""

_Written = TypeVar("_Written")


@dataclass(frozen=True, slots=True)
class StepAction:
    """One action of a plan's step: its effect, the keys of the actions it depends on, and `already`.

    `already` means that the effect was in place at the vendor when the plan was made.
    """

    action: Effect
    depends_on: tuple[str, ...] = ()
    already: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """The lease and the switches of one run of an event, shared by the steps of its plan.

    Attributes:
        operator: an operator asked for this run: skipped and refused actions are performed after
            all.
        decided: the switches at planning or resuming; actions they forbade stay withheld in this
            run, even if a switch has changed since.
        while_held: rows are written only while the lease is held.  Set where no stored plan names
            the actions: the next claimant would not find a row that this worker writes after it has
            lost the lease.
    """

    lease: Lease
    modes: Modes
    operator: bool = False
    decided: Switches | None = None
    while_held: bool = False


class Effects:
    """Performs the side effects of a plan's steps, each once.

    Args:
        executors: what performs an effect, by its kind.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        switches: SwitchesPort,
        executors: Mapping[str, Executor],
        settlement: Settlement,
        clock: Clock,
        log: Log,
    ) -> None:
        self._ledger = ledger
        self._settlement = settlement
        self._switches = switches
        self._executors = executors
        self._clock = clock
        self._log = log

    def perform(
        self, attempt: Attempt, step: Sequence[StepAction], earlier: Mapping[str, ActionRow]
    ) -> dict[str, ActionRow]:
        """Bring every action of a step to an outcome, with at most one vendor request.

        Args:
            attempt: the event's lease and switches.
            step: actions of one kind on one conversation.
            earlier: the rows of the previous steps, by key.

        Returns:
            The rows of this step, by key; none is pending.

        Raises:
            TransientError: not done, or harmless to repeat; the event is released and resumed
                later.
            NotYet: an action's data cannot be read yet; nothing was sent.
            HandBackError: the switches, the lease or another worker do not allow it now.
        """
        rows: dict[str, ActionRow] = {}
        due: list[Effect] = []
        for item in step:
            reason = self._reason_to_skip(attempt, item, step, earlier)
            if reason is None:
                due.append(item.action)
            else:
                row = self._ledger.skip(attempt.lease, item.action, attempt.modes, reason=reason)
                rows[item.action.key] = self._stop_pending(attempt, item.action, row)
        if due:
            rows |= self._start(attempt, due)
        self._report([(item.action, rows[item.action.key]) for item in step])
        return rows

    def _reason_to_skip(
        self,
        attempt: Attempt,
        item: StepAction,
        step: Sequence[StepAction],
        earlier: Mapping[str, ActionRow],
    ) -> str | None:
        if item.already:
            return why.ALREADY
        for key in item.depends_on:
            row = earlier.get(key)
            met = row is not None and _is_satisfied(row)
            if not met and not any(other.action.key == key for other in step):
                return why.DEPENDENCY
        kind, by_person = item.action.kind, item.action.by_person
        decided = attempt.decided.forbids(kind, by_person=by_person) if attempt.decided else None
        reason = decided or self._switches.current().forbids(kind, by_person=by_person)
        if reason is not None and kind.when_stopped is WhenStopped.WAIT:
            raise HandBackError(why.SWITCH_FLIPPED, delay_seconds=SHORTEST_WAIT_SECONDS)
        return reason

    def _stop_pending(self, attempt: Attempt, action: Effect, row: ActionRow) -> ActionRow:
        """The row of an action that must not be sent now; marked unknown if an earlier run left it pending.

        That earlier run may have sent the action's request.
        """
        if row.status != ActionStatus.PENDING:
            return row
        mine = self._ledger.restart(attempt.lease, action, new_start=False)
        if not mine.mine:
            return mine
        return self._ledger.end_action(
            attempt.lease,
            action,
            ActionStatus.UNKNOWN,
            reason=STOPPED_REPEATABLE if action.kind.is_repeated else why.STOPPED_UNSETTLED,
        )

    def _start(self, attempt: Attempt, actions: Sequence[Effect]) -> dict[str, ActionRow]:
        """Write the actions' rows, settle those of unknown outcome, and send those that this lease may send.

        Returns the rows by key.  The `Executor` is looked up first, as it may be built here: a row that is
        started without it would have to be settled although nothing was sent.
        """
        executor = self._executors[actions[0].kind.name]
        self._check_lease(attempt.lease)
        begun = self._insist(lambda: self._begin(attempt, actions))
        rows = {row.key: row for row in begun}
        ours: list[Effect] = []
        repeated: set[str] = set()
        for action in actions:
            row = rows[action.key]
            is_interrupted = row.status == ActionStatus.PENDING and row.started
            if is_interrupted or row.status == ActionStatus.UNKNOWN:
                row = rows[action.key] = self._settle_interrupted(attempt, action, row)
                repeated |= {action.key} if action.kind.is_repeated else set()
            if row.mine:
                ours.append(action)
        if ours:
            fresh = [our for our in ours if our.key not in repeated]
            rows |= self._send(attempt, ours, fresh, executor)
        return rows

    def _begin(self, attempt: Attempt, actions: Sequence[Effect]) -> tuple[ActionRow, ...]:
        """Write the actions' rows as pending, or read those that exist; no request is sent before this.

        If it is repeated because the table's answer was lost, it finds the rows that it has written.
        """
        return self._ledger.begin(
            attempt.lease,
            actions,
            attempt.modes,
            operator=attempt.operator,
            while_held=attempt.while_held,
        )

    def _settle_interrupted(self, attempt: Attempt, action: Effect, row: ActionRow) -> ActionRow:
        """Find out whether an action happened whose outcome an earlier claim did not store.

        A repeatable action is taken over to be sent again instead.

        Returns:
            The action's row: this lease may send the action now, or it is done, or it is still unknown.
        """
        if action.kind.is_repeated or row.unsettled is None:
            return self._ledger.restart(attempt.lease, action, new_start=True)
        settled = self._settlement.judge(row.unsettled)
        self._log.event("action.settled", verdict=settled.verdict.value, saw=settled.saw)
        if settled.verdict == Verdict.UNDECIDED and row.status == ActionStatus.UNKNOWN:
            return row
        again = settled.verdict == Verdict.NOT_HAPPENED
        taken = self._ledger.restart(attempt.lease, action, new_start=again)
        if again or not taken.mine:
            return taken
        if settled.verdict == Verdict.HAPPENED:
            (ended,) = self._record(
                attempt.lease, [action], ActionStatus.DONE, reason=why.SETTLED, ref=settled.ref
            )
            return ended
        return self._ledger.end_action(
            attempt.lease, action, ActionStatus.UNKNOWN, reason=f"{why.INTERRUPTED}{settled.saw}"
        )

    def _send(
        self,
        attempt: Attempt,
        actions: Sequence[Effect],
        fresh: Sequence[Effect],
        executor: Executor,
    ) -> dict[str, ActionRow]:
        """Send the actions' request and store its outcome; returns the rows by key.

        If the request certainly failed, the `fresh` actions are reset, so that the next attempt sends them
        as new.  The other actions repeat an earlier request, which may still have performed them.
        """
        try:
            if executor.prepare is not None:
                executor.prepare(actions)
            self._check_before_call(attempt, actions, executor)
        except PermanentError as error:
            return self._refused(attempt, actions, fresh, error)
        except (HandBackError, ProviderError, NotYet, UnavailableError):
            self._rearm(attempt, fresh)
            raise
        try:
            ref = executor.perform(actions, deadline_seconds=DEADLINE_SECONDS)
        except UncertainError as error:
            return self._uncertain(attempt, actions, error)
        except PermanentError as error:
            return self._refused(attempt, actions, fresh, error)
        except ProviderError:
            self._rearm(attempt, fresh)
            raise
        if isinstance(ref, LeftOut):
            return self._partly(attempt, actions, ref)
        return self._end(attempt, actions, ActionStatus.DONE, ref=ref)

    def _partly(
        self, attempt: Attempt, actions: Sequence[Effect], left_out: LeftOut
    ) -> dict[str, ActionRow]:
        """Store the outcomes of a request that did some actions and left others out; returns the rows by key.

        An action that was left out is stored as refused or skipped, with its reason.
        """
        apart = left_out.refused.keys() | left_out.skipped.keys()
        done = [effect for effect in actions if effect.key not in apart]
        rows = self._end(attempt, done, ActionStatus.DONE) if done else {}
        for status, reasons in (
            (ActionStatus.REFUSED, left_out.refused),
            (ActionStatus.SKIPPED, left_out.skipped),
        ):
            for action in actions:
                if action.key in reasons:
                    rows |= self._end(attempt, [action], status, reason=reasons[action.key])
        return rows

    def _refused(
        self,
        attempt: Attempt,
        actions: Sequence[Effect],
        fresh: Sequence[Effect],
        error: PermanentError,
    ) -> dict[str, ActionRow]:
        """Store that the vendor refused the actions: as refused, skipped if withdrawn, or unknown.

        All are stored as unknown where one of them repeats an earlier request with its idempotency key: the
        refusal does not say whether the earlier request succeeded.  A repeatable action only sets a state,
        so its refusal is final.
        """
        again = [
            action for action in actions if action not in fresh and action.kind.settle is Settle.KEY
        ]
        if again:
            reason = f"{why.INTERRUPTED}{error.reason}"
            return self._end(attempt, actions, ActionStatus.UNKNOWN, reason=reason)
        is_withdrawn = isinstance(error, WithdrawnError)
        status = ActionStatus.SKIPPED if is_withdrawn else ActionStatus.REFUSED
        return self._end(attempt, actions, status, reason=error.reason)

    def _uncertain(
        self, attempt: Attempt, actions: Sequence[Effect], error: UncertainError
    ) -> dict[str, ActionRow]:
        """Store that it is not known whether the actions were done.

        Raises:
            TransientError: each of them may be repeated, so the event is tried again and nothing is stored.
        """
        if all(action.kind.is_repeated for action in actions):
            raise TransientError.of(error) from None
        return self._end(attempt, actions, ActionStatus.UNKNOWN, reason=error.reason)

    def _end(
        self,
        attempt: Attempt,
        actions: Sequence[Effect],
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> dict[str, ActionRow]:
        """Store the one outcome of actions that share a request; returns their rows by key."""
        ended = self._record(attempt.lease, actions, status, reason=reason, ref=ref)
        return {row.key: row for row in ended}

    def _record(
        self,
        lease: Lease,
        actions: Sequence[Effect],
        status: ActionStatus,
        *,
        reason: str | None,
        ref: str | None,
    ) -> tuple[ActionRow, ...]:
        """Store the actions' outcome, with retries: the effects may have happened already."""
        return self._insist(
            lambda: self._ledger.end_actions(lease, actions, status, reason=reason, ref=ref)
        )

    def _rearm(self, attempt: Attempt, actions: Sequence[Effect]) -> None:
        """Store that the actions were certainly not done, so that the next attempt may send them."""
        self._insist(lambda: self._ledger.rearm(attempt.lease, actions))

    def _insist(self, write: Callable[[], _Written]) -> _Written:
        """Call a write of the ledger, with retries, and return its result.

        Repeating the write after a lost answer changes nothing.

        Raises:
            TransientError: every attempt failed.
        """
        attempts = Attempts(self._clock, RECORD_PAUSES_SECONDS)
        while True:
            try:
                return write()
            except TransientError as error:
                attempts.wait_or_raise(error)

    def _check_before_call(
        self, attempt: Attempt, actions: Sequence[Effect], executor: Executor
    ) -> None:
        """Check the switches, the kind's `last_look` and the lease again, right before the request leaves.

        Writing rows and preparing may have taken long, or the worker was paused.  The lease is
        checked last, without a call: the worker may be paused while it reads switches.

        Raises:
            HandBackError: a switch or the lease does not allow the request now.
            ProviderError: what the `last_look` raises.
        """
        self._check_switches(actions)
        if executor.last_look is not None:
            began = self._clock.monotonic()
            executor.last_look(actions)
            if self._clock.monotonic() - began > LONG_LOOK_SECONDS:
                self._check_switches(actions)
        self._check_lease(attempt.lease)

    def _check_switches(self, actions: Sequence[Effect]) -> None:
        switches = self._switches.current()
        if any(switches.forbids(action.kind, by_person=action.by_person) for action in actions):
            raise HandBackError(why.SWITCH_FLIPPED, delay_seconds=SHORTEST_WAIT_SECONDS)

    def _check_lease(self, lease: Lease) -> None:
        left = lease.until_epoch - self._clock.now().timestamp()
        if left < DEADLINE_SECONDS + LEASE_MARGIN_SECONDS:
            raise HandBackError(why.LEASE_TOO_SHORT, delay_seconds=SHORTEST_WAIT_SECONDS)

    def _report(self, ended: Sequence[tuple[Effect, ActionRow]]) -> None:
        """Write one log line and one metric for all actions of a step with the same status and reason."""
        alike: dict[tuple[ActionStatus, str | None], list[Effect]] = {}
        for action, row in ended:
            alike.setdefault((row.status, row.reason), []).append(action)
        for (status, reason), actions in alike.items():
            self._log.event(
                f"action.{status.value}",
                action_type=",".join(dict.fromkeys(effect.audit_type for effect in actions)),
                actions=len(actions),
                reason=reason,
            )
            kind = actions[0].kind
            self._log.metric(
                "mw.effects",
                len(actions),
                outcome=status.value,
                vendor=kind.vendor,
                kind=kind.name,
            )


def _is_satisfied(row: ActionRow) -> bool:
    """Whether an action's row says that the action is done, or that its effect was in place before."""
    is_already = row.status == ActionStatus.SKIPPED and row.reason == why.ALREADY
    return row.status == ActionStatus.DONE or is_already
