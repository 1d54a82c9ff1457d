"""Posts pending facts in batches, as the single writer of the dataset.

::

    pending facts -> claim the lease -> store the open batch -> dimensions -> POST -> facts final

A run that finds the lease taken does nothing.  Before a POST the batch's number and keys are stored
under the lease; a run that finds an open batch posts that one, the same rows under the same number.
The POST itself goes through the one door out, so that a batch that is known to have been taken is
not sent again.  While the sink is away the facts stay pending: an outage is a delay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from chalicelib.errors import HandBackError, LeaseLostError, ProviderError, SwitchesUnreadableError
from chalicelib.facts.dataset import FACT_EVENT, ROWS_PER_POST, dimension_keys, fact_row
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.model import Fact, FactStatus, TimeLeft
from chalicelib.facts.posting.actions import PostFacts
from chalicelib.facts.posting.batch import Batch, fitting, writer_event
from chalicelib.facts.posting.dimensions import Dimensions
from chalicelib.once.action import ActionStatus
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import LEASE_GRACE_SECONDS, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log, Modes, SwitchesPort

ENOUGH_SECONDS = 60.0
"""A run starts no batch with less time left: dimensions, a POST and its record must still fit."""
_SUSPECTS_BEFORE_DOUBT = 3
_REOPEN = frozenset({EventStatus.PROCESSED, EventStatus.FAILED, EventStatus.PARKED})


@dataclass(slots=True)
class Summary:
    """One run in numbers; also its log record.

    Attributes:
        outcome: idle, posted, busy, held:<switch>, waiting:<why>.
    """

    outcome: str = "idle"
    posts: int = 0
    posted: int = 0
    failed: int = 0
    prolonged: int = 0


@dataclass(slots=True)
class _Run:
    """What one run holds.

    Attributes:
        suspects: facts that were refused alone.
    """

    attempt: Attempt
    batch: Batch
    summary: Summary
    time_left: TimeLeft
    suspects: list[tuple[Fact, str]] = field(default_factory=list)

    @property
    def lease(self) -> Lease:
        return self.attempt.lease


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Runs every minute; built once per container.

    Attributes:
        ledger: `Ledger` over the facts' own table: the lease, the open batch, each POST.
        rows_per_post: what the sink takes at once.
    """

    ledger: Ledger
    store: FactLedger
    dimensions: Dimensions
    effects: Effects
    switches: SwitchesPort
    clock: Clock
    log: Log
    rows_per_post: int = ROWS_PER_POST

    def run(self, *, time_left_seconds: TimeLeft) -> Summary:
        """One run; what a later run can do is an outcome.

        Raises:
            TransientError: the ledger itself cannot be read or written.
        """
        summary = Summary()
        try:
            self._run(summary, time_left_seconds)
        except SwitchesUnreadableError:
            summary.outcome = "held:switches_unreadable"
        if summary.outcome.startswith(("held", "waiting")):
            summary.prolonged = self.store.prolong()
        self._report(summary)
        return summary

    def seed(self, keys: dict[str, frozenset[str]], *, time_left_seconds: TimeLeft) -> str:
        """Bring keys of dimensions into the dataset under the writer's lease; how that ended.

        A batch that was left open stays open for the next run.
        """
        summary = Summary()
        run = self._begun(summary, self.switches.current().modes, time_left_seconds)
        if run is not None:
            summary.outcome = "seeded"
            self._guarded(run, lambda: self.dimensions.ensure(run.attempt, keys))
        return summary.outcome

    def _run(self, summary: Summary, time_left: TimeLeft) -> None:
        switches = self.switches.current()
        held = switches.forbids(PostFacts("", FACT_EVENT, 0, ()))
        if held is not None:
            summary.outcome = f"held:{held}"
            return
        if not self.store.pending_keys(at_most=1) and self.dimensions.is_settled():
            return
        run = self._begun(summary, switches.modes, time_left)
        if run is not None:
            self._guarded(run, lambda: self._drain(run))

    def _begun(self, summary: Summary, modes: Modes, time_left: TimeLeft) -> _Run | None:
        """A run under the lease; None while another has it, or the dataset wants no call."""
        lease = self.ledger.claim(
            writer_event(self.clock.now()),
            modes,
            lease_seconds=time_left() + LEASE_GRACE_SECONDS,
            takeover=_REOPEN,
        )
        if not isinstance(lease, Lease):
            summary.outcome = "busy"
            return None
        run = _Run(Attempt(lease, modes), Batch.decode(lease.plan), summary, time_left)
        if run.batch.not_before > self.clock.now().timestamp():
            summary.outcome = "waiting:asked_to"
            self.ledger.release(lease, reason="asked_to")
            return None
        return run

    def _guarded(self, run: _Run, work: Callable[[], None]) -> None:
        """Do the work; a run that finds another in its place has nothing to end or give back."""
        try:
            self._under_lease(run, work)
        except LeaseLostError as error:
            run.summary.outcome = f"held:{error.reason}"

    def _under_lease(self, run: _Run, work: Callable[[], None]) -> None:
        """Do the work under the lease, and give the lease back however it ends."""
        try:
            work()
        except ProviderError as error:
            run.summary.outcome = f"waiting:{error.provider}_{error.reason}"
            if error.retry_after:
                later = self.clock.now().timestamp() + error.retry_after
                self._store(run, replace(run.batch, not_before=later))
            self.ledger.release(run.lease, reason=error.reason)
            return
        except HandBackError as error:
            run.summary.outcome = f"held:{error.reason}"
            if error.reason == "every_row_refused":
                self._store(run, Batch(run.batch.number))
            self.ledger.release(run.lease, reason=error.reason)
            return
        facts = {"plan": run.batch.encode()}
        self.ledger.finish(run.lease, EventStatus.PROCESSED, facts=facts)

    # --- batches ------------------------------------------------------------------------------

    def _drain(self, run: _Run) -> None:
        """The batch that was left open, then whatever is pending."""
        self.dimensions.ensure(run.attempt, dimension_keys((), self.clock.now().year))
        if run.batch.keys:
            self._post(run, self.store.pending(run.batch.keys), is_repeated=True)
        tried = {fact.key for fact, _ in run.suspects}
        while run.time_left() > ENOUGH_SECONDS:
            found = self.store.pending_keys(at_most=self.rows_per_post + len(tried))
            fresh = self.store.pending([key for key in found if key not in tried])
            facts = fitting(fresh[: self.rows_per_post])
            if not facts:
                break
            self._open(run, facts)
            self._post(run, facts)
            tried = {fact.key for fact, _ in run.suspects}
        self._judge_suspects(run)
        run.batch = Batch(run.batch.number)  # over; to be stored with the end of the run

    def _open(self, run: _Run, facts: Sequence[Fact]) -> None:
        """Store a batch before anything of it can leave the machine."""
        number = max(run.batch.number + 1, int(self.clock.now().timestamp() * 1000))
        self._store(run, Batch(number, tuple(fact.key for fact in facts)))

    def _store(self, run: _Run, batch: Batch) -> None:
        self.ledger.store_plan(run.lease, batch.encode(), intent=None, modes=run.attempt.modes)
        run.batch = batch

    def _post(self, run: _Run, facts: Sequence[Fact], *, is_repeated: bool = False) -> None:
        """Post the open batch and write its facts' end.

        A refused repetition is asked for once more by the next run: had the first request been
        taken, its rows would stand twice under the numbers of its parts.
        """
        if not facts:
            return
        self.dimensions.ensure(run.attempt, dimension_keys(facts, self.clock.now().year))
        rows = tuple(fact_row(fact) for fact in facts)
        action = PostFacts(self.dimensions.target, FACT_EVENT, run.batch.number, rows)
        attempt = replace(run.attempt, operator=run.batch.is_doubted)  # opens what was refused
        row = self.effects.perform(attempt, [StepAction(action)], {})[action.key]
        match row.status:
            case ActionStatus.DONE:
                run.summary.posts += 1
                run.summary.posted += len(facts)
                run.summary.outcome = "posted"
                self._check_lease(run)
                self.store.settle(facts, FactStatus.POSTED, batch=run.batch.number)
            case ActionStatus.REFUSED if is_repeated and not run.batch.is_doubted:
                self._store(run, replace(run.batch, is_doubted=True))
                raise HandBackError("repetition_refused")
            case ActionStatus.REFUSED:
                self._divide(run, facts, row.reason or "refused")
            case ActionStatus.SKIPPED:
                self._store(run, Batch(run.batch.number))  # never started: a new batch will be
                raise HandBackError(row.reason or "switched_off")
            case _:
                raise HandBackError(row.reason or "not_settled")

    def _divide(self, run: _Run, facts: Sequence[Fact], reason: str) -> None:
        """Power BI takes all rows of a POST or none: find the one it does not take."""
        if len(facts) == 1:
            run.suspects.append((facts[0], reason))
            if len(run.suspects) >= _SUSPECTS_BEFORE_DOUBT:
                self._judge_suspects(run)
            return
        half = len(facts) // 2
        for part in (facts[:half], facts[half:]):
            if run.time_left() > ENOUGH_SECONDS:
                self._open(run, part)
                self._post(run, part)

    def _judge_suspects(self, run: _Run) -> None:
        """A row that is refused alone while others are taken is at fault itself; else the table is.

        A table that takes nothing at all is a wrong deployment: its facts wait for a person.
        """
        if run.suspects and not run.summary.posts:
            self.log.metric("mw.facts.table_refuses")
            raise HandBackError("every_row_refused")
        for fact, reason in run.suspects:
            self.store.settle([fact], FactStatus.FAILED, batch=run.batch.number, reason=reason)
            self.log.event("facts.failed", reason=reason, source=fact.source)
            run.summary.failed += 1
        run.suspects.clear()

    def _check_lease(self, run: _Run) -> None:
        """A run that was frozen past its lease leaves the record to the next."""
        if self.clock.now().timestamp() > run.lease.until_epoch - LEASE_GRACE_SECONDS / 2:
            raise HandBackError("lease_over")

    def _report(self, summary: Summary) -> None:
        """Nothing of a run that had nothing to do: there is one every minute."""
        if summary.outcome == "idle":
            return
        self.log.event(
            "facts.run",
            outcome=summary.outcome,
            posts=summary.posts,
            posted=summary.posted,
            failed=summary.failed,
            prolonged=summary.prolonged,
        )
        if summary.outcome != "posted":
            self.log.metric("mw.facts.waiting", outcome=summary.outcome.partition(":")[0])
        self.log.metric("mw.facts.posted", summary.posted)
        if summary.failed:
            self.log.metric("mw.facts.failed", summary.failed)
