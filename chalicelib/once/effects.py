"""The one door out: whatever reaches a vendor passes here, and nowhere else.

Per step, in this order: what the plan says was already so, dependencies, switches, lease, ledger
row, what the request needs, lease and switches again, vendor call, outcome.  Each action ends in a
row with a reason; an outcome that cannot be known is never repeated by machine unless repeating
changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.errors import (
    HandBackError,
    PermanentError,
    ProviderError,
    TransientError,
    UnavailableError,
    UncertainError,
)
from chalicelib.once.action import Action, ActionRow, ActionStatus, Executor, Preparer, Settle
from chalicelib.once.event import Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log, Modes, Switches, SwitchesPort
from chalicelib.once.settlement import Settlement, Verdict

DEADLINE_SECONDS = 20.0
"""Total time one vendor request may take, connection and all."""
LEASE_MARGIN_SECONDS = 130.0
"""Kept of the lease after the deadline: clocks differ by up to 120 s between hosts, and Lambda
kills up to a second late."""
RECORD_TRIES = 4
"""How often an outcome is offered to the ledger before it is left to be settled."""

STOPPED_REPEATABLE = "stopped_repeatable"
"""A switch stopped what may be repeated: the event goes on once the switch lets it."""

_REPEAT_SAFE = frozenset({Settle.REPEATABLE, Settle.KEY})


@dataclass(frozen=True, slots=True)
class StepAction:
    """One action of a step with what the plan says of it."""

    action: Action
    depends_on: tuple[str, ...] = ()
    already: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """What all steps of one run of an event share.

    Attributes:
        operator: a person asked for this run: skipped and refused actions are opened again.
        decided: the switches it was planned or resumed under; what they forbade is withheld in
            this run, also where they were turned since.
        while_held: no stored plan names the actions, so that no heir would know of a row that
            was written after the event was lost: it is written only while the event is held.
    """

    lease: Lease
    modes: Modes
    operator: bool = False
    decided: Switches | None = None
    while_held: bool = False


class Effects:
    """Performs steps; holds the executors by action kind."""

    def __init__(
        self,
        ledger: Ledger,
        switches: SwitchesPort,
        executors: Mapping[str, Executor],
        settlement: Settlement,
        clock: Clock,
        log: Log,
        preparers: Mapping[str, Preparer] | None = None,
    ) -> None:
        self._ledger = ledger
        self._preparers = preparers or {}
        self._settlement = settlement
        self._switches = switches
        self._executors = executors
        self._clock = clock
        self._log = log

    def perform(
        self, attempt: Attempt, step: Sequence[StepAction], earlier: Mapping[str, ActionRow]
    ) -> dict[str, ActionRow]:
        """Bring every action of a step to an end by at most one vendor request.

        Args:
            attempt: the event's lease and modes.
            step: actions of one kind on one conversation.
            earlier: the rows of the steps before, by key.

        Returns:
            The rows of this step, by key; none is pending.

        Raises:
            TransientError: surely not done; the event is handed back and resumed.
            HandBackError: the switches, the lease or another worker do not allow it now.
        """
        rows: dict[str, ActionRow] = {}
        due: list[Action] = []
        for item in step:
            reason = self._reason_to_skip(attempt, item, step, earlier)
            if reason is None:
                due.append(item.action)
            else:
                row = self._ledger.skip(attempt.lease, item.action, attempt.modes, reason=reason)
                rows[item.action.key] = self._left_behind(attempt, item.action, row)
        if due:
            rows |= self._start(attempt, due)
        for item in step:
            self._report(item.action, rows[item.action.key])
        return rows

    def _reason_to_skip(
        self,
        attempt: Attempt,
        item: StepAction,
        step: Sequence[StepAction],
        earlier: Mapping[str, ActionRow],
    ) -> str | None:
        if item.already:
            return "already"
        for key in item.depends_on:
            row = earlier.get(key)
            met = row is not None and _is_satisfied(row)
            if not met and not any(other.action.key == key for other in step):
                return "dependency"
        decided = attempt.decided.forbids(item.action) if attempt.decided else None
        return decided or self._switches.current().forbids(item.action)

    def _left_behind(self, attempt: Attempt, action: Action, row: ActionRow) -> ActionRow:
        """A pending row that may not go on: its effect may have left the machine before."""
        if row.status != ActionStatus.PENDING:
            return row
        mine = self._ledger.restart(attempt.lease, action, anew=False)
        if not mine.mine:
            return mine
        is_safe = action.settle in _REPEAT_SAFE
        return self._ledger.end_action(
            attempt.lease,
            action,
            ActionStatus.UNKNOWN,
            reason=STOPPED_REPEATABLE if is_safe else "stopped_unsettled",
        )

    def _start(self, attempt: Attempt, actions: Sequence[Action]) -> dict[str, ActionRow]:
        """Take the actions' rows and send what is ours to send."""
        self._check_lease(attempt.lease)
        begun = self._ledger.begin(
            attempt.lease,
            actions,
            attempt.modes,
            operator=attempt.operator,
            while_held=attempt.while_held,
        )
        rows = {row.key: row for row in begun}
        ours: list[Action] = []
        repeated: set[str] = set()
        for action in actions:
            row = rows[action.key]
            left_behind = row.status == ActionStatus.PENDING and row.started
            if left_behind or row.status == ActionStatus.UNKNOWN:
                row = rows[action.key] = self._settle_left_behind(attempt, action, row)
                repeated |= {action.key} if action.settle in _REPEAT_SAFE else set()
            if row.mine:
                ours.append(action)
        if ours:
            rows |= self._send(attempt, ours, [one for one in ours if one.key not in repeated])
        return rows

    def _settle_left_behind(self, attempt: Attempt, action: Action, row: ActionRow) -> ActionRow:
        """An earlier claim started it and did not say how it ended."""
        if action.settle in _REPEAT_SAFE or row.unsettled is None:
            return self._ledger.restart(attempt.lease, action, anew=True)
        settled = self._settlement.judge(row.unsettled)
        self._log.event("action.settled", verdict=settled.verdict.value, saw=settled.saw)
        if settled.verdict == Verdict.UNDECIDED and row.status == ActionStatus.UNKNOWN:
            return row
        again = settled.verdict == Verdict.NOT_HAPPENED
        taken = self._ledger.restart(attempt.lease, action, anew=again)
        if again or not taken.mine:
            return taken
        if settled.verdict == Verdict.HAPPENED:
            (ended,) = self._record(
                attempt.lease, [action], ActionStatus.DONE, reason="settled", ref=settled.ref
            )
            return ended
        return self._ledger.end_action(
            attempt.lease, action, ActionStatus.UNKNOWN, reason=f"interrupted:{settled.saw}"
        )

    def _send(
        self, attempt: Attempt, actions: Sequence[Action], fresh: Sequence[Action]
    ) -> dict[str, ActionRow]:
        """Send; where it surely was not done, the fresh actions have not happened at all.

        The others are repeated because an earlier attempt may have done them: that stays so.
        """
        executor = self._executors[actions[0].kind]
        prepare = self._preparers.get(actions[0].kind)
        try:
            if prepare is not None:
                prepare(actions)
            self._look_again(attempt, actions)
        except PermanentError as error:
            return self._refused(attempt, actions, fresh, error)
        except (HandBackError, ProviderError, UnavailableError):
            self._ledger.rearm(attempt.lease, fresh)
            raise
        try:
            ref = executor(actions, deadline_seconds=DEADLINE_SECONDS)
        except UncertainError as error:
            return self._uncertain(attempt, actions, error)
        except PermanentError as error:
            return self._refused(attempt, actions, fresh, error)
        except ProviderError:
            self._ledger.rearm(attempt.lease, fresh)
            raise
        return self._end(attempt, actions, ActionStatus.DONE, ref=ref)

    def _refused(
        self,
        attempt: Attempt,
        actions: Sequence[Action],
        fresh: Sequence[Action],
        error: PermanentError,
    ) -> dict[str, ActionRow]:
        """A refused repetition says nothing of what the first request came to.

        Of what only sets a state nothing is left to know: it is refused now.
        """
        again = [one for one in actions if one not in fresh and one.settle is Settle.KEY]
        if again:
            reason = f"interrupted:{error.reason}"
            return self._end(attempt, actions, ActionStatus.UNKNOWN, reason=reason)
        return self._end(attempt, actions, ActionStatus.REFUSED, reason=error.reason)

    def _uncertain(
        self, attempt: Attempt, actions: Sequence[Action], error: UncertainError
    ) -> dict[str, ActionRow]:
        if all(action.settle in _REPEAT_SAFE for action in actions):
            raise TransientError.of(error) from None
        return self._end(attempt, actions, ActionStatus.UNKNOWN, reason=error.reason)

    def _end(
        self,
        attempt: Attempt,
        actions: Sequence[Action],
        status: ActionStatus,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> dict[str, ActionRow]:
        ended = self._record(attempt.lease, actions, status, reason=reason, ref=ref)
        return {row.key: row for row in ended}

    def _record(
        self,
        lease: Lease,
        actions: Sequence[Action],
        status: ActionStatus,
        *,
        reason: str | None,
        ref: str | None,
    ) -> tuple[ActionRow, ...]:
        """Write an outcome, hard: the effect has happened and only its proof is missing."""
        for attempt in range(1, RECORD_TRIES + 1):
            try:
                return self._ledger.end_actions(lease, actions, status, reason=reason, ref=ref)
            except TransientError:
                if attempt == RECORD_TRIES:
                    raise
                self._clock.sleep(0.1 * 2**attempt)
        raise AssertionError  # pragma: no cover - the loop returns or raises

    def _look_again(self, attempt: Attempt, actions: Sequence[Action]) -> None:
        """Writing the rows and reading what is sent may have taken long, or the worker stood still.

        The lease comes last, as it takes no call: whoever reads switches may stand still there.
        """
        switches = self._switches.current()
        if any(switches.forbids(action) for action in actions):
            raise HandBackError("switch_flipped", delay_seconds=1)
        self._check_lease(attempt.lease)

    def _check_lease(self, lease: Lease) -> None:
        left = lease.until_epoch - self._clock.now().timestamp()
        if left < DEADLINE_SECONDS + LEASE_MARGIN_SECONDS:
            raise HandBackError("lease_too_short", delay_seconds=1)

    def _report(self, action: Action, row: ActionRow) -> None:
        self._log.event(
            f"action.{row.status.value}", action_type=action.audit_type, reason=row.reason
        )
        self._log.metric(
            "mw.effects", outcome=row.status.value, vendor=action.vendor, kind=action.kind
        )


def _is_satisfied(row: ActionRow) -> bool:
    """Done, whether that was seen at once or settled later, or the vendor had it so."""
    is_already = row.status == ActionStatus.SKIPPED and row.reason == "already"
    return row.status == ActionStatus.DONE or is_already
