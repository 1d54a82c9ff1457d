"""Posts pending facts in batches, as the single writer of every sink.

::

    pending facts -> claim the lease -> store the open batch -> each sink: dimensions
        -> the sink that may refuse rows -> each sink that takes them, or is owed them -> facts final

A run that finds the lease taken does nothing.  Before a POST the batch's number and keys are stored
under the lease; a run that finds an open batch posts the same rows under the same number.  The POST
goes through `once.effects`, so that a batch known to be accepted is not sent again.  While a sink is
unavailable its facts stay pending: an outage is only a delay.  A sink that takes every row is owed the
batches that it lacks, and holds up no other sink until what is owed fills the writer's row.  The sink
that may refuse rows holds up all others: a row that it refuses must be in no other sink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chalicelib.errors import (
    HandBackError,
    LeaseLostError,
    ProviderError,
    SwitchesUnreadableError,
    reason_of,
)
from chalicelib.facts import reasons as why
from chalicelib.facts.dataset import (
    FACT_EVENT,
    ROWS_PER_POST,
    dimension_keys,
    fact_row,
    full_row,
)
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Fact, FactStatus, Keys, Row, TimeLeft
from chalicelib.facts.posting import effects
from chalicelib.facts.posting.dimensions import Dimensions
from chalicelib.facts.posting.effects import POST_FACTS
from chalicelib.facts.posting.writer_state import (
    OwedBatch,
    Rebuilding,
    WriterState,
    facts_that_fit,
    writer_event,
)
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Runtime

ENOUGH_SECONDS = 60.0
"""No batch starts with less time left: dimensions, a POST and its record must still fit."""
_SUSPECTS_BEFORE_CHECK = 3
_REOPEN = frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED})


@dataclass(slots=True)
class PostingSummary:
    """The result of one run of the fact writer; it is also logged.

    Attributes:
        outcome: idle, posted, busy, held:<reason>, waiting:<reason>.
    """

    outcome: str = "idle"
    posts: int = 0
    posted: int = 0
    failed: int = 0
    prolonged: int = 0


@dataclass(slots=True)
class _Run:
    """The state of one run of the fact writer.

    Attributes:
        suspects: facts whose row was refused when posted alone, each with the reason.
        away: for a sink that takes every row, by target: why it gets no more calls in this run.
    """

    attempt: Attempt
    state: WriterState
    summary: PostingSummary
    time_left: TimeLeft
    suspects: list[tuple[Fact, str]] = field(default_factory=list)
    away: dict[str, str] = field(default_factory=dict)

    @property
    def lease(self) -> Lease:
        return self.attempt.lease


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSinks:
    """The sinks of one stage, each as the `Dimensions` that keep its dimension tables.

    Attributes:
        refusing: the sink that may refuse rows; a refused row goes to no other sink.  None if all
            sinks take every row.
        accepting: the sinks that take every row, in the order in which a batch is posted.
    """

    refusing: Dimensions | None = None
    accepting: Sequence[Dimensions] = ()

    def __iter__(self) -> Iterator[Dimensions]:
        """All sinks, in the order in which they get a batch."""
        return iter((*((self.refusing,) if self.refusing else ()), *self.accepting))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWriter:
    """The fact writer: posts pending facts to every sink, once a minute; built once per container.

    Attributes:
        ledger: `Ledger` on the facts' table: the lease, the open batch, each POST.
        rows_per_post: how many rows one POST to Power BI may hold.
    """

    ledger: Ledger
    store: FactLedger
    sinks: FactSinks
    effects: Effects
    runtime: Runtime
    rows_per_post: int = ROWS_PER_POST

    def run(self, *, time_left_seconds: TimeLeft) -> PostingSummary:
        """Post pending facts once; an error that a later run can resolve becomes the summary's outcome.

        Raises:
            TransientError: the facts' table cannot be read or written.
        """
        summary = PostingSummary()
        try:
            self._run(summary, time_left_seconds)
        except SwitchesUnreadableError:
            summary.outcome = "held:switches_unreadable"
        if summary.outcome.startswith(("held", "waiting")):
            summary.prolonged = self.store.prolong()
        self._report(summary)
        return summary

    def seed(self, keys: Mapping[str, Keys], *, time_left_seconds: TimeLeft) -> str:
        """Insert dimension keys into every sink under the fact writer's lease; returns the outcome.

        An open batch of facts stays open for the next run.
        """
        return self._alone("seeded", time_left_seconds, lambda run: self._ensure(run, keys))

    def refresh(self, *, time_left_seconds: TimeLeft) -> str:
        """Fill again the dimension tables whose rows have changed, in every sink.

        Returns the outcome, as `seed` does.
        """
        return self._alone("refreshed", time_left_seconds, self._refresh)

    def run_alone(
        self,
        done: str,
        work: Callable[[], None],
        *,
        time_left_seconds: TimeLeft,
        unless_unfinished: Keys = (),
    ) -> str:
        """Do some work on the sinks' rows under the fact writer's lease, while no other run can write.

        Args:
            done: the outcome to return if the work was done.
            work: the work; it is called at most once.
            time_left_seconds: how much time the caller has left.
            unless_unfinished: keys of facts; the work is not done if one of these facts is in a batch
                that some sink lacks.

        Returns:
            `done`, or the outcome that says why the work was not done.
        """

        def unless_in_batch(run: _Run) -> None:
            if not run.state.unfinished_keys.isdisjoint(unless_unfinished):
                raise HandBackError(why.OPEN_BATCH)
            work()

        return self._alone(done, time_left_seconds, unless_in_batch)

    def _alone(self, done: str, time_left: TimeLeft, work: Callable[[_Run], None]) -> str:
        """Do some work under the fact writer's lease.

        Returns `done`, or the outcome that says why the work was not done.
        """
        switches = self.runtime.switches.current()
        held = switches.forbids(POST_FACTS)
        if held is not None:
            return f"held:{held}"
        summary = PostingSummary()
        run = self._start(summary, switches.modes, time_left)
        if run is not None:
            summary.outcome = done
            self._unless_lease_lost(run, lambda: work(run))
        return summary.outcome

    def _refresh(self, run: _Run) -> None:
        """Refresh the dimension tables of every sink; an unavailable sink does not stop the others."""
        for taker in self.sinks.accepting:
            self._unless_away(run, taker, partial(taker.refresh, run.attempt))
        if self.sinks.refusing:
            self.sinks.refusing.refresh(run.attempt)
        for reason in run.away.values():
            run.summary.outcome = f"waiting:{reason}"

    def _run(self, summary: PostingSummary, time_left: TimeLeft) -> None:
        switches = self.runtime.switches.current()
        held = switches.forbids(POST_FACTS)
        if held is not None:
            summary.outcome = f"held:{held}"
            return
        if not self.store.pending_keys(at_most=1) and self._is_settled():
            return
        run = self._start(summary, switches.modes, time_left)
        if run is not None:
            self._unless_lease_lost(run, lambda: self._post_all(run))

    def _start(self, summary: PostingSummary, modes: Modes, time_left: TimeLeft) -> _Run | None:
        """Begin a run by claiming the fact writer's lease.

        Returns None while another run has the lease, a rebuild blocks the writer, or Power BI asked
        to wait; the summary's outcome then says which.
        """
        lease = self.ledger.claim(
            writer_event(self.runtime.clock.now()),
            modes,
            lease_seconds=time_left() + LEASE_GRACE_SECONDS,
            takeover=_REOPEN,
        )
        if not isinstance(lease, Lease):
            summary.outcome = "busy"
            return None
        run = _Run(Attempt(lease, modes), WriterState.decode(lease.plan), summary, time_left)
        if run.state.rebuilding and self._is_blocked(run, run.state.rebuilding):
            summary.outcome = "waiting:rebuild"
            self.ledger.release(lease, reason=why.REBUILD, due_epoch=None)
            return None
        if run.state.not_before > self.runtime.clock.now().timestamp():
            summary.outcome = "waiting:asked_to"
            self.ledger.release(lease, reason=why.ASKED_TO, due_epoch=None)
            return None
        return run

    def _is_blocked(self, run: _Run, rebuild: Rebuilding) -> bool:
        """Whether a rebuild of a dataset still blocks the fact writer.

        A rebuild whose time is over is dropped.  Its dataset then lacks facts, which the nightly
        check counts until another rebuild has ended.
        """
        self.runtime.log.metric("mw.facts.blocked")
        if self.runtime.clock.now().timestamp() < rebuild.until:
            return True
        self.runtime.log.event("facts.rebuild_given_up", posted=rebuild.posted)
        run.state = run.state.closed()
        return False

    def _unless_lease_lost(self, run: _Run, work: Callable[[], None]) -> None:
        """Do the work under the lease.

        If another run takes the lease during the work, the summary's outcome says so, and the lease
        is not released.
        """
        try:
            self._under_lease(run, work)
        except LeaseLostError as error:
            run.summary.outcome = f"held:{reason_of(error)}"

    def _under_lease(self, run: _Run, work: Callable[[], None]) -> None:
        """Do the work under the lease, then store the batch's state and finish the run.

        If a sink's error or a `HandBackError` stops the work, release the lease.  After any other
        error the lease runs out.
        """
        try:
            work()
        except ProviderError as error:
            run.summary.outcome = f"waiting:{reason_of(error)}"
            if error.retry_after:
                later = self.runtime.clock.now().timestamp() + error.retry_after
                self._store(run, replace(run.state, not_before=later))
            self.ledger.release(run.lease, reason=error.reason, due_epoch=None)
            return
        except HandBackError as error:
            run.summary.outcome = f"held:{reason_of(error)}"
            if error.reason == why.EVERY_ROW_REFUSED:
                self._store(run, run.state.closed())
            self.ledger.release(run.lease, reason=error.reason, due_epoch=None)
            return
        facts = {"plan": run.state.encode()}
        self.ledger.finish(run.lease, EventStatus.PROCESSED, facts=facts)

    # --- batches ------------------------------------------------------------------------------

    def _post_all(self, run: _Run) -> None:
        """Post what earlier runs have left, then all pending facts, as far as the run's time allows."""
        none = dimension_keys((), self.runtime.clock.now().year)
        for taker in self.sinks.accepting:
            self._unless_away(run, taker, partial(taker.ensure_keys, run.attempt, none))
        self._post_owed(run, keeps_seconds=max(ENOUGH_SECONDS, run.time_left() / 2))
        if self.sinks.refusing:
            self.sinks.refusing.ensure_keys(run.attempt, none)
        if run.state.keys:
            self._post(run, self.store.pending(run.state.keys), is_retry=True)
        while run.time_left() > ENOUGH_SECONDS:
            passed = run.state.unfinished_keys | {fact.key for fact, _ in run.suspects}
            found = self.store.pending_keys(at_most=self.rows_per_post + len(passed))
            fresh = self.store.pending([key for key in found if key not in passed])
            facts = facts_that_fit(fresh[: self.rows_per_post], run.state)
            if not facts:
                break
            self._open(run, facts)
            self._post(run, facts)
        self._settle_suspects(run)
        run.state = run.state.closed()  # `_under_lease` stores it when the run ends
        run.away = {target: reason for target, reason in run.away.items() if reason != why.BEHIND}
        self._post_owed(run, keeps_seconds=ENOUGH_SECONDS)
        for reason in run.away.values():
            run.summary.outcome = f"waiting:{reason}"

    def _open(self, run: _Run, facts: Sequence[Fact]) -> None:
        """Open a batch of these facts: store its number and keys before any of its rows is sent."""
        number = run.state.next_number(self.runtime.clock.now())
        self._store(run, run.state.opened(number, (fact.key for fact in facts)))

    def _store(self, run: _Run, state: WriterState) -> None:
        self.ledger.store_plan(run.lease, state.encode(), intent=None, modes=run.attempt.modes)
        run.state = state

    def _post(self, run: _Run, facts: Sequence[Fact], *, is_retry: bool = False) -> None:
        """Post the open batch to the sinks; facts that every sink then has are marked as posted.

        If Power BI refuses a retry, the next run repeats the batch once before it is split.  If the
        first request was accepted after all, splitting would post its rows again under other
        numbers.
        """
        if not facts:
            return
        posted = self._post_to_refusing(run, facts)
        status, reason = (posted.status, posted.reason) if posted else (ActionStatus.DONE, None)
        match status:
            case ActionStatus.DONE:
                run.summary.posts += 1
                takers = (taker.target for taker in self.sinks.accepting)
                run.state = run.state.handed_on((fact.key for fact in facts), takers)
                self._post_owed(run)
            case ActionStatus.REFUSED if is_retry and not run.state.retry_was_refused:
                self._store(run, replace(run.state, retry_was_refused=True))
                raise HandBackError(why.REPETITION_REFUSED)
            case ActionStatus.REFUSED:
                self._split(run, facts, reason or "refused")
            case ActionStatus.SKIPPED:
                self._store(run, run.state.closed())  # no POST of the batch has started
                raise HandBackError(reason or why.SWITCHED_OFF)
            case _:
                raise HandBackError(reason or why.NOT_SETTLED)

    def _post_to_refusing(self, run: _Run, facts: Sequence[Fact]) -> ActionRow | None:
        """Post the batch's rows to the one sink that may refuse them, a Power BI dataset.

        Returns the stored row of this POST; None where no sink may refuse rows.
        """
        sink = self.sinks.refusing
        if sink is None:
            return None
        sink.ensure_keys(run.attempt, dimension_keys(facts, self.runtime.clock.now().year))
        is_again = run.state.retry_was_refused
        attempt = replace(run.attempt, operator=True) if is_again else run.attempt
        rows = [fact_row(fact) for fact in facts]
        return self._append(attempt, sink, run.state.number, rows)

    def _post_owed(self, run: _Run, *, keeps_seconds: float = 0.0) -> None:
        """Give owed batches to the sinks that take every row; facts that every sink has are marked as posted.

        The stored row of a POST shows whether a sink has a batch already; such a batch is not sent
        again.  When only `keeps_seconds` are left, the sinks that still lack a batch get nothing
        more for now.

        Args:
            run: the state of the run.
            keeps_seconds: how much of the run's time is kept for new batches.

        Raises:
            HandBackError: the switches or the lease do not allow a POST now; everything stays owed.
        """
        left = []
        for owed in run.state.owed:
            if run.time_left() < keeps_seconds:
                run.away = dict.fromkeys(owed.lacking, why.BEHIND) | run.away
            if owed.lacking and owed.lacking <= run.away.keys():
                left.append(owed)
                continue
            facts = self.store.pending(owed.keys)
            takers = [
                sink for sink in self.sinks.accepting if sink.target in owed.lacking and facts
            ]
            lacking = {
                taker.target
                for taker in takers
                if not self._unless_away(run, taker, partial(self._give, run, taker, owed, facts))
            }
            if lacking:
                left.append(replace(owed, lacking=frozenset(lacking)))
                continue
            self._check_lease(run)
            self.store.settle(facts, FactStatus.POSTED, batch=owed.number)
            run.summary.posted += len(facts)
            run.summary.outcome = "posted"
        owes = replace(run.state, owed=tuple(left))
        run.state = owes.merged(at_most=self.rows_per_post)

    def _give(self, run: _Run, taker: Dimensions, owed: OwedBatch, facts: Sequence[Fact]) -> None:
        # An operator's attempt may retry an action that was skipped for a switch.
        attempt = replace(run.attempt, operator=True)
        taker.ensure_keys(run.attempt, dimension_keys(facts, self.runtime.clock.now().year))
        row = self._append(attempt, taker, owed.number, [full_row(fact) for fact in facts])
        if row.status != ActionStatus.DONE:
            raise HandBackError(row.reason or why.NOT_SETTLED)

    def _unless_away(self, run: _Run, taker: Dimensions, work: Callable[[], None]) -> bool:
        """Do some work with a sink that takes every row; returns whether it was done.

        It was not where the sink is unavailable in this run, because of an error or because it
        asked to wait.
        """
        target, now = taker.target, self.runtime.clock.now().timestamp()
        if run.state.rests.get(target, 0.0) > now:
            run.away.setdefault(target, why.ASKED_TO)
        if target in run.away:
            return False
        try:
            work()
        except ProviderError as error:
            run.away[target] = reason_of(error)
            until = {target: now + error.retry_after} if error.retry_after else {}
            run.state = replace(run.state, rests={**run.state.rests, **until})
            return False
        return True

    def _append(
        self, attempt: Attempt, sink: Dimensions, number: int, rows: Sequence[Row]
    ) -> ActionRow:
        action = effects.rows(POST_FACTS, sink.target, FACT_EVENT, number, tuple(rows))
        return self.effects.perform(attempt, [StepAction(action)], {})[action.key]

    def _ensure(self, run: _Run, keys: Mapping[str, Keys]) -> None:
        for sink in self.sinks:
            sink.ensure_keys(run.attempt, keys)

    def _is_settled(self) -> bool:
        return all(sink.is_settled() for sink in self.sinks)

    def _split(self, run: _Run, facts: Sequence[Fact], reason: str) -> None:
        """Find the refused row of a batch by posting the batch in halves, again and again.

        Power BI accepts all rows of a POST or none.
        """
        if len(facts) == 1:
            run.suspects.append((facts[0], reason))
            if len(run.suspects) >= _SUSPECTS_BEFORE_CHECK:
                self._settle_suspects(run)
            return
        half = len(facts) // 2
        for part in (facts[:half], facts[half:]):
            if run.time_left() > ENOUGH_SECONDS:
                self._open(run, part)
                self._post(run, part)

    def _settle_suspects(self, run: _Run) -> None:
        """Mark facts whose rows were refused alone as failed, if the dataset accepted others in this run.

        A dataset that accepts no row at all is misconfigured: the facts then stay pending until an
        operator acts, and `HandBackError` is raised.
        """
        if run.suspects and not run.summary.posts:
            self.runtime.log.metric("mw.facts.table_refuses")
            raise HandBackError(why.EVERY_ROW_REFUSED)
        if run.suspects:
            self._check_lease(run)
        for fact, reason in run.suspects:
            self.store.settle([fact], FactStatus.FAILED, batch=run.state.number, reason=reason)
            self.runtime.log.event("facts.failed", reason=reason, source=fact.source)
            run.summary.failed += 1
        run.suspects.clear()

    def _check_lease(self, run: _Run) -> None:
        """Raise `HandBackError` if the lease may be over, so that a suspended run writes nothing more."""
        if self.runtime.clock.now().timestamp() > run.lease.until_epoch - LEASE_GRACE_SECONDS / 2:
            raise HandBackError(why.LEASE_OVER)

    def _report(self, summary: PostingSummary) -> None:
        """Log and count a run of the fact writer, unless it was idle; there is a run every minute."""
        if summary.outcome == "idle":
            return
        self.runtime.log.event(
            "facts.run",
            outcome=summary.outcome,
            posts=summary.posts,
            posted=summary.posted,
            failed=summary.failed,
            prolonged=summary.prolonged,
        )
        if summary.outcome != "posted":
            self.runtime.log.metric("mw.facts.waiting", outcome=summary.outcome.partition(":")[0])
        self.runtime.log.metric("mw.facts.posted", summary.posted)
        if summary.failed:
            self.runtime.log.metric("mw.facts.failed", summary.failed)
